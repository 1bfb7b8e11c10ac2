"""Posting lists in memory: from a key to the docs that have it, side by side, growing in place
(native/posting_lists.h).

A doc is the number of a document in a table (`neardup.index.document_table`), below 2^32.

A kernel that runs out of room can be resumed: it returns a status, and the caller enlarges an array and calls it again
with the same `progress`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

USAGE_KEYS, USAGE_TOP, USAGE_FREE = 0, 1, 2
USAGE_SIZE: Final = USAGE_FREE + 32

DONE, TABLE_FULL, POOL_FULL, CANDIDATES_FULL = 0, 1, 2, 3
"""The status that a kernel returns: finished, or which array must grow."""

_rehash = Kernel("rehash")
_add_all = Kernel("add_all")
_renumber = Kernel("renumber")


class Lists(NamedTuple):
    """One set of posting lists (layout: native/posting_lists.h).

    entries   n × 2, n a power of two: the table
    pool      docs of all lists that are not stored in the table itself
    usage     USAGE_SIZE numbers: how much of both is in use, and which parts of the pool are free again
    """

    entries: NDArray[np.uint64]
    pool: NDArray[np.uint32]
    usage: NDArray[np.int64]


def rehash(entries: NDArray[np.uint64], larger: NDArray[np.uint64]) -> None:
    """Moves every used entry of `entries` into the empty table `larger`."""
    _rehash(entries, larger)


def add_all(
    lists: Lists,
    keys: NDArray[np.uint64],
    key_offsets: NDArray[np.int64],
    docs: NDArray[np.int64],
    progress: NDArray[np.int64],
) -> int:
    """Adds `docs[i]` under `keys[key_offsets[i]:key_offsets[i + 1]]` for every i; a doc of -1 is left out.

    key_offsets   one more than docs
    progress      [i, keys of document i already added]: where to resume

    Returns a status.
    """
    return _add_all(lists, keys, key_offsets, docs, progress)


def renumber(lists: Lists, docs: NDArray[np.int64], fresh: Lists) -> None:
    """Copies every list into the empty lists `fresh`, with each doc d replaced by `docs[d]`; docs that become -1, and
    keys without docs, are left out.

    `fresh` must have a table and a pool as large as those of `lists`: no list gets longer. One pass over all postings.
    """
    _renumber(lists, docs, fresh)
