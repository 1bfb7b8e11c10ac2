"""The steps from UTF-8 to normal form (docs/definitions.md, Normal form), and bounds of its length (native/text.h).

Almost every text is NFC already, which one bit of the table shows for each code point; only the stretches around a code
point with that bit are decomposed, reordered and composed (Unicode Standard Annex #15), all by the frozen Unicode 16
tables. Input bytes must be valid UTF-8: Python's own encoder made them, so they are not checked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_GROWTH: Final = 5
"""The most UTF-8 bytes of a normal form per byte of its text: 3 by NFC (U+1D160), times 1.5 by folding (U+023A)."""

MAX_POINTS: Final = 1.5
"""The most code points of a normal form per byte of its text, before NFC composes them again (U+0390)."""


def most_points(size: int) -> int:
    """The room for the code points of the normal form of a text of `size` bytes, and one more."""
    return int(MAX_POINTS * size) + 1


_decode = Kernel("decode")
_encode_one = Kernel("encode_one")
_is_ascii = Kernel("is_ascii")


def encode_one(point: int, out: NDArray[np.uint8], at: int) -> int:
    """Writes `point` as UTF-8 at `out[at]`; returns the next position."""
    return _encode_one(point, out, at)


def is_ascii(data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether `data[start:end]` has no byte above 0x7F."""
    return bool(_is_ascii(data, start, end))


def decode(data: NDArray[np.uint8], start: int, end: int, points: NDArray[np.uint32]) -> tuple[int, bool]:
    """Decodes `data[start:end]`, valid UTF-8, into `points`; returns (how many, whether any is above U+FFFF)."""
    astral = np.empty(1, np.bool_)
    return _decode(data, start, end, points, astral), bool(astral[0])
