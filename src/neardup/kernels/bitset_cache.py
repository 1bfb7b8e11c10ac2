"""Bitsets of the longest posting lists, so that a search need not read its two longest (native/bitset_cache.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_BITSETS: Final = 512
"""The most bitsets, a power of two. At a million documents a bitset takes 128 KB, and there are one or two hundred."""


class BitsetCache(NamedTuple):
    """Bitsets by key, at most as many as `filled` is long.

    keys, rows   open-addressing table: row + 1 of the bitset of a key; 0 = free
    filled       by row: how many postings of the list are in its bitset already
    bits         by row: one bit for each doc, that of doc d in word d // 64; one more row at the end is empty
    used         an array of one: the number of rows in use
    """

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]
    filled: NDArray[np.int64]
    bits: NDArray[np.uint64]
    used: NDArray[np.int64]
