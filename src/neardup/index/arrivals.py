"""Looks up arrivals among those of the documents that are still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def positions_of(arrivals: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each of `arrivals` in `held`, which is ascending; -1 for those not in it.

    10 ns each if no arrival before it is missing in `held`; otherwise a binary search, 50 ns to a microsecond.
    """
    positions = np.full(len(arrivals), -1)
    if not len(held):
        return positions
    likely = np.clip(arrivals - held[0], 0, len(held) - 1)
    is_there = held[likely] == arrivals
    positions[is_there] = likely[is_there]
    rest = np.flatnonzero(~is_there)
    sought = np.minimum(np.searchsorted(held, arrivals[rest]), len(held) - 1)
    is_found = held[sought] == arrivals[rest]
    positions[rest[is_found]] = sought[is_found]
    return positions
