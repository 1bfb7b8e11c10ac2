"""Which document gives a group its title: one rule for pages, tables and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.model.verdict import Group
    from neardup.window.base import ReadDocument


def title_ids(group: Group) -> tuple[str, ...]:
    """The ids of the documents that may give a group its title: the head; if that is gone, the first member by time."""
    return (group.head, *(member.id for member in group.members[:1]))


def titled_by(group: Group, documents: Mapping[str, ReadDocument]) -> ReadDocument | None:
    """The first of `title_ids` that is among `documents`, which are by id; None if none is."""
    return next((documents[id] for id in title_ids(group) if id in documents), None)
