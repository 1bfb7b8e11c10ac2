"""In which order groups are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from neardup.model.document import parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.model.verdict import Group

Sort = Literal["time", "size", "span"]


def group_span_ms(group: Group) -> int:
    """How long after the first document of a group, head or member, the last came."""
    times = [parse_time(time) for time in (group.time, *(member.time for member in group.members))]
    return max(times) - min(times)


def in_order(groups: Iterable[Group], sort: Sort, min_size: int) -> Iterator[Group]:
    """Groups of `min_size` documents or more, heads counted: by time (as they come), the largest or the longest first;
    of the same size or length as they come.
    """
    wanted = (group for group in groups if len(group.members) + 1 >= min_size)
    if sort == "time":
        return wanted
    if sort == "size":
        return iter(sorted(wanted, key=lambda group: -len(group.members)))
    return iter(sorted(wanted, key=lambda group: -group_span_ms(group)))
