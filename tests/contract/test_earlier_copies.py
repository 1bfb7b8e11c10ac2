"""Copies that are earlier than what they are marked as copies of are counted: reading is not in order of time."""

from __future__ import annotations

import pytest

import neardup
from neardup.model.document import Document

TEXT = "The ferry ran aground off the western spit at dawn, and nobody was hurt, the harbour master said."


def documents():
    yield Document("later", TEXT, "2026-11-12T00:00:00Z")
    yield Document("earlier", TEXT, "2026-11-02T00:00:00Z")
    yield Document("between", TEXT + " Again.", "2026-11-07T00:00:00Z")
    yield Document("last", TEXT, "2026-11-13T00:00:00Z")


@pytest.mark.parametrize(("policy", "count"), [("mark", 1), ("drop", 2)])
def test_what_is_earlier_than_its_original_is_counted(policy, count):
    with neardup.open(None, window_hours=0, policy=policy) as window:
        list(window.ingest(documents()))
        assert (
            window.earlier_copies == count
        )  # of two equal copies the earlier is the original, if it was kept


def test_what_came_after_its_hour_was_dropped_is_none_of_them():
    with neardup.open(None, window_hours=24) as window:
        documents = [
            Document("first", TEXT, "2026-11-12T20:00:00Z"),
            Document("other", "Nothing else of note happened.", "2026-11-13T06:00:00Z"),
            Document("late", TEXT, "2026-11-12T00:00:00Z"),
        ]
        *_, verdict = window.ingest(documents)
        assert (verdict.duplicate_of, verdict.truncated, window.earlier_copies) == ("first", True, 0)


def test_in_order_of_time_there_is_none(tmp_path):
    with neardup.open(tmp_path / "window", window_hours=0) as window:
        list(window.ingest(documents()))
        list(window.reconcile())
        assert next(iter(window.groups())).head == "earlier"


def test_the_earliest_stays_if_asked_for():
    records = [{"text": TEXT, "time": each.time} for each in documents()][:2]
    assert neardup.dedup(records, keep="earliest").kept == [1]
    undated = [
        {"text": TEXT},
        {"text": TEXT, "time": "2026-11-12T00:00:00Z"},
        {"text": TEXT, "time": "someday"},
    ]
    assert neardup.dedup(undated, keep="earliest").kept == [1]
