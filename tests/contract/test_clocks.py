"""Whose time is believed: against the clock, against the window, against the next document; and the way back."""

from __future__ import annotations

import time
from itertools import product

import pytest
from testing.window.backends import START, document, engines_in_turn, grams, kinds_in_turn, summaries

from neardup.errors import SettingsError
from neardup.model.document import FLUSH, AssumedTime, Document, Reject

TEXT = grams(0, 20)


def full(first, last, each=10):
    """`each` unlike documents an hour."""
    return [
        document(f"{hour}-{i}", grams(100 * (each * hour + i), 100 * (each * hour + i) + 20), hour)
        for hour in range(first, last)
        for i in range(each)
    ]


def ingested(window, stream):
    """Ids of the verdicts, and the rejects."""
    rejects: list[Reject] = []
    return [verdict.id for verdict in window.ingest(stream, on_reject=rejects.append)], rejects


@pytest.mark.parametrize("window_hours", [24, 0])
def test_a_time_ahead_of_the_clock_is_rejected_be_it_the_first(place, window_hours):
    window, now = place.open(window_hours=window_hours), int(time.time())
    wild = Document("wild", TEXT, "9999-01-01T00:00:00Z")
    ids, [reject] = ingested(window, [wild, Document("a", TEXT, now), Document("b", TEXT, now)])
    assert (ids, reject.id) == (["a", "b"], "wild")
    if place.is_engine:
        assert "9999-01-01T00:00:00Z is " in reject.reason
        assert "ahead of the clock" in reject.reason
        assert "(--ahead-hours, NEARDUP_AHEAD_HOURS)" in reject.reason


@pytest.mark.parametrize(("ahead_hours", "seconds", "believed"), [
    (24, 23.9 * 3_600, True), (24, 24.1 * 3_600, False), (0, -60, True), (0, 60, False), (100, 99 * 3_600, True),
])  # fmt: skip
def test_how_far_ahead_of_the_clock_is_a_setting(place, ahead_hours, seconds, believed):
    window = place.open(ahead_hours=ahead_hours)
    ids, rejects = ingested(window, [Document("a", TEXT, time.time() + seconds)])
    assert (len(ids), len(rejects)) == (believed, not believed)


def test_one_document_a_window_ahead_expires_nothing(place):
    window = place.open()
    stream = [*full(0, 3), document("wild", TEXT, 40), document("next", TEXT, 3)]
    ids, [reject] = ingested(window, stream)
    assert (len(ids), reject.id, window.stats().documents) == (31, "wild", 31)
    assert window.left.documents == 0
    if place.is_engine:
        assert reject.reason.startswith(
            "time 2020-09-15T04:00:00Z would move the window on from hour 2020.09.13-14 to 2020.09.15-04 and expire "
            "all 30 documents in it; "
        )
        assert reject.reason.endswith(
            "if it is right, the setting advance accepts it (--advance, advance=True, NEARDUP_ADVANCE=true)"
        )


def test_nor_does_one_of_a_wrong_zone(place):
    window = place.open()
    stream = [*full(0, 24, each=2), document("wild", TEXT, 46.5), document("next", TEXT, 24)]
    ids, [reject] = ingested(window, stream)
    assert (len(ids), reject.id, window.stats().documents) == (49, "wild", 49)
    if place.is_engine:
        assert "expire 44 of the 48 documents in it" in reject.reason


@pytest.mark.parametrize(("hour", "rejected"), [(1, 0), (2, 1), (3, 1)])
def test_an_hour_after_the_other_is_how_a_stream_goes_on(place, hour, rejected):
    window = place.open(window_hours=1, keep_hours=1)
    _, rejects = ingested(window, [*full(0, 1), document("next", TEXT, hour)])
    assert len(rejects) == rejected


@pytest.mark.parametrize(("counts", "rejected"), [((6, 5), 1), ((5, 5), 0), ((5, 6), 0)])
def test_half_of_a_window_is_more_than_a_documents_share(place, counts, rejected):
    window = place.open(window_hours=3)
    old, new = counts
    stream = [*full(0, 1, each=old), *full(3, 4, each=new), document("next", TEXT, 5)]
    _, rejects = ingested(window, stream)
    assert len(rejects) == rejected


@pytest.mark.parametrize(("after", "believed"), [(40, True), (60, True), (22, True), (21, False), (2, False)])
def test_the_next_document_bears_it_out_or_not(place, after, believed):
    window = place.open()
    stream = [*full(0, 3), document("far", TEXT, 40), document("next", TEXT, after)]
    ids, rejects = ingested(window, stream)
    assert ("far" in ids, [reject.id for reject in rejects]) == (believed, [] if believed else ["far"])


