"""Values of numpy and pandas are those of plain Python; nothing is taken for what it is not."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum, StrEnum

import numpy as np
import pytest

from neardup.errors import DocumentError
from neardup.model.document import prepare
from neardup.model.plain_values import is_missing, plain

MOMENT = datetime(2026, 11, 21, 9, tzinfo=UTC)
MS = 1_795_251_600_000


class Numbered(int, Enum):
    A = 7


class Named(StrEnum):
    A = "x"


def prepared(id: object = "a", text: object = "Rain.", time: object = None):
    return prepare({"id": id, "text": text, "time": time}, lambda: -1, 100)


@pytest.mark.parametrize(
    "time",
    [
        MOMENT, np.datetime64("2026-11-21T09:00:00", "s"), np.datetime64("2026-11-21T09:00:00", "ns"),
        np.datetime64("2026-11-21T09:00:00.000000789", "ns"),
        np.int64(MS), np.float64(MS / 1000), np.int64(MS // 1000), np.str_("2026-11-21T09:00Z"),
    ],
)  # fmt: skip
def test_times(time):
    assert prepared(time=time).time == MS
    assert prepared(time=time).dated


def test_times_of_pandas():
    pd = pytest.importorskip("pandas")
    assert prepared(time=pd.Timestamp("2026-11-21T09:00Z")).time == MS
    for missing in (pd.NaT, pd.NA, np.datetime64("NaT", "ms"), None):
        assert is_missing(missing)
        assert (prepared(time=missing).time, prepared(time=missing).dated) == (-1, False)


def test_a_number_that_is_none_is_missing_but_no_time():
    for missing in (float("nan"), np.float64("nan")):
        assert is_missing(missing)
        with pytest.raises(ValueError, match=r"time .*nan.* is neither a date"):
            prepared(time=missing)


def test_a_date_is_its_first_moment():
    assert prepared(time=date(2026, 11, 21)).time == MS - 9 * 3_600_000
    assert plain(np.datetime64("2026-11-21", "D")) == datetime(2026, 11, 21)  # noqa: DTZ001 - as numpy has it


@pytest.mark.parametrize(
    ("id", "name"),
    [
        (np.int64(7), "7"), (np.uint8(7), "7"), (np.str_("x"), "x"), (7, "7"),
        (Numbered.A, "7"), (Named.A, "x"),
    ],
)  # fmt: skip
def test_ids(id, name):
    assert prepared(id=id).id == name
    assert type(prepared(id=id).id) is str


@pytest.mark.parametrize(
    "id", [np.float64(7), 7.0, np.bool_(True), None, float("nan"), np.array([7]), Decimal(7)]
)
def test_what_is_no_id_is_refused(id):
    with pytest.raises(ValueError, match="it must be a non-empty string or an integer of 64 bits"):
        prepared(id=id)


@pytest.mark.parametrize("value", [0, "", False, 1.5, [], np.array([1, 2]), object])
def test_what_is_there_is_not_missing(value):
    assert not is_missing(value)
    assert plain(value) is value


@pytest.mark.parametrize("unit", ["ns", "s", "D", "Y"])
def test_how_long_something_took_is_no_time_and_no_id(unit):
    with pytest.raises(DocumentError, match="neither a date"):
        prepared(time=np.timedelta64(10, unit))
    with pytest.raises(DocumentError, match="it must be a non-empty string or an integer of 64 bits"):
        prepared(id=np.timedelta64(10, unit))


def test_a_number_that_plain_python_has_none_for_is_no_time():
    with pytest.raises(DocumentError, match="neither a date"):
        prepared(time=np.longdouble(MS))


@pytest.mark.parametrize("year", ["99999", "-0099", "999999999"])
def test_a_time_of_numpy_that_is_far_off_is_shown_as_it_is(year):
    time = np.datetime64(f"{year}-01-01")
    with pytest.raises(
        DocumentError, match=re.escape(f"time {time!r} is outside the years 1 to 9999 in UTC")
    ):
        prepared(time=time)


def test_a_zone_that_knows_no_offset_is_utc():
    class Nowhere(tzinfo):
        def utcoffset(self, when: datetime | None) -> None:
            return None

        dst = utcoffset

        def tzname(self, when: datetime | None) -> str:
            return "nowhere"

    assert prepared(time=MOMENT.replace(tzinfo=Nowhere())).time == MS


class Untold:
    """A value that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


class Broken(tzinfo):
    """A zone whose offset is `offset`, or raises it."""

    def __init__(self, offset: object) -> None:
        self.offset = offset

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        if isinstance(self.offset, Exception):
            raise self.offset
        return self.offset  # type: ignore[return-value]

    dst = utcoffset

    def tzname(self, when: datetime | None) -> str:
        return "broken"


@pytest.mark.parametrize(
    "given",
    [
        {"time": Decimal("sNaN")}, {"time": np.datetime64(1, "as")}, {"time": Untold()},
        {"time": MOMENT.replace(tzinfo=Broken(5))}, {"time": MOMENT.replace(tzinfo=Broken(LookupError()))},
        {"id": Untold()}, {"id": [10**5_000]}, {"id": MOMENT.replace(tzinfo=Broken(5))},
    ],
)  # fmt: skip
def test_whatever_a_value_raises_is_a_reject_of_its_document(given):
    with pytest.raises(DocumentError, match=r": (time|id) "):
        prepared(**given)


def test_what_is_no_document_and_cannot_be_shown_is_one_too():
    with pytest.raises(DocumentError, match="list is no document"):
        prepare([Untold()], lambda: -1, 100)
