from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial

import pytest

from neardup.index.helpers import Helpers, helpers_of


@pytest.fixture
def helpers():
    return Helpers(3)


def test_all_is_done_once(helpers):
    done: list[int] = []
    for count in (0, 1, 2, 100):
        done.clear()
        helpers.run([partial(done.append, at) for at in range(count)])
        assert sorted(done) == list(range(count))


def test_works_are_done_side_by_side(helpers):
    """None ends before all have begun."""
    together = threading.Barrier(3, timeout=60)
    helpers.run([together.wait] * 3)


def test_who_has_no_helpers_does_it_in_order_and_begins_no_thread():
    threads: list[int] = []
    done: list[int] = []
    Helpers(1).run(
        [lambda: threads.append(threading.get_ident()), *(partial(done.append, at) for at in range(5))]
    )
    assert (threads, done) == ([threading.get_ident()], list(range(5)))


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_is_raised_when_all_that_was_begun_has_ended_and_nothing_more_is_begun(threads):
    helpers, at_work, ended = Helpers(threads), threading.Event(), list[str]()

    def slow() -> None:
        at_work.set()
        time.sleep(0.2)
        ended.append("slow")

    def fails() -> None:
        assert threads == 1 or at_work.wait(60)
        raise MemoryError("no memory")

    works = [fails, slow, *[lambda: ended.append("more")] * 50]
    with pytest.raises(MemoryError, match="no memory"):
        helpers.run([slow, fails] if threads == 1 else works)
    assert "slow" in ended
    helpers.run([lambda: ended.append("again")])
    assert ended[-1] == "again"


def test_who_is_busy_with_something_else_is_not_waited_for(helpers):
    """Works are done by whoever is free: here by the one that asks."""
    busy, free = threading.Event(), threading.Event()

    def hold() -> None:
        busy.set()
        free.wait(60)

    assert helpers._pool is not None
    held = [helpers._pool.submit(hold) for _ in range(2)]
    assert busy.wait(60)
    done: list[int] = []
    helpers.run([partial(done.append, at) for at in range(9)])
    assert done == list(range(9))
    free.set()
    assert [each.result() for each in held] == [None, None]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # that is what is tried
def test_a_forked_process_has_helpers_of_its_own():
    helpers_of(2).run([threading.Barrier(2, timeout=60).wait] * 2)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            helpers_of(2).run([threading.Barrier(2, timeout=30).wait] * 2)
        except BaseException:  # noqa: BLE001 - told by the code
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