@engines_in_turn("batch, flushed", product([1, 2, 3, 100], [False, True]))
def test_where_a_batch_ends_makes_no_difference(place, batch, flushed):
    stream = [
        *full(0, 2, each=3), document("far", TEXT, 40), document("far", TEXT, 41),  # the same id twice
        document("wild", TEXT, 80), document("back", TEXT, 41), document("wild", TEXT, 90), document("c", TEXT, 42),
    ]  # fmt: skip
    if flushed:
        stream = [item for each in stream for item in (each, FLUSH)]
    ids, rejects = ingested(place.open(batch_documents=batch), stream)
    assert ids[6:] == ["far", "far", "back", "c"]
    assert [reject.id for reject in rejects] == ["wild", "wild"]


def test_a_run_that_is_given_up_leaves_nothing_behind(place):
    window = place.open(batch_documents=1)
    run = window.ingest([*full(0, 1), document("far", TEXT, 40), document("other", TEXT, 0)])
    for _ in range(10):
        next(run)
    assert ingested(window, [FLUSH, document("far", TEXT, 0)])[0] == ["far"]
    assert window.stats().documents == 11


def test_a_live_stream_goes_on_after_a_pause(place):
    window = place.open()
    ids, rejects = ingested(window, [*full(0, 1), Document("now", TEXT, time.time() - 3_600)])
    assert (ids[-1], rejects, window.left.documents) == ("now", [], 10)


def test_arrival_is_no_evidence(place):
    window = place.open()
    stream = [*full(0, 1), Document("x", TEXT), Document("y", TEXT), Document("z", TEXT)]
    ids, rejects = ingested(window, stream)
    assert (len(ids), [reject.id for reject in rejects]) == (10, ["x", "y", "z"])
    if place.is_engine:
        assert ", which it was given because it has none, would move" in rejects[0].reason
    window = place.open("other")
    far = document("far", TEXT, 40)
    ids, rejects = ingested(
        window, [*full(0, 1), far, Document("same", TEXT, AssumedTime("2020-09-15T04:00:00Z"))]
    )
    assert (len(ids), len(rejects)) == (10, 2)


@kinds_in_turn(
    "batch, count, believed",
    [(batch, count, count > 100) for count, batch in product([99, 100, 101, 300], [7, 256])],
)
def test_a_stream_without_times_goes_on_after_a_pause(place, count, believed, batch):
    """So many in a row that have none, and come now, are no single wrong clock."""
    window = place.open(batch_documents=batch)
    stream = [Document(f"u{i}", grams(100_000 + 50 * i, 100_020 + 50 * i)) for i in range(count)]
    ids, rejects = ingested(window, [*full(0, 1), *stream])
    assert (len(ids) - 10, len(rejects)) == ((count, 0) if believed else (0, count))


@kinds_in_turn(
    "batch, count, dated, believed",
    [
        (batch, count, dated, count - (0 if dated is None else dated + 1) >= 100)
        for batch, (count, dated) in product(
            [7, 256], [(99, None), (100, None), (100, 0), (101, 0), (150, 51), (150, 149)]
        )
    ],
)
def test_one_that_pauses_goes_on_at_once_after_a_hundred_in_a_row(place, batch, count, dated, believed):
    """A log that had been silent for a night waited for a hundred lines, and if it ended before lost them."""
    window = place.open(batch_documents=batch)
    assumed = AssumedTime("2020-09-13T12:00:00Z")
    stream = [
        Document(
            f"u{i}",
            grams(100_000 + 50 * i, 100_020 + 50 * i),
            "2020-09-13T12:00:00Z" if i == dated else assumed,
        )
        for i in range(count)
    ]
    ids, rejects = ingested(window, [*stream, FLUSH, Document("now", TEXT)])
    assert (ids[count:], len(rejects)) == ((["now"], 0) if believed else ([], 1))
    if place.is_engine and not believed:
        assert "it is the present time, accepted only for 100 or more documents" in rejects[0].reason


def undated(first, last):
    return [Document(f"u{i}", grams(100_000 + 50 * i, 100_020 + 50 * i)) for i in range(first, last)]


def test_a_service_of_one_document_a_call_goes_on_after_a_pause(place):
    """Each call was a stream of its own: no call had a hundred documents, so every one was rejected, for ever."""
    window = place.open()
    ingested(window, full(0, 1))
    rejects = [bool(ingested(window, [each])[1]) for each in undated(0, 110)]
    assert rejects == [True] * 100 + [False] * 10
    assert window.left.documents == 10


