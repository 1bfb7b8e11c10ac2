"""Work side by side: all of it at once, its results in order, and how it ends when something goes wrong."""

from __future__ import annotations

import threading

import pytest

from neardup.elastic.http import side_by_side as module
from neardup.elastic.http.side_by_side import side_by_side

PATIENCE = 20


@pytest.fixture(autouse=True)
def _short_looks(monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)


def nothing():
    pass


def until_ended(check):
    """Work without end, but for what `check` raises."""
    while True:
        check()


def test_all_are_at_work_at_once_and_results_come_in_order():
    barrier = threading.Barrier(3)

    def work(name):
        def do(_check):
            barrier.wait(PATIENCE)
            return name

        return do

    assert side_by_side([work("a"), work("b"), work("c")], nothing) == ["a", "b", "c"]


def test_one_alone_is_done_here():
    here = threading.current_thread()
    assert side_by_side([lambda _check: threading.current_thread()], nothing) == [here]


def test_the_caller_has_his_say_in_his_own_thread_while_all_of_them_wait():
    here, said = threading.current_thread(), threading.Event()

    def between():
        assert threading.current_thread() is here
        said.set()

    assert side_by_side([lambda _check: said.wait(PATIENCE)] * 2, between) == [True, True]


def test_what_the_caller_raises_ends_the_others_and_is_raised():
    ended = threading.Event()

    def other(check):
        try:
            until_ended(check)
        finally:
            ended.set()

    def between():
        raise LookupError("the lease is lost")

    with pytest.raises(LookupError, match="lease"):
        side_by_side([lambda _check: 1, other], between)
    assert ended.is_set()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_one_raises_ends_the_others_wherever_it_stands(place):
    def fails(_check):
        raise LookupError("refused")

    works = [until_ended, until_ended]
    works.insert(place, fails)
    with pytest.raises(LookupError, match="refused"):
        side_by_side(works, nothing)


def test_an_interrupt_waits_for_none():
    goes_on, ended = threading.Event(), threading.Event()

    def other(check):
        goes_on.wait(PATIENCE)
        try:
            check()
        finally:
            ended.set()

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side([lambda _check: 1, other], interrupted)
    assert not ended.is_set()
    goes_on.set()
    assert ended.wait(PATIENCE)
