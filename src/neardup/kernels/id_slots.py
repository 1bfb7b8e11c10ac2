"""Ids looked up and put into their slots, many at a time (native/id_slots.h)."""

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
    """Sets `docs[i]` to the doc that id i finds, -1 where it finds none.

    slots                open addressing: hash << 32 | doc + 1, 0 = free; there is a free one
    names, name_starts   ids by doc, as UTF-8, one after another, and offsets
    hashes               of the ids looked up, of 31 bits
    ids, id_starts       these, as UTF-8, n + 1 offsets
    """
    _find_ids(slots, names, name_starts, hashes, ids, id_starts, docs)


def put_ids(slots: NDArray[np.uint64], values: NDArray[np.uint64]) -> None:
    """Puts `values`, of ids that find nothing yet, into the first free slots from where they want to be."""
    _put_ids(slots, values)
