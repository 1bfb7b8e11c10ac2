"""Packed posting lists: sorted by key, four bytes a posting, changed only as a whole (native/packed_lists.h).

A posting costs 4.25 to 4.5 bytes, however long its list, where a table costs 16 bytes a slot, a third to half of them
free (kernels/posting_lists.py). New postings go to such a table, and from it to these when they have become many
(kernels/packing.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BITS: Final = 30
"""How many bits packed keys have."""
_WORD_BITS: Final = 32
_BUCKET_BITS: Final = 3

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


def count_keys(packed: PackedLists, entries: NDArray[np.uint64]) -> int:
    """How many different keys packed lists and a table have."""
    return _count_keys(packed, entries)
