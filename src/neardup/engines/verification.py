"""Verification: the exact overlaps of documents with their candidates, in two ways that come to the same.

A few candidates: their stored normal forms are read and counted (kernels/overlap.py), a whole batch at once. Very many:
they are compared together, one document after another, each just before its verdict is made, so that the documents of
one batch are members of each other's crowds by then (engines/crowds.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.detect import Matches, ranked
from neardup.engines.crowds import FEWEST, SAMPLE, Crowds, Subject
from neardup.engines.search import Candidates, Crowd, Features, passes_sieve, required_overlaps
from neardup.kernels.crowd import BELOW, EXACT, NEAR, UNKNOWN, best_matches
from neardup.kernels.overlap import verify_pairs
from neardup.signature import concatenated
from neardup.verdict import Overlap, Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.engines.table import DocumentTable
    from neardup.params import PartialRule, Settings
    from neardup.signature import Signer

ReadTexts = Callable[[Sequence[int]], list[bytes]]


class Compared(NamedTuple):
    """One document and what it is compared with: how many documents, which match, which share a part below that."""

    candidates: int
    matches: Matches
    parts: list[Part]


class Verifier:
    """Compares the documents of one batch with their `candidates`.

    `rule`: when documents below `threshold` share a part. `read_texts` gives the normal forms of document numbers;
    `listed` matches are ranked, None = all.
    """

    def __init__(
        self,
        features: Features,
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
        for pair in np.flatnonzero(reached).tolist():
            overlap = self._overlap(numbers[pair], shared[pair], counts[pair], exact=bool(equal[pair]))
            self._overlaps.setdefault(int(queries[pair]), []).append(overlap)
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
        equal = (table.rows["fingerprint"][numbers] == signed.fingerprints[queries]).all(axis=1)
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

    def _overlap(self, number: int, shared: int, count: int, *, exact: bool) -> Overlap:
        number, table = int(number), self._table
        larger = max(int(count), int(table.counts[number]))
        return Overlap(number, table.ids[number], int(table.rows["time"][number]), int(shared), larger, exact)

    def _part(self, number: int, shared: int, count: int, sentences: int) -> Part:
        number, table = int(number), self._table
        smaller = min(int(count), int(table.counts[number]))
        time = int(table.rows["time"][number])
        return Part(number, table.ids[number], time, int(shared), int(count), smaller, int(sentences))

    # ---- very many: together ----

    def _compare_crowd(self, index: int, candidates: Crowd, floor: int, number: int) -> Compared:
        signed, table = self._signed, self._table
        numbers, sentences = candidates
        shared, state = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.uint8)
        keys, _ = self._signer.key_sets(signed.part(index, index + 1))
        subject = Subject(keys, signed.fingerprints[index])
        sizes = self._crowds.sizes(numbers, table.columns)
        ratio = self._threshold.numerator, self._threshold.denominator
        for crowd in np.flatnonzero(sizes).tolist():
            self._crowds.compare(crowd, subject, numbers, table.columns, ratio, shared, state)
        read = self._read_rest(index, numbers, sentences, shared, state)
        self._gather(subject, sizes, read, number)
        table.settle(floor)
        best = np.empty(len(numbers) if self._listed is None else max(self._listed, 1), np.int64)
        total, head = best_matches(
            numbers, state, shared, table.counts, len(keys), table.rows["time"], table.names, table.name_starts,
            table.stands, best, np.empty(len(numbers)),
        )  # fmt: skip

        def overlap(place: int) -> Overlap:
            return self._overlap(numbers[place], shared[place], len(keys), exact=state[place] == EXACT)

        matches = Matches(
            [overlap(place) for place in best.tolist() if place >= 0],
            total,
            overlap(head) if head >= 0 else None,
        )
        parts = self._crowd_parts(numbers, shared, state, len(keys), sentences)
        return Compared(int((state != UNKNOWN).sum()), matches, parts)

    def _read_rest(
        self,
        index: int,
        numbers: NDArray[np.int64],
        sentences: NDArray[np.int64] | None,
        shared: NDArray[np.int64],
        state: NDArray[np.uint8],
    ) -> NDArray[np.int64]:
        """Fills in those that no crowd told of: each text is read once, unless its bitmap speaks against it.

        So do those that are below the threshold with theirs: what bitmaps turn away is no candidate, wherever it was
        found. Returns a document of each text that was read.
        """
        waiting = np.flatnonzero(state < NEAR)
        if not len(waiting):
            return waiting
        firsts = self._table.first_of[numbers[waiting]]
        starts = np.flatnonzero(np.concatenate([[True], firsts[1:] != firsts[:-1]]))
        lengths = np.diff(np.append(starts, len(waiting)))
        texts = waiting[starts]
        queries = np.full(len(texts), index)
        keep = np.ones(len(texts), np.bool_)
        if self._settings.retrieval != "complete":
            keep = passes_sieve(self._signed, queries, numbers[texts], self._table, self._threshold)
        if sentences is not None:
            keep |= np.maximum.reduceat(sentences[waiting], starts) > 0
        text_state, text_shared = state[texts], shared[texts]
        text_state[~keep] = UNKNOWN
        unread = np.flatnonzero(keep & (text_state == UNKNOWN))
        if len(unread):
            read = texts[unread]
            overlaps, equal = self._counted(
                queries[unread], numbers[read], None if sentences is None else sentences[read]
            )
            counts = self._signed.counts[queries[unread]]
            larger = np.maximum(counts, self._table.counts[numbers[read]])
            near = (overlaps >= required_overlaps(self._threshold, larger)) & (counts > 0)
            text_state[unread] = np.where(equal, EXACT, np.where(near, NEAR, BELOW))
            text_shared[unread] = overlaps
        state[waiting], shared[waiting] = np.repeat(text_state, lengths), np.repeat(text_shared, lengths)
        return numbers[texts[unread]]

    def _gather(
        self, subject: Subject, sizes: NDArray[np.int64], read: NDArray[np.int64], number: int
    ) -> None:
        """Makes members of a crowd of the documents that had to be `read`, if they are many, and of the subject."""
        crowd = int(sizes.argmax()) if sizes.max(initial=0) >= FEWEST else None
        read = read[self._crowds.is_free(self._table.first_of[read])]
        if len(read) >= FEWEST:
            firsts = self._table.first_of[read].tolist()
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
        if crowd is not None and number >= 0 and self._table.first_of[number] == number:
            self._crowds.take_in(crowd, [number], [subject.keys])

    def _crowd_parts(
        self,
        numbers: NDArray[np.int64],
        shared: NDArray[np.int64],
        state: NDArray[np.uint8],
        count: int,
        sentences: NDArray[np.int64] | None,
    ) -> list[Part]:
        if sentences is None or self._rule is None:
            return []
        counts, others = np.full(len(numbers), count), self._table.counts[numbers].astype(np.int64)
        pairs = self._sharing(shared, counts, others, sentences, state >= NEAR)
        return [self._part(numbers[pair], shared[pair], count, sentences[pair]) for pair in pairs]
