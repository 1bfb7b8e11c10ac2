"""Changes of packed posting lists as a whole (native/packing.h).

New lists and postings are written as numbers (`unordered_lists`, `unordered_postings`), sorted by key (`sort_by_key`),
and merged into the packed ones (`insert`, `absorb`).
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
    """Writes every list of a table to `out`: a list of one doc as key << 33 | doc, of several as key << 33 | 1 << 32 |
    slot. Returns how many postings the lists have.
    """
    return _unordered_lists(entries, out)


def unordered_postings(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    docs: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> int:
    """Writes a posting of `docs[i]` for each of `keys[starts[i]:starts[i] + sizes[i]]` to `out`, as low `KEY_BITS` of
    the key << 33 | doc; a doc of -1 is left out. Returns how many were written.
    """
    return _unordered_postings(keys, starts, sizes, docs, out)


def sort_by_key(values: NDArray[np.uint64], spare: NDArray[np.uint64]) -> None:
    """Sorts the output of `unordered_lists` or `unordered_postings` by key; stable.

    Linear: a radix sort, three passes of 10 bits each. `spare`: working memory of the same size.
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
    """Adds the lists of a table to `packed`, in place.

    packed    its `postings` have room for exactly all postings; the first `size` are the present ones
    lists     the table, read
    order     ascending: each list as `unordered_lists` writes it; a key may occur again, with ascending docs
    starts    2^high bits + 1: the new `starts`, filled
    doc_bits  the new `doc_bits`

    Linear in both.
    """
    _absorb(packed, size, lists, order, starts, doc_bits)


def insert(
    packed: PackedLists, size: int, lists: Lists, order: NDArray[np.uint64], starts: NDArray[np.uint32]
) -> None:
    """As `absorb`, if the shape stays the same: postings between two of the added lists are moved unchanged."""
    _insert(packed, size, lists, order, starts)


def count_kept(packed: PackedLists, docs: NDArray[np.int64]) -> int:
    """The number of postings of `packed` whose doc d has a `docs[d]` other than -1."""
    return _count_kept(packed, docs)


def renumber_packed(
    packed: PackedLists, docs: NDArray[np.int64], starts: NDArray[np.uint32], doc_bits: int
) -> None:
    """Replaces each doc d of `packed` by `docs[d]`, in place; postings whose new doc is -1 are removed.

    starts, doc_bits   the new ones, as in `absorb`, for the remaining postings, which are the first `starts[-1]`
    """
    _renumber_packed(packed, docs, starts, doc_bits)
