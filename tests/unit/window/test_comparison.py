"""Documents compared that cannot all be read: another client of a cluster has deleted some, which their store shows by
an empty text.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from testing.window.backends import START

import neardup
from neardup.model.document import Document
from neardup.stores.records import arrivals_of
from neardup.window import scoring


def text(seed: int, other: str = "") -> str:
    """One of the texts of a template, all different; with one `other` word."""
    letters = random.Random(0)
    words = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(300)]
    numbers = random.Random(seed)
    for _ in range(6):
        words[numbers.randrange(300)] = f"{numbers.randrange(10**6):06}"
    words[7] = other or words[7]
    return f"{' '.join(words[:150])}. {' '.join(words[150:])}."


@pytest.fixture
def window_of(tmp_path, monkeypatch):
    """A function that opens a window of `count` texts of the template and copies of another one, of which those `gone`
    cannot be read; nothing else of it is in memory yet.
    """

    def opened(count: int, copies: list[str], gone: set[str], **settings: Any) -> neardup.Window:
        documents = [Document(f"d{i}", text(i), START) for i in range(count)]
        documents += [Document(id, text(1_000), START) for id in copies]
        path = tmp_path / f"without-{len(gone)}"
        with neardup.open(path, **settings) as window:
            list(window.ingest(documents))
        window = neardup.open(path, **settings)
        state = window._session.state
        texts, absent = state.store.texts, {int(state.table.arrivals[state.table.ids.get(id)]) for id in gone}

        def texts_of_others(rows):
            read = zip(arrivals_of(rows).tolist(), texts(rows), strict=True)
            return [b"" if arrival in absent else form for arrival, form in read]

        monkeypatch.setattr(state.store, "texts", texts_of_others)
        return window

    return opened


def matches(window, id, *, other=""):
    """The ids that match a document of the copied text, with an `other` word."""
    (verdict,) = window.ingest([Document(id, text(1_000, other), START)])
    return {match.id for match in verdict.matches}


@pytest.mark.parametrize("count", [3, 100])
def test_documents_of_a_text_are_found_that_could_not_be_read_of_another_one(window_of, count):
    """Its q-grams were counted as none, and that number holds for all documents of the text."""
    with window_of(count, ["x", "y"], {"y"}, partial=True, matches=None) as window:
        assert "x" in matches(window, "near", other="another")
        assert "x" in matches(window, "later", other="differs")
    with window_of(count, ["x", "y"], {"x", "y"}, partial=True, matches=None) as window:
        matches(window, "near", other="others")
        matches(window, "z")
        assert "z" in matches(window, "last", other="at last")


@pytest.mark.parametrize("partial", [False, True])
def test_among_very_many_a_text_is_read_of_any_document_that_has_it(window_of, partial):
    """It was read of the first one alone: where that was gone, all others of its text were passed over."""
    with window_of(100, ["w", "x", "y"], {"w", "x"}, partial=partial, matches=None) as window:
        assert "y" in matches(window, "near", other="another")
        assert "y" in matches(window, "later", other="differs")


def test_a_text_of_which_one_document_stands_in_for_all_is_read_of_any(window_of, monkeypatch):
    monkeypatch.setattr(scoring, "MANY_OF_ONE_TEXT", 3)
    copies = [f"x{i}" for i in range(300)]
    with window_of(3, copies, {*copies[:290]}, matches=1) as window:
        for i in range(3):
            (verdict,) = window.ingest([Document(f"n{i}", text(1_000, f"other{i}"), START)])
            assert verdict.matches_total >= 300
