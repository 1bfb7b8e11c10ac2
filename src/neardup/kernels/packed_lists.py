"""Packed posting lists: sorted by key, four bytes a posting, changed only as a whole (native/packed_lists.h).

A posting costs 4.25 to 4.5 bytes, however long its list; a table costs 16 bytes a slot, with a third to half of the
slots free (kernels/posting_lists.py). New postings go to such a table, and are moved to packed lists when there are
many (kernels/packing.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BITS: Final = 30
"""The number of bits of a packed key."""
_WORD_BITS: Final = 32
_BUCKET_BITS: Final = 3

_count_keys = Kernel("count_keys")


class PackedLists(NamedTuple):
    """Packed lists (layout: native/packed_lists.h); without postings they have one bucket and `doc_bits` 0.

    starts     2^high bits + 1: where each bucket begins in `postings`
    postings   low bits of the key << doc_bits | doc
    doc_bits   how many bits of a posting hold its doc
    """

    starts: NDArray[np.uint32]
    postings: NDArray[np.uint32]
    doc_bits: int


def nothing_packed() -> PackedLists:
    """Packed lists without postings."""
    return PackedLists(np.zeros(2, np.uint32), np.empty(0, np.uint32), 0)


def shape_of(postings: int, docs: int) -> tuple[int, int]:
    """(high bits, `doc_bits`) for so many `postings` of docs below `docs`."""
    wanted = postings.bit_length() - 1 - _BUCKET_BITS
    high_bits = min(max(wanted, docs.bit_length() + KEY_BITS - _WORD_BITS, 0), KEY_BITS)
    return high_bits, _WORD_BITS - (KEY_BITS - high_bits)


def count_keys(packed: PackedLists, entries: NDArray[np.uint64]) -> int:
    """The number of distinct keys of packed lists and a table together."""
    return _count_keys(packed, entries)
