"""From a normal form to the keys of its windows (native/qgrams.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.signing import Scratch

_window_keys = Kernel("window_keys")


def window_keys(
    text: NDArray[np.uint8], start: int, end: int, q: int, scratch: Scratch, out: NDArray[np.uint64]
) -> int:
    """Writes the key of every window of the normal form `text[start:end]` (UTF-8) to `out`; returns how many.

    The keys are in text order; repeated keys are written again.
    """
    return _window_keys(text, start, end, q, scratch, out)
