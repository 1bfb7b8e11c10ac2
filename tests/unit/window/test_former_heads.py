"""Heads of groups that were gone when a window was read."""

from __future__ import annotations

import neardup


def test_groups_without_heads_are_not_copied_for_each_document(tmp_path):
    """With 40,000 of them, each document took three times as long."""
    texts = [f"{name} " * 9 for name in ("ferry", "mill", "weir")]
    first = [
        {"id": f"{hour} {n}", "text": text, "time": 3_600 * hour}
        for hour in (0, 1)
        for n, text in enumerate(texts)
    ]
    with neardup.open(tmp_path / "window", window_hours=1, advance=True) as window:
        list(window.ingest([*first, {"id": "x", "text": "x", "time": 7_200}]))
    with neardup.open(tmp_path / "window") as window:
        window.query("x")
        heads = window._session.state.table.former_heads
        unnamed = heads.unnamed
        assert len(unnamed) == 3
        list(window.ingest([{"id": "y", "text": texts[0], "time": 7_200}]))
        assert len(unnamed) == 2
        assert heads.unnamed is unnamed
