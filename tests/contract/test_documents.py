"""A window as a collection of its documents, by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from testing.window.backends import document, engines_only, grams, without_candidates

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


@engines_only
def test_a_window_shows_where_it_is(place):
    window = place.open()
    shown = repr(window)
    assert shown.startswith("<neardup.Window ")
    assert "0x" not in shown


def shown(window, *ids):
    return [
        None if found is None else (found.text, found.is_original, found.fields) for found in window.read(ids)
    ]


def test_documents_are_read_as_they_came(place):
    if place.kind == "reference":
        pytest.skip("it keeps normal forms alone")
    window = place.open(keep_text=True, show=["title", "page.lang"])
    stream = [
        document("a", "Rain, and\nsnow -- all day long in the north.")._replace(
            fields={"title": "Weather", "page": {"lang": "en"}}
        ),
        document("b", "Rain and snow, all day long: in the north!", 1)._replace(fields={"other": 1}),
    ]
    verdicts = list(window.ingest(stream))
    window = place.reopened(window, show=["title", "page.lang"])
    fields = [{"title": "Weather", "page.lang": "en"}, {}]
    expected = [(each.text, True, its) for each, its in zip(stream, fields, strict=True)]
    assert shown(window, "b", "nobody", "a") == [expected[1], None, expected[0]]
    assert [found.verdict for found in window.read(["a", "b"])] == verdicts
    assert verdicts[1].status == "exact"
    window.delete("a")
    assert [verdict.status for verdict in window.reconcile()] == ["unique"]
    window = place.reopened(window)
    assert shown(window, "b", "a") == [expected[1], None]


@engines_only
@pytest.mark.parametrize("id", ["ab", b"ab", 5, None])
def test_a_single_id_is_not_read_letter_by_letter(place, id):
    with pytest.raises(TypeError, match=r"\[id\]"):
        place.open().read(id)


@engines_only
def test_several_ids_are_no_id(place):
    window = place.open()
    list(window.ingest([document("a", "Rain, and snow.")]))
    asks: list[Callable[[Any], object]] = [
        window.get, window.delete, lambda ids: window.query(id=ids), lambda ids: window.read([ids])
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(TypeError, match=r"id is list, not a text .* pass one id at a time"):
            ask(["a"])
    assert ["a"] not in window
    assert "a" in window


def test_of_a_text_that_is_not_kept_the_normal_form_is_read(place):
    if place.kind in ("reference", "elasticsearch"):
        pytest.skip("a cluster has documents whole")
    window = place.open(keep_text=False, show=())
    list(window.ingest([document("a", "Rain, and snow.")._replace(fields={"title": "Weather"})]))
    window = place.reopened(window)
    assert shown(window, "a") == [("Rainandsnow", False, {})]
    assert shown(window) == []


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
