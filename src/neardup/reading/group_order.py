"""In which order groups are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from neardup.model.times import parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.model.verdict import Group

Sort = Literal["time", "size", "span"]


class Timed(Protocol):
    """A document, or what stands for one: its id, and its time as it is printed."""

    @property
    def id(self) -> str:
        """What it is called."""

    @property
    def time(self) -> str:
        """When it came."""


def by_time(each: Timed) -> tuple[str, str]:
    """Orders documents by their times, and those of one moment by their ids."""
    return _ascending(each.time), each.id


def first_and_last(group: Group) -> tuple[str, str]:
    """The times of the first and of the last document of a group, head or member."""
    times = [group.time, *(member.time for member in group.members)]
    return min(times, key=_ascending), max(times, key=_ascending)


def newest_first(groups: Iterable[Group]) -> list[Group]:
    """Groups by when their first document came, the newest first; of the same moment as they come."""
    return sorted(groups, key=lambda group: _ascending(first_and_last(group)[0]), reverse=True)


def _ascending(time: str) -> str:
    """A printed time without its zone, which is the same everywhere: whole seconds have no decimals."""
    return time.removesuffix("Z")


def group_span_ms(group: Group) -> int:
    """How long after the first document of a group, head or member, the last came."""
    first, last = first_and_last(group)
    return parse_time(last) - parse_time(first)


def in_order(groups: Iterable[Group], sort: Sort, min_size: int) -> Iterator[Group]:
    """Groups of `min_size` documents or more that are there: by time (as they come), the largest or the longest first;
    of the same size or length as they come.
    """
    wanted = (group for group in groups if group.size >= min_size)
    if sort == "time":
        return wanted
    if sort == "size":
        return iter(sorted(wanted, key=lambda group: -group.size))
    return iter(sorted(wanted, key=lambda group: -group_span_ms(group)))
