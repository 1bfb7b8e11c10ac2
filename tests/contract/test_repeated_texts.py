"""Texts that very many documents have: one stands in for all of them, and verdicts are those of brute force."""

from __future__ import annotations

import random

import pytest
from testing.window.backends import document, engines_in_turn, without_candidates
from testing.window.reference_window import ReferenceWindow

from neardup.index import repeated_texts
from neardup.index.repeated_texts import RepeatedTexts
from neardup.kernels.batch_search import chain_behind
from neardup.window import scoring

TEXTS = (
    "the water level at the bridge near the old mill has reached {} metres and the crossing is closed until tomorrow",
    "connection to the database established after retry {}, heartbeat ok, queue length zero, all workers idle",
    "nothing has come from the northern gauge since the last report, which is sent again every hour",
)
FILLINGS = ("17", "4711 plus", "ninety nine and a half")


def stream(seed, hours):
    """Seven texts again and again, one of them like no other, near copies of them between; some late, some of an id
    that came before.
    """
    numbers = random.Random(seed)
    for i in range(300):
        text = numbers.choice(TEXTS).format(numbers.choice(FILLINGS))
        if numbers.random() < 0.1:
            text += f" and number {numbers.randrange(10**6)}"
        name = i if numbers.random() < 0.97 else numbers.randrange(i + 1)
        yield document(f"d{name}", text, i * hours / 300 - numbers.choice([0, 0, 0, 1, 3]))


@pytest.fixture
def two_are_many(monkeypatch):
    """Texts are repeated from two documents on; returns how many were counted and not listed, by call."""
    monkeypatch.setattr(scoring, "MANY_OF_ONE_TEXT", 2)
    copies_of = RepeatedTexts.copies
    unlisted: list[int] = []

    def noted(*given):
        found = copies_of(*given)
        unlisted.extend(copies.total - len(copies.docs) for copies in found.values())
        return found

    monkeypatch.setattr(RepeatedTexts, "copies", noted)
    return unlisted


def verdicts_of(window, documents):
    """Of a stream, in which every now and then documents are deleted."""
    numbers, found = random.Random(4), []
    for first in range(0, len(documents), 60):
        found += window.ingest(documents[first : first + 60])
        for id in sorted(numbers.sample([verdict.id for verdict in found], 5)):
            window.delete(id)
    return found


@engines_in_turn(
    "policy, hours, window_hours",
    [(policy, *hours) for hours in [(2, 24), (40, 5)] for policy in ("drop", "route", "mark")],
)
def test_verdicts_are_those_of_brute_force(place, two_are_many, policy, hours, window_hours):
    settings = {"policy": policy, "window_hours": window_hours}
    in_cluster = place.kind == "elasticsearch"  # deleting is a request there, or several
    for seed in range(1 if in_cluster else 3):
        documents = list(stream(seed, hours))[: 180 if in_cluster else None]
        settings["matches"] = 0 if seed == 1 else 3
        found = verdicts_of(place.open(f"few{seed}", **settings), documents)
        reference = verdicts_of(ReferenceWindow(**settings), documents)
        assert without_candidates(found) == without_candidates(reference)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(scoring, "MANY_OF_ONE_TEXT", 0)
            assert verdicts_of(place.open(f"all{seed}", **settings), documents) == found
    assert any(two_are_many) == (policy == "mark")


@engines_in_turn("matches", [0, 3])
def test_a_text_is_not_read_anew_for_each_document_that_goes(place, two_are_many, monkeypatch, matches):
    read: list[int] = []
    dying = 20 if place.kind == "elasticsearch" else 100

    def noted(*given):
        read.append(chain_behind(*given))
        return read[-1]

    monkeypatch.setattr(repeated_texts, "chain_behind", noted)

    def found(name):
        window = place.open(name, matches=matches)
        verdicts = list(window.ingest([document(f"d{i}", TEXTS[0], i / 40) for i in range(600)]))
        for i in range(dying):
            window.delete(f"d{i}")  # the first by time, which stands for the group
            verdicts += window.ingest([document(f"e{i}", TEXTS[0], 15)])
        return verdicts

    verdicts = found("few")
    assert 0 < sum(read) < 20 * 600
    monkeypatch.setattr(scoring, "MANY_OF_ONE_TEXT", 0)
    assert found("all") == verdicts
