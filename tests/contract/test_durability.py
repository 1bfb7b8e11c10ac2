"""When a verdict has been yielded, a killed process loses neither document nor verdict."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.contract.faults import Faults, Killed, disk_full, killed
from tests.contract.places import START, Place, document, grams

from neardup.document import Document
from neardup.engines.opening import open_window
from neardup.errors import NeardupError, WindowLocked
from neardup.verdict import Match, Verdict

SETTINGS = {"window_hours": 4, "batch_documents": 4}


def small_stream():
    """Documents of several hours in every batch, copies among them; hours expire on the way, not within their own batch."""
    numbers = random.Random(1)
    hours = [0, 0, 1, 2, 1, 2, 3, 3, 4, 5, 5, 6, 7, 6, 8, 7]
    return [document(f"d{i}", grams(3 * numbers.randrange(9), 30), hour) for i, hour in enumerate(hours)]


@pytest.mark.parametrize("settings", [{}, {"fsync": True}, {"retrieval": "complete", "routes": ("sentences",)}])
@pytest.mark.parametrize("error", [killed, disk_full])
def test_a_failure_at_any_call_loses_nothing_acknowledged(tmp_path, settings, error):
    stream = small_stream()
    settings = {**SETTINGS, **settings}
    undisturbed = list(Place("memory", tmp_path).open(**settings).ingest(stream))
    at, step = 1, 1 if not settings.get("fsync") else 11
    while True:
        path = tmp_path / f"{at}"
        done = []
        with Faults(error).installed() as faults, open_window(path, **settings) as window:
            faults.arm(at)
            try:
                done.extend(window.ingest(stream))
            except (Killed, OSError):
                with pytest.raises(NeardupError, match="open it again"):
                    list(window.ingest(stream))
        assert done == undisturbed[: len(done)]
        with open_window(path, **settings) as window:
            living = [v for v in done if v.id in {m.id for m in everything(window)}]
            assert living[-1:] == done[-1:]
            again = [d for d in stream if d.id in {v.id for v in living}]
            assert list(window.ingest(again)) == living, at
            assert list(window.ingest(stream[len(done) :])) == undisturbed[len(done) :], at
            final = window.stats()
        if len(done) == len(stream):
            break
        at += step
    assert at > 20
    assert final == Place("memory", tmp_path).open(**settings).stats() or final.documents


def everything(window):
    """All that the window holds and that can be found at the lowest threshold."""
    return window.query(grams(0, 30), threshold="0.000001").matches
