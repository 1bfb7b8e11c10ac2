"""Helpers: the threads beside the one that decides. They sign what comes next, and, where they are free, take part in
work whose end that thread waits for.
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
    """The thread that decides and `threads - 1` others, which are there from their first work on."""

    def __init__(self, threads: int) -> None:
        self._others = threads - 1
        self._pool = ThreadPoolExecutor(max(self._others, 1), "neardup-helper")

    def submit(self, work: Callable[[Given], Result], given: Given) -> Future[Result]:
        """Has `work` done with what is `given`, after what was handed over before; there are other threads."""
        return self._pool.submit(work, given)

    def run(self, works: Sequence[Callable[[], object]]) -> None:
        """Does all of `works`, in any order; each is begun by whoever is free. Raises what one of them raised, once
        those that were begun have ended.
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
    """Does what is `waiting` until nothing is."""
    while True:
        try:
            work = waiting.popleft()
        except IndexError:
            return
        work()


@functools.cache
def helpers_of(threads: int) -> Helpers:
    """Those of this process, the same ones for all who ask for so many: with others for signing, which take the
    processor of those that compare, two threads are slower. Idle, they keep the process from nothing.
    """
    return Helpers(threads)


os.register_at_fork(after_in_child=helpers_of.cache_clear)  # their threads stay with the other process
