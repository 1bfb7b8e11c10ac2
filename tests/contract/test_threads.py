"""One window, asked and written from several threads, gives the answers of one."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from testing.window.backends import document, engines_only, grams, summaries

from neardup.errors import NeardupError
from neardup.index.helpers import helpers_of
from neardup.window.engine import WindowEngine
from neardup.window.ingest import Ingest

if TYPE_CHECKING:
    from neardup.window.base import Window

THREADS = 4
FAMILIES = 12


@pytest.fixture(autouse=True)
def _often():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def text_of(thread: int, family: int, copy: int = 0) -> str:
    """Texts of one family are copies of one another, and of no other's."""
    first = 200 * (FAMILIES * thread + family)
    return grams(first, first + 60 - copy)


def mixed_calls(window: Window, thread: int, rounds: int) -> list[object]:
    """What a thread gets that ingests, asks and deletes texts of its own; the others' must make no difference."""
    seen: list[object] = []
    for family in range(rounds):
        stream = [
            document(f"{thread}-{family}-{copy}", text_of(thread, family, copy), 0) for copy in range(4)
        ]
        seen.append(summaries(window.ingest(stream)))
        for asked in range(family + 1):
            found = window.query(text_of(thread, asked))
            seen.append(
                (found.status, found.duplicate_of, [(match.id, match.score) for match in found.matches])
            )
        seen.append(window.query(id=stream[1].id).duplicate_of)
        seen.append(window.delete(stream[3].id))
        seen.append(window.stats().documents >= 3 * (family + 1))
        own = [group for group in window.groups() if group.head.startswith(f"{thread}-")]
        seen.append(sorted(member.id for group in own for member in group.members))
    return seen


def at_once(window: Window, rounds: int) -> list[list[object]]:
    barrier = Barrier(THREADS)

    def work(thread: int) -> list[object]:
        barrier.wait()
        return mixed_calls(window, thread, rounds)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@engines_only
@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_mixed_calls_from_several_threads_are_as_from_one(place, retrieval):
    rounds = 3 if place.kind == "elasticsearch" else FAMILIES
    window = place.open("window", retrieval=retrieval, batch_documents=3)
    quiet = [mixed_calls(place.open(f"quiet-{thread}", retrieval=retrieval, batch_documents=3), thread, rounds)
             for thread in range(THREADS)]  # fmt: skip
    assert at_once(window, rounds) == quiet
    assert window.stats().documents == THREADS * rounds * 3


def test_a_reader_beside_the_threads_of_a_writer(directory):
    window = directory.open()
    list(window.ingest([document("a", text_of(0, 0), 0)]))
    reader = directory.open(readonly=True)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda _: reader.query(text_of(0, 0)).duplicate_of, range(200)))
    assert set(found) == {"a"}


def test_waiting_for_documents_keeps_nobody_out(place):
    """Between its batches, and while its source has nothing to give, an ingest does not hold the window."""
    window, asked = place.open(batch_documents=1), Event()

    def stream():
        yield document("a", text_of(0, 0), 0)
        assert asked.wait(60)
        yield document("b", text_of(0, 1), 0)

    with ThreadPoolExecutor(1) as pool:
        ingest = window.ingest(stream())
        assert next(ingest).id == "a"
        rest = pool.submit(list, ingest)
        assert window.query(text_of(0, 0)).duplicate_of == "a"
        asked.set()
        assert [verdict.id for verdict in rest.result(60)] == ["b"]


def test_every_call_of_the_contract_is_guarded():
    guarded = {name for name, method in vars(WindowEngine).items() if hasattr(method, "__wrapped__")}
    assert {"query", "groups", "delete", "expire", "reconcile", "stats"} <= guarded
    assert hasattr(Ingest._scored, "__wrapped__")


@engines_only
def test_closing_waits_for_the_call_at_hand(place):
    window, closed = place.open(), Event()

    def close() -> None:
        window.close()
        closed.set()

    with ThreadPoolExecutor(1) as pool:
        with window._session.exclusion.lock:  # as a call holds it
            closing = pool.submit(close)
            assert not closed.wait(0.05)
        closing.result(60)
    assert closed.is_set()


def test_two_threads_are_two(directory):
    """One decides, and one both signs and helps to compare: a third would only take the processor of the second."""
    helpers_of.cache_clear()
    before = set(threading.enumerate())
    window, long = directory.open(threads=2), grams(0, 20_000)
    stream = [document(f"{i}", long + text_of(0, i), 0) for i in range(12)]
    assert sum(verdict.is_copy for verdict in window.ingest(stream)) == 11
    assert len(set(threading.enumerate()) - before) == 1


@engines_only
def test_a_process_that_was_forked_off_changes_nothing(place):
    """It shares the lock with the one that opened the window, and both would write over one another."""
    window = place.open()
    list(window.ingest([document("a", text_of(0, 0), 0)]))
    with mock.patch("neardup.window.exclusion.os.getpid", return_value=1):
        with pytest.raises(NeardupError, match="was forked"):
            window.delete("a")
        assert window.query(text_of(0, 0)).duplicate_of == "a"
    assert window.delete("a")


@engines_only
def test_nor_does_it_wait_for_a_thread_that_it_has_not(place):
    window = place.open(threads=2)
    list(window.ingest([document("a", text_of(0, 0), 0)]))
    with mock.patch("neardup.window.exclusion.os.getpid", return_value=1):
        never = mock.patch("neardup.window.signing_ahead.SigningAhead.signed", side_effect=AssertionError)
        with never, pytest.raises(NeardupError, match="was forked"):
            list(window.ingest([document("b", text_of(0, 1), 0)]))


@engines_only
def test_nor_for_one_that_was_at_work_when_it_was_forked_off(place):
    window = place.open()
    forked = mock.patch("neardup.window.exclusion.os.getpid", return_value=1)
    with window._session.exclusion.alone(), ThreadPoolExecutor(1) as pool, forked:
        for call in (window.stats, window.close):
            with pytest.raises(NeardupError, match="was forked: open it here"):
                pool.submit(call).result(60)
    assert window.stats().documents == 0


@engines_only
@pytest.mark.parametrize("hand_on", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_window_is_not_handed_on_to_another_process(place, hand_on):
    with pytest.raises(TypeError, match="pass its path on"):
        hand_on(place.open())
