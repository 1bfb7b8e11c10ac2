"""Packed posting lists: sorted by key, four bytes a posting, changed only as a whole (native/packed_lists.h).

A posting costs 4.25 to 4.5 bytes, however long its list, where a table costs 16 bytes a slot, a third to half of them
free (kernels/posting_lists.py). New postings go to such a table, and from it to these when they have become many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.posting_lists import Lists

KEY_BITS: Final = 30
"""How many bits packed keys have."""
_WORD_BITS: Final = 32
_BUCKET_BITS: Final = 3

_unordered_lists = Kernel("unordered_lists")
_unordered_postings = Kernel("unordered_postings")
_sort_by_key = Kernel("sort_by_key")
_absorb = Kernel("absorb")
_insert = Kernel("insert_packed")
_count_kept = Kernel("count_kept")
_renumber_packed = Kernel("renumber_packed")
_count_keys = Kernel("count_keys")


class PackedLists(NamedTuple):
    """Packed lists (layout: native/packed_lists.h); without postings they have one bucket and `doc_bits` 0.

    starts     2^high bits + 1
    postings   low bits of the key << doc_bits | doc
    doc_bits   how many bits of a posting are its doc's
    """

    starts: NDArray[np.uint32]
    postings: NDArray[np.uint32]
    doc_bits: int


def nothing_packed() -> PackedLists:
    """Packed lists without postings."""
    return PackedLists(np.zeros(2, np.uint32), np.empty(0, np.uint32), 0)


def shape_of(postings: int, docs: int) -> tuple[int, int]:
    """(high bits, `doc_bits`) of so many postings of docs below `docs`."""
    wanted = postings.bit_length() - 1 - _BUCKET_BITS
    high_bits = min(max(wanted, docs.bit_length() + KEY_BITS - _WORD_BITS, 0), KEY_BITS)
    return high_bits, _WORD_BITS - (KEY_BITS - high_bits)


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

    packed    whose `postings` have room for all: the first `size` are its own
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


def count_keys(packed: PackedLists, entries: NDArray[np.uint64]) -> int:
    """How many different keys packed lists and a table have."""
    return _count_keys(packed, entries)
