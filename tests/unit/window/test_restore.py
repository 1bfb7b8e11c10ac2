"""A window restored from what is stored: however its postings are put together, it searches as before."""

from __future__ import annotations

import pytest
from testing.window.backends import document, grams

from neardup.opening import open_window
from neardup.window import restore

STREAM = [document(f"d{i}", grams(8 * i, 8 * i + 25), i // 3) for i in range(15)]
COPIES = [document(f"copy of d{i}", grams(8 * i, 8 * i + 24), 4) for i in range(15)]


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
@pytest.mark.parametrize("in_bulk", [False, True], ids=["one by one", "in bulk"])
def test_postings_of_hours_are_added_so_many_at_once(tmp_path, monkeypatch, at_once, retrieval, in_bulk):
    with open_window(tmp_path / "window", retrieval=retrieval) as window:
        list(window.ingest([*STREAM, document("short", "ab", 4)]))
    monkeypatch.setattr(restore, "_FILL_BATCH", at_once)
    monkeypatch.setattr(restore, "_BULK_LEAST", 20 * at_once)
    if in_bulk:
        monkeypatch.setattr(restore, "_BULK_FROM", 0)
    with open_window(tmp_path / "window") as window:
        answers = [window.query(copy.text) for copy in COPIES]
        assert window.query("ab").matches[0].id == "short"
    assert [answer.matches[0].id for answer in answers] == [original.id for original in STREAM]
