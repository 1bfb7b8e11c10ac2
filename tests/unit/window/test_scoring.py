"""Into how many runs a batch is cut."""

from __future__ import annotations

import pytest

import neardup
from neardup.window import scoring


def stream(name):
    return [
        {"id": str(n), "time": 1e9, "text": " ".join(f"{name}{n * i}" for i in range(30))} for n in range(100)
    ]


@pytest.mark.parametrize(
    ("options", "runs"),
    [({}, 1), ({"policy": "drop"}, 1), ({"partial": True}, 100), ({"max_candidates": 9}, 100)],
    ids=str,
)
def test_documents_that_come_again_with_other_texts_are_decided_together(monkeypatch, options, runs):
    """Each was a run of its own, which took twenty times as long."""
    begun = []
    score_run = scoring.score_run

    def noted(*given):
        begun.append(given)
        return score_run(*given)

    monkeypatch.setattr("neardup.window.ingest.score_run", noted)
    window = neardup.open(None, **options)
    list(window.ingest(stream("first")))
    begun.clear()
    list(window.ingest(stream("second")))
    assert (len(begun), window.replaced) == (runs, 100)
