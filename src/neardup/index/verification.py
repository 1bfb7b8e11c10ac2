"""Verification: the exact overlaps of documents with their candidates, in two ways that come to the same.

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

from neardup.index.candidates import Candidates, Crowd, SignedQueryBatch, passes_sieve, required_overlaps
from neardup.index.crowds import FEWEST, SAMPLE, Crowds, Difference, Subject
from neardup.kernels.crowd import BELOW, EXACT, NEAR, UNKNOWN, best_matches, text_starts
from neardup.kernels.overlap import verify_pairs
from neardup.model.decision import Matches, ranked
from neardup.model.verdict import Overlap, Part
from neardup.signing.signature import concatenated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable
    from neardup.model.settings import PartialRule, Settings
    from neardup.signing.signature import Signer

ReadTexts = Callable[[Sequence[int]], list[bytes]]
_NO_MATCHES = Matches((), 0, None)


class Compared(NamedTuple):
    """One document and what it is compared with: how many documents, which match, which share a part below that."""

    candidates: int
    matches: Matches
    parts: list[Part]


class Texts(NamedTuple):
    """The texts that document `query` of a batch is compared with together: a document of each in `numbers`.

    `sentences`: the most that a document of the text has in common with it; None where partial copies are not looked
    for. `shared`, `state`: what is known so far of each (kernels/crowd.py), filled in.
    """

    query: int
    numbers: NDArray[np.int64]
    sentences: NDArray[np.int64] | None
    shared: NDArray[np.int64]
    state: NDArray[np.uint8]


class Verifier:
    """Compares the documents of one batch with their `candidates`.

    `rule`: when documents below `threshold` share a part. `read_texts` gives the normal forms of document numbers;
    `listed` matches are ranked, None = all.
    """

    def __init__(
        self,
        features: SignedQueryBatch,
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
        self._signed, self._candidates = features.signed, candidates
        self._table, self._crowds, self._signer, self._settings = table, crowds, signer, settings
        self._threshold, self._read_texts, self._rule, self._listed = threshold, read_texts, rule, listed
        self._bounds = np.searchsorted(
            candidates.queries, np.arange(len(features.signed.counts) + 1)
        ).tolist()
        self._overlaps: dict[int, list[Overlap]] = {}
        self._parts: dict[int, list[Part]] = {}
        self._verify(candidates)

    def compared(
        self, index: int, floor: int, *, number: int = -1, living: bool = False, limit: int = 0
    ) -> tuple[Compared, bool]:
        """What document `index` of the batch is compared with; whether candidates were cut off at `limit` (0: none).

        Groups are taken as they are where hours before `floor` have gone; the document gets the `number`, -1 if it
        is not kept. `living`: without candidates that are dead by now.
        """
        crowd = self._candidates.crowds.get(index)
        if crowd is not None:
            if living:
                crowd = crowd.chosen(self._table.alive[crowd.numbers] == 1)
            return self._compare_crowd(index, crowd, floor, number), False
        numbers = self._candidates.numbers[self._bounds[index] : self._bounds[index + 1]]
        found, parts, cut = self._overlaps.get(index, []), self._parts.get(index, []), False
        if living and len(numbers):
            numbers = numbers[self._table.alive[numbers] == 1]
            if 0 < limit < len(numbers):
                numbers, cut = numbers[:limit], True
            found = [overlap for overlap in found if overlap.number in numbers]
            parts = [part for part in parts if part.number in numbers]
        if not found:
            return Compared(len(numbers), _NO_MATCHES, parts), cut
        matches = ranked(found, self._table.standing(floor), self._listed)
        return Compared(len(numbers), matches, parts), cut

    # ---- a few candidates: read ----

    def _verify(self, candidates: Candidates) -> None:
        """The overlaps and parts of all documents with few candidates."""
        queries, numbers = candidates.queries, candidates.numbers
        if not len(numbers):
            return
        table = self._table
        counts, others = self._signed.counts[queries], table.counts[numbers].astype(np.int64)
        shared, equal = self._counted(queries, numbers, candidates.sentences)
        reached = equal | (
            (shared >= required_overlaps(self._threshold, np.maximum(counts, others))) & (counts > 0)
        )
        pairs = np.flatnonzero(reached)
        found = self._overlaps_of(numbers[pairs], shared[pairs], counts[pairs], equal[pairs])
        for query, overlap in zip(queries[pairs].tolist(), found, strict=True):
            self._overlaps.setdefault(query, []).append(overlap)
        for pair in self._sharing(shared, counts, others, candidates.sentences, reached):
            part = self._part(numbers[pair], shared[pair], counts[pair], candidates.sentences[pair])  # type: ignore[index] # some share one
            self._parts.setdefault(int(queries[pair]), []).append(part)

    def _counted(
        self, queries: NDArray[np.int64], numbers: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(|A ∩ B| of every pair, or a smaller number where that is of no use; whether their texts are equal).

        Equal fingerprints are equal normal forms: not read again.
        """
        signed, table = self._signed, self._table
        counts = signed.counts[queries]
        equal = (table.fingerprints[numbers] == signed.fingerprints[queries]).all(axis=1)
        equal &= (np.diff(signed.text_offsets) > 0)[queries]  # nothing is a copy of an empty text
        shared = np.where(equal, counts, 0)
        open_pairs = np.flatnonzero(~equal & (counts > 0))
        if not len(open_pairs):
            return shared, equal
        queries, numbers = queries[open_pairs], numbers[open_pairs]
        enough = self._enough(
            counts[open_pairs], table.counts[numbers], None if sentences is None else sentences[open_pairs]
        )
        unique, place = np.unique(numbers, return_inverse=True)
        data, offsets = concatenated(self._read_texts(unique.tolist()))
        longest = max(int(np.diff(each).max(initial=0)) for each in (offsets, signed.text_offsets))
        out = np.zeros(len(numbers), np.int64)
        verify_pairs(
            queries, signed.texts, signed.text_offsets, data, offsets[:-1][place], offsets[1:][place],
            enough, self._signer.recipe.q, self._signer.scratch(longest), out,
        )  # fmt: skip
        shared[open_pairs] = out
        return shared, equal

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

    def _part(self, number: int, shared: int, count: int, sentences: int) -> Part:
        number, table = int(number), self._table
        smaller = min(int(count), int(table.counts[number]))
        time = int(table.times[number])
        return Part(number, table.ids[number], time, int(shared), int(count), smaller, int(sentences))

    # ---- very many: together ----

    def _compare_crowd(self, index: int, candidates: Crowd, floor: int, number: int) -> Compared:
        signed, table = self._signed, self._table
        numbers = candidates.numbers
        if not len(numbers):
            return Compared(0, _NO_MATCHES, [])
        starts = np.empty(len(numbers) + 1, np.int64)
        size = text_starts(numbers, table.first_of, starts)
        starts[size] = len(numbers)
        starts = starts[: size + 1]
        shared, state = np.zeros(size, np.int64), np.zeros(size, np.uint8)
        sentences = None
        if candidates.sentences is not None:
            sentences = np.maximum.reduceat(candidates.sentences, starts[:-1])
        texts = Texts(index, numbers[starts[:-1]], sentences, shared, state)
        count, fingerprint = int(signed.counts[index]), signed.fingerprints[index]
        same = np.flatnonzero(table.halves[texts.numbers] == fingerprint[0])
        same = same[(table.fingerprints[texts.numbers[same]] == fingerprint).all(axis=1)]
        state[same], shared[same] = EXACT, count
        if len(same) < size:
            self._compare_texts(texts, number)
        table.settle(floor)
        best = np.empty(len(numbers) if self._listed is None else max(self._listed, 1), np.int64)
        text_of = np.empty(len(best), np.int64)
        total, compared, head, head_text = best_matches(
            numbers, starts, state, shared, table.counts, count, table.times, table.names,
            table.name_starts, table.stands, best, text_of,
        )  # fmt: skip
        listed = min(total, len(best))
        places, text_places = np.append(best[:listed], head), np.append(text_of[:listed], head_text)
        overlaps = self._overlaps_of(numbers[places], shared[text_places], count, state[text_places] == EXACT)
        joined = overlaps.pop()
        matches = Matches(overlaps, total, joined if head >= 0 else None)
        parts: list[Part] = []
        if candidates.sentences is not None and self._rule is not None:
            lengths = np.diff(starts)
            every = np.repeat(shared, lengths), np.repeat(state >= NEAR, lengths)
            parts = self._crowd_parts(numbers, *every, count, candidates.sentences)
        return Compared(compared, matches, parts)

    def _compare_texts(self, texts: Texts, number: int) -> None:
        """Fills in what is known of `texts`, but for the very text of the document, which gets the `number`."""
        columns = self._table.columns
        keys, _ = self._signer.key_sets(self._signed.part(texts.query, texts.query + 1))
        subject = Subject(keys, self._signed.fingerprints[texts.query])
        sizes = self._crowds.sizes(texts.numbers, columns)
        ratio = self._threshold.numerator, self._threshold.denominator
        differences = {
            crowd: self._crowds.compare(
                crowd, subject, texts.numbers, columns, ratio, texts.shared, texts.state
            )
            for crowd in np.flatnonzero(sizes).tolist()
        }
        read = self._read_rest(texts)
        self._gather(subject, sizes, differences, texts.numbers[read], number)

    def _overlaps_of(
        self, numbers: NDArray[np.int64], shared: NDArray[np.int64], count: Any, exact: NDArray[np.bool_]
    ) -> list[Overlap]:
        """The overlaps with documents `numbers` of one of `count` q-grams, or of as many each."""
        table = self._table
        larger = np.maximum(table.counts[numbers], count).tolist()
        ids, places = table.ids, numbers.tolist()
        columns = (table.times[numbers].tolist(), shared.tolist(), larger, exact.tolist())
        return [
            Overlap(place, ids[place], *values)
            for place, values in zip(places, zip(*columns, strict=True), strict=True)
        ]

    def _read_rest(self, texts: Texts) -> NDArray[np.int64]:
        """Fills in those `texts` that no crowd told of: each is read, unless its bitmap speaks against it.

        Those below the threshold are held against their bitmaps as well: what these turn away is no candidate, wherever
        it was found. Returns the places of those that were read.
        """
        query, candidates, sentences, shared, state = texts
        waiting = np.flatnonzero(state < NEAR)
        if not len(waiting):
            return waiting
        keep = np.ones(len(waiting), np.bool_)
        if self._settings.retrieval != "complete":
            queries = np.full(len(waiting), query)
            keep = passes_sieve(self._signed, queries, candidates[waiting], self._table, self._threshold)
        if sentences is not None:
            keep |= sentences[waiting] > 0
        state[waiting[~keep]] = UNKNOWN
        read: NDArray[np.int64] = waiting[keep & (state[waiting] == UNKNOWN)]
        if not len(read):
            return read
        queries, numbers = np.full(len(read), query), candidates[read]
        overlaps, equal = self._counted(queries, numbers, None if sentences is None else sentences[read])
        counts = self._signed.counts[queries]
        larger = np.maximum(counts, self._table.counts[numbers])
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
        number: int,
    ) -> None:
        """Makes members of a crowd of the documents that had to be `read`, if they are many, and of the subject."""
        crowd = int(sizes.argmax()) if sizes.max(initial=0) >= FEWEST else None
        if len(read) >= FEWEST:
            crowd = self._gather_read(subject, crowd, read)
        if crowd is not None and number >= 0 and self._table.first_of[number] == number:
            if crowd in differences:
                self._crowds.join(crowd, number, len(subject.keys), differences[crowd])
            else:
                self._crowds.take_in(crowd, [number], [subject.keys])

    def _gather_read(self, subject: Subject, crowd: int | None, read: NDArray[np.int64]) -> int | None:
        """The crowd that most of the documents `read` are of then, if they are of one."""
        # Where routes find candidates, too, a text may come several times.
        posted, places = np.unique(self._table.first_of[read], return_index=True)
        free = self._crowds.is_free(posted)
        read, firsts = read[places[free]], posted[free].tolist()
        if len(read) < FEWEST:
            return crowd
        batch = self._signer.sign(self._read_texts(read.tolist()), normal=True)
        keys, offsets = self._signer.key_sets(batch)
        sets = [keys[start:end] for start, end in pairwise(offsets.tolist())]
        others = list(range(len(firsts)))
        if crowd is not None:
            others = self._crowds.take_in(crowd, firsts, sets)
        if len(others) >= FEWEST:
            firsts, sets = [firsts[i] for i in others], [sets[i] for i in others]
            crowd = self._crowds.found([subject.keys, *sets[:: max(len(sets) // SAMPLE, 1)]])
            self._crowds.take_in(crowd, firsts, sets, last=True)
        return crowd

    def _crowd_parts(
        self,
        numbers: NDArray[np.int64],
        shared: NDArray[np.int64],
        reached: NDArray[np.bool_],
        count: int,
        sentences: NDArray[np.int64],
    ) -> list[Part]:
        counts, others = np.full(len(numbers), count), self._table.counts[numbers].astype(np.int64)
        pairs = self._sharing(shared, counts, others, sentences, reached)
        return [self._part(numbers[pair], shared[pair], count, sentences[pair]) for pair in pairs]
