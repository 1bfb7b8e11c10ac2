"""Hours and windows: which hour a time lies in, what it is called, which hours a document is compared with.

Time is always an argument here; nothing reads a clock.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.model.settings import HOUR_MS
from neardup.model.times import format_time

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_HOUR: Final = -(2**40)
LAST_HOUR: Final = 2**40
_NAME_RE: Final = re.compile(r"(\d{4})\.(\d\d)\.(\d\d)-(\d\d)", re.ASCII)
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
FIRST_NAMED: Final = (date.min.toordinal() - _EPOCH_DAY) * 24
LAST_NAMED: Final = (date.max.toordinal() + 1 - _EPOCH_DAY) * 24 - 1
"""The first and the last of the hours that a document can have, and that have a name."""


def hour_of(milliseconds: int) -> int:
    """Whole hours since 1970 UTC.

    >>> hour_of(1_795_251_600_000)
    498681
    """
    return milliseconds // HOUR_MS


def begin_of(hour: int) -> int:
    """When an hour begins, in milliseconds since 1970 UTC.

    >>> begin_of(498681)
    1795251600000
    """
    return hour * HOUR_MS


def hour_name(hour: int) -> str:
    """What an hour is called, UTC, 24-hour clock: its directory, and the end of its index's name.

    >>> hour_name(498681)
    '2026.11.21-09'
    """
    stamp = format_time(begin_of(hour))
    return f"{stamp[:10].replace('-', '.')}-{stamp[11:13]}"


def hour_named(name: str) -> int | None:
    """The hour that `hour_name` calls `name`; None if there is none.

    >>> hour_named("2026.11.21-09"), hour_named("2026.11.21-24"), hour_named("copies")
    (498681, None, None)
    """
    match = _NAME_RE.fullmatch(name)
    if match is None:
        return None
    year, month, day, hour = map(int, match.groups())
    try:
        days = date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    return days * 24 + hour if hour < 24 else None


def first_living_hour(newest: int, kept_hours: int) -> int:
    """The oldest hour that lives when `newest` has begun; an older one is dropped whole. 0 = no limit.

    >>> first_living_hour(100, 24)
    76
    """
    return newest - kept_hours if kept_hours else FIRST_HOUR


def compared_hours(hour: int, window_hours: int) -> tuple[int, int]:
    """First and last hour that a document of `hour` is compared with.

    A document on time has only earlier hours to look back on; a late one is compared both ways around its own time.
    """
    if not window_hours:
        return FIRST_HOUR, LAST_HOUR
    return hour - window_hours, hour + window_hours


class Leap(NamedTuple):
    """What a document does to a window if its time is believed: the newest hour moves on from `newest` to `hour`, and
    `leaving` of `living` documents expire.

    A stream moves on by an hour at a time, or by more after a pause; a wrong clock by anything. The next document tells
    them apart: one that is nearer to `hour` than to `newest` bears the leap out.
    """

    newest: int
    hour: int
    leaving: int
    living: int

    def borne_out_by(self, hour: int) -> bool:
        """Whether the leap is borne out by a next document of `hour`."""
        return hour - self.newest > self.hour - hour

    def __str__(self) -> str:
        if self.leaving < self.living:
            documents = f"{self.leaving:,} of the {self.living:,} documents"
        else:
            documents = "the one document" if self.living == 1 else f"all {self.living:,} documents"
        return (
            f"would move the window on from hour {hour_name(self.newest)} to {hour_name(self.hour)} and expire "
            f"{documents} in it"
        )


def is_step(hour: int, newest: int, kept_hours: int) -> bool:
    """Whether a document of `hour` leaves the newest hour where it is, or moves it on by no more than half of the hours
    kept (0 = all): then there is nothing to doubt, whatever the window holds.

    >>> is_step(112, 100, 24), is_step(113, 100, 24)
    (True, False)
    """
    return not kept_hours or newest <= FIRST_HOUR or hour <= newest + max(kept_hours // 2, 1)


def leap(hour: int, newest: int, kept_hours: int, documents: Mapping[int, int]) -> Leap | None:
    """The leap of a document of `hour` in a window of so many `documents` by hour; None if there is nothing to doubt.

    What is doubted is no `is_step`, and makes more than half of what is there expire.

    >>> leap(148, 100, 24, {99: 3, 100: 7})
    Leap(newest=100, hour=148, leaving=10, living=10)
    >>> leap(120, 100, 24, {95: 3, 100: 7}) is None
    True
    """
    first = first_living_hour(hour, kept_hours)
    if is_step(hour, newest, kept_hours) or first <= min(documents, default=LAST_HOUR):
        return None
    leaving = sum(count for old, count in documents.items() if old < first)
    living = sum(documents.values())
    return Leap(newest, hour, leaving, living) if 2 * leaving > living else None


def too_far_ahead(time: int, now: int, ahead_hours: int) -> str | None:
    """Why a time is not believed at the time `now` (both in milliseconds); None if it is."""
    if time <= now + ahead_hours * HOUR_MS:
        return None
    hours = (time - now) // HOUR_MS
    return (
        f"time {format_time(time)} is over {hours:,} hours ahead of the clock ({format_time(now // 1_000 * 1_000)}), "
        f"more than {ahead_hours:,}: --ahead-hours (ahead_hours) if it is right"
    )
