"""A window as a collection of its documents, by id."""

from __future__ import annotations

import pytest
from testing.window.backends import document, grams, without_candidates

from neardup.errors import NeardupError


def test_what_is_in_a_window(place):
    window = place.open()
    assert (len(window), list(window), bool(window), window.get("a"), "a" in window) == (
        0,
        [],
        True,
        None,
        False,
    )
    stream = [document("b", grams(0, 10)), document("a", grams(1, 11), 1), document("c", "", 1)]
    verdicts = without_candidates(window.ingest(stream))
    window = place.reopened(window)
    assert (len(window), list(window)) == (3, ["b", "a", "c"])
    assert without_candidates(map(window.get, window)) == verdicts
    assert "a" in window
    assert 7 not in window
    list(window.ingest([document("b", grams(50, 60), 2)]))
    window.delete("c")
    assert (len(window), list(window)) == (2, ["a", "b"])
    assert window.get("c") is None
    assert window.get("b").status == "unique"


def test_documents_may_go_while_their_ids_are_walked_through(place):
    window = place.open()
    list(window.ingest([document(f"d{number}", grams(10 * number, 10 * number + 9)) for number in range(5)]))
    for id in window:
        assert window.delete(id)
    assert len(window) == 0


def test_what_has_expired_or_was_dropped_is_not_in_it(place):
    window = place.open(window_hours=2, policy="drop")
    list(
        window.ingest(
            [
                document("a", grams(0, 9)),
                document("b", grams(0, 9)),
                document("c", grams(20, 29), 9),
                document("d", grams(30, 39), 9),
            ]
        )
    )
    assert (list(window), window.get("a"), window.get("b")) == (["c", "d"], None, None)


def test_a_closed_window_has_none(place):
    window = place.open()
    if hasattr(window, "close"):
        window.close()
        if place.kind != "reference":
            for ask in (len, list, lambda closed: closed.get("a"), lambda closed: "a" in closed):
                with pytest.raises(NeardupError, match="closed"):
                    ask(window)
