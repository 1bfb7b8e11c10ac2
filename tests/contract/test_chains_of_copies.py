"""Documents that come again and again with other texts, each of which is like some before and some after it in a row of
texts, so that copies of copies are no copies of the first.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from testing.effort import examples
from testing.window.backends import Place, document, grams

TEXTS = [grams(2 * step, 2 * step + 10) for step in range(9)]


def leads_to_an_original(window: Any, id: str) -> bool:
    """Whether whoever goes from a copy to what it names comes to a document that is no copy, or is gone."""
    reached, ahead = {id}, [id]
    while ahead:
        verdict = window.get(ahead.pop())
        if verdict is None or not verdict.is_copy:
            return True
        named = {verdict.duplicate_of, verdict.group} - reached
        reached |= named
        ahead += named
    return False


@pytest.mark.parametrize("seed", range(examples(60)))
def test_every_copy_leads_to_an_original_and_all_windows_agree(tmp_path, seed):
    chance = random.Random(seed)
    settings: dict[str, Any] = {
        "window_hours": chance.choice((0, 0, 3)), "policy": chance.choice(("mark", "mark", "mark", "route", "drop")),
        "advance": True,
    }  # fmt: skip
    answers: list[Any]
    places = [
        Place("reference", tmp_path), Place("memory", tmp_path), Place("directory", tmp_path),
    ]  # fmt: skip
    windows = [place.open(**settings) for place in places]
    ids = [f"page {number}" for number in range(chance.choice((4, 8, 14)))]
    hour = 0.0
    for _ in range(15):
        kind = chance.choice(("ingest", "ingest", "ingest", "delete", "reopen", "reconcile"))
        if kind == "ingest":
            stream = []
            for _ in range(chance.randint(1, 6)):
                hour = max(hour + chance.choice((0.2, 0.1, 0, -1.5)), 0)
                stream.append(document(chance.choice(ids), chance.choice(TEXTS), hour))
            answers = [[v._replace(candidates=0) for v in window.ingest(stream)] for window in windows]
        elif kind == "delete":
            gone = chance.choice(ids)
            answers = [window.delete(gone) for window in windows]
        elif kind == "reopen":
            windows = [place.reopened(window) for place, window in zip(places, windows, strict=True)]
            answers = [sorted(window) for window in windows]
        else:
            answers = [sorted(v._replace(candidates=0) for v in window.reconcile()) for window in windows]
        assert all(answer == answers[0] for answer in answers)
        assert all(leads_to_an_original(windows[1], id) for id in windows[1])
    for place in places:
        place.close()
