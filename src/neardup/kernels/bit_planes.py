"""How many of some bitsets each bit is in: 512 bits at a time (native/bit_planes.h).

One bit plane for every binary digit of the counts, and every bitset added to them with carries (Rinfret, O'Neil &
O'Neil 2001, "Bit-sliced index arithmetic").

    planes[WORDS · p : WORDS · (p + 1)]   digit p of what 512 bits count
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS: Final = 8
"""Words that are worked at once: one cache line."""
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
    """Sets `planes` (SIZE) to how many of the bitsets `rows[first:last]` each of 512 bits is in.

    Those of row r begin at `bits[base + stride * r]` (one dimension). `last - first` is a multiple of AT_ONCE, below
    2^16: there is a bitset of none to fill up with.
    """
    _add_rows(bits, base, stride, rows, first, last, planes)


def set_counts(planes: NDArray[np.uint64], counts: NDArray[Any]) -> None:
    """Sets `counts[:BITS]` (uint16 or int32) to what the bits of `planes` count."""
    _set_counts(planes, counts)