def test_a_service_without_times_goes_on_at_once_if_it_has_had_a_hundred_documents(place, monkeypatch):
    window = place.open(window_hours=24)
    now = int(time.time() * 1_000)
    friday = now - 60 * 3_600_000
    for where in ("neardup.window.newest_hour", "neardup.window.usable_documents"):
        monkeypatch.setattr(f"{where}.now_ms", lambda: friday)
    monkeypatch.setattr("testing.window.reference_window._now", lambda: friday)
    for each in undated(0, 100):
        assert ingested(window, [each])[1] == []
    monkeypatch.undo()
    assert ingested(window, undated(100, 101)) == (["u100"], [])
    assert window.stats().documents == 1


def test_a_document_without_a_time_that_is_sent_again_and_again_is_one_document(place):
    window = place.open()
    ingested(window, full(0, 1))
    assert all(ingested(window, undated(0, 1))[1] for _ in range(150))
    assert window.stats().documents == 10


def test_one_with_a_time_between_begins_the_count_anew(place):
    window = place.open()
    ingested(window, full(0, 1))
    for each in [*undated(0, 99), document("dated", TEXT, 0), *undated(99, 190)]:
        ingested(window, [each])
    assert window.stats().documents == 11


@pytest.mark.parametrize(
    ("first", "second", "believed"),
    [(40, 41, True), (41, 40, True), (50, 27, True), (52, 27, False), (40, 90, False), (90, 40, False)],
)
def test_the_first_document_of_the_next_call_bears_out_and_is_borne_out(place, first, second, believed):
    """The document before it stays rejected: whoever sent it can send it again."""
    window = place.open()
    ingested(window, full(0, 3))
    assert ingested(window, [document("far", TEXT, first)])[0] == []
    ingested(window, [Document("u", TEXT, AssumedTime("2020-09-13T12:00:00Z"))])
    ids, _ = ingested(window, [document("next", TEXT, second)])
    assert ids == (["next"] if believed else [])
    assert ingested(window, [document("far", TEXT, first)])[0] == (["far"] if believed else [])


def test_a_document_that_is_sent_again_does_not_bear_itself_out(place):
    window = place.open()
    ingested(window, full(0, 3))
    for _ in range(3):
        assert ingested(window, [document("far", TEXT, 40)])[0] == []
    ingested(window, [document("near", TEXT, 2)])
    assert ingested(window, [document("too", TEXT, 40)])[0] == []


@pytest.mark.parametrize("calls", [2, 1])
def test_a_document_that_comes_again_with_a_right_time_bears_no_wrong_one_out(place, calls):
    window = place.open()
    ingested(window, full(0, 3))
    corrected = [document("far", TEXT, 40), document("far", TEXT, 2)]
    for call in [corrected] if calls == 1 else [[each] for each in corrected]:
        ingested(window, call)
    assert ingested(window, [document("too", TEXT, 41)])[0] == []


def test_a_document_whose_verdict_alone_was_taken_counts_for_the_next_call(place):
    """It counted only once a second verdict was asked for, so that one far document bore the next one out."""
    window = place.open()
    ingested(window, full(0, 3))
    assert ingested(window, [document("far", TEXT, 40)])[0] == []
    verdicts = window.ingest([document("near", TEXT, 2)])
    assert next(verdicts).id == "near"
    verdicts.close()
    assert ingested(window, [document("too", TEXT, 41)])[0] == []


def test_what_waits_in_a_live_stream_is_told(place, caplog):
    window = place.open()
    ids, _ = ingested(
        window, [*full(0, 1), document("far", TEXT, 40), FLUSH, FLUSH, document("too", TEXT, 40)]
    )
    assert ids[-2:] == ["far", "too"]
    if place.is_engine:
        [told] = [line for line in caplog.messages if "wait: " in line]
        assert "document far and those after it wait: its time, 2020-09-15T04:" in told


@pytest.mark.parametrize(("between", "believed"), [(1, True), (99, True), (100, False)])
def test_what_has_no_time_is_looked_past(place, between, believed):
    window = place.open(batch_documents=7)
    undated = [
        Document(f"u{i}", grams(100_000 + 50 * i, 100_020 + 50 * i), AssumedTime("2020-09-15T04:00:00Z"))
        for i in range(between)
    ]
    far, again = document("far", TEXT, 40), document("far", TEXT, 40.5)
    ids, _ = ingested(window, [*full(0, 1), far, *undated, again])
    assert ids.count("far") == 1 + believed


