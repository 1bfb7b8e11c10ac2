"""Hours and windows: which hour a time lies in, what it is called, which hours a document is compared with.

Time is always an argument here; nothing reads a clock.
"""

from __future__ import annotations

from typing import Final

from neardup.document import format_time
from neardup.params import HOUR_MS

FIRST_HOUR: Final = -(2**40)
LAST_HOUR: Final = 2**40


def hour_of(milliseconds: int) -> int:
    """Whole hours since 1970 UTC.

    >>> hour_of(1_795_251_600_000)
    498681
    """
    return milliseconds // HOUR_MS


def hour_name(hour: int) -> str:
    """Name of an hour's local index, UTC, 24-hour clock.

    >>> hour_name(498681)
    '2026.11.21-09'
    """
    stamp = format_time(hour * HOUR_MS)
    return f"{stamp[:10].replace('-', '.')}-{stamp[11:13]}"


def first_living_hour(newest: int, window_hours: int) -> int:
    """The oldest hour that lives when `newest` has begun; an older one is dropped whole. 0 = no limit.

    >>> first_living_hour(100, 24)
    76
    """
    return newest - window_hours if window_hours else FIRST_HOUR


def compared_hours(hour: int, window_hours: int) -> tuple[int, int]:
    """First and last hour that a document of `hour` is compared with.

    A document in time has only earlier hours to look back on; a late one is compared around its own time, both ways.
    """
    if not window_hours:
        return FIRST_HOUR, LAST_HOUR
    return hour - window_hours, hour + window_hours
