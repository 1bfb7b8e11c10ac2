"""Where arrivals are among those of the documents that are still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def positions_of(arrivals: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where `arrivals` are in `held`, which ascends; -1 for those that are not.

    10 ns each where none is missing before it; else it is sought, 50 ns to a microsecond.
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
