"""PostingLists: an inverted index in memory, from keys to docs, that grows as it is filled.

A doc is the number of a document in a table (`neardup.index.document_table`): 0, 1, 2, … in order of arrival.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.errors import WindowError
from neardup.index.freed_memory import give_back
from neardup.index.reused_array import ReusedArray
from neardup.kernels import packed_lists, packing
from neardup.kernels import posting_lists as kernel
from neardup.kernels.batch_search import Query, SearchOutput, search_and_add
from neardup.kernels.bit_planes import BITS, WORDS
from neardup.kernels.bitmap_columns import ROWS, BitmapColumns
from neardup.kernels.bitmap_filter import LEVELS
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.kernels.bitset_cache import MAX_BITSETS, BitsetCache
from neardup.kernels.packed_lists import PackedLists
from neardup.kernels.posting_lists import Lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.batch_search import Documents
    from neardup.kernels.counters import Counters

__all__ = ["MANY_OF_ONE_TEXT", "PostingLists", "Query", "SharedCounts"]

_FIRST_SLOTS = 1 << 12
_FIRST_POOL = 1 << 14
_POOL_GROWTH = 2
_COPIED = 1 << 16
MANY_OF_ONE_TEXT = 1_024
"""A text of more documents than this is found as one stand-in (index/repeated_texts.py): fewer are as fast."""
_MET = 256
_STAND_INS = 1_024
_NO_COLUMNS = BitmapColumns(
    np.zeros((ROWS, 0), np.uint64), np.zeros(0, np.uint8), np.zeros((0, LEVELS, BITMAP_WORDS), np.uint64)
)
_TABLE_KEYS = 1 << 21
"""A table is packed only from this many keys on: those of some 64,000 documents, 64 MiB."""
_PACKED_SHARE = 64
"""A table is packed when it has a 64th of the packed postings: each added posting costs moving some 64."""
_MOST_POOLED = 1 << 32
"""The largest pool, because the start of a list has 32 bits: some millions of documents of 4 KB, if not packed."""
_MOST_PACKED = (1 << 32) - 1
"""The most packed postings, because the start of a bucket has 32 bits: some 80 million documents of 4 KB."""


def _no_bitsets(documents: int) -> BitsetCache:
    """Room for `MAX_BITSETS` bitsets, and an empty one, over `documents` docs; only filled bitsets take memory."""
    return BitsetCache(
        keys=np.zeros(2 * MAX_BITSETS, np.uint64),
        rows=np.zeros(2 * MAX_BITSETS, np.int64),
        filled=np.zeros(MAX_BITSETS, np.int64),
        bits=np.zeros((MAX_BITSETS + 1, WORDS * (documents // BITS + 1)), np.uint64),
        used=np.zeros(1, np.int64),
    )


class SharedCounts(NamedTuple):
    """Candidates of document i of a batch: `docs[offsets[i]:offsets[i + 1]]`, unordered, each once.

    They have 32 bits, because in a flood every document of a batch has the whole flood as candidates.

    left_out    for each document, how many of its posting lists were above the limit; 0 if there is no limit
    stand_ins, stand_in_offsets   further candidates, laid out as `docs`: each for all documents of a repeated text
    met         posted docs of texts of very many documents (`Query.many`); some several times
    """

    docs: NDArray[np.int32]
    offsets: NDArray[np.int64]
    left_out: NDArray[np.int64]
    stand_ins: NDArray[np.int32]
    stand_in_offsets: NDArray[np.int64]
    met: NDArray[np.int32]

    @property
    def searched(self) -> int:
        """How many documents of the batch were searched: the first ones, or all."""
        return len(self.offsets) - 1


class PostingLists:
    """Posting lists of docs; a list keeps its docs in the order in which they were added.

    Memory: 16 bytes a slot of the table at a load of 0.3 to 0.6, and 4 bytes a posting, up to twice that if lists have
    room to grow. Only `renumbered` removes postings; the search skips dead documents.

    `packs`: keys have `packed_lists.KEY_BITS` bits, and a table is packed from `table_keys` keys on; a packed posting
    takes 4.25 to 4.5 bytes.
    """

    def __init__(
        self,
        slots: int = _FIRST_SLOTS,
        pool: int = _FIRST_POOL,
        *,
        packs: bool = False,
        table_keys: int = _TABLE_KEYS,
    ) -> None:
        self._packs, self._table_keys = packs, table_keys
        self._packed = packed_lists.nothing_packed()
        self._docs = 0  # all docs are below this
        self._lists = Lists(
            np.zeros((slots, 2), np.uint64), np.empty(pool, np.uint32), np.zeros(kernel.USAGE_SIZE, np.int64)
        )
        self._reused = ReusedArray(1_024)
        self._bitsets = _no_bitsets(0)

    @property
    def keys(self) -> int:
        """The number of distinct keys. Once some are packed, it costs reading them all, a nanosecond or two each."""
        if not len(self._packed.postings):
            return self._table_size
        return int(packed_lists.count_keys(self._packed, self._lists.entries))

    @property
    def memory(self) -> int:
        """Bytes of the table, the pool, the packed lists and the bitsets."""
        bitsets = int(self._bitsets.used[0]) * int(self._bitsets.bits[0].nbytes)
        packed = self._packed.starts.nbytes + self._packed.postings.nbytes
        return int(self._lists.entries.nbytes + self._lists.pool.nbytes + packed) + bitsets

    @property
    def arrays(self) -> Lists:
        """The arrays, for kernels that read whole lists; not with `packs`. Valid until the next `add` or search."""
        return self._lists

    @property
    def _table_size(self) -> int:
        """How many keys the table has."""
        return int(self._lists.usage[kernel.USAGE_KEYS])

    def _grow(self, status: int, wanted: int) -> None:
        entries, pool, usage = self._lists
        if status == kernel.TABLE_FULL:
            slots = len(entries)
            while 10 * (self._table_size + wanted) > 6 * slots:
                slots *= 2
            larger = np.zeros((slots, 2), np.uint64)
            kernel.rehash(entries, larger)
            self._lists = Lists(larger, pool, usage)
        elif status == kernel.POOL_FULL:
            # A list may need as much again as the whole pool holds.
            size = min(max(len(pool) * _POOL_GROWTH, _FIRST_POOL), _MOST_POOLED)
            if size == len(pool):
                raise _too_many(_MOST_POOLED)
            larger_pool = np.empty(size, np.uint32)
            larger_pool[: usage[kernel.USAGE_TOP]] = pool[: usage[kernel.USAGE_TOP]]
            self._lists = Lists(entries, larger_pool, usage)

    def add(self, keys: NDArray[np.uint64], offsets: NDArray[np.int64], docs: NDArray[np.int64]) -> None:
        """Adds `docs[i]` under `keys[offsets[i]:offsets[i + 1]]`; docs of -1 are left out."""
        progress = np.zeros(2, np.int64)
        widest = int(np.diff(offsets).max(initial=0))
        while (status := kernel.add_all(self._lists, keys, offsets, docs, progress)) != kernel.DONE:
            self._grow(status, widest)
        self._docs = max(self._docs, int(docs.max(initial=-1)) + 1)
        self._pack_if_many()

    def add_unordered(self, values: NDArray[np.uint64], spare: NDArray[np.uint64], docs: int) -> None:
        """Packs the postings `values`, as written by `unordered_postings`, of docs below `docs`; `spare`: working
        memory of the same size.
        """
        self._docs = max(self._docs, docs)
        self._pack()  # the postings in the table came before
        packing.sort_by_key(values, spare)
        self._add_packed(values, len(values))

    def _pack_if_many(self) -> None:
        """Packs the table, if it is large enough for that."""
        if self._packs and self._table_size >= max(
            self._table_keys, len(self._packed.postings) // _PACKED_SHARE
        ):
            self._pack()

    def _pack(self) -> None:
        """Packs the table."""
        if not self._table_size:
            return
        lists = self._lists
        order = np.empty(self._table_size, np.uint64)
        added = packing.unordered_lists(lists.entries, order)
        packing.sort_by_key(order, np.empty(len(order), np.uint64))
        self._add_packed(order, added)
        lists.entries[:] = 0
        lists.usage[:] = 0
        give_back(self._docs)

    def _add_packed(self, order: NDArray[np.uint64], added: int) -> None:
        """Adds so many (`added`) postings to the packed ones; `order` as in `packing.absorb`."""
        lists, packed, size = self._lists, self._packed, len(self._packed.postings)
        total = size + added
        if total > _MOST_PACKED:
            raise _too_many(_MOST_PACKED)
        high_bits, doc_bits = packed_lists.shape_of(total, self._docs)
        starts = np.empty((1 << high_bits) + 1, np.uint32)
        # In place: the system moves large arrays by their addresses. Nobody has a part of this one.
        packed.postings.resize(total, refcheck=False)
        if doc_bits == packed.doc_bits:
            packing.insert(packed, size, lists, order, starts)
        else:
            packing.absorb(packed, size, lists, order, starts, doc_bits)
        self._packed = PackedLists(starts, packed.postings, doc_bits)

    def search_and_add(
        self,
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        min_shared: NDArray[np.int64],
        query: Query,
        documents: Documents,
        counters: Counters,
        limit: int = 0,
        at_once: int = 0,
        columns: BitmapColumns = _NO_COLUMNS,
    ) -> SharedCounts:
        """For each document of the batch in order: its candidates among all added before it; then it is added.

        Ends early, but not before the first document, when there would be more candidates than `at_once` (0: never). If
        very many are found, docs of short texts that the `columns` rule out are left out.

        A candidate is in at least `min_shared[i]` (1 to the most that `counters` can count) of the lists of document
        i's keys, alive, in the hours of the query, and of a size that can reach the threshold. Lists of more than
        `limit` living docs of those hours are left out (0 = none). Cost: the postings of the batch's keys, about 1 ns
        each; if many lists are long, a word for every 64 docs of a list instead. All documents of one text are one
        posting.
        """
        size, widest = len(query.docs), int(np.diff(offsets).max(initial=0))
        self._make_room_for_bitsets(len(counters.hits))
        out = SearchOutput(
            candidates=self._reused.of(),
            offsets=np.zeros(size + 1, np.int64),
            left_out=np.zeros(size, np.int64),
            stand_ins=np.empty(_STAND_INS if len(query.repeated) else 0, np.int32),
            stand_in_offsets=np.zeros(size + 1, np.int64),
            same_as=np.full(size, -1, np.int64),
            met=np.empty(_MET if query.many else 0, np.int32),
            met_size=np.zeros(1, np.int64),
        )
        progress = np.zeros(3, np.int64)
        while True:
            status = search_and_add(
                self._lists, self._packed, self._bitsets, keys, offsets, min_shared, limit, query, columns,
                documents, counters, out, progress,
            )  # fmt: skip
            done, is_full = int(progress[0]), status == kernel.CANDIDATES_FULL
            if status == kernel.DONE or (is_full and done and 0 < at_once <= len(out.candidates)):
                self._docs = max(self._docs, int(query.docs[:done].max(initial=-1)) + 1)
                self._pack_if_many()
                return _first_of(out, done)
            if is_full:
                # Filled without a branch, so there must be room for the longest list even if none of it is a candidate.
                # Only parts with results are written to: the system gives no memory for the rest.
                larger = self._reused.of(2 * len(out.candidates))
                larger[: len(out.candidates)] = out.candidates
                out = out._replace(
                    candidates=larger, stand_ins=np.resize(out.stand_ins, 2 * len(out.stand_ins))
                )
            self._grow(status, widest)

    def _make_room_for_bitsets(self, documents: int) -> None:
        if self._bitsets.bits.shape[1] * 64 < documents:
            self._bitsets = _no_bitsets(documents)  # filled again when they are needed

    def renumbered(self, docs: NDArray[np.int64]) -> PostingLists:
        """The lists with each doc d replaced by `docs[d]`; docs that become -1, and keys without docs, are left out.
        These lists must not be used afterwards.
        """
        entries, _, usage = self._lists
        fresh = PostingLists(
            len(entries),
            max(int(usage[kernel.USAGE_TOP]), _FIRST_POOL),
            packs=self._packs,
            table_keys=self._table_keys,
        )
        fresh._docs = int(docs.max(initial=-1)) + 1
        fresh._packed = self._renumbered_packed(docs, fresh._docs)
        kernel.renumber(self._lists, docs, fresh._lists)
        slots = _FIRST_SLOTS
        while 10 * fresh._table_size > 4 * slots:
            slots *= 2
        smaller = np.zeros((slots, 2), np.uint64)
        kernel.rehash(fresh._lists.entries, smaller)
        top = int(fresh._lists.usage[kernel.USAGE_TOP])
        kept = fresh._lists.pool[: max(top, _FIRST_POOL)].copy()
        fresh._lists = Lists(smaller, kept, fresh._lists.usage)
        return fresh

    def _renumbered_packed(self, docs: NDArray[np.int64], size: int) -> PackedLists:
        packed = self._packed
        kept = packing.count_kept(packed, docs)
        if not kept:
            return packed_lists.nothing_packed()
        high_bits, doc_bits = packed_lists.shape_of(kept, size)
        starts = np.empty((1 << high_bits) + 1, np.uint32)
        packing.renumber_packed(packed, docs, starts, doc_bits)
        packed.postings.resize(kept, refcheck=False)
        return PackedLists(starts, packed.postings, doc_bits)


def _too_many(most: int) -> WindowError:
    return WindowError(
        f"more postings than one window can hold ({most:,}): divide the documents among several windows"
    )


def _first_of(out: SearchOutput, done: int) -> SharedCounts:
    """The results for the first `done` documents of a batch."""
    docs = out.candidates[: out.offsets[done]]
    return SharedCounts(
        docs if len(docs) > _COPIED else docs.copy(),
        out.offsets[: done + 1],
        out.left_out[:done],
        out.stand_ins,
        out.stand_in_offsets[: done + 1],
        out.met[: out.met_size[0]],
    )
