"""Room for large results that come again and again: memory given back and taken anew costs more than its use."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ReusedArray:
    """Room for 32-bit numbers, as large as was ever asked for: one array, whose contents are left as they are.

    Who still holds a part of it keeps it: then there is a new one for the next.
    """

    def __init__(self, size: int = 0) -> None:
        self._array = np.empty(size, np.int32)

    def of(self, size: int = 0) -> NDArray[np.int32]:
        """All of it, of this size at least, all of it free."""
        size = max(size, len(self._array))
        if size > len(self._array) or self._references() > _ITS_OWN:
            self._array = np.empty(size, np.int32)
        return self._array

    def _references(self) -> int:
        return sys.getrefcount(self._array)


_ITS_OWN = ReusedArray()._references()  # noqa: SLF001 - ours
"""References to an array that nobody else has, as this Python counts them."""
