"""Hours, their names and windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.model.hours import (
    FIRST_HOUR,
    LAST_HOUR,
    compared_hours,
    first_living_hour,
    hour_name,
    hour_named,
    hour_of,
)
from neardup.model.times import MAX_TIME_MS, MIN_TIME_MS

TIMES = st.integers(MIN_TIME_MS, MAX_TIME_MS)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(TIMES)
def test_an_hour_begins_at_the_full_hour_utc(milliseconds):
    moment = EPOCH + timedelta(milliseconds=milliseconds)
    assert hour_name(hour_of(milliseconds)) == f"{moment.year:04}.{moment:%m.%d-%H}"
    assert timedelta(0) <= moment - (EPOCH + timedelta(hours=hour_of(milliseconds))) < timedelta(hours=1)


@given(TIMES)
def test_a_name_tells_its_hour(milliseconds):
    assert hour_named(hour_name(hour_of(milliseconds))) == hour_of(milliseconds)


@pytest.mark.parametrize(
    "name", ["", "notes", "2026.11.21", "2026.13.01-00", "2026.02.30-01", "a.b.c-d", "2026.1-1"]
)
def test_other_names_are_of_no_hour(name):
    assert hour_named(name) is None


@given(st.integers(-(10**7), 10**7), st.integers(1, 10_000))
def test_two_documents_are_compared_whichever_comes_first(hour, window):
    low, high = compared_hours(hour, window)
    assert (low, high) == (hour - window, hour + window)
    for other in (low - 1, low, high, high + 1):
        back = compared_hours(other, window)
        assert (back[0] <= hour <= back[1]) == (low <= other <= high)


@given(st.integers(-(10**7), 10**7), st.integers(1, 10_000))
def test_what_a_document_in_time_is_compared_with_lives(newest, window):
    assert first_living_hour(newest, window) == compared_hours(newest, window)[0]


def test_no_window_has_no_limit():
    assert compared_hours(7, 0) == (FIRST_HOUR, LAST_HOUR)
    assert first_living_hour(7, 0) == FIRST_HOUR
    assert FIRST_HOUR < hour_of(MIN_TIME_MS) < hour_of(MAX_TIME_MS) < LAST_HOUR
