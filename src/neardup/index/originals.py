"""Originals: which id the original of a group has that is gone, or that the head of the group is a copy of.

A document of this id that comes again is no copy of the group's members, which are copies of it (docs/definitions.md,
Window).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.arrivals import positions_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable


class Originals:
    """Ids by the arrival of a group's head: its own id, if it is gone and members are left; that of its best match, if
    it is there, and a copy itself. Other heads have none.

    unnamed   the arrivals of such heads in documents that were read, whose ids only stored verdicts tell
    """

    def __init__(self) -> None:
        self.unnamed: set[int] = set()
        self._ids: dict[int, str] = {}
        self._groups: Counter[str] = Counter()

    def __contains__(self, id: str) -> bool:
        return id in self._groups

    def of(self, arrival: int) -> str | None:
        """The id for a head of this arrival, None if it has none."""
        return self._ids.get(arrival)

    def set(self, arrival: int, id: str | None) -> None:
        """Notes the id for a head of this arrival, or with None that it has none."""
        self.unnamed.discard(arrival)
        before = self._ids.pop(arrival, None)
        if before is not None:
            self._groups[before] -= 1
            if not self._groups[before]:
                del self._groups[before]
        if id is not None:
            self._ids[arrival] = id
            self._groups[id] += 1

    def forget(self, arrivals: Iterable[int]) -> None:
        """Notes that heads of these arrivals have no ids."""
        for arrival in arrivals:
            self.set(arrival, None)

    def keep(self, groups: Container[int], arrivals: NDArray[np.int64]) -> None:
        """Forgets the ids for heads that are neither among these `arrivals`, ascending, nor among `groups`, which have
        members.
        """
        held = np.array([*self._ids, *self.unnamed], np.int64)
        missing = held[positions_of(held, arrivals) < 0].tolist()
        self.forget([arrival for arrival in missing if arrival not in groups])


def doc_of(table: DocumentTable, arrival: int) -> int | None:
    """The document of this arrival, None if it is not in the table; it need not be present."""
    arrivals = table.arrivals[: table.size]
    doc = int(np.searchsorted(arrivals, arrival))  # `positions_of` takes ten times as long for one
    return doc if doc < len(arrivals) and arrivals[doc] == arrival else None


def leads_to(table: DocumentTable, group: int, id: str, floor: int, known: dict[int, bool]) -> bool:
    """Whether the members of a group, given by the arrival of its head, are copies of the document of this id, when the
    hours before `floor` have gone: it is their head, or what is there under the id of a head that is gone, or what a
    head is a copy of, is a member of such a group.

    known   the answers for other groups, of the same id and hour; those found on the way are added
    """
    walked: list[int] = []
    answer: bool | None = None
    while answer is None and group not in known:
        known[group] = False  # who comes back to it is in a circle, and leads nowhere
        walked.append(group)
        head = doc_of(table, group)
        if head is not None and table.is_present(head) and table.hours[head] >= floor:
            if table.ids[head] == id:
                answer = True
                continue
            if table.group_arrivals[head] != group:
                group = int(table.group_arrivals[head])
                continue
        original = table.originals.of(group)
        head = None if original is None else table.ids.get(original)
        if original == id or head is None or table.hours[head] < floor:
            answer = original == id
        else:
            group = int(table.group_arrivals[head])
    if answer is None:
        answer = known[group]
    known.update(dict.fromkeys(walked, answer))
    return answer
