"""Which documents a group has now, and which gives it its title: one rule for pages, tables and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.model.verdict import Group
    from neardup.window.base import ReadDocument


def stored_ids(group: Group) -> list[str]:
    """The ids of the documents that a group has now: that of the head unless it has gone, for another document may have
    its id, and those of the members.
    """
    return [*([group.head] if group.head_is_there else ()), *(member.id for member in group.members)]


def title_ids(group: Group) -> list[str]:
    """The ids of the documents that may give a group its title: the head unless it has gone, then members by time."""
    return stored_ids(group)[:2]


def titled_by(group: Group, documents: Mapping[str, ReadDocument]) -> ReadDocument | None:
    """The first of `title_ids` that is among `documents`, which are by id; None if none is."""
    return next((documents[id] for id in title_ids(group) if id in documents), None)
