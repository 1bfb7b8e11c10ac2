"""A window in a directory that is to be signed again, of any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.stores import records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.stores.base import Commit
    from neardup.stores.description import Description
    from neardup.stores.records import Rows


class Original(NamedTuple):
    """The description of a window, its last commit, and its documents.

    hours   for every hour with documents, the rows of their last versions, in order of version
    read    reads the texts and blobs of some rows of an hour
    keys    reads the keys of an hour, which include those of the given rows
    """

    format: int
    description: Description
    commit: Commit
    hours: Mapping[int, Rows]
    read: Callable[[int, Rows], tuple[list[bytes], list[bytes]]]
    keys: Callable[[int, Rows], NDArray[np.uint64]]

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return sum(map(len, self.hours.values()))

    @property
    def text_bytes(self) -> int:
        """Bytes of the normal forms of all documents."""
        return sum(int(records.text_sizes(rows).sum()) for rows in self.hours.values())


def in_order(rows: Rows, floor_arrival: int) -> Rows:
    """The rows of the last versions of all present documents from `floor_arrival` on, in order of version."""
    last = rows[records.last_versions(rows, floor_arrival)]
    return last[np.argsort(records.versions_of(last))]
