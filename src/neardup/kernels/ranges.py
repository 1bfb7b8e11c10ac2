"""Parts of arrays (native/ranges.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values = TypeVar("Values", "np.uint8", "np.uint64")

_gather = Kernel("gather")


def gather(
    source: NDArray[Values],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    out: NDArray[Values],
) -> None:
    """Copies `source[starts[i]:starts[i] + sizes[i]]` to `out`, one after another."""
    _gather(source, starts, sizes, out)
