"""Bitmap filter: a small bitmap of every key set, by which most candidates are rejected before their texts are read.

native/bitmap_filter.h describes the method, and fills the bitmaps while texts are signed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS: Final = 16
"""64-bit words of a bitmap, as it is stored."""
HELD_WORDS: Final = WORDS // 2
"""Words of a bitmap as it is compared: the bitwise OR of its two halves."""
BITS: Final = 64 * HELD_WORDS
LEVELS: Final = 3
"""Bitmaps of a document of a batch: at the level below its own, at its own, and at the level above."""

_fill_levels = Kernel("fill_levels")
_passes = Kernel("bitmap_passes")


def folded(bitmaps: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The bitwise OR of the two halves of each bitmap (n × WORDS): n × HELD_WORDS."""
    return bitmaps[:, :HELD_WORDS] | bitmaps[:, HELD_WORDS:]


def fill_levels(of: NDArray[Any], out: NDArray[np.uint8]) -> None:
    """Writes to `out` the level of each normal form, given its size in bytes in `of` (integers of 32 or 64 bits): the
    largest level with `size >> level` >= 256, or 0.
    """
    _fill_levels(of, out)


def passes(
    queries: NDArray[np.int64],
    docs: NDArray[np.int64],
    ratio: tuple[int, int],
    query_counts: NDArray[np.int64],
    query_levels: NDArray[np.uint8],
    query_bitmaps: NDArray[np.uint64],
    counts: NDArray[np.int32],
    levels: NDArray[np.uint8],
    bitmaps: NDArray[np.uint64],
    out: NDArray[np.bool_],
) -> None:
    """Sets `out[i]` to whether pair i may reach the threshold.

    Pair i is document `queries[i]` of a batch and doc `docs[i]` of a table.

    ratio                  the threshold, as numerator and denominator
    query_counts, counts   |A| of each document of the batch, |B| by doc; at level 0 always counted
    query_levels, levels   their levels
    query_bitmaps          n × LEVELS × WORDS, as made by `sign_batch` (kernels/signing.py)
    bitmaps                docs × HELD_WORDS: at each set's own level, `folded`

    Pairs whose levels differ by more than one all pass: their sizes differ by a factor above two, which few thresholds
    allow.
    """
    _passes(
        queries, docs, ratio, query_counts, query_levels, query_bitmaps,
        counts, levels, bitmaps, out,
    )  # fmt: skip
