"""Parts of arrays (native/ranges.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_gather = Kernel("gather")


def gather(
    source: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> None:
    """Copies `source[starts[i]:starts[i] + sizes[i]]` to `out`, one after another."""
    _gather(source, starts, sizes, out)
