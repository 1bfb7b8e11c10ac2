"""PostingLists: an inverted index in memory, key -> document numbers, that grows as it is filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels import bitset_cache as heavy
from neardup.kernels import posting_lists as kernel
from neardup.kernels.bitset_cache import Heavy
from neardup.kernels.posting_lists import Documents, Lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_SLOTS = 1 << 12
_FIRST_POOL = 1 << 14
_POOL_GROWTH = 1.5


NO_FINGERPRINTS: Final = np.empty((0, 2), np.uint64)


class Query(NamedTuple):
    """A batch to search, one value a document, and the threshold t = numerator / denominator.

    numbers       document number to add it under after its search, -1 to search only
    counts        |A|
    low_hours, high_hours   hours a candidate may lie in, both included
    fingerprints  n × 2; of documents with the same ones only the first is posted. Empty: every document is
    """

    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]
    low_hours: NDArray[np.int64]
    high_hours: NDArray[np.int64]
    numerator: int
    denominator: int
    fingerprints: NDArray[np.uint64] = NO_FINGERPRINTS


class Hits:
    """Counters for searches that ask for at most `most` shared keys, one a document number; all lists may
    share them.
    """

    def __init__(self, size: int, most: int) -> None:
        self.most = most
        small = most < (1 << kernel.SMALL_BITS) - 1
        self.bits = kernel.SMALL_BITS if small else kernel.LARGE_BITS
        self.counts = np.zeros(size, np.uint8)
        self.epoch = np.zeros(1, np.int64)

    def resized(self, size: int) -> Hits:
        """Fresh counters for another number of documents."""
        return Hits(size, self.most)


def no_bitsets(documents: int, most: int = heavy.MOST) -> Heavy:
    """Room for `most` bitsets over `documents` documents; the system gives memory only to those that are filled."""
    return Heavy(
        keys=np.zeros(2 * most, np.uint64),
        rows=np.zeros(2 * most, np.int64),
        filled=np.zeros(most, np.int64),
        bits=np.zeros((most, documents // 64 + 1), np.uint64),
        used=np.zeros(1, np.int64),
    )


class SharedCounts(NamedTuple):
    """Candidates of document i: `numbers[offsets[i]:offsets[i + 1]]`, unordered, each once.

    `skipped[i]`: how many of its runs were too long to read; `reads`: postings read for the batch.
    """

    numbers: NDArray[np.int64]
    offsets: NDArray[np.int64]
    skipped: NDArray[np.int64]
    reads: int


class PostingLists:
    """Posting lists over document numbers 0, 1, 2, …; a run keeps the order in which documents were added.

    Memory: 16 bytes a slot of the table at a load of 0.3 to 0.6, and 4 bytes a posting, up to twice that where runs
    have room to grow. Nothing is removed but by `renumbered`: dead documents are left out by the search.
    """

    def __init__(self, slots: int = _FIRST_SLOTS, pool: int = _FIRST_POOL, bitsets: int = heavy.MOST) -> None:
        self._lists = Lists(
            np.zeros((slots, 2), np.uint64), np.empty(pool, np.uint32), np.zeros(kernel.STATE_SIZE, np.int64)
        )
        self._found = np.empty(1_024, np.int64)
        self._bitsets = bitsets
        self._heavy = no_bitsets(0, bitsets)

    @property
    def keys(self) -> int:
        """How many different keys there are."""
        return int(self._lists.state[kernel.STATE_KEYS])

    @property
    def memory(self) -> int:
        """Bytes of the table, the pool and the bitsets."""
        bitsets = int(self._heavy.used[0]) * int(self._heavy.bits[0].nbytes)
        return int(self._lists.entries.nbytes + self._lists.pool.nbytes) + bitsets

    @property
    def arrays(self) -> Lists:
        """The arrays themselves, for kernels that read whole lists; good until the next `add` or search."""
        return self._lists

    def _grow(self, status: int, wanted: int) -> None:
        entries, pool, state = self._lists
        if status == kernel.TABLE_FULL:
            slots = len(entries)
            while 10 * (self.keys + wanted) > 6 * slots:
                slots *= 2
            larger = np.zeros((slots, 2), np.uint64)
            kernel.rehash(entries, larger)
            self._lists = Lists(larger, pool, state)
        elif status == kernel.POOL_FULL:
            # A run may need up to as much again as the whole pool holds.
            larger_pool = np.empty(max(int(len(pool) * _POOL_GROWTH), _FIRST_POOL), np.uint32)
            larger_pool[: state[kernel.STATE_TOP]] = pool[: state[kernel.STATE_TOP]]
            self._lists = Lists(entries, larger_pool, state)
        elif status == kernel.CANDIDATES_FULL:
            # Filled without a branch, so there must be room for the longest run even if none of it is a candidate.
            self._found = np.concatenate([self._found, np.empty_like(self._found)])

    def add(self, keys: NDArray[np.uint64], offsets: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        """Adds document `numbers[i]` under `keys[offsets[i]:offsets[i + 1]]`."""
        progress = np.zeros(2, np.int64)
        widest = int(np.diff(offsets).max(initial=0))
        while (status := kernel.add_all(self._lists, keys, offsets, numbers, progress)) != kernel.DONE:
            self._grow(status, widest)

    def search_and_add(
        self,
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        min_shared: NDArray[np.int64],
        query: Query,
        documents: Documents,
        hits: Hits,
        longest: int = 0,
    ) -> SharedCounts:
        """For each document of the batch in order: its candidates among all added before it; then it is added.

        A candidate lies in at least `min_shared[i]` (1 to `hits.most`) of the runs of document i's keys, is
        alive, in the hours asked for, and of a size that can reach the threshold. Runs longer than `longest`
        are left out (0 = none). Cost: the postings of the batch's keys, about 1 ns each; where many runs are long, a
        word of 64 documents a run instead. All documents of one text are one posting.
        """
        size = len(query.numbers)
        found_offsets = np.zeros(size + 1, np.int64)
        skipped, reads, progress = np.zeros(size, np.int64), np.zeros(1, np.int64), np.zeros(3, np.int64)
        same_as = np.full(size, -1, np.int64)
        widest = int(np.diff(offsets).max(initial=0))
        if self._heavy.bits.shape[1] * 64 < len(hits.counts):
            self._heavy = no_bitsets(len(hits.counts), self._bitsets)  # filled again as they are wanted
        while True:
            status = kernel.search_and_add(
                self._lists, self._heavy, keys, offsets, min_shared, longest, documents,
                query.low_hours, query.high_hours, query.numbers, query.counts,
                query.fingerprints, query.numerator, query.denominator, hits.counts, hits.bits, hits.epoch,
                self._found, found_offsets, skipped, reads, same_as, progress,
            )  # fmt: skip
            if status == kernel.DONE:
                return SharedCounts(
                    self._found[: found_offsets[-1]].copy(), found_offsets, skipped, int(reads[0])
                )
            self._grow(status, widest)

    def tally(self, keys: NDArray[np.uint64], salt: np.uint64, step: int, counts: NDArray[np.int32]) -> int:
        """Adds to `counts[d]` how many runs of the keys, each xor `salt`, document d is in; returns postings read.

        With `step` -1 they are taken away again.
        """
        if self._heavy.bits.shape[1] * 64 < len(counts):
            self._heavy = no_bitsets(len(counts), self._bitsets)
        return int(kernel.tally(self._lists, self._heavy, keys, salt, step, counts))

    def renumbered(self, numbers: NDArray[np.int64]) -> PostingLists:
        """A copy in which document d is `numbers[d]`; documents with -1, and keys of theirs alone, are gone."""
        entries, _, state = self._lists
        fresh = PostingLists(len(entries), max(int(state[kernel.STATE_TOP]), _FIRST_POOL))
        kernel.renumber(self._lists, numbers, fresh._lists)
        slots = _FIRST_SLOTS
        while 10 * fresh.keys > 4 * slots:
            slots *= 2
        smaller = np.zeros((slots, 2), np.uint64)
        kernel.rehash(fresh._lists.entries, smaller)
        top = int(fresh._lists.state[kernel.STATE_TOP])
        kept = fresh._lists.pool[: max(top, _FIRST_POOL)].copy()
        fresh._lists = Lists(smaller, kept, fresh._lists.state)
        return fresh
