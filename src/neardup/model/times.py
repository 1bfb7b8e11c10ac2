"""Times: whole milliseconds since 1970 UTC, read from the forms that people and programs write."""

from __future__ import annotations

import email.utils
import functools
import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from neardup.errors import SettingsError, shown
from neardup.model.plain_values import is_missing, plain

_EPOCH_MS_FROM: Final = 100_000_000_000
"""A number at or above this is milliseconds since 1970 (from March 1973 on), below it seconds (up to the year
5138).
"""
MIN_TIME_MS: Final = -62_135_596_800_000  # 0001-01-01
MAX_TIME_MS: Final = 253_402_300_799_999  # 9999-12-31

_CLOCK_RE: Final = re.compile(r"\d{9,13}(\.\d*)?")
"""A number as text. Shorter ones, such as 20261121, are read as dates, and so are longer ones: 13 digits of
milliseconds last until 2286.
"""
_RUN_RE: Final = re.compile(r"\d{9}", re.ASCII)
"""More digits at the beginning than a date has. Python takes the ninth for the letter between a date and a time of
day: 1695110160000Z for a day of the year 1695.
"""
_OVER_RE: Final = re.compile(
    r"(?P<day>.{8,10}[T ])(?:24(?=:?00(?::?00(?:[.,]0+)?)?(?:[Zz+-]|$))|(?P<clock>\d\d:?59:?)60(?!\d))"
)
"""Forms that ISO 8601 allows and Python does not: midnight as 24:00 at the end of a day, and a leap second."""
_MAIL_RE: Final = re.compile(
    r"(?:[a-z]{3,9}\.?,?\s+)?\d{1,2}[\s-]+[a-z]{3,9}[\s-]+(?:\d\d|\d{4})\s+\d{1,2}:\d\d(?::\d\d)?"
    r"(?:\s+(?:[+-]\d{4}|utc?|gmt|z|[ecmp][sd]t)(?:\s+\([^()]*\))?|\s+\((?:utc|gmt)\))?",
    re.IGNORECASE,
)
"""RFC 2822, with only the zones that it defines: Python would take the name of any other zone for UTC, and that of
a zone in parentheses.
"""
_UTC_RE: Final = re.compile(r"(.*[\dT][T :-].*\d) ?(?:utc|gmt)$", re.ASCII | re.IGNORECASE)
"""UTC or GMT after a time of day, as databases and logs write it: the only zone names with a single offset."""
_OFFSET_ZONE_RE: Final = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?P<offset>Z|[+-]\d\d:?\d\d)"
    r"(?:\[(?P<zone>[a-z][\w/+:-]*)\]|(?<=\d) (?P<short>[a-z]{2,5}|[+-]\d\d(?:\d\d)?)(?: m=[+-]\d+\.\d+)?)",
    re.ASCII | re.IGNORECASE,
)
"""An offset followed by its zone, as Java (Z[UTC], +01:00[Europe/Berlin]) and Go (+0100 CET) write it. The offset
decides.
"""
_NAMED_ZONE_RE: Final = re.compile(
    r"\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[+-]\d\d:?\d\d)?\s*[\[(]?(?![ap]m\b)([a-z]{2}[\w/+-]{0,40})[\])]?$",
    re.ASCII | re.IGNORECASE,
)
"""A time of day followed by the name of a zone: a name may stand for several zones, and its offset may change."""
_LONGEST: Final = 200
"""No time has more characters. How long the patterns above take grows with the cube of the length."""
TIME_FORMS: Final = (
    "ISO 8601 (2026-11-21T09:00:00Z), RFC 2822 (Sat, 21 Nov 2026 09:00:00 +0000), "
    "or seconds or milliseconds since 1970"
)


