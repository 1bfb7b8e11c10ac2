"""A hash table from ids to docs: lookup and insertion of many ids at a time (native/id_slots.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_find_ids = Kernel("find_ids")
_put_ids = Kernel("put_ids")


def find_ids(
    slots: NDArray[np.uint64],
    names: NDArray[np.uint8],
    name_starts: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    ids: NDArray[np.uint8],
    id_starts: NDArray[np.int64],
    docs: NDArray[np.int64],
) -> None:
    """Sets `docs[i]` to the doc of the id i that is looked up, -1 if there is none.

    slots                open addressing: hash << 32 | doc + 1, 0 = free; at least one slot is free
    names, name_starts   the id of every doc, as UTF-8, one after another, and offsets
    hashes               hashes of the ids looked up, of 31 bits
    ids, id_starts       the ids looked up, as UTF-8, and n + 1 offsets
    """
    _find_ids(slots, names, name_starts, hashes, ids, id_starts, docs)


def put_ids(slots: NDArray[np.uint64], values: NDArray[np.uint64]) -> None:
    """Puts `values` (as in `slots`) of ids not yet in the table into the first free slots from their hashes on."""
    _put_ids(slots, values)
