"""Documents with very many candidates: each is compared with all of its candidates together.

The documents of a batch that are of one crowd are tallied together, and may be members of it by then. Each is compared
only with its candidates, which came before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.crowds import FEWEST, NO_CROWD, Crowds
from neardup.kernels.best_matches import Ranking, best_if_all_match, best_matches
from neardup.kernels.crowd import EXACT, NEAR, UNKNOWN, Tallied, compare_in_crowd, compare_texts
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.decision import Matches, as_listed
from neardup.model.verdict import overlap_of

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.candidates import ManyCandidates
    from neardup.index.crowds import Sizes
    from neardup.index.document_table import DocumentTable
    from neardup.index.pair_comparison import PairComparison
    from neardup.signing.signature import Keys, Offsets, SignedBatch
    from neardup.signing.signer import Signer

_TALLIES: Final = 1 << 22
"""How many numbers are tallied at once (documents times members), 2 bytes each."""


class Texts(NamedTuple):
    """The texts that one document is compared with: text j is that of `docs[starts[j] : starts[j + 1]]`.

    shared, outcome   the result for each text (kernels/crowd.py)
    """

    docs: NDArray[np.int32]
    starts: NDArray[np.int64]
    shared: NDArray[np.int64]
    outcome: NDArray[np.uint8]

    @property
    def firsts(self) -> NDArray[np.int32]:
        """The first doc of each text."""
        return self.docs[self.starts[:-1]]

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Which texts count as compared."""
        known: NDArray[np.bool_] = self.outcome != UNKNOWN
        return known

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which texts match."""
        return self.outcome >= NEAR


class Best(NamedTuple):
    """The best matches among some texts, best first; then one more entry: the best match that stands for a group, valid
    if `has_head`.

    total, compared   how many docs match, and how many were compared
    """

    docs: NDArray[np.int64]
    shared: NDArray[np.int64]
    exact: NDArray[np.bool_]
    total: int
    compared: int
    has_head: bool


class CrowdComparison:
    """Compares the documents of one batch that have very many `candidates` (by position in the batch).

    `docs`: the doc of each document of the batch, -1 if it is not kept. `pairs` compares candidates that are in no
    crowd.
    """

    def __init__(
        self,
        signed: SignedBatch,
        candidates: Mapping[int, ManyCandidates],
        docs: NDArray[np.int64],
        pairs: PairComparison,
        *,
        table: DocumentTable,
        crowds: Crowds,
        signer: Signer,
        threshold: Fraction,
    ) -> None:
        self._signed, self._candidates, self._docs, self._pairs = signed, candidates, docs, pairs
        self._table, self._crowds, self._signer = table, crowds, signer
        self._ratio = threshold.as_integer_ratio()
        self._waiting = sorted(candidates)
        self._tallied: dict[int, Tallied] = {}
        """By position in the batch, tallies that were made together with that of an earlier document."""
        self._sizes: dict[int, Sizes] = {}
        """By position in the batch, the crowds of the candidates; emptied with `_tallied`, by `_gather`."""
        self._known: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        """By the posted docs of a document's own text and of another text: overlap and outcome."""

    def compared(
        self, index: int, docs: NDArray[np.int32], sentences: NDArray[np.int64] | None, listed: int | None
    ) -> Matches | Texts:
        """The texts of `docs`, compared with document `index`; or its matches, equal to those of `best_of`, if all of
        `docs` match as members of one crowd. Afterwards |A| of the document and |B| of all matches are counted.
        """
        table, signed, against = self._table, self._signed, NO_CROWD
        sizes = self._sizes_of(index, docs)
        if sizes.main is not None:
            against = self._against(index, sizes.main, sizes.largest)
            matches = self._matches_if_all_do(index, docs, listed, against)
            if matches is not None:
                return matches
        starts, shared = np.empty(len(docs) + 1, np.int64), np.empty(len(docs), np.int64)
        outcome = np.empty(len(docs), np.uint8)
        size, exact, others, same = compare_texts(
            docs, table.first_of, table.halves, table.fingerprints, signed.fingerprints[index],
            signed.counts[index], self._crowds.members, against, self._ratio, starts, shared, outcome,
        )  # fmt: skip
        if others and signed.counts[index] == UNCOUNTED:
            self._signer.count(signed, [index])
        texts = Texts(docs, starts[: size + 1], shared[:size], outcome[:size])
        if others:
            self._compare_rest(index, texts, sizes, sentences, same if exact else -1)
        if exact:
            texts.shared[texts.outcome == EXACT] = self.count_same(index, same)
        return texts

    def count_same(self, index: int, same: int) -> int:
        """|A| of document `index`, which has the same text as posted doc `same`; afterwards counted for both."""
        counts, table = self._signed.counts, self._table
        if counts[index] == UNCOUNTED:
            counts[index] = table.counts[same]
            self._signer.count(self._signed, [index])
        if table.counts[same] == UNCOUNTED:
            table.count(np.array([same]), counts[index : index + 1])
        return int(counts[index])

    # ---- those of crowds ----

    def _matches_if_all_do(
        self, index: int, docs: NDArray[np.int32], listed: int | None, against: Tallied
    ) -> Matches | None:
        """The matches of document `index` if all of `docs` match as members of the crowd that it is tallied `against`;
        otherwise None.
        """
        table, count = self._table, self._signed.counts[index]
        rows = np.empty((_most_listed(docs, listed) + 1, 4), np.int64)
        filled = -1 if not count else best_if_all_match(
            docs, table.halves, self._signed.fingerprints[index, 0], count, self._crowds.members, against,
            self._ratio, _ranking(table), rows,
        )  # fmt: skip
        if filled < 0:
            return None
        ids = table.ids
        *best, head = [
            overlap_of((doc, ids[doc], time, shared, larger, False))
            for doc, time, shared, larger in rows[:filled].tolist()
        ]
        return Matches(best[0], head if head.doc >= 0 else None, len(docs), as_listed(best, listed))

    def _against(self, index: int, crowd: int, size: int) -> Tallied:
        """Document `index` against `crowd`, which has the most (`size`) of its candidates."""
        held = self._tallied.pop(index, None)
        if held is None or held.crowd != crowd:
            self._tally([index, *self._others(index, crowd)], crowd, join=size >= FEWEST)
            held = self._tallied.pop(index)
        return held

    def _others(self, index: int, crowd: int) -> Iterable[int]:
        """Documents of the batch after `index` that are to be compared mainly with the same crowd, as many as can be
        tallied at once.
        """
        left = max(_TALLIES // max(self._crowds.size(crowd), 1), 1) - 1
        for other in self._waiting[bisect_right(self._waiting, index) :]:
            if not left:
                return
            if other not in self._tallied:
                sizes = self._sizes_of(other, self._candidates[other].docs)
                if sizes.main == crowd and sizes.largest >= FEWEST:
                    left -= 1
                    yield other

    def _sizes_of(self, index: int, docs: NDArray[np.int32]) -> Sizes:
        """The crowds of the candidates `docs` of document `index`, looked up once."""
        if index not in self._sizes:
            self._sizes[index] = self._crowds.sizes(docs, self._table.first_of)
        return self._sizes[index]

    def _tally(self, which: list[int], crowd: int, *, join: bool) -> None:
        """Tallies the documents `which` of the batch; if they may `join`, those that are posted become members of the
        crowd.
        """
        documents = np.array(which, np.int64)
        posted = self._posted(which) if join else np.full(len(which), -1)
        tallied = self._crowds.tallied(crowd, self._signed, documents, posted, self._signer)
        kept = posted >= 0
        self._table.count(posted[kept], self._signed.counts[documents[kept]])
        self._tallied |= dict(zip(which, tallied, strict=True))

    def _posted(self, which: list[int]) -> NDArray[np.int64]:
        """The docs of the documents `which`, -1 for those that are not posted."""
        docs = self._docs[which]
        return np.where((docs >= 0) & (self._table.first_of[docs] == docs), docs, -1)

    # ---- the rest ----

    def _compare_rest(
        self,
        index: int,
        texts: Texts,
        sizes: Sizes,
        sentences: NDArray[np.int64] | None,
        same: int,
    ) -> None:
        """Fills in the `texts` of other crowds and of no crowd; texts that had to be read join a crowd or begin one.
        `same`: a doc with the document's own text, -1 if none is known.
        """
        one, not_posted = np.array([index]), np.array([-1])
        for crowd in np.flatnonzero(sizes.by_crowd).tolist():
            if crowd != sizes.main:
                (against,) = self._crowds.tallied(crowd, self._signed, one, not_posted, self._signer)
                count = self._signed.counts[index]
                compare_in_crowd(
                    texts.docs, texts.starts, self._table.first_of, count, self._crowds.members, against,
                    self._ratio, texts.shared, texts.outcome,
                )  # fmt: skip
        read = self._read_rest(index, texts, sentences, same)
        if len(read) >= FEWEST:
            self._gather(index, sizes.main if sizes.largest >= FEWEST else None, read)

    def _read_rest(
        self, index: int, texts: Texts, sentences: NDArray[np.int64] | None, same: int
    ) -> NDArray[np.int64]:
        """Fills in those `texts` that are in no crowd: each is read, unless its bitmap rejects it.

        Texts of crowds that are below the threshold are checked by their bitmaps too: a text that the bitmap rejects is
        no candidate, in a crowd or not. Returns a doc of each text that was read.
        """
        waiting = np.flatnonzero(texts.outcome < NEAR)
        docs = texts.docs[texts.starts[waiting]].astype(np.int64)
        passing = self._pairs.passing(np.full(len(docs), index), docs)
        if sentences is not None:
            # For each text, the most sentences that one of its docs shares with the document.
            sentences = np.maximum.reduceat(sentences, texts.starts[:-1])[waiting]
            passing |= sentences > 0
        texts.outcome[waiting[~passing]], texts.shared[waiting[~passing]] = UNKNOWN, 0
        unread: NDArray[np.bool_] = passing & (texts.outcome[waiting] == UNKNOWN)
        read, docs = waiting[unread], docs[unread]
        if len(read):
            if same >= 0 and sentences is None:
                texts.shared[read], texts.outcome[read] = self._compared_once(index, docs, same)
            else:
                chosen = None if sentences is None else sentences[unread]
                texts.shared[read], texts.outcome[read] = self._pairs.compared(
                    np.full(len(docs), index), docs, chosen
                )
        return docs

    def _compared_once(
        self, index: int, docs: NDArray[np.int64], same: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """As `PairComparison.compared`, but remembers results by the text of doc `same`, so that no two texts are
        compared twice.
        """
        known, firsts = self._known[same], self._table.first_of[docs].tolist()
        new = docs[[first not in known for first in firsts]]
        if len(new):
            shared, outcome = self._pairs.compared(np.full(len(new), index), new, None)
            overlaps = zip(shared.tolist(), outcome.tolist(), strict=True)
            known |= zip(self._table.first_of[new].tolist(), overlaps, strict=True)
        columns = np.array([known[first] for first in firsts])
        return columns[:, 0], columns[:, 1].astype(np.uint8)

    def _gather(self, index: int, crowd: int | None, read: NDArray[np.int64]) -> None:
        """Adds the docs that had to be `read` for document `index` to `crowd`. Those that are not near its core, or all
        if there is no crowd, begin a new crowd with the document, if there are enough.
        """
        # If routes find candidates too, a text may occur several times.
        firsts, positions = np.unique(self._table.first_of[read], return_index=True)
        free = self._crowds.is_free(firsts)
        read, docs = read[positions[free]], firsts[free].astype(np.int64)
        if len(read) < FEWEST:
            return
        keys, offsets = self._pairs.key_sets(read)
        is_read = np.diff(offsets) > 0  # the others have no q-gram, or could not be read
        keys, offsets, docs = _chosen(keys, offsets, docs, is_read)
        self._table.count(docs, np.diff(offsets))
        self._tallied.clear()  # they lack the new members
        self._sizes.clear()
        if crowd is not None:
            near = self._crowds.add_members(crowd, keys, offsets, docs)
            keys, offsets, docs = _chosen(keys, offsets, docs, ~near)
        if len(docs) >= FEWEST:
            self._begin_crowd(index, keys, offsets, docs)

    def _begin_crowd(self, index: int, keys: Keys, offsets: Offsets, docs: NDArray[np.int64]) -> None:
        """Begins a crowd with `docs`, which have the key sets `keys`, `offsets`, and with document `index`."""
        own, _ = self._signer.key_sets(self._signed, [index])
        keys, offsets = np.concatenate([keys, own]), np.append(offsets, offsets[-1] + len(own))
        docs = np.append(docs, self._posted([index]))
        posted = docs >= 0
        self._table.count(docs[posted], np.diff(offsets)[posted])
        self._crowds.add_members(self._crowds.add_crowd(keys, offsets), keys, offsets, docs, last=True)


def best_of(texts: Texts, count: int, table: DocumentTable, listed: int | None) -> Best:
    """The best `listed` matches (at least one; None: all) of a document of `count` q-grams."""
    most = _most_listed(texts.docs, listed)
    best, text_of = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    total, compared, head, head_text = best_matches(
        texts.docs, texts.starts, texts.outcome, texts.shared,
        _ranking(table), count, best[:most], text_of[:most],
    )  # fmt: skip
    last = min(total, most)
    best[last], text_of[last] = head, head_text
    best, text_of = best[: last + 1], text_of[: last + 1]
    exact = texts.outcome[text_of] == EXACT
    return Best(texts.docs[best].astype(np.int64), texts.shared[text_of], exact, total, compared, head >= 0)


def _most_listed(docs: NDArray[np.int32], listed: int | None) -> int:
    """The most matches among `docs` to list: `listed`, but at least one; None: all."""
    return len(docs) if listed is None else min(max(listed, 1), len(docs))


def _ranking(table: DocumentTable) -> Ranking:
    ids = table.ids
    return Ranking(table.counts, table.first_of, table.times, ids.names, ids.name_starts, table.stands)


def _chosen(
    keys: Keys, offsets: Offsets, docs: NDArray[np.int64], keep: NDArray[np.bool_]
) -> tuple[Keys, Offsets, NDArray[np.int64]]:
    """The key sets chosen by `keep`, and their docs."""
    lengths = np.diff(offsets)
    return keys[np.repeat(keep, lengths)], np.append(0, np.cumsum(lengths[keep])), docs[keep]
