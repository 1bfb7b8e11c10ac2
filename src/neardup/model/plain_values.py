"""Values of numpy and pandas as plain Python values; recognised by behaviour, so that neither library is needed."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any


def is_missing(value: Any) -> bool:
    """Whether `value` stands for a missing value: None, NaN, or one of the markers of pandas (NaT, NA).

    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN and NaT do not equal themselves
    except Exception:  # noqa: BLE001 - pandas' NA has no truth value, nor has an array; others may raise anything
        return type(value).__name__ == "NAType"


def plain(value: Any) -> Any:
    """`value` as plain Python: a numpy scalar becomes a number or datetime, a date its first moment in UTC; any other
    value stays as it is.

    >>> plain(date(2026, 11, 21)).isoformat(), plain("a")
    ('2026-11-21T00:00:00+00:00', 'a')
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    kind = type(value)
    if kind.__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    if kind.__name__ == "datetime64":
        # numpy itself turns nanoseconds into a bare number, which would be taken for milliseconds. What is beyond the
        # years that microseconds count comes out as another moment.
        try:
            moment = value.astype("datetime64[us]")
            is_same = is_missing(value) or moment.astype("datetime64[s]") == value.astype("datetime64[s]")
        except OverflowError:  # numpy makes no seconds of attoseconds
            return value
        known = moment.item()  # a bare number beyond the years of a datetime
        return known if is_same and not isinstance(known, int) else value
    if kind.__name__ == "timedelta64":  # numpy itself turns nanoseconds, and years, into a bare number
        return value
    item = value.item()
    return item if type(item) is kind else plain(item)  # some numbers have no plain Python counterpart


def make_numbers_plain(settings: object) -> None:
    """Converts whole numbers and booleans of numpy in the fields of `settings`, a frozen dataclass, to Python's,
    because a window can store no others.
    """
    for name, value in [*vars(settings).items()]:
        known = plain(value)
        if isinstance(known, int) and known is not value:
            object.__setattr__(settings, name, known)
