"""Several scorers at one window: they take turns, and one that stood still for too long changes nothing any more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any
from unittest import mock

import pytest
from testing.node.killing import stored
from testing.window import stalling_writer
from testing.window.backends import document, grams

from neardup.elastic.window.codec import stored_rows
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.text_cache import TextCache
from neardup.opening import open_window

LEASE_SECONDS = 1.0
FIRST = [document(f"a{i}", grams(40 * i, 40 * i + 20), i % 2) for i in range(4)]
THEIRS = [document(f"b{i}", grams(40 * (i % 2) + 1, 40 * (i % 2) + 21), 1) for i in range(4)]
KNOWN = [document(f"a{i}", grams(900 + 40 * i, 920 + 40 * i), 1) for i in (0, 1)]
"""New texts under known ids, in another hour for one of them."""


def opened(cluster, **settings: Any):
    return open_elastic_window(str(cluster.address), credentials=cluster.credentials, patience=20, **settings)


@pytest.fixture
def short_leases():
    with mock.patch("neardup.elastic.window.state_document.LEASE_SECONDS", LEASE_SECONDS):
        yield


def started(cluster, tmp_path, documents, settings, turn_seconds, call, place):
    """A process that ingests documents and stops before one of its calls (see stalling_writer)."""
    stream = tmp_path / "stream.jsonl"
    lines = [{"id": item.id, "text": item.text, "time": item.time} for item in documents]
    stream.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [
        sys.executable, stalling_writer.__file__, str(stream), str(cluster.address),
        json.dumps({"patience": 20, **settings}), str(turn_seconds), call, str(place),
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stop(cluster, tmp_path, documents, call, place):
    """A writer that has stopped before a call of its own."""
    process = started(cluster, tmp_path, documents, {"batch_documents": 4}, LEASE_SECONDS, call, place)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), process.communicate()
    return process


def go_on(process):
    """(exit code, standard output's lines, standard error) of a writer that is told to go on."""
    process.send_signal(signal.SIGCONT)
    out, error = process.communicate(timeout=60)
    return process.returncode, out.decode().splitlines(), error.decode()


NEW = [*THEIRS[:2], document("c", grams(5, 25))]
BATCHES = {"new": NEW, "known": KNOWN}


@pytest.mark.parametrize(("batch", "call", "place"), [
    ("new", "ensure_held", 1), ("new", "bulk", 1), ("new", "commit", 1),
    ("known", "ensure_held", 1), ("known", "bulk", 1), ("known", "renew", 1), ("known", "bulk", 2),
    ("known", "commit", 1),
])  # fmt: skip
def test_what_a_scorer_writes_after_its_lease_never_counts(
    cluster, short_leases, tmp_path, batch, call, place
):
    documents = BATCHES[batch]
    reference = open_window(None)
    with opened(cluster) as window:
        assert list(window.ingest(FIRST)) == list(reference.ingest(FIRST))
        process = stop(cluster, tmp_path, documents, call, place)
        try:
            # Waits for the end of the other's lease.
            theirs = list(window.ingest(THEIRS))
        finally:
            code, out, error = go_on(process)
        assert theirs == list(reference.ingest(THEIRS))
        assert (code, out) == (1, [])
        assert "locked: " in error
        assert window.stats().documents == reference.stats().documents
        assert list(window.groups()) == list(reference.groups())
    with opened(cluster) as again:
        more = [*FIRST, *THEIRS, document("new", grams(2, 22), 1), *documents]
        assert list(again.ingest(more)) == list(reference.ingest(more))
        assert sorted(id for _, id, _ in stored(cluster)) == sorted(
            {item.id for item in (*FIRST, *THEIRS, *documents)} | {"new"}
        )


LONG_LEASE = 3.0
NINE = [document(f"n{i}", grams(9_000 + 30 * i, 9_020 + 30 * i), 1) for i in range(9)]


@pytest.fixture
def neighbour(cluster, tmp_path):
    """Another process that wants the lease all the time, and takes it from whoever keeps it for too long."""
    with (
        mock.patch("neardup.elastic.window.state_document.LEASE_SECONDS", LONG_LEASE),
        opened(cluster) as window,
    ):
        list(window.ingest(FIRST))
        process = started(cluster, tmp_path, 1_000 * NINE, {"batch_documents": 1}, LONG_LEASE, "commit", 0)
        assert process.stdout.readline() == b"told n0\n"
        yield process
        assert process.poll() is None, process.communicate()
        process.kill()
        process.communicate()


def slowly(function, seconds, times=sys.maxsize):
    """`function` on a larger window, or a slower machine, so many times."""
    left = [times]

    def slow(*arguments: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            time.sleep(seconds)
        return function(*arguments, **named)

    return slow


def test_a_scorer_that_loads_for_longer_than_a_lease_keeps_nobody_waiting_and_gets_it(cluster, neighbour):
    with opened(cluster) as window:
        with mock.patch(
            "neardup.elastic.window.loader.stored_rows", slowly(stored_rows, 1.5 * LONG_LEASE, 1)
        ):
            assert [verdict.id for verdict in window.ingest(FIRST)] == [item.id for item in FIRST]
        assert [verdict.id for verdict in window.ingest(THEIRS)] == [item.id for item in THEIRS]


def test_a_scorer_that_reads_for_longer_than_a_lease_keeps_it(cluster, neighbour):
    late = [document("late", grams(1, 21), -1), document("later", grams(41, 61), -1)]
    with opened(cluster) as window:
        assert [verdict.duplicate_of for verdict in window.ingest(late)] == ["a0", "a1"]
        with mock.patch.object(TextCache, "read", slowly(TextCache.read, LONG_LEASE / 8)):
            changed = {verdict.id: verdict.duplicate_of for verdict in window.reconcile()}
    assert changed.items() >= {"a0": "late", "a1": "later", "late": None, "later": None}.items()


def test_a_reader_that_was_told_how_far_to_look_back_in_a_new_window_does_so(cluster):
    """And another one looks back as far as the first scorer."""
    opened(cluster, window_hours=24).close()
    with (
        opened(cluster, readonly=True, window_hours=2) as told,
        opened(cluster, readonly=True) as reader,
        opened(cluster, window_hours=40) as scorer,
    ):
        list(scorer.ingest(FIRST))
        told.refresh()
        reader.refresh()
        assert (told.stats().window_hours, reader.stats().window_hours) == (2, 40)


def test_a_question_about_a_time_looks_back_as_far_as_the_scorer_does_by_now(cluster):
    """Whether or not the reader holds the window: it looked back as far as when it was opened."""
    with opened(cluster, window_hours=2) as scorer:
        list(scorer.ingest(FIRST))
    with opened(cluster, readonly=True) as reader, opened(cluster, readonly=True, window_hours=3) as told:
        question = {"text": FIRST[0].text, "time": document("later", "", 10).time}
        assert reader.query(**question).duplicate_of is None
        opened(cluster, window_hours=20).close()
        assert reader.query(**question).duplicate_of == "a0"
        assert told.query(**question).duplicate_of is None
