"""Which document says what a group is called: one rule for pages, tables and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.model.verdict import Group
    from neardup.window.base import ReadDocument


def title_ids(group: Group) -> tuple[str, ...]:
    """Whose title, or beginning, a group has, by id: its head's; of a head that is gone its first member's, by time."""
    return (group.head, *(member.id for member in group.members[:1]))


def titled_by(group: Group, documents: Mapping[str, ReadDocument]) -> ReadDocument | None:
    """The first of them that is among `documents`, by id; None if neither is."""
    return next((documents[id] for id in title_ids(group) if id in documents), None)
