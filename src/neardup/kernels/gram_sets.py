"""The sets of q-grams of two texts (native/gram_sets.h): their working memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORT, LONG = 4, 12
"""The two lengths of a q-gram."""


class GramScratch(NamedTuple):
    """Working memory for two texts of up to n code points each.

    names   2 · n: names of q-grams, those of the second text behind those of the first
    same    2 · n: for each q-gram the first index of one that is equal
    next    2 · n: indexes, and 1 more
    shared  2 · n: at these indexes, whether both texts have it
    table   a power of two of 2 · n slots or more: indexes, and 1 more
    seen    a quarter of the table's slots
    """

    names: NDArray[np.uint32]
    same: NDArray[np.int32]
    next: NDArray[np.int32]
    shared: NDArray[np.uint8]
    table: NDArray[np.int32]
    seen: NDArray[np.uint64]
