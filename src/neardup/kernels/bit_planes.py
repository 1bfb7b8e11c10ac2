"""For each bit, in how many of several bitsets it is set; 512 bits at a time (native/bit_planes.h).

There is one bit plane for every binary digit of the counts, and every bitset is added to the planes with carries
(Rinfret, O'Neil & O'Neil 2001, "Bit-sliced index arithmetic").

    planes[WORDS · p : WORDS · (p + 1)]   digit p of the counts of 512 bits
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS: Final = 8
"""Words that are processed at once: one cache line."""
BITS: Final = 64 * WORDS
DIGITS: Final = 16
SIZE: Final = WORDS * DIGITS
"""Words of an array of planes."""
AT_ONCE: Final = 16
"""Bitsets that are added at once."""

_add_rows = Kernel("add_rows")
_set_counts = Kernel("set_counts")


def add_rows(
    bits: NDArray[np.uint64], base: int, stride: int, rows: NDArray[np.int64], first: int, last: int,
    planes: NDArray[np.uint64],
) -> None:  # fmt: skip
    """Sets `planes` (SIZE) to the number of bitsets `rows[first:last]` in which each of 512 bits is set.

    The bits of row r begin at `bits[base + stride * r]` (one dimension). `last - first` must be a multiple of AT_ONCE,
    below 2^16; an empty bitset serves as padding.
    """
    _add_rows(bits, base, stride, rows, first, last, planes)


def set_counts(planes: NDArray[np.uint64], counts: NDArray[Any]) -> None:
    """Sets `counts[:BITS]` (uint16 or int32) to the counts in `planes`."""
    _set_counts(planes, counts)
