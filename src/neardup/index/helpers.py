"""Helpers: the threads beside the one that decides. They sign the next documents, and when they are free, they share
work that the deciding thread waits for.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

Given = TypeVar("Given")
Result = TypeVar("Result")


class Helpers:
    """The deciding thread and `threads - 1` others, which are started with their first work."""

    def __init__(self, threads: int) -> None:
        self._others = threads - 1
        self._pool = ThreadPoolExecutor(max(self._others, 1), "neardup-helper")

    def submit(self, work: Callable[[Given], Result], given: Given) -> Future[Result]:
        """Runs `work(given)` in another thread, after the work submitted before; only if there are other threads."""
        return self._pool.submit(work, given)

    def run(self, works: Sequence[Callable[[], object]]) -> None:
        """Runs all of `works`, in any order, each in the next free thread. If one raises an error, raises it after all
        that were begun have ended.
        """
        waiting = deque(works)
        helping = [self._pool.submit(_work_off, waiting) for _ in range(min(self._others, len(works) - 1))]
        try:
            _work_off(waiting)
        finally:
            waiting.clear()
            errors = [each.exception() for each in helping if not each.cancel()]
        for error in errors:
            if error is not None:
                raise error


def _work_off(waiting: deque[Callable[[], object]]) -> None:
    """Runs the `waiting` works until none is left."""
    while True:
        try:
            work = waiting.popleft()
        except IndexError:
            return
        work()


@functools.cache
def helpers_of(threads: int) -> Helpers:
    """The helpers of this process for so many `threads`, shared by all callers: separate threads for signing would
    compete with those that compare, and two threads would be slower. Idle helpers do not keep the process from ending.
    """
    return Helpers(threads)


os.register_at_fork(after_in_child=helpers_of.cache_clear)  # the child process does not have their threads
