"""The window in time: which hours a document is compared with, what is too late, what expires."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from testing.window.backends import START, document, grams, kinds_in_turn, summaries

from neardup.errors import SettingsError
from neardup.model.document import Document, Reject
from neardup.model.hours import hour_name

TEXT = grams(0, 20)


def status_after(window, hours, hour):
    """Status of the same text at `hour`, after others at `hours`."""
    list(
        window.ingest(
            document(f"{i}", TEXT if i == 0 else grams(100 * i, 100 * i + 9), h) for i, h in enumerate(hours)
        )
    )
    [verdict] = window.ingest([document("new", TEXT, hour)])
    return verdict


def test_that_documents_come_too_late_is_logged_once(place, caplog):
    if place.kind == "reference":
        pytest.skip("the reference logs nothing")
    window = place.open(advance=True)
    list(window.ingest([document("new", TEXT, 100), document("one", TEXT, 0), document("other", TEXT, 0)]))
    list(window.ingest([document("third", TEXT, 0)]))
    (said,) = [record.message for record in caplog.records if "unscored" in record.message]
    assert said.startswith("document one of 2020-09-13T12:00:00Z is unscored: the hours that")
    assert said.endswith(
        "were dropped, and is not stored (reported for the first such document only; keep_hours keeps hours for late "
        "documents)"
    )
    assert window.too_late == 3


def test_a_document_that_came_too_late_and_was_compared_is_named_and_counted_too(place, caplog):
    window = place.open(advance=True)
    documents = [
        document("near", TEXT, 24),
        document("newest", grams(100, 120), 25),
        document("late", TEXT, 0),
    ]
    [*_, verdict] = window.ingest(documents)
    assert (verdict.duplicate_of, verdict.truncated) == ("near", True)
    assert (window.too_late, window.stats().documents) == (1, 2)
    said = [record.message for record in caplog.records if "late" in record.message]
    if place.kind != "reference":
        (line,) = said
        assert line.startswith(
            "document late of 2020-09-13T12:00:00Z came after its hour was dropped: it was compared"
        )


def test_the_limit_that_dropped_the_hour_of_a_late_document_is_named(place, caplog):
    if place.kind == "reference":
        pytest.skip("the reference logs nothing")
    window = place.open(window_hours=0, max_documents=2)
    list(window.ingest([document(f"{hour}", grams(100 * hour, 100 * hour + 9), hour) for hour in range(4)]))
    list(window.ingest([document("late", TEXT, 0)]))
    (said,) = [record.message for record in caplog.records if "is not stored" in record.message]
    assert said.endswith("; max_documents, max_memory or `neardup expire` dropped its hour)")
    assert window.too_late == 1


@pytest.mark.parametrize(("hours", "left"), [(0, None), (3, 0), (11, 1)])
def test_a_document_ahead_of_the_clock_that_moves_the_window_on_is_named(place, caplog, hours, left):
    if place.kind == "reference":
        pytest.skip("the reference logs nothing")
    now = round(time.time())
    window = place.open(window_hours=12)
    list(window.ingest([("old", TEXT, now - 5 * 3600), ("present", grams(50, 70), now)]))
    list(window.ingest([("ahead", grams(100, 120), now + hours * 3600 + 60)]))
    list(window.ingest([("again", grams(200, 220), now + hours * 3600 + 1800)]))
    said = [record.message for record in caplog.records if "ahead of the clock" in record.message]
    if left is None:
        assert not said
        return
    (line,) = said
    assert line.startswith("document ahead of ")
    assert f" is {hours} hours ahead of the clock, and has moved the newest hour of the window to " in line
    assert (": 1 document left it (" in line) == bool(left)


def test_what_comes_too_late_for_an_hour_ahead_of_the_clock_is_logged_with_the_way_back(place, caplog):
    if place.kind == "reference":
        pytest.skip("the reference logs nothing")
    ahead, now = (round(time.time()) + hours * 3600 for hours in (30, 0))
    window = place.open(advance=True, ahead_hours=48, window_hours=2)
    [_, verdict] = window.ingest([("wrong", TEXT, ahead), ("right", TEXT, now)])
    assert verdict.status == "unscored"
    (said,) = [record.message for record in caplog.records if "unscored" in record.message]
    assert f"{hour_name(ahead // 3600)}, is ahead of the clock" in said
    assert said.endswith("`neardup expire --newest TIME` sets it back)")
    window.delete("wrong")
    window.set_newest(None)
    assert [each.status for each in window.ingest([("right", TEXT, now)])] == ["unique"]


@kinds_in_turn("hours, hour, status, truncated", [
    ([0], 24, "exact", False),
    ([0.99], 24, "exact", False),
    ([0], 24.99, "exact", False),
    ([0], 25, "unique", False),
    ([0, 24], 24, "exact", False),
    ([0, 25], 24, "unique", False),
    ([10], 0, "exact", False),
    ([24], 0, "exact", False),
    ([23, 24], -1, "exact", True),
    ([23, 24], -0.01, "exact", True),
    ([24], -1, "unique", True),
    ([30, 48], 10, "exact", True),
    ([40, 48], 10, "unique", True),
    ([48], 23, "unique", True),
    ([48], 0, "unique", True),
    ([49], 0, "unscored", True),
    ([100], -1000, "unscored", True),
])  # fmt: skip
def test_a_document_is_compared_with_the_hours_around_its_own_that_live(
    place, hours, hour, status, truncated
):
    verdict = status_after(place.open(advance=True), hours, hour)
    assert (verdict.status, verdict.truncated) == (status, truncated)


def test_too_late_a_document_is_scored_but_not_kept(place):
    window = place.open(window_hours=2)
    list(window.ingest([document("a", TEXT, 10), document("b", grams(50, 70), 9)]))
    near, again = window.ingest([document("late", TEXT, 7.9), document("later", TEXT, 7.9)])
    assert summaries([near, again]) == [("late", "unique", None, "late"), ("later", "unique", None, "later")]
    assert near.truncated
    stats = window.stats()
    assert (stats.documents, list(stats.hours.values())) == (2, [1, 1])
    assert [v.duplicate_of for v in window.ingest([document("late", TEXT, 8.5)])] == ["a"]


def test_no_window_is_no_limit(place):
    window = place.open(window_hours=0)
    verdicts = list(
        window.ingest([document("a", TEXT, 0), document("b", TEXT, 40_000), document("c", TEXT, -100_000)])
    )
    assert summaries(verdicts)[1:] == [("b", "exact", "a", "a"), ("c", "exact", "a", "a")]
    assert window.expire(START + 10**9) == []
    assert window.stats().documents == 3


def test_hours_go_whole_as_the_stream_moves_on(place):
    window = place.open(window_hours=3)
    list(
        window.ingest(document(str(hour), grams(hour * 50, hour * 50 + 9), hour + 0.9) for hour in range(10))
    )
    stats = window.stats()
    assert list(stats.hours) == ["2020.09.13-18", "2020.09.13-19", "2020.09.13-20", "2020.09.13-21"]
    assert (stats.documents, stats.newest, stats.window_hours) == (4, "2020.09.13-21", 3)
    assert window.delete("5") is False


def test_expire_names_what_it_drops_and_never_goes_back(place):
    window = place.open(window_hours=2)
    list(window.ingest(document(str(hour), grams(hour * 50, hour * 50 + 9), hour) for hour in range(3)))
    assert window.expire(START + 3 * 3_600) == ["2020.09.13-12"]
    assert window.expire(START + 3 * 3_600) == []
    assert window.expire(START) == []
    assert window.expire("2020-09-13T18:00:00+01:00") == ["2020.09.13-13", "2020.09.13-14"]
    window = place.reopened(window)
    assert window.expire(datetime(2030, 1, 1, tzinfo=UTC)) == []
    assert (window.stats().documents, window.stats().hours) == (0, {})
    [verdict] = window.ingest([document("new", grams(0, 9), 4)])
    assert verdict.status == "unscored"


def test_expire_without_a_time_takes_the_clock(place):
    window = place.open(advance=True)
    list(window.ingest([document("old", TEXT, 0), Document("new", TEXT)]))
    list(window.ingest([document("old", TEXT, 0)]))
    assert window.expire() == []
    assert window.stats().documents == 1


def test_an_hour_of_deleted_documents_goes_like_any_other(place):
    window = place.open()
    list(window.ingest([document("a", TEXT)]))
    window.delete("a")
    window = place.reopened(window)
    assert window.expire(START + 10**6) == ["2020.09.13-12"]
    assert place.hours_left() == []


@pytest.mark.parametrize(("value", "expected"), [
    (1_600_000_000, "2020-09-13T12:26:40Z"),
    (1_600_000_000_250, "2020-09-13T12:26:40.250Z"),
    (1_600_000_000.5, "2020-09-13T12:26:40.500Z"),
    ("2020-09-13", "2020-09-13T00:00:00Z"),
    ("2020-09-13T14:26:40+02:00", "2020-09-13T12:26:40Z"),
    (datetime(2020, 9, 13, 12, 26, 40, 1_999), "2020-09-13T12:26:40.001Z"),  # noqa: DTZ001 - naive is UTC
    (datetime(2020, 9, 13, 12, 26, tzinfo=timezone(timedelta(hours=-5))), "2020-09-13T17:26:00Z"),
    (-1, "1969-12-31T23:59:59Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
])  # fmt: skip
def test_times_of_every_kind_are_told_in_utc(place, value, expected):
    window = place.open(window_hours=0, ahead_hours=10**8)
    [verdict] = window.ingest([Document("a", TEXT, value)])
    assert verdict.time == expected
    window = place.reopened(window, ahead_hours=10**8)
    [again] = window.ingest([Document("a", TEXT, value)])
    assert again == verdict


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "soon", 1e300])
def test_a_time_that_is_none_is_a_reject_and_the_stream_goes_on(place, value):
    window, rejects = place.open(), list[Reject]()
    stream = [document("a", TEXT), Document("b", TEXT, value), document("c", TEXT)]
    verdicts = list(window.ingest(stream, on_reject=rejects.append))
    assert [verdict.id for verdict in verdicts] == ["a", "c"]
    assert [(reject.id, "time" in reject.reason) for reject in rejects] == [("b", True)]


def test_without_a_time_it_is_that_of_arrival(place):
    before = int(time.time())
    [verdict] = place.open().ingest([Document("a", TEXT)])
    assert before <= datetime.fromisoformat(verdict.time).timestamp() <= time.time() + 1


def test_what_is_neither_true_nor_false_lets_nothing_expire(place):
    window = place.open()
    list(window.ingest([document("a", TEXT)]))
    with pytest.raises(SettingsError, match="setting dry_run is 'no': it must be true or false"):
        window.expire(keep_hours=1, dry_run="no")
    assert window.stats().documents == 1
