"""The bitmaps of short texts, transposed: for each bit, a bitset of the docs that have it (native/bitmap_columns.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.kernels.bitmap_filter import BITS
from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS: Final = BITS + 2
"""One row for every bit, one for the docs that have no bitmap of level 0, and an empty one."""

_fill_columns = Kernel("fill_columns")


class BitmapColumns(NamedTuple):
    """The bitmaps by which a search leaves out docs that cannot match.

    bits      ROWS × words: bit d of row b is bit b of the bitmap of doc d, filled for all docs that can be found; with
              0 words nothing is left out
    levels    the level of each document of the batch
    bitmaps   n × LEVELS × WORDS, as made by `sign_batch` (kernels/signing.py)
    """

    bits: NDArray[np.uint64]
    levels: NDArray[np.uint8]
    bitmaps: NDArray[np.uint64]


def fill_columns(
    levels: NDArray[np.uint8],
    bitmaps: NDArray[np.uint64],
    first: int,
    last: int,
    bits: NDArray[np.uint64],
) -> None:
    """Sets in `bits` the bits of docs `first` to `last` (excluded), from their `levels` and `folded` bitmaps."""
    _fill_columns(levels, bitmaps, first, last, bits)
