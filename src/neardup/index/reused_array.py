"""Reusable memory for large results: giving memory back and allocating it again costs more than using it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ReusedArray:
    """One array of 32-bit numbers, as large as the largest request so far; its contents are arbitrary.

    If somebody still holds a view of the array, they keep it, and the next request gets a new array.
    """

    def __init__(self, size: int = 0) -> None:
        self._array = np.empty(size, np.int32)

    def of(self, size: int = 0) -> NDArray[np.int32]:
        """The whole array, of at least `size` numbers, which nobody else uses."""
        size = max(size, len(self._array))
        if size > len(self._array) or self._references() > _ITS_OWN:
            self._array = np.empty(size, np.int32)
        return self._array

    def _references(self) -> int:
        return sys.getrefcount(self._array)


_ITS_OWN = ReusedArray()._references()  # noqa: SLF001 - ours
"""The reference count of an array that nobody else holds, in this version of Python."""
