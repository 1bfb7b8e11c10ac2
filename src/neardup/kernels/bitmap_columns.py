"""The bitmaps of short texts by their bits: a bitset of docs for each (native/bitmap_columns.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.kernels.bitmap_filter import BITS
from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS: Final = BITS + 2
"""One for every bit, one of the docs that have no bitmap of level 0, and one of none."""

_fill_columns = Kernel("fill_columns")


class BitmapColumns(NamedTuple):
    """What a search leaves out docs by whose bitmaps speak against them.

    bits      ROWS × words: bit d of row b is bit b of the bitmap of doc d, filled for all that can be found; no words:
              nothing is left out
    levels    of each document of the batch
    bitmaps   n × LEVELS × WORDS: as `sign_batch` (kernels/signing.py) makes them
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
    """Sets in `bits` those of the docs from `first` to `last` (excluded), by their `levels` and `folded` bitmaps."""
    _fill_columns(levels, bitmaps, first, last, bits)
