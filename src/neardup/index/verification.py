"""Verification: the exact overlaps of documents with their candidates, in two ways with one result.

For documents with few candidates, the stored normal forms are read and compared (kernels/overlap.py), a whole batch at
once. Very many candidates of a document are compared together, one document after another, each just before its verdict
is made, so that earlier documents of the batch may be in its crowds by then (index/crowds.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.index.candidates import ManyCandidates
from neardup.index.crowd_comparison import best_of
from neardup.kernels.crowd import EXACT, NEAR
from neardup.model.decision import NO_MATCHES, Compared, Matches, as_listed, ranked
from neardup.model.verdict import Overlap, Part, overlap_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates
    from neardup.index.crowd_comparison import CrowdComparison
    from neardup.index.document_table import DocumentTable
    from neardup.index.pair_comparison import PairComparison
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.verdict import Match

    Chosen = Callable[[NDArray[Any]], NDArray[np.bool_]]
    """Says which of some docs are chosen."""


class _Repeated(NamedTuple):
    """The first documents of a repeated text, and the one that stands for a group; as the overlaps of another copy, and
    as the matches that its verdict lists.
    """

    docs: list[int]
    overlaps: list[Overlap]
    listed: tuple[Match, ...]


class Verifier:
    """Compares the documents of one batch with their `candidates`: a few by `pairs`, very many by `crowd_comparison`.

    `most`: the most candidates of a document that are taken if some may be dead (0: all). `listed`: how many matches
    are listed, None = all. `truncated`: for which documents something was left out of the search.
    """

    def __init__(
        self,
        batch: SignedQueryBatch,
        candidates: Candidates,
        pairs: PairComparison,
        crowd_comparison: CrowdComparison,
        *,
        table: DocumentTable,
        most: int,
        listed: int | None,
    ) -> None:
        self._signed, self._candidates = batch.signed, candidates
        self._pairs, self._crowd_comparison = pairs, crowd_comparison
        self._table, self._most, self._listed = table, most, listed
        self.truncated = candidates.truncated
        self._bounds = np.searchsorted(candidates.queries, np.arange(len(batch.signed.counts) + 1)).tolist()
        self._overlaps: dict[int, list[Overlap]] = {}
        self._parts: dict[int, list[Part]] = {}
        self._repeated: dict[int, _Repeated] = {}
        self._read_few()

    @property
    def have_candidates(self) -> NDArray[np.bool_]:
        """Which documents of the batch have candidates; for the others `compared` would find nothing."""
        have: NDArray[np.bool_] = np.diff(self._bounds) > 0
        have[list(self._candidates.many)] = True
        return have

    def compared(
        self, index: int, floor: int, *, alive_only: bool = False, without: Chosen | None = None
    ) -> Compared:
        """The result of comparing document `index` of the batch.

        Groups are taken as they are when the hours before `floor` have gone. `alive_only`: leaves out candidates that
        are not alive, and takes at most `max_candidates` of the others. `without`: leaves out the documents that
        it chooses.
        """
        self._table.update_stands(floor)
        if index not in self._candidates.many:
            few = self._candidates.docs[self._bounds[index] : self._bounds[index + 1]]
            return self._compare_few(index, few, alive_only=alive_only, without=without)
        many = self._candidates.many[index]
        if without is not None:
            many = self._with_all_copies(many)
            others = many.chosen(~without(many.docs))
            return self._compare_many(index, self._alive(others) if alive_only else others, {})
        repeated = None if alive_only else self._compare_repeated(index, many)
        if repeated is not None:
            return repeated
        many, unlisted = self._with_copies(many)
        return self._compare_many(index, self._alive(many) if alive_only else many, unlisted)

    def _alive(self, many: ManyCandidates) -> ManyCandidates:
        return many.chosen(self._table.alive[many.docs] == 1)

    # ---- a few candidates: read ----

    def _compare_few(
        self, index: int, docs: NDArray[np.int64], *, alive_only: bool, without: Chosen | None
    ) -> Compared:
        """`compared` for a document whose candidates are `docs`, which `_read_few` has read."""
        overlaps, parts, truncated = self._overlaps.get(index, []), self._parts.get(index, []), False
        if alive_only or without is not None:
            if without is not None:
                docs = docs[~without(docs)]
            if alive_only:
                docs = docs[self._table.alive[docs] == 1]
                if 0 < self._most < len(docs):
                    docs, truncated = docs[: self._most], True
            kept = set(docs.tolist())
            overlaps = [overlap for overlap in overlaps if overlap.doc in kept]
            parts = [part for part in parts if part.doc in kept]
        stands = self._table.stands
        matches = ranked(overlaps, lambda match: bool(stands[match.doc]), self._listed)
        return Compared(len(docs), matches, parts, truncated)

    def _read_few(self) -> None:
        """Computes the overlaps and parts of all documents with few candidates."""
        queries, docs, sentences = self._candidates.queries, self._candidates.docs, self._candidates.sentences
        if not len(docs):
            return
        shared, outcome = self._pairs.compared(queries, docs, sentences)
        reached = outcome >= NEAR
        pairs = np.flatnonzero(reached)
        counts = self._signed.counts[queries[pairs]]
        overlaps = self._overlaps_of(docs[pairs], shared[pairs], counts, outcome[pairs] == EXACT)
        for query, overlap in zip(queries[pairs].tolist(), overlaps, strict=True):
            self._overlaps.setdefault(query, []).append(overlap)
        for pair, part in self._pairs.parts(queries, docs, sentences, shared, reached).items():
            self._parts.setdefault(int(queries[pair]), []).append(part)

    # ---- very many: together ----

    def _compare_repeated(self, index: int, candidates: ManyCandidates) -> Compared | None:
        """The result for document `index` if its only candidates are the documents of one repeated text, its own;
        otherwise None. Equal to `_compare_many`, but faster, because no texts are compared.
        """
        table, stand_ins = self._table, candidates.stand_ins
        if stand_ins is None or len(candidates.docs) or len(stand_ins.docs) > 1:
            return None
        posted = int(table.first_of[stand_ins.docs[0]])
        if (table.fingerprints[posted] != self._signed.fingerprints[index]).any():
            return None
        most = max(self._listed or 0, 1)
        total, docs = table.repeated.copies(stand_ins, most, table)[posted]
        if not docs:
            return Compared(0, NO_MATCHES, [])
        count = self._crowd_comparison.count_same(index, posted)
        known = self._repeated.get(posted)
        if known is None or known.docs != docs:
            shared, exact = np.full(len(docs), count), np.ones(len(docs), np.bool_)
            overlaps = self._overlaps_of(np.array(docs), shared, count, exact)
            known = self._repeated[posted] = _Repeated(
                docs, overlaps, as_listed(overlaps[:most], self._listed)
            )
        head = next((each for each in known.overlaps if table.stands[each.doc]), None)
        return Compared(total, Matches(known.overlaps[0], head, total, known.listed), [])

    def _with_copies(self, candidates: ManyCandidates) -> tuple[ManyCandidates, dict[int, int]]:
        """The candidates, with each stand-in replaced by the first documents of its text; and how many further
        documents each of these texts has, by its posted doc.
        """
        if candidates.stand_ins is None:
            return candidates, {}
        copies = self._table.repeated.copies(candidates.stand_ins, max(self._listed or 0, 1), self._table)
        first = np.fromiter(chain.from_iterable(own.docs for own in copies.values()), np.int32)
        others = {text: own.total - len(own.docs) for text, own in copies.items()}
        return ManyCandidates(np.concatenate([candidates.docs, first]), None), others

    def _with_all_copies(self, candidates: ManyCandidates) -> ManyCandidates:
        """The candidates, with each stand-in replaced by all documents that it represents; one after another."""
        if candidates.stand_ins is None:
            return candidates
        docs, before, (low, high) = candidates.stand_ins
        hours = self._table.hours
        copies = chain.from_iterable(map(self._table.copies, docs.tolist()))
        own = [copy for copy in copies if copy < before and low <= hours[copy] <= high]
        return ManyCandidates(np.concatenate([candidates.docs, np.array(own, np.int32)]), None)

    def _compare_many(self, index: int, candidates: ManyCandidates, unlisted: Mapping[int, int]) -> Compared:
        """Compares with very many candidates; `unlisted`: how many more documents each text has, by its posted doc."""
        docs = candidates.docs
        if not len(docs):
            return Compared(0, NO_MATCHES, [])
        texts = self._crowd_comparison.compared(index, docs, candidates.sentences, self._listed)
        if isinstance(texts, Matches):
            others = sum(unlisted.values())
            return Compared(len(docs) + others, texts._replace(total=texts.total + others), [])
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
        parts: dict[int, Part] = {}
        if candidates.sentences is not None:
            lengths = np.diff(texts.starts)
            shared, reached = np.repeat(texts.shared, lengths), np.repeat(texts.reached, lengths)
            parts = self._pairs.parts(
                np.full(len(docs), index), docs.astype(np.int64), candidates.sentences, shared, reached
            )
        return Compared(int(compared), matches, list(parts.values()))

    def _overlaps_of(
        self, docs: NDArray[np.int64], shared: NDArray[np.int64], count: Any, exact: NDArray[np.bool_]
    ) -> list[Overlap]:
        """The overlaps of `docs` with a document of `count` q-grams, or of `count[i]` for each of `docs`."""
        table = self._table
        larger = np.maximum(table.qgram_counts(docs), count).tolist()
        ids = map(table.ids.__getitem__, docs.tolist())
        columns = table.times[docs].tolist(), shared.tolist(), larger, exact.tolist()
        return list(map(overlap_of, zip(docs.tolist(), ids, *columns, strict=True)))