def test_advance_is_a_yes(place):
    window = place.open(advance=True)
    ids, rejects = ingested(window, [*full(0, 3), document("far", TEXT, 40)])
    assert (ids[-1], rejects) == ("far", [])
    assert window.left == (30, 3, "2020.09.13-12", "2020.09.13-14")


def test_without_an_end_nothing_leaves_and_nothing_is_doubted(place):
    window = place.open(window_hours=0)
    assert ingested(window, [*full(0, 3), document("far", TEXT, 40_000)])[1] == []
    assert window.left.documents == 0


# -- kept longer than compared --


def test_what_is_kept_need_not_be_compared(place):
    window = place.open(window_hours=2, keep_hours=5)
    stream = [
        document(str(hour), TEXT if hour in (0, 4) else grams(100 * hour, 100 * hour + 9), hour)
        for hour in range(5)
    ]
    assert summaries(window.ingest(stream))[4] == ("4", "unique", None, "4")
    assert window.query(TEXT).matches[0].id == "0"
    assert [match.id for match in window.query(TEXT, time=START + 4 * 3_600).matches] == ["4"]
    [late] = window.ingest([document("late", TEXT, 1)])
    assert (late.duplicate_of, late.truncated) == ("0", False)
    stats = window.stats()
    assert (stats.window_hours, stats.keep_hours, len(stats.hours)) == (2, 5, 5)
    list(window.ingest([document("5", grams(500, 509), 5), document("6", grams(600, 609), 6)]))
    assert window.stats().hours.keys() == {f"2020.09.13-{12 + hour}" for hour in range(1, 7)}


def test_kept_for_ever(place):
    window = place.open(window_hours=2, keep_hours=0)
    assert ingested(window, [document("a", TEXT, 0), document("b", TEXT, 1000)])[1] == []
    assert (window.stats().documents, window.expire()) == (2, [])
    window = place.reopened(window)
    if place.durable:
        assert (window.stats().window_hours, window.stats().keep_hours) == (2, 0)


@pytest.mark.parametrize(("keep_hours", "window_hours", "expected"), [
    (5, 24, "at least the 24 hours that are compared"), (24, 0, "0, because all hours are compared"),
    (-1, 24, "whole number"),
])  # fmt: skip
def test_less_than_is_compared_cannot_be_kept(place, keep_hours, window_hours, expected):
    with pytest.raises(SettingsError, match=expected):
        place.open(keep_hours=keep_hours, window_hours=window_hours)


# -- what expires is counted --


def test_expire_counts_and_a_dry_run_changes_nothing(place):
    window = place.open(window_hours=2)
    list(window.ingest(full(0, 3, each=4)))
    now = START + 4 * 3_600
    going = window.expire(now, dry_run=True)
    assert (going, going.documents, window.stats().documents) == (["2020.09.13-12", "2020.09.13-13"], 8, 12)
    gone = window.expire(now)
    assert (gone, gone.documents, window.stats().documents) == (going, 8, 4)
    assert window.expire(now, dry_run=True) == []
    assert window.left == (8, 2, "2020.09.13-12", "2020.09.13-13")


# -- the way back --


def test_a_wrong_newest_time_can_be_set_back(place):
    window = place.open(advance=True)
    list(window.ingest([*full(0, 3), document("wrong", TEXT, 1_000)]))
    [late] = window.ingest([document("late", TEXT, 3)])
    assert late.status == "unscored"
    assert window.delete("wrong")
    assert window.set_newest(START + 3 * 3_600) == "2020.09.13-15"
    window = place.reopened(window)
    stats = window.stats()
    assert (stats.documents, stats.newest) == (0, "2020.09.13-15")
    one, other = window.ingest([document("one", TEXT, 3), document("other", TEXT, 4)])
    assert [(v.status, v.truncated) for v in (one, other)] == [("unique", True), ("exact", True)]
    [far] = window.ingest([document("far", TEXT, 28)])
    assert (far.duplicate_of, far.truncated) == ("other", False)


def test_it_is_set_back_to_the_newest_document_there_is(place):
    window = place.open()
    list(window.ingest([*full(0, 3), document("ahead", "", 20)]))
    window.delete("ahead")
    assert window.set_newest() == "2020.09.13-14"
    window = place.reopened(window)
    assert window.stats().newest == "2020.09.13-14"
    # Hours that might have come meanwhile would have been too late: nobody knows what is missing.
    before, after = window.ingest([document("a", TEXT, 1), document("b", TEXT, 20)])
    assert (before.duplicate_of, before.truncated, after.truncated) == ("0-0", True, False)


