"""Warnings about ingested documents."""

from __future__ import annotations

import pytest

import neardup
from neardup.window.ingest_warnings import FEWEST_REPLACED


def shard(name, count=FEWEST_REPLACED):
    return [{"id": number, "text": f"{name} has {number}"} for number in range(count)]


@pytest.fixture
def window(tmp_path):
    with neardup.open(tmp_path / "window", window_hours=0, policy="drop", threshold=1) as target:
        yield target


def test_a_call_that_replaces_most_of_its_documents_is_told_once(window, caplog):
    list(window.ingest(shard("first")))
    list(window.ingest(shard("first")))  # the same texts
    assert not caplog.messages
    list(window.ingest([*shard("second"), {"id": "other", "text": "Another text."}]))
    list(window.ingest(shard("third")))
    (message,) = caplog.messages
    assert message.startswith("100 of the 101 documents given to ingest replaced a document with the same id")
    assert "such as FILE:ROW" in message


def test_ids_that_repeat_within_one_call_are_told(window, caplog):
    documents = [{"id": "same", "text": f"Text {number}"} for number in range(FEWEST_REPLACED + 1)]
    list(window.ingest(documents))
    assert "100 of the 101 documents" in caplog.text


def test_a_call_that_is_not_read_to_its_end_is_told_too(window, caplog):
    list(window.ingest(shard("first", 1_000)))
    verdicts = window.ingest(shard("second", 1_000))
    next(verdicts)
    verdicts.close()
    assert "replaced a document" in caplog.text


@pytest.mark.parametrize(
    ("changed", "count"), [(FEWEST_REPLACED - 1,) * 2, (FEWEST_REPLACED, 2 * FEWEST_REPLACED)]
)
def test_documents_that_somebody_has_edited_are_not_told(window, caplog, changed, count):
    documents = shard("first", count)
    list(window.ingest(documents))
    list(window.ingest(shard("second", changed) + documents[changed:]))
    assert (window.replaced, caplog.messages) == (changed, [])
