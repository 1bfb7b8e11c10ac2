"""Hours and windows: the hour of a time, its name, and the hours that a document is compared with.

Time is always an argument here; no function reads a clock.
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
"""`FIRST_NAMED` and `LAST_NAMED` are the first and last hour that a document can have, and that have a name."""


def hour_of(milliseconds: int) -> int:
    """The hour of a time in `milliseconds`: whole hours since 1970 UTC.

    >>> hour_of(1_795_251_600_000)
    498681
    """
    return milliseconds // HOUR_MS


def begin_of(hour: int) -> int:
    """The beginning of an hour, in milliseconds since 1970 UTC.

    >>> begin_of(498681)
    1795251600000
    """
    return hour * HOUR_MS


def hour_name(hour: int) -> str:
    """The name of an hour (UTC, 24-hour clock): that of its directory, and the end of the name of its index.

    >>> hour_name(498681)
    '2026.11.21-09'
    """
    stamp = format_time(begin_of(hour))
    return f"{stamp[:10].replace('-', '.')}-{stamp[11:13]}"


def hour_named(name: str) -> int | None:
    """The hour whose `hour_name` is `name`; None if it is no name of an hour.

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
    """The oldest hour that still lives when the newest hour is `newest`; older ones are dropped whole. `kept_hours` 0 =
    no limit.

    >>> first_living_hour(100, 24)
    76
    """
    return newest - kept_hours if kept_hours else FIRST_HOUR


def compared_hours(hour: int, window_hours: int) -> tuple[int, int]:
    """The first and the last hour that a document of `hour` is compared with.

    For a document that comes on time only earlier hours hold documents; a late one is compared in both directions.
    """
    if not window_hours:
        return FIRST_HOUR, LAST_HOUR
    return hour - window_hours, hour + window_hours


class Leap(NamedTuple):
    """The effect of a document on a window if its time is believed: the newest hour advances from `newest` to `hour`,
    and `leaving` of the `living` documents expire.

    A stream advances by an hour at a time, or by more after a pause; a wrong clock by anything. The next document
    decides which of the two it was: an hour nearer to `hour` than to `newest` confirms the leap.
    """

    newest: int
    hour: int
    leaving: int
    living: int

    def borne_out_by(self, hour: int) -> bool:
        """Whether a next document of `hour` confirms the leap."""
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
    """Whether a document of `hour` advances the newest hour by no more than half of the hours kept (0 = all), or not at
    all: then its time is believed, whatever the window holds.

    >>> is_step(112, 100, 24), is_step(113, 100, 24)
    (True, False)
    """
    return not kept_hours or newest <= FIRST_HOUR or hour <= newest + max(kept_hours // 2, 1)


def leap(hour: int, newest: int, kept_hours: int, documents: Mapping[int, int]) -> Leap | None:
    """The leap that a document of `hour` would cause; None if its time is believed. `documents`: how many there are by
    hour.

    A time is doubted if it is no `is_step` and would make more than half of the documents expire.

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
    """The reason why `time` is too far ahead of the clock `now` (both in milliseconds); None if it is not."""
    if time <= now + ahead_hours * HOUR_MS:
        return None
    hours = (time - now) // HOUR_MS
    return (
        f"time {format_time(time)} is over {hours:,} hours ahead of the clock ({format_time(now // 1_000 * 1_000)}), "
        f"more than {ahead_hours:,}: if it is right, the setting ahead_hours allows more (--ahead-hours, "
        "NEARDUP_AHEAD_HOURS)"
    )
