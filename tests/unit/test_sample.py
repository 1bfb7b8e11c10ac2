"""The sample stream of `make demo`: made by its script to the byte, and showing what it promises."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import make_sample
import neardup
from neardup.model.document import Document, Reject
from neardup.model.times import parse_time
from neardup.oracle.definitions import normal_form, qgrams
from neardup.sources.reader import Reader

SAMPLE = Path(__file__).parents[2] / "examples" / "stream.jsonl"
HOUR_MS = 3_600_000
WINDOW_HOURS = 24


@pytest.fixture(scope="module")
def items() -> list[Any]:
    return list(Reader([SAMPLE]))


@pytest.fixture(scope="module")
def documents(items) -> list[Document]:
    return [item for item in items if isinstance(item, Document)]


@pytest.fixture(scope="module")
def verdicts(documents) -> dict[str, neardup.Verdict]:
    with neardup.open(None) as window:
        return {verdict.id: verdict for verdict in window.ingest(documents)}


def test_the_script_makes_it_to_the_byte():
    assert SAMPLE.read_text("utf-8").splitlines() == list(make_sample.sample(random.Random(42)))


def test_it_has_a_line_cut_short_and_a_document_without_text(items):
    reasons = [item.reason for item in items if isinstance(item, Reject)]
    assert ["not JSON" in reasons[0], "no text" in reasons[1]] == [True, True]
    assert len(reasons) == 2


def test_it_covers_two_days_of_hours(documents):
    hours = {parse_time(document.time) // HOUR_MS for document in documents}
    assert max(hours) - min(hours) > 36
    assert len(hours) > 36


def test_it_has_a_late_document_that_still_finds_its_original(documents, verdicts):
    latest, late = 0, []
    for document in documents:
        time = parse_time(document.time)
        if time < latest - HOUR_MS:
            late.append(document.id)
        latest = max(latest, time)
    assert late
    assert all(verdicts[id].duplicate_of for id in late)


def test_it_has_every_kind(verdicts):
    statuses = [verdict.status for verdict in verdicts.values()]
    assert {status: statuses.count(status) > 10 for status in ("unique", "near", "exact")} == {
        "unique": True,
        "near": True,
        "exact": True,
    }
    assert statuses.count("empty") == 1


def test_it_has_a_copy_outside_the_window(documents, verdicts):
    seen: dict[str, list[int]] = {}
    for document in documents:
        seen.setdefault(document.text, []).append(parse_time(document.time))
    assert any(max(times) - min(times) > WINDOW_HOURS * HOUR_MS for times in seen.values())


def test_it_has_an_edit_of_an_edit(verdicts):
    chained = [verdict for verdict in verdicts.values() if verdict.duplicate_of not in (None, verdict.group)]
    assert chained


def test_its_verdicts_are_those_of_brute_force(documents, verdicts):
    """In order, within the window, every document against every earlier one."""
    sets: list[tuple[Document, int, str, set[str]]] = []
    newest = 0
    for document in documents:
        form, hour = normal_form(document.text), parse_time(document.time) // HOUR_MS
        grams = qgrams(form)
        newest = max(newest, hour)
        best = max(
            (
                1.0 if form == other_form else len(grams & other) / max(len(grams), len(other))
                for _, other_hour, other_form, other in sets
                if abs(hour - other_hour) <= WINDOW_HOURS and other_hour >= newest - WINDOW_HOURS and form
            ),
            default=0.0,
        )
        found = verdicts[document.id]
        assert (found.score or 0.0) == pytest.approx(best if best >= 0.7 else 0.0), document.id
        sets.append((document, hour, form, grams or {""}))


def test_no_line_names_a_real_clock():
    """Times are fixed, so that the demo shows the same on every day."""
    first = json.loads(SAMPLE.read_text("utf-8").splitlines()[0])
    assert first["time"].startswith("2026-11-19T06:")
