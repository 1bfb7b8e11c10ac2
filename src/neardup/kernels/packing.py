"""What changes packed posting lists as a whole (native/packing.h).

What is to be packed is written as numbers (`unordered_lists`, `unordered_postings`), sorted by key (`sort_by_key`), and
merged with what is packed already (`insert`, `absorb`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.packed_lists import PackedLists
    from neardup.kernels.posting_lists import Lists

_unordered_lists = Kernel("unordered_lists")
_unordered_postings = Kernel("unordered_postings")
_sort_by_key = Kernel("sort_by_key")
_absorb = Kernel("absorb")
_insert = Kernel("insert_packed")
_count_kept = Kernel("count_kept")
_renumber_packed = Kernel("renumber_packed")


def unordered_lists(entries: NDArray[np.uint64], out: NDArray[np.uint64]) -> int:
    """Writes every list of a table to `out` as key << 33 | doc, one of several docs as key << 33 | 1 << 32 | slot;
    returns how many postings there are.
    """
    return _unordered_lists(entries, out)


def unordered_postings(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    docs: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> int:
    """Writes `docs[i]` under the low `KEY_BITS` of each of `keys[starts[i]:starts[i] + sizes[i]]` to `out` as
    `unordered_lists` writes a list of one; a doc of -1 is left out. Returns how many were written.
    """
    return _unordered_postings(keys, starts, sizes, docs, out)


def sort_by_key(values: NDArray[np.uint64], spare: NDArray[np.uint64]) -> None:
    """Sorts what `unordered_lists` or `unordered_postings` has written by key; what has the same stays in its order.

    Linear: a radix sort, three passes of 10 bits each. `spare`: room for as many, whatever is in it.
    """
    _sort_by_key(values, spare)


def absorb(
    packed: PackedLists,
    size: int,
    lists: Lists,
    order: NDArray[np.uint64],
    starts: NDArray[np.uint32],
    doc_bits: int,
) -> None:
    """Adds the lists of a table to `packed`, in its own memory.

    packed    whose `postings` have room for all, and no more: the first `size` are its own
    lists     read
    order     ascending: each list as `unordered_lists` writes it; a key may come again, its docs ascending
    starts    2^high bits + 1: those of the new lists, filled
    doc_bits  new, too

    Linear in both.
    """
    _absorb(packed, size, lists, order, starts, doc_bits)


def insert(
    packed: PackedLists, size: int, lists: Lists, order: NDArray[np.uint64], starts: NDArray[np.uint32]
) -> None:
    """As `absorb`, where the shape stays the same: what lies between two of the lists is moved as it is."""
    _insert(packed, size, lists, order, starts)


def count_kept(packed: PackedLists, docs: NDArray[np.int64]) -> int:
    """How many postings of `packed` are of docs d whose `docs[d]` is not -1."""
    return _count_kept(packed, docs)


def renumber_packed(
    packed: PackedLists, docs: NDArray[np.int64], starts: NDArray[np.uint32], doc_bits: int
) -> None:
    """Makes doc d of `packed` `docs[d]`, in its own memory; postings of those with -1 go.

    starts, doc_bits   as in `absorb`: those of what is left, the first `starts[-1]` postings
    """
    _renumber_packed(packed, docs, starts, doc_bits)
