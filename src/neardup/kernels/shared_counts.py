"""Counters of how many posting lists each doc is in (native/shared_counts.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMALL_BITS: Final = 3
LARGE_BITS: Final = 7
"""Bits of a counter that count; the rest of its byte tells whose: 31 searches, or one, between two clearings.

A byte is enough even where one search must be cleared for: two bytes a doc leave the first cache level sooner,
and clearing is nothing beside reading the lists of a hundred times as many keys.
"""


class Counters(NamedTuple):
    """A counter for every doc that is never cleared between two searches: it holds the stamp it was last used in.

    hits     one a doc: stamp << bits | count
    coarse   counters that docs share, a power of two: that of doc d is d % len(coarse). None where there are so few
             docs that a cache holds `hits`
    bits     how many low bits are the count's: SMALL_BITS or LARGE_BITS
    stamps   the stamp of the last search in `hits`, and in `coarse`
    """

    hits: NDArray[np.uint8]
    coarse: NDArray[np.uint8]
    bits: int
    stamps: NDArray[np.int64]