def test_what_was_set_back_too_far_is_set_to_the_newest_document(place):
    window = place.open()
    list(window.ingest([*full(0, 3)]))
    assert window.set_newest(START - 1_000 * 3_600) is not None
    assert window.set_newest() == "2020.09.13-14"
    window = place.reopened(window)
    [after] = window.ingest([document("after", TEXT, 4)])
    assert (after.status, window.stats().newest) == ("exact", "2020.09.13-16")
    assert window.stats().documents == 31


def test_of_an_empty_window_it_is_forgotten(place):
    window = place.open(advance=True)
    list(window.ingest([*full(0, 1), document("wrong", TEXT, 1_000)]))
    window.delete("wrong")
    assert window.set_newest() is None
    one, again = window.ingest([document("one", TEXT, 0), document("again", TEXT, 1)])
    assert (one.truncated, again.truncated, again.duplicate_of) == (True, True, "one")


def test_it_is_not_set_forward(place):
    window = place.open()
    list(window.ingest(full(0, 1)))
    with pytest.raises(SettingsError, match="an hour no later than the newest one"):
        window.set_newest(START + 3_600)
    assert window.set_newest(START) == "2020.09.13-12"
    assert window.stats().documents == 10


# -- what a window remembers --

lasting = pytest.mark.parametrize(
    "place", ["directory", pytest.param("elasticsearch", marks=pytest.mark.node)], indirect=True
)


@lasting
def test_fewer_hours_let_documents_go_only_by_force(place, caplog):
    window = place.open(window_hours=10)
    list(window.ingest(full(0, 5, each=3)))
    with pytest.raises(SettingsError) as error:
        place.reopened(window, window_hours=2)
    assert str(error.value) == (
        "setting window_hours is 2: it must be more: the window keeps 6 documents in 2 hours (2020.09.13-12 to "
        "2020.09.13-13) that would be dropped; --window-hours 2 --force (force=True) drops them, --keep-hours "
        "(keep_hours) "
        "keeps them without comparing them; both are options of `neardup ingest`, `watch` and `setup`"
    )
    window = place.open()
    assert (window.stats().documents, window.stats().window_hours) == (15, 10)
    window = place.reopened(window, window_hours=2, keep_hours=10)
    assert (window.stats().documents, window.stats().window_hours, window.stats().keep_hours) == (15, 2, 10)
    assert "compares 2 h and keeps 10 h from now on, no longer compares and keeps 10 h" in caplog.text
    window = place.reopened(window, keep_hours=2, force=True)
    assert (window.stats().documents, window.left.documents) == (9, 6)
    window = place.reopened(window)
    assert (window.stats().documents, window.stats().keep_hours) == (9, 2)


@lasting
def test_more_hours_and_hours_without_documents_need_none(place):
    window = place.open(window_hours=10)
    list(window.ingest(full(0, 2)))
    window = place.reopened(window, window_hours=1)
    assert place.reopened(window, window_hours=0).stats().keep_hours == 0


@lasting
def test_what_is_for_this_time_only_is_not_remembered(place):
    window = place.open(window_hours=10)
    list(window.ingest(full(0, 5, each=3)))
    window = place.reopened(window, window_hours=1, threshold=0.9, remember=False)
    assert (window.stats().window_hours, window.delete("0-0"), window.stats().documents) == (1, True, 14)
    stats = place.reopened(window).stats()
    assert (stats.window_hours, stats.threshold, stats.documents) == (10, "0.7", 14)


@lasting
def test_hours_of_another_length_expire_for_once(place):
    window = place.open(window_hours=10)
    list(window.ingest(full(0, 5, each=3)))
    now = START + 4 * 3_600
    assert window.expire(now, keep_hours=3, dry_run=True).documents == 3
    assert window.expire(now, keep_hours=3) == ["2020.09.13-12"]
    assert place.reopened(window).stats().keep_hours == 10


@pytest.mark.parametrize("keep_hours", [None, 0, 48])
def test_scoring_again_what_came_in_order_changes_nothing_that_is_kept(place, keep_hours):
    """Heads are gone when they are kept no longer, not when they are compared no longer; their groups stay."""
    window = place.open(window_hours=2, keep_hours=keep_hours)
    first, second = grams(0, 20), grams(100, 120)
    stream = [
        ("a", first, 0),
        ("b", first, 2),
        ("c", first, 4),
        ("x", second, 6),
        ("y", second, 7),
        ("z", second, 9),
    ]
    list(window.ingest(document(*each) for each in stream))
    groups = list(window.groups())
    assert list(window.reconcile()) == []
    assert list(window.groups()) == groups
    window = place.reopened(window)
    assert list(window.groups()) == groups
