"""DocumentIds: the ids of the documents in memory, by doc, and the doc of an id.

A Python list and dictionary take 150 bytes a document besides its id. Here ids are UTF-8, one after another, and docs
are in a table with open addressing: 8 bytes for an offset and 11 to 16 for a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.kernels.id_slots import find_ids, put_ids
from neardup.stores.packed_ids import PackedIds

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_SLOTS: Final = 1_024
_FIRST_BYTES: Final = 1 << 14
_GROWTH: Final = 1.5
_LOAD: Final = 0.75
_HASH_BITS: Final = 31
_HASH: Final = (1 << _HASH_BITS) - 1
_DOC_BITS: Final = 32
_DOC: Final = (1 << _DOC_BITS) - 1
_REMOVED: Final = 1 << 63
"""A slot whose id was removed; a look-up continues behind it. Other slots hold hash << 32 | doc + 1; 0 is free."""


class DocumentIds:
    """Ids by doc, in the order in which they were added, and the doc of an id, unless it was removed.

    names, name_starts   all ids as UTF-8, one after another, and offsets: the id of doc d is
                         `names[name_starts[d]:name_starts[d + 1]]`
    known                uint8, by doc: whether the doc is found by its id

    A look-up costs about half a microsecond, a tenth of that for many at once. Several docs may have one id, but only
    one of them may be found by it.
    """

    def __init__(self) -> None:
        self.size = 0
        self.names = np.zeros(_FIRST_BYTES, np.uint8)
        self.name_starts = np.zeros(1, np.int64)
        self.known = np.zeros(0, np.uint8)
        self._views = self.names.data, self.name_starts.data
        self._count = 0
        self._used = 0
        self._set_slots(np.zeros(_FIRST_SLOTS, np.uint64))

    def _set_slots(self, slots: NDArray[np.uint64]) -> None:
        self._slots, self._most = slots, int(_LOAD * len(slots))
        # Single values of a memoryview are read in half the time of an array's.
        self._values = slots.data

    @property
    def memory(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in (self.names, self.name_starts, self.known, self._slots))

    def __len__(self) -> int:
        """How many docs are found by their ids."""
        return self._count

    def __getitem__(self, doc: int) -> str:
        """The id of `doc`, whether the doc is found by it or not."""
        names, starts = self._views  # read in half the time of the arrays
        return str(names[starts[doc] : starts[doc + 1]], "utf-8")

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    def get(self, id: str) -> int | None:
        """The doc that is found by this id; None if there is none."""
        slot = self._slot_of(id)
        return None if slot < 0 else (self._values[slot] & _DOC) - 1

    def docs_of(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """The docs that are found by these ids, -1 where there is none."""
        packed = PackedIds.of([id.encode() for id in ids])
        docs, hashes = np.empty(len(ids), np.int64), _hashes(ids, len(ids))
        find_ids(self._slots, self.names, self.name_starts, hashes, packed.names, packed.starts, docs)
        return docs

    def docs(self) -> NDArray[np.int64]:
        """The docs that are found by their ids, ascending."""
        return np.flatnonzero(self.known[: self.size])

    def extend(self, ids: PackedIds | Sequence[bytes]) -> None:
        """Adds the ids of the next docs, as UTF-8; the docs are not found by them yet (`let_find_all`)."""
        ids = ids if isinstance(ids, PackedIds) else PackedIds.of(ids)
        first, last = self.size, self.size + len(ids)
        if last > len(self.known):
            capacity = max(last, int(len(self.known) * _GROWTH))
            self.known = _grown(self.known, first, capacity)
            self.name_starts = _grown(self.name_starts, first + 1, capacity + 1)
        begin = int(self.name_starts[first])
        np.add(ids.starts[1:], begin, out=self.name_starts[first + 1 : last + 1])
        end = int(self.name_starts[last])
        if end > len(self.names):
            self.names = _grown(self.names, begin, max(end, int(len(self.names) * _GROWTH)))
        self.names[begin:end] = ids.names
        self._views = self.names.data, self.name_starts.data
        self.size = last

    def let_find_all(self, docs: NDArray[np.int64], ids: Iterable[str]) -> None:
        """Makes `docs` found by their `ids`, by which no doc is found now."""
        values = _hashes(ids, len(docs)) << np.uint64(_DOC_BITS) | (docs + 1).astype(np.uint64)
        if self._used + len(docs) > self._most:
            self._put_anew(values)
        else:
            put_ids(self._slots, values)
            self._used += len(docs)
        self.known[docs] = 1
        self._count += len(docs)

    def remove(self, doc: int) -> bool:
        """Makes `doc` no longer found by its id; returns whether it was."""
        if not self.known[doc]:
            return False
        self._values[self._slot_of(self[doc])] = _REMOVED
        self.known[doc] = 0
        self._count -= 1
        return True

    def kept(self, docs: NDArray[np.int64]) -> DocumentIds:
        """A copy with only `docs`, which are ascending and known, renumbered 0, 1, 2, …"""
        fresh = DocumentIds()
        ids = PackedIds(self.names, self.name_starts[: self.size + 1]).chosen(docs)
        fresh.extend(ids)
        fresh.let_find_all(np.arange(len(ids)), ids.texts())
        return fresh

    def _slot_of(self, id: str) -> int:
        """The slot of an id; -1 if no doc is found by it."""
        values, size = self._values, len(self._slots)
        tag = hash(id) & _HASH
        slot = (tag * size) >> _HASH_BITS
        while value := values[slot]:
            if value >> _DOC_BITS == tag and self[(value & _DOC) - 1] == id:
                return slot
            slot += 1
            if slot == size:
                slot = 0
        return -1

    def _put_anew(self, values: NDArray[np.uint64]) -> None:
        """Puts all used slots and `values` into a new table, with room for half as many again; removed ids are left
        out.
        """
        held = np.concatenate([self._slots[(self._slots != 0) & (self._slots != _REMOVED)], values])
        held.sort()  # by hash, and so by their home slots
        size = max(int(_GROWTH * len(held) / _LOAD), _FIRST_SLOTS)
        slots, order = np.zeros(size, np.uint64), np.arange(len(held))
        homes = ((held >> np.uint64(_DOC_BITS)) * np.uint64(size) >> np.uint64(_HASH_BITS)).astype(np.int64)
        at = np.maximum.accumulate(homes - order) + order  # each behind the one before it
        inside = at < size
        slots[at[inside]] = held[inside]
        self._set_slots(slots)
        put_ids(slots, held[~inside])
        self._used = len(held)


def _hashes(ids: Iterable[str], count: int) -> NDArray[np.uint64]:
    """31-bit hashes of `count` ids: Python's own, which are keyed, so that nobody can choose ids that collide."""
    return np.fromiter(map(hash, ids), np.int64, count).view(np.uint64) & np.uint64(_HASH)


def _grown(array: NDArray[Any], used: int, capacity: int) -> NDArray[Any]:
    larger = np.zeros(capacity, array.dtype)
    larger[:used] = array[:used]
    return larger
