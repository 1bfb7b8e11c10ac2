"""Working memory for the sets of q-grams of two texts (native/gram_sets.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORT, LONG = 4, 12
"""The two lengths of q-grams by which kinds are decided."""


class GramScratch(NamedTuple):
    """Working memory for two texts of up to n code points each.

    names   2 · n: names of q-grams, those of the first text, then those of the second
    same    2 · n: for each q-gram, the first index of an equal one
    next    2 · n: index + 1
    shared  2 · n: at the first index of a q-gram, whether both texts have it
    table   index + 1; 2 · n slots or more, a power of two
    seen    a quarter of the table's slots
    """

    names: NDArray[np.uint32]
    same: NDArray[np.int32]
    next: NDArray[np.int32]
    shared: NDArray[np.uint8]
    table: NDArray[np.int32]
    seen: NDArray[np.uint64]
