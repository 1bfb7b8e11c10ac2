"""FormerHeads: which ids the heads of groups had that are gone while members of their groups are left.

A document that comes again under such an id is no copy of these members, which are copies of it (docs/definitions.md,
Window).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.arrivals import positions_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable


class FormerHeads:
    """The arrivals of heads that are gone, by their ids.

    unnamed   the arrivals of heads that were gone when the window was read, whose ids only their members' verdicts tell
    """

    def __init__(self) -> None:
        self._arrivals: defaultdict[str, set[int]] = defaultdict(set)
        self.unnamed: set[int] = set()

    def add(self, id: str, arrival: int) -> None:
        """Notes that the head of this id and arrival is gone."""
        self._arrivals[id].add(arrival)

    def of(self, id: str) -> Collection[int]:
        """The arrivals of the heads of this id."""
        return self._arrivals.get(id, ())

    def keep(self, arrivals: Collection[int]) -> None:
        """Forgets all heads but those of these `arrivals`, whose groups have members."""
        self.unnamed.intersection_update(arrivals)
        left = {id: own.intersection(arrivals) for id, own in self._arrivals.items()}
        self._arrivals = defaultdict(set, {id: own for id, own in left.items() if own})

    def unnamed_above(self, docs: NDArray[np.int64], table: DocumentTable) -> set[int]:
        """The unnamed ones among the heads of the groups of `docs`, of the groups of these heads, and so on."""
        groups = set[int]()
        while len(docs):
            arrivals = table.group_arrivals[docs]
            own = set(arrivals[arrivals != table.arrivals[docs]].tolist()) - groups
            groups |= own
            docs = positions_of(np.array(sorted(own), np.int64), table.arrivals[: table.size])
            docs = docs[docs >= 0]
        return groups & self.unnamed
