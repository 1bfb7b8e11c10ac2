"""Bitsets of the longest posting lists, so that a search need not read its two longest (native/bitset_cache.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_BITSETS: Final = 512
"""Bitsets at most, a power of two: at a million documents 128 KB each, of which there are one or two hundred."""


class BitsetCache(NamedTuple):
    """Bitsets by key, at most as many as `filled` is long.

    keys, rows   open-addressing table: row + 1 of the bitset of a key; 0 = free
    filled       by row: postings of the list that are in its bitset
    bits         by row: one bit a doc, that of doc d in word d // 64; the last row, one more, has none
    used         its one value is the number of rows in use
    """

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]
    filled: NDArray[np.int64]
    bits: NDArray[np.uint64]
    used: NDArray[np.int64]
