"""Verification: the exact overlaps of documents with their candidates, in two ways with one result.

A few candidates: their stored normal forms are read and counted (kernels/overlap.py), a whole batch at once. Very many:
they are compared together, one document after another, each just before its verdict is made, so that the documents of
one batch are members of each other's crowds by then (index/crowds.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.index.candidates import Crowd
from neardup.index.crowd_comparison import CrowdComparison, Rest, best_of
from neardup.index.pair_overlaps import required_overlaps, shared_of_pairs
from neardup.index.template_filter import passes_bitmap_filter
from neardup.model.decision import NO_MATCHES, Matches, as_listed, ranked
from neardup.model.verdict import Overlap, Part, overlap_of
from neardup.signing.signature import concatenated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates
    from neardup.index.crowds import Crowds
    from neardup.index.document_table import DocumentTable
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.settings import PartialRule, Settings
    from neardup.signing.signature import Keys, Offsets
    from neardup.signing.signer import Signer

ReadTexts = Callable[[Sequence[int]], list[bytes]]
"""The normal forms of some docs, in UTF-8."""


class Compared(NamedTuple):
    """One document and what it is compared with: how many documents, which match, which share a part below that; and
    whether further candidates were `cut` off.
    """

    candidates: int
    matches: Matches
    parts: Sequence[Part]
    cut: bool = False


class Verifier:
    """Compares the documents of one batch with their `candidates`.

    `rule`: when documents below `threshold` share a part. `read_texts` gives the normal forms of docs; `listed` matches
    are ranked, None = all. `docs`: the doc of each document of the batch, -1 of one that is not kept; None: none is.
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
        docs: NDArray[np.int64] | None = None,
    ) -> None:
        self._signed, self._candidates = batch.signed, candidates
        self._table, self._signer, self._settings = table, signer, settings
        self._threshold, self._read_texts, self._rule, self._listed = threshold, read_texts, rule, listed
        self._bounds = np.searchsorted(candidates.queries, np.arange(len(batch.signed.counts) + 1)).tolist()
        self._overlaps: dict[int, list[Overlap]] = {}
        self._parts: dict[int, list[Part]] = {}
        self._verify(candidates)
        self._crowd_comparison = CrowdComparison(
            batch.signed, candidates.crowds, np.full(len(self._bounds) - 1, -1) if docs is None else docs,
            table=table, crowds=crowds, signer=signer, threshold=threshold,
        )  # fmt: skip

    @property
    def have_candidates(self) -> NDArray[np.bool_]:
        """Which documents of the batch have any: `compared` says nothing of the others."""
        have: NDArray[np.bool_] = np.diff(self._bounds) > 0
        have[list(self._candidates.crowds)] = True
        return have

    def compared(self, index: int, floor: int, *, living: bool = False) -> Compared:
        """What document `index` of the batch is compared with.

        Groups are as they stand where hours before `floor` have gone. `living`: without candidates that are dead, and
        no more than `max_candidates` of the others.
        """
        crowd = self._candidates.crowds.get(index)
        if crowd is not None:
            crowd, unlisted = self._with_copies(crowd, floor)
            if living:
                crowd = crowd.chosen(self._table.alive[crowd.docs] == 1)
            return self._compare_crowd(index, crowd, floor, unlisted)
        docs = self._candidates.docs[self._bounds[index] : self._bounds[index + 1]]
        overlaps, parts, cut = self._overlaps.get(index, []), self._parts.get(index, []), False
        if living:
            docs, limit = docs[self._table.alive[docs] == 1], self._settings.max_candidates
            if 0 < limit < len(docs):
                docs, cut = docs[:limit], True
            overlaps = [overlap for overlap in overlaps if overlap.doc in docs]
            parts = [part for part in parts if part.doc in docs]
        matches = ranked(overlaps, self._table.standing(floor), self._listed)
        return Compared(len(docs), matches, parts, cut)

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
        shared = shared_of_pairs(
            signed, queries, data, offsets[:-1][at], offsets[1:][at], others, needed,
            threshold=self._threshold, signer=signer, threads=self._settings.threads,
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

    def _with_copies(self, crowd: Crowd, floor: int) -> tuple[Crowd, dict[int, int]]:
        """The crowd with the first documents of each repeated text that was found by one for all; and how many others
        there are, by the doc that the text is posted as.
        """
        if crowd.stand_ins is None:
            return crowd, {}
        self._table.update_stands(floor)
        copies = self._table.repeated.copies(crowd.stand_ins, max(self._listed or 0, 1), self._table)
        first = np.fromiter(chain.from_iterable(own.docs for own in copies.values()), np.int32)
        others = {text: own.total - len(own.docs) for text, own in copies.items()}
        return Crowd(np.concatenate([crowd.docs, first]), None), others

    def _compare_crowd(
        self, index: int, candidates: Crowd, floor: int, unlisted: Mapping[int, int]
    ) -> Compared:
        """Compares with a crowd, and with so many more of each text that are not among its documents."""
        docs = candidates.docs
        if not len(docs):
            return Compared(0, NO_MATCHES, [])
        self._table.update_stands(floor)
        every = self._crowd_comparison.matches_if_all_do(index, docs, self._listed)
        if every is not None:
            others = sum(unlisted.values())
            return Compared(len(docs) + others, every._replace(total=every.total + others), [])
        texts = self._crowd_comparison.texts(
            index, docs, candidates.sentences, Rest(self._passing, self._shared, self._key_sets)
        )
        count = int(self._signed.counts[index])
        best = best_of(texts, count, self._table, self._listed)
        compared, total = best.compared, best.total
        if unlisted:
            more = np.array([unlisted.get(text, 0) for text in self._table.first_of[texts.firsts].tolist()])
            compared, total = compared + more[texts.compared].sum(), total + more[texts.reached].sum()
        overlaps = self._overlaps_of(best.docs, best.shared, count, best.exact)
        joined = overlaps.pop()
        head, listed = joined if best.has_head else None, as_listed(overlaps, self._listed)
        matches = Matches(overlaps[0], head, int(total), listed) if overlaps else NO_MATCHES
        parts: list[Part] = []
        if candidates.sentences is not None and self._rule is not None:
            lengths = np.diff(texts.starts)
            known = np.repeat(texts.shared, lengths), np.repeat(texts.reached, lengths)
            parts = self._crowd_parts(docs.astype(np.int64), *known, count, candidates.sentences)
        return Compared(int(compared), matches, parts)

    def _passing(self, index: int, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        if self._settings.retrieval == "complete":
            return np.ones(len(docs), np.bool_)
        queries = np.full(len(docs), index)
        return passes_bitmap_filter(self._signed, queries, docs, self._table, self._threshold)

    def _shared(
        self, index: int, docs: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        return self._counted(np.full(len(docs), index), docs, sentences)

    def _key_sets(self, docs: NDArray[np.int64]) -> tuple[Keys, Offsets]:
        return self._signer.key_sets(self._signer.sign(self._read_texts(docs.tolist()), normal=True))

    def _overlaps_of(
        self, docs: NDArray[np.int64], shared: NDArray[np.int64], count: Any, exact: NDArray[np.bool_]
    ) -> list[Overlap]:
        """The overlaps of `docs` with a document of `count` q-grams, or with one of as many each."""
        table = self._table
        larger = np.maximum(table.qgram_counts(docs), count).tolist()
        ids = map(table.ids.__getitem__, docs.tolist())
        columns = table.times[docs].tolist(), shared.tolist(), larger, exact.tolist()
        return list(map(overlap_of, zip(docs.tolist(), ids, *columns, strict=True)))

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
