"""Copies of parts of arrays (native/ranges.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values = TypeVar("Values", "np.uint8", "np.uint64")

_gather = Kernel("gather")


def gathered(
    source: NDArray[Values], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[Values], NDArray[np.int64]]:
    """Copies of every `source[starts[i]:starts[i] + sizes[i]]`, one after another, and n + 1 offsets."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    out = np.empty(offsets[-1], source.dtype)
    _gather(source, starts, sizes, out)
    return out, offsets
