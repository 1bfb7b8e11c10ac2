"""In which order groups are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from neardup.model.times import MIN_TIME_MS, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.model.verdict import Group

Sort = Literal["time", "size", "span"]


class Timed(Protocol):
    """A document, or an entry for one: its id, and its time as it is printed."""

    @property
    def id(self) -> str:
        """The id of the document."""

    @property
    def time(self) -> str:
        """The time of the document."""


def by_time(each: Timed) -> tuple[str, str]:
    """Orders documents by their times, and those of one moment by their ids."""
    return _ascending(each.time), each.id


def first_and_last(group: Group) -> tuple[str, str]:
    """The times of the first and of the last document of a group, head or member."""
    times = [group.time, *(member.time for member in group.members)]
    return min(times, key=_ascending), max(times, key=_ascending)


def _last_there(group: Group) -> str:
    """The time of the last document of a group that exists: late documents are earlier than their head."""
    times = [member.time for member in group.members]
    return max([*times, group.time] if group.head_is_there else times, key=_ascending)


def newest_first(groups: Iterable[Group]) -> list[Group]:
    """Groups by the time of their first document, the newest first; those of the same moment in the given order."""
    return sorted(groups, key=lambda group: _ascending(first_and_last(group)[0]), reverse=True)


def _ascending(time: str) -> str:
    """A printed time without its zone, for sorting: with it, whole seconds, which have no decimals, sort wrongly."""
    return time.removesuffix("Z")


def group_span_ms(group: Group) -> int:
    """The time between the first and the last document of a group, head or member, in milliseconds."""
    first, last = first_and_last(group)
    return parse_time(last) - parse_time(first)


def in_order(
    groups: Iterable[Group], sort: Sort, min_size: int, *, since: int = MIN_TIME_MS
) -> Iterator[Group]:
    """The groups of at least `min_size` existing documents, of which one is of the time `since` (milliseconds) or
    later: in the given order, which is by time, or the largest or longest first; of the same size or length in the
    given order.
    """
    wanted = (
        group
        for group in groups
        if group.size >= min_size and (since == MIN_TIME_MS or parse_time(_last_there(group)) >= since)
    )
    if sort == "time":
        return wanted
    if sort == "size":
        return iter(sorted(wanted, key=lambda group: -group.size))
    return iter(sorted(wanted, key=lambda group: -group_span_ms(group)))
