"""Budgets: the window shrinks by its oldest hours instead of growing without end, and says so."""

from __future__ import annotations

import logging
import tracemalloc
from itertools import product
from random import Random
from unittest import mock

import pytest
from testing.window.backends import document, engines_in_turn, engines_only, grams, kinds_in_turn, summaries

from neardup.model.document import Document
from neardup.opening import open_window

TEXT = grams(0, 20)


def distinct(count, start=0, an_hour=2):
    """Documents without anything in common, `an_hour` of them each hour."""
    return [
        document(f"{start + i}", grams(30 * (start + i), 30 * (start + i) + 20), i // an_hour)
        for i in range(count)
    ]


@kinds_in_turn("most", [1, 2, 5, 8])
def test_never_more_documents_than_allowed(place, most):
    window = place.open(max_documents=most, batch_documents=3)
    counts = []
    for item in distinct(12):
        list(window.ingest([item]))
        counts.append(window.stats().documents)
    assert max(counts) == most
    assert window.query(id="11").id == "11"
    window = place.reopened(window, max_documents=most)
    assert window.stats().documents == counts[-1]
    assert window.stats().budget_floor is not None


def test_an_hour_that_is_given_up_by_halves_is_one_hour():
    with open_window(None, max_documents=4) as window:
        list(window.ingest(distinct(12, an_hour=12)))
        assert window.left == (8, 1, "2020.09.13-12", "2020.09.13-12")


def test_the_oldest_hour_is_given_up_whole_and_verdicts_say_so(place):
    window = place.open(max_documents=4)
    first = list(window.ingest(distinct(4)))
    assert window.stats().budget_floor is None
    [next_one] = window.ingest(distinct(5)[4:])
    assert [verdict.truncated for verdict in [*first, next_one]] == [False] * 4 + [True]
    window = place.reopened(window, max_documents=4)
    stats = window.stats()
    assert stats.hours == {"2020.09.13-13": 2, "2020.09.13-14": 1}
    assert stats.budget_floor == "2020.09.13-13"
    # What came before is too late now, and what is old enough is compared with all it should be.
    late, whole = window.ingest([document("late", TEXT, 0), document("whole", TEXT, 25)])
    assert (late.truncated, whole.truncated) == (True, False)
    assert window.delete("late") is False


@engines_only
@pytest.mark.parametrize(("time", "chosen", "floor"), [
    ("0001-01-01T00:59:59Z", {}, None), ("0001-01-01T00:59:59Z", {"max_documents": 1}, "0001.01.01-01"),
    ("9999-12-31T23:00:00Z", {"max_documents": 1}, "9999.12.31-23"),
])  # fmt: skip
def test_the_first_and_the_last_hour_that_there_can_be_have_a_floor(place, time, chosen, floor):
    window = place.open(ahead_hours=10**8, **chosen)
    list(window.ingest([Document("a", TEXT, time), Document("b", "other", time)]))
    for id in list(window):
        window.delete(id)
    window.set_newest()
    assert window.stats().budget_floor == floor


def test_what_was_given_up_stays_so_whatever_comes_late(place):
    window = place.open(max_documents=4)
    texts = [grams(30 * i, 30 * i + 20) for i in range(8)]
    list(
        window.ingest(document(str(i), texts[i], 1) for i in range(5))
    )  # the older half of hour 1 is given up
    floor = window.stats().budget_floor
    list(window.ingest([document("late", texts[5], 0)]))
    list(window.ingest([document("next", texts[6], 1)]))
    assert window.stats().budget_floor == floor
    window.delete("3")
    (verdict,) = window.ingest([document("again", texts[0], 25)])
    assert (verdict.status, verdict.truncated) == ("unique", True)


def test_the_only_hour_loses_its_older_half(place):
    window = place.open(max_documents=5)
    list(window.ingest(document(str(i), grams(30 * i, 30 * i + 20)) for i in range(5)))
    [verdict] = window.ingest([document("new", TEXT)])
    assert (verdict.status, verdict.truncated) == ("unique", True)
    window = place.reopened(window, max_documents=5)
    assert [i for i in ("0", "1", "2", "3", "4", "new") if window.delete(i)] == ["3", "4", "new"]
    assert window.stats().documents == 0


@engines_only
def test_giving_up_is_logged(place, caplog):
    with caplog.at_level(logging.WARNING, "neardup"):
        list(place.open(max_documents=2).ingest(distinct(3)))
        list(place.open("other", max_documents=1).ingest(distinct(2)))
    assert [record.getMessage() for record in caplog.records] == [
        "budget reached: hour 2020.09.13-12 is dropped, the window now begins at 2020.09.13-13",
        "budget reached within hour 2020.09.13-12: its older half is dropped",
    ] or len(caplog.records) == 2


@engines_only
@pytest.mark.parametrize("most", [1, 2])
def test_of_very_many_hours_that_are_given_up_only_some_are_logged(place, most, caplog):
    """A line for each of 8,175 hours was printed."""
    with caplog.at_level(logging.WARNING, "neardup"):
        window = place.open(max_documents=most, window_hours=0)
        list(window.ingest(distinct(40 + most, an_hour=1)))
    assert window.left.hours == 40
    told = [record.getMessage() for record in caplog.records]
    assert len([text for text in told if text.startswith("budget reached")]) == len(told) == 12
    assert ["(16 hours have" in told[-2], "(32 hours have" in told[-1]] == [True, True]


def test_copies_that_are_dropped_take_no_room(place):
    window = place.open(max_documents=3, policy="drop", batch_documents=10)
    copies = [document(f"copy{i}", TEXT, 0) for i in range(20)]
    list(window.ingest([document("a", TEXT), *copies, *distinct(3, 1)[:2]]))
    assert window.stats().documents == 3
    assert window.stats().budget_floor is None


@engines_in_turn(
    "retrieval, batches", [("sketch", (1, 7, 200)), ("complete", (1, 7, 200)), ("sketch", (7, 200))]
)
def test_memory_is_bounded_whatever_the_batches(place, retrieval, batches):
    stream = distinct(120, an_hour=12)
    outcomes = []
    for batch in batches:
        settings = {"max_memory": 20_000, "retrieval": retrieval, "batch_documents": batch}
        window = place.open(f"w{batch}", **settings)
        verdicts = list(window.ingest(stream[:60]))
        window = place.reopened(window, f"w{batch}", **settings)
        verdicts += window.ingest(stream[60:])
        outcomes.append((verdicts, window.stats().hours))
    assert all(outcome == outcomes[0] for outcome in outcomes[1:])
    verdicts, hours = outcomes[0]
    assert 8 < sum(hours.values()) < 60
    assert verdicts[-1].truncated
    assert not verdicts[5].truncated


def test_one_document_fits_into_any_budget(place):
    window = place.open(max_memory=1, max_documents=1)
    for i in range(4):
        list(window.ingest([document(f"{i}", grams(30 * i, 30 * i + 20), i)]))
        assert window.query(grams(30 * i, 30 * i + 20)).duplicate_of == f"{i}"


@engines_in_turn("policy, retrieval", product(["drop", "mark", "route"], ["sketch", "complete"]))
def test_no_more_candidates_than_allowed_whatever_the_batches(place, policy, retrieval):
    texts = [grams(i, i + 20) for i in (0, 0, 1, 2, 8, 8, 3, 12, 4, 13, 5, 0, 9, 1)]
    stream = [document(f"{i:02}", text, i / 10) for i, text in enumerate(texts)]
    limit = 3 if policy == "mark" else 1
    outcomes = []
    for batch in (1, 3, 50):
        settings = {
            "max_candidates": limit,
            "policy": policy,
            "retrieval": retrieval,
            "batch_documents": batch,
        }
        window = place.open(f"w{batch}", **settings)
        verdicts = list(window.ingest(stream[:9]))
        window = place.reopened(window, f"w{batch}", **settings)
        outcomes.append(verdicts + list(window.ingest(stream[9:])))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert max(verdict.candidates for verdict in outcomes[0]) == limit
    assert any(verdict.truncated for verdict in outcomes[0])
    assert all(verdict.candidates == limit for verdict in outcomes[0] if verdict.truncated)
    assert summaries(outcomes[0])[1] == ("01", "exact", "00", "00")


@engines_only
def test_what_expired_frees_its_memory(place):
    with mock.patch("neardup.window.state._COMPACT_FROM", 20):
        window = place.open(window_hours=2)
        sizes = []
        for part in range(14 if place.kind == "elasticsearch" else 30):
            list(window.ingest(document(f"{part}-{i}", grams(40 * i, 40 * i + 30), part) for i in range(50)))
            sizes.append((window.stats().postings_keys, window.stats().memory_bytes))
        # Keys of one part differ from those of the next only by what has gone: the texts are the same.
        assert max(sizes[10:]) <= (sizes[4][0], 2 * sizes[4][1])
        list(window.ingest([document("last", TEXT, 100), document("last", TEXT, 100)]))
        assert window.stats().documents == 1
        assert window.stats().postings_keys == 20


@pytest.mark.parametrize(("most", "ids"), [(4, 60), (0, 1)], ids=["given up", "replaced"])
def test_texts_of_a_window_in_memory_leave_it_with_their_documents(most, ids):
    texts = Random(2).randbytes(60 * 50_000).hex()
    stream = [document(f"{i % ids}", texts[100_000 * i : 100_000 * (i + 1)]) for i in range(60)]
    with open_window(None, max_documents=most, batch_documents=2) as window:
        tracemalloc.start()
        try:
            list(window.ingest(stream[:10]))
            before, _ = tracemalloc.get_traced_memory()
            list(window.ingest(stream[10:]))
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert window.get(stream[-1].id) is not None
    assert after - before < 1_000_000


@engines_in_turn("policy", ["drop", "route", "mark"])
def test_verdicts_after_compaction_are_those_without(place, policy):
    stream = [
        document(f"{i % 70}", grams(3 * (i * 7 % 60), 3 * (i * 7 % 60) + 20), i / 40) for i in range(400)
    ]
    settings = {"window_hours": 3, "policy": policy}
    expected = list(place.open("plain", **settings).ingest(stream))
    with mock.patch("neardup.window.state._COMPACT_FROM", 5):
        window = place.open("compacting", **settings)
        verdicts = list(window.ingest(stream[:250]))
        groups = list(window.groups())
        window = place.reopened(window, "compacting", **settings)
        assert list(window.groups()) == groups
        verdicts += window.ingest(stream[250:])
    assert verdicts == expected


@pytest.mark.parametrize(
    ("settings", "most"), [({}, 9), ({"keep_text": True}, 4), ({"kinds": True}, 4)], ids=str
)
def test_texts_in_memory_count_towards_its_limit_and_texts_on_a_disk_do_not(tmp_path, settings, most):
    texts = Random(3).randbytes(20 * 50_000).hex()
    stream = [document(f"{i}", texts[100_000 * i : 100_000 * (i + 1)]) for i in range(20)]
    for place, kept in [(None, range(most // 2, most + 1)), (tmp_path / "window", [20])]:
        with open_window(place, max_memory=1_000_000, **settings) as window:
            list(window.ingest(stream))
            assert len(window) in kept
