"""Verification: the exact overlaps of documents with their candidates, in two ways with one result.

A few candidates: their stored normal forms are read and counted (kernels/overlap.py), a whole batch at once. Very many:
they are compared together, one document after another, each just before its verdict is made, so that the documents of
one batch are members of each other's crowds by then (index/crowds.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.index.crowds import FEWEST, SAMPLE, Crowds, Difference, Subject
from neardup.index.search import passes_bitmap_filter, required_overlaps
from neardup.kernels.crowd import BELOW, EXACT, NEAR, UNKNOWN, Ranking, best_matches, text_starts
from neardup.kernels.overlap import verify_pairs
from neardup.model.decision import Matches, ranked
from neardup.model.verdict import Overlap, Part
from neardup.signing.signature import concatenated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates, Crowd
    from neardup.index.document_table import DocumentTable
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.settings import PartialRule, Settings
    from neardup.signing.signer import Signer

ReadTexts = Callable[[Sequence[int]], list[bytes]]
"""The normal forms of some docs, in UTF-8."""
_NO_MATCHES = Matches((), 0, None)


class Compared(NamedTuple):
    """One document and what it is compared with: how many documents, which match, which share a part below that."""

    candidates: int
    matches: Matches
    parts: Sequence[Part]


_NOTHING = Compared(0, _NO_MATCHES, ())


class CrowdTexts(NamedTuple):
    """The texts that document `query` of a batch is compared with together.

    docs            a doc of each text
    sentences       the most that a doc of the text has in common with it; None where partial copies are not looked for
    shared, state   what is known so far of each (kernels/crowd.py), filled in
    """

    query: int
    docs: NDArray[np.int64]
    sentences: NDArray[np.int64] | None
    shared: NDArray[np.int64]
    state: NDArray[np.uint8]


class Verifier:
    """Compares the documents of one batch with their `candidates`.

    `rule`: when documents below `threshold` share a part. `read_texts` gives the normal forms of docs; `listed` matches
    are ranked, None = all.
    """

    def __init__(
        self,
        batch: SignedQueryBatch,
        candidates: Candidates,
        *,
        table: DocumentTable,
        crowds: Crowds,
        signer: Signer,
        settings: Settings,
        threshold: Fraction,
        read_texts: ReadTexts,
        rule: PartialRule | None,
        listed: int | None,
    ) -> None:
        self._signed, self._candidates = batch.signed, candidates
        self._table, self._crowds, self._signer, self._settings = table, crowds, signer, settings
        self._threshold, self._read_texts, self._rule, self._listed = threshold, read_texts, rule, listed
        self._bounds = np.searchsorted(candidates.queries, np.arange(len(batch.signed.counts) + 1)).tolist()
        self._overlaps: dict[int, list[Overlap]] = {}
        self._parts: dict[int, list[Part]] = {}
        self._verify(candidates)

    def compared(
        self, index: int, floor: int, *, doc: int = -1, living: bool = False, limit: int = 0
    ) -> tuple[Compared, bool]:
        """What document `index` of the batch is compared with; whether candidates were cut off at `limit` (0: none).

        Groups are as they stand where hours before `floor` have gone; `doc` is the document's doc, -1 if it is not
        kept. `living`: without candidates that are dead by now.
        """
        crowd = self._candidates.crowds.get(index)
        if crowd is not None:
            if living:
                crowd = crowd.chosen(self._table.alive[crowd.docs] == 1)
            return self._compare_crowd(index, crowd, floor, doc), False
        if self._bounds[index] == self._bounds[index + 1]:
            return _NOTHING, False
        docs = self._candidates.docs[self._bounds[index] : self._bounds[index + 1]]
        overlaps, parts, cut = self._overlaps.get(index, []), self._parts.get(index, []), False
        if living and len(docs):
            docs = docs[self._table.alive[docs] == 1]
            if 0 < limit < len(docs):
                docs, cut = docs[:limit], True
            overlaps = [overlap for overlap in overlaps if overlap.doc in docs]
            parts = [part for part in parts if part.doc in docs]
        if not overlaps:
            return Compared(len(docs), _NO_MATCHES, parts), cut
        matches = ranked(overlaps, self._table.standing(floor), self._listed)
        return Compared(len(docs), matches, parts), cut

    # ---- a few candidates: read ----

    def _verify(self, candidates: Candidates) -> None:
        """The overlaps and parts of all documents with few candidates."""
        queries, docs = candidates.queries, candidates.docs
        if not len(docs):
            return
        shared, equal = self._counted(queries, docs, candidates.sentences)
        counts, others = self._signed.counts[queries], self._table.qgram_counts(docs)
        reached = equal | (
            (shared >= required_overlaps(self._threshold, np.maximum(counts, others))) & (counts > 0)
        )
        pairs = np.flatnonzero(reached)
        overlaps = self._overlaps_of(docs[pairs], shared[pairs], counts[pairs], equal[pairs])
        for query, overlap in zip(queries[pairs].tolist(), overlaps, strict=True):
            self._overlaps.setdefault(query, []).append(overlap)
        for pair in self._sharing(shared, counts, others, candidates.sentences, reached):
            part = self._part(docs[pair], shared[pair], counts[pair], candidates.sentences[pair])  # type: ignore[index] # some share one
            self._parts.setdefault(int(queries[pair]), []).append(part)

    def _counted(
        self, queries: NDArray[np.int64], docs: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(|A ∩ B| of every pair, or a smaller number where that is of no use; whether their texts are equal).

        Afterwards |A| is known of all of them, and |B| of every pair that may match. Equal fingerprints are equal
        normal forms: not read again.
        """
        signed, table = self._signed, self._table
        equal = (table.fingerprints[docs] == signed.fingerprints[queries]).all(axis=1)
        equal &= (np.diff(signed.text_offsets) > 0)[queries]  # nothing is a copy of an empty text
        self._signer.count(signed, np.unique(queries[equal]).tolist())
        counts = signed.counts[queries]
        shared = np.where(equal, counts, 0)
        table.count(docs[equal], counts[equal])
        open_pairs = np.flatnonzero(~equal & (counts != 0))
        if len(open_pairs):
            chosen = None if sentences is None else sentences[open_pairs]
            shared[open_pairs] = self._read(queries[open_pairs], docs[open_pairs], chosen)
        return shared, equal

    def _read(
        self, queries: NDArray[np.int64], docs: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """|A ∩ B| of pairs whose texts differ, or a smaller number where that is of no use: by their texts."""
        signed, table, signer = self._signed, self._table, self._signer
        unique, at = np.unique(docs, return_inverse=True)
        data, offsets = concatenated(self._read_texts(unique.tolist()))
        needed = np.full(len(docs), -1)
        if self._rule is not None:  # which numbers are of use depends on both sizes
            signer.count(signed, np.unique(queries).tolist())
            sizes = table.qgram_counts(unique)
            signer.count_texts(data, offsets, np.flatnonzero(sizes < 0), sizes)
            table.count(unique, sizes)
            needed = self._enough(signed.counts[queries], sizes[at], sentences)
        others = table.qgram_counts(docs)
        before = others < 0
        longest = max(int(np.diff(each).max(initial=0)) for each in (offsets, signed.text_offsets))
        shared = np.zeros(len(docs), np.int64)
        verify_pairs(
            queries, signed.texts, signed.text_offsets, signed.counts, data, offsets[:-1][at], offsets[1:][at],
            others, needed, (self._threshold.numerator, self._threshold.denominator), signer.recipe.q,
            signer.scratch(longest), shared,
        )  # fmt: skip
        counted = np.flatnonzero(before & (others >= 0))
        table.count(docs[counted], others[counted])
        return shared

    def _enough(
        self, counts: NDArray[np.int64], others: NDArray[Any], sentences: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """How many q-grams a pair must share to be worth anything."""
        needed = required_overlaps(self._threshold, np.maximum(counts, others))
        if self._rule is None or sentences is None:
            return needed
        smaller = np.minimum(counts, others)
        contained = np.where(sentences > 0, required_overlaps(self._rule.containment, smaller), needed)
        parts = np.maximum(np.where(sentences > self._rule.delta, 1, contained), 1)
        return np.minimum(needed, parts)

    def _sharing(
        self,
        shared: NDArray[np.int64],
        counts: NDArray[np.int64],
        others: NDArray[np.int64],
        sentences: NDArray[np.int64] | None,
        reached: NDArray[np.bool_],
    ) -> list[int]:
        """The pairs below the threshold that share a part by the rule: a sentence and a q-gram at least."""
        if self._rule is None or sentences is None:
            return []
        enough = self._enough(counts, others, sentences)
        return np.flatnonzero(~reached & (shared >= enough) & (counts > 0)).tolist()

    def _part(self, doc: int, shared: int, count: int, sentences: int) -> Part:
        doc, table = int(doc), self._table
        smaller = min(int(count), int(table.counts[table.first_of[doc]]))
        time = int(table.times[doc])
        return Part(doc, table.ids[doc], time, int(shared), int(count), smaller, int(sentences))

    # ---- very many: together ----

    def _compare_crowd(self, index: int, candidates: Crowd, floor: int, doc: int) -> Compared:
        signed, table = self._signed, self._table
        docs = candidates.docs
        if not len(docs):
            return Compared(0, _NO_MATCHES, [])
        self._signer.count(signed, [index])
        starts = np.empty(len(docs) + 1, np.int64)
        size = text_starts(docs, table.first_of, starts)
        starts[size] = len(docs)
        starts = starts[: size + 1]
        shared, state = np.zeros(size, np.int64), np.zeros(size, np.uint8)
        sentences = None
        if candidates.sentences is not None:
            sentences = np.maximum.reduceat(candidates.sentences, starts[:-1])
        texts = CrowdTexts(index, docs[starts[:-1]], sentences, shared, state)
        count, fingerprint = int(signed.counts[index]), signed.fingerprints[index]
        same = np.flatnonzero(table.halves[texts.docs] == fingerprint[0])
        same = same[(table.fingerprints[texts.docs[same]] == fingerprint).all(axis=1)]
        state[same], shared[same] = EXACT, count
        table.count(texts.docs[same], np.full(len(same), count))
        if len(same) < size:
            self._compare_texts(texts, doc)
        table.update_stands(floor)
        best = np.empty(len(docs) if self._listed is None else max(self._listed, 1), np.int64)
        text_of = np.empty(len(best), np.int64)
        total, compared, head, head_text = best_matches(
            docs, starts, state, shared,
            Ranking(
                table.counts, table.first_of, table.times, table.names, table.name_starts, table.stands
            ),
            count, best, text_of,
        )  # fmt: skip
        listed = min(total, len(best))
        positions, text_positions = np.append(best[:listed], head), np.append(text_of[:listed], head_text)
        overlaps = self._overlaps_of(
            docs[positions], shared[text_positions], count, state[text_positions] == EXACT
        )
        joined = overlaps.pop()
        matches = Matches(overlaps, total, joined if head >= 0 else None)
        parts: list[Part] = []
        if candidates.sentences is not None and self._rule is not None:
            lengths = np.diff(starts)
            every = np.repeat(shared, lengths), np.repeat(state >= NEAR, lengths)
            parts = self._crowd_parts(docs, *every, count, candidates.sentences)
        return Compared(compared, matches, parts)

    def _compare_texts(self, texts: CrowdTexts, doc: int) -> None:
        """Fills in what is known of `texts`, but for the very text of the document, whose own is `doc`."""
        columns = self._table.columns
        keys, _ = self._signer.key_sets(self._signed.part(texts.query, texts.query + 1))
        subject = Subject(keys, self._signed.fingerprints[texts.query])
        sizes = self._crowds.sizes(texts.docs, columns)
        ratio = self._threshold.numerator, self._threshold.denominator
        differences = {
            crowd: self._crowds.compare(crowd, subject, texts.docs, columns, ratio, texts.shared, texts.state)
            for crowd in np.flatnonzero(sizes).tolist()
        }
        read = self._read_rest(texts)
        self._gather(subject, sizes, differences, texts.docs[read], doc)

    def _overlaps_of(
        self, docs: NDArray[np.int64], shared: NDArray[np.int64], count: Any, exact: NDArray[np.bool_]
    ) -> list[Overlap]:
        """The overlaps of `docs` with a document of `count` q-grams, or with one of as many each."""
        table = self._table
        larger = np.maximum(table.qgram_counts(docs), count).tolist()
        ids = table.ids
        columns = (table.times[docs].tolist(), shared.tolist(), larger, exact.tolist())
        return [
            Overlap(doc, ids[doc], *values)
            for doc, values in zip(docs.tolist(), zip(*columns, strict=True), strict=True)
        ]

    def _read_rest(self, texts: CrowdTexts) -> NDArray[np.int64]:
        """Fills in those `texts` that are in no crowd: each is read, unless its bitmap speaks against it.

        Those below the threshold are held against their bitmaps as well: what these reject is no candidate, in a crowd
        or not. Returns the positions in `texts` of those that were read.
        """
        query, candidates, sentences, shared, state = texts
        waiting = np.flatnonzero(state < NEAR)
        if not len(waiting):
            return waiting
        keep = np.ones(len(waiting), np.bool_)
        if self._settings.retrieval != "complete":
            queries = np.full(len(waiting), query)
            keep = passes_bitmap_filter(
                self._signed, queries, candidates[waiting], self._table, self._threshold
            )
        if sentences is not None:
            keep |= sentences[waiting] > 0
        state[waiting[~keep]] = UNKNOWN
        read: NDArray[np.int64] = waiting[keep & (state[waiting] == UNKNOWN)]
        if not len(read):
            return read
        queries, docs = np.full(len(read), query), candidates[read]
        overlaps, equal = self._counted(queries, docs, None if sentences is None else sentences[read])
        counts = self._signed.counts[queries]
        larger = np.maximum(counts, self._table.qgram_counts(docs))
        near = (overlaps >= required_overlaps(self._threshold, larger)) & (counts > 0)
        shared[read] = overlaps
        state[read] = np.where(equal, EXACT, np.where(near, NEAR, BELOW))
        return read

    def _gather(
        self,
        subject: Subject,
        sizes: NDArray[np.int64],
        differences: Mapping[int, Difference],
        read: NDArray[np.int64],
        doc: int,
    ) -> None:
        """Makes members of a crowd of the documents that had to be `read`, if they are many, and of the subject."""
        crowd = int(sizes.argmax()) if sizes.max(initial=0) >= FEWEST else None
        if len(read) >= FEWEST:
            crowd = self._gather_read(subject, crowd, read)
        if crowd is not None and doc >= 0 and self._table.first_of[doc] == doc:
            self._table.count(np.array([doc]), np.array([len(subject.keys)]))
            if crowd in differences:
                self._crowds.add_member(crowd, doc, len(subject.keys), differences[crowd])
            else:
                self._crowds.add_members(crowd, [doc], [subject.keys])

    def _gather_read(self, subject: Subject, crowd: int | None, read: NDArray[np.int64]) -> int | None:
        """Makes members of the docs `read`, of `crowd` or of a new one; returns the crowd of most of them, or None."""
        # Where routes give candidates, too, a text may come several times.
        posted, positions = np.unique(self._table.first_of[read], return_index=True)
        free = self._crowds.is_free(posted)
        read, firsts = read[positions[free]], posted[free].tolist()
        if len(read) < FEWEST:
            return crowd
        batch = self._signer.sign(self._read_texts(read.tolist()), normal=True)
        keys, offsets = self._signer.key_sets(batch)
        self._table.count(np.array(firsts), np.diff(offsets))
        sets = [keys[start:end] for start, end in pairwise(offsets.tolist())]
        others = list(range(len(firsts)))
        if crowd is not None:
            others = self._crowds.add_members(crowd, firsts, sets)
        if len(others) >= FEWEST:
            firsts, sets = [firsts[i] for i in others], [sets[i] for i in others]
            crowd = self._crowds.add_crowd([subject.keys, *sets[:: max(len(sets) // SAMPLE, 1)]])
            self._crowds.add_members(crowd, firsts, sets, last=True)
        return crowd

    def _crowd_parts(
        self,
        docs: NDArray[np.int64],
        shared: NDArray[np.int64],
        reached: NDArray[np.bool_],
        count: int,
        sentences: NDArray[np.int64],
    ) -> list[Part]:
        counts, others = np.full(len(docs), count), self._table.qgram_counts(docs)
        pairs = self._sharing(shared, counts, others, sentences, reached)
        return [self._part(docs[pair], shared[pair], count, sentences[pair]) for pair in pairs]