def parse_time(value: Any) -> int:
    """Milliseconds since 1970 UTC, rounded down, of a datetime, a number of seconds or milliseconds, or text: ISO 8601,
    RFC 2822 (mail, RSS), or such a number.

    Raises `ValueError`, which shows the value, for anything else, and for times outside the years 1 to 9999.

    >>> parse_time("2026-11-21T09:00:00Z"), parse_time(1_795_251_600)
    (1795251600000, 1795251600000)
    >>> parse_time("Sat, 21 Nov 2026 10:00:00 +0100"), parse_time("1795251600")
    (1795251600000, 1795251600000)
    """
    if type(value) is int:  # as most clocks give it
        return _within_years(value if abs(value) >= _EPOCH_MS_FROM else value * 1_000, value)
    meant = _read_time(value) if isinstance(value, str) else plain(value)
    if isinstance(meant, datetime):
        try:
            aware = meant if meant.utcoffset() is not None else meant.replace(tzinfo=UTC)
            delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
        except Exception as error:  # noqa: BLE001 - the zone is another's, and so is what it raises
            raise ValueError(f"time is of a zone that gives no offset ({type(error).__name__})") from None
        exact = (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000
        return _within_years(exact, value)
    # What `plain` leaves as it is: of attoseconds all of them.
    if type(meant).__name__ == "datetime64" and getattr(meant, "dtype", None) != "datetime64[as]":
        raise ValueError(_outside(value))
    is_nan = isinstance(meant, float) and math.isnan(meant)  # a very large int has no float to ask
    if isinstance(meant, bool) or not isinstance(meant, int | float) or is_nan:
        raise ValueError(
            f"time {shown_value(value)} is neither a date, ISO 8601 text, nor a number of seconds"
            f"{'; if it stands for a missing time, leave it out or give None' if is_nan else ''}"
        )
    # As it is written: the float 1087905324.103 times 1,000 is less than what that says.
    number: Any = Decimal(float.__repr__(meant)) if isinstance(meant, float) else meant
    return _within_years(number if abs(number) >= _EPOCH_MS_FROM else number * 1_000, value)


def _read_time(text: str) -> datetime | float:
    """The time or number that a text stands for."""
    written = text.strip()
    if len(written) > _LONGEST:
        raise ValueError(f"time {shown(text)} is not {TIME_FORMS}")
    if _CLOCK_RE.fullmatch(written):  # first: Python takes 1695110160000 for a day of the year 1695
        return float(written) if "." in written else int(written)
    if _RUN_RE.match(written):
        raise ValueError(
            f"time {shown(text)} is not {TIME_FORMS}; write seconds or milliseconds as a number without a zone, and "
            "a T between a date and a time of day"
        )
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return _read_unusual(written, text)


def _read_unusual(written: str, text: str) -> datetime:
    try:
        if _MAIL_RE.fullmatch(written):
            return email.utils.parsedate_to_datetime(written)
        if (zoned := _OFFSET_ZONE_RE.fullmatch(written)) and not _contradicts(zoned):
            return datetime.fromisoformat(zoned["at"] + zoned["offset"])
        written = _UTC_RE.sub(r"\1Z", written)
        if over := _OVER_RE.match(written):
            within, more = (
                ("00", timedelta(days=1))
                if over["clock"] is None
                else (over["clock"] + "59", timedelta(seconds=1))
            )
            return datetime.fromisoformat(over["day"] + within + written[over.end() :]) + more
        if written.endswith("Z"):
            return datetime.fromisoformat(written)
    except (ValueError, OverflowError):
        pass
    zone = _NAMED_ZONE_RE.search(written)
    hint = f"; write the zone {zone[1]!r} as Z or an offset, such as +02:00" if zone else ""
    raise ValueError(f"time {shown(text)} is not {TIME_FORMS}{hint}")


def _contradicts(zoned: re.Match[str]) -> bool:
    """Whether the zone is UTC by its name but not by its offset; of other names the offsets are not known here."""
    name = (zoned["zone"] or zoned["short"]).lower().removeprefix("etc/")
    return name in ("utc", "gmt") and zoned["offset"].strip("+-0:Zz") != ""


def _within_years(milliseconds: float | Decimal, value: object) -> int:
    if not MIN_TIME_MS <= milliseconds <= MAX_TIME_MS:
        raise ValueError(_outside(value))
    return math.floor(milliseconds)


def _outside(value: object) -> str:
    meant = "; a number is seconds or milliseconds since 1970" if isinstance(value, int | float) else ""
    return f"time {shown_value(value)} is outside the years 1 to 9999 in UTC{meant}"


def time_argument(name: str, value: Any) -> int:
    """`parse_time` of an argument of a call; raises `SettingsError`, which names the argument."""
    try:
        return parse_time(value)
    except ValueError:
        shown = shown_value(value) if isinstance(value, datetime) else value
        raise SettingsError(name, shown, "a date, ISO 8601 text, or a number of seconds") from None


def format_time(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC, with milliseconds only if they are not 0.

    >>> format_time(1_795_251_600_000), format_time(1_795_251_600_250)
    ('2026-11-21T09:00:00Z', '2026-11-21T09:00:00.250Z')
    """
    second, thousandth = divmod(milliseconds, 1_000)
    return _format_second(second) + _ENDS[thousandth]


@functools.lru_cache(maxsize=4_096)
def _format_second(second: int) -> str:
    """A time up to its seconds; cached, because many documents of a stream come within one second."""
    minute, second = divmod(second, 60)
    day, minute = divmod(minute, 1_440)
    return _format_day(day) + _MINUTES[minute] + _SECONDS[second]


_MINUTES: Final = tuple(f"T{minute // 60:02}:{minute % 60:02}:" for minute in range(1_440))
_SECONDS: Final = tuple(f"{second:02}" for second in range(60))
_ENDS: Final = ("Z", *(f".{thousandth:03}Z" for thousandth in range(1, 1_000)))


@functools.lru_cache(maxsize=4_096)
def _format_day(day: int) -> str:
    """The date of a day counted from 1970; cached, because documents of one day come together."""
    # Not datetime.fromtimestamp: it fails for years before 1970 on some platforms.
    stamp = datetime.fromordinal(719_163 + day)
    return f"{stamp.year:04}-{stamp.month:02}-{stamp.day:02}"


def plain_time(time: Any) -> Any:
    """`time` as a plain Python value; None if it is missing (None, NaT, an empty text). A float NaN stays: it is an
    error, not a missing time.
    """
    if isinstance(time, int | float):
        return time
    if isinstance(time, str):
        return time or None
    return None if is_missing(time) else plain(time)


def shown_value(value: object) -> str:
    """`value` as a message shows it; a datetime as ISO 8601."""
    try:
        return value.isoformat() if isinstance(value, datetime) else shown(value)
    except Exception:  # noqa: BLE001 - the zone is another's, and so is what it raises
        return f"a {type(value).__name__} that cannot be shown as text"
