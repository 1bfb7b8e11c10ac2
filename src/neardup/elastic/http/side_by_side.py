"""Runs pieces of work concurrently, each of which waits for the cluster most of its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, wait
from typing import Final, TypeVar

Result = TypeVar("Result")
Check = Callable[[], object]
"""A function that a piece of work calls between two of its steps; it raises if the work must end."""

LOOK_SECONDS: Final = 0.5


def side_by_side(works: Sequence[Callable[[Check], Result]], between: Check) -> list[Result]:
    """The results of `works`, in order: a single one is run in this thread, several in threads of their own.

    `between` is called in this thread only: by the single work itself, or every half second while several are running.
    An exception in it, or in one of the works, ends the others at their next step, and is raised here once they have
    ended. Only an interrupt does not wait for them: such threads keep no process alive.
    """
    if len(works) == 1:
        return [works[0](between)]
    has_failed = threading.Event()
    futures = [_begun(work, has_failed) for work in works]
    try:
        while wait(futures, LOOK_SECONDS).not_done:
            between()
    except Exception:
        has_failed.set()
        wait(futures)
        raise
    except BaseException:
        has_failed.set()
        raise
    errors = [error for future in futures if (error := future.exception()) is not None]
    for error in errors:
        if not isinstance(error, CancelledError):
            raise error
    return [future.result() for future in futures]


def _begun(work: Callable[[Check], Result], has_failed: threading.Event) -> Future[Result]:
    """The future result of a piece of work, which begins in a thread now; the work ends once another `has_failed`."""
    future = Future[Result]()

    def check() -> None:
        if has_failed.is_set():
            raise CancelledError

    def run() -> None:
        try:
            future.set_result(work(check))
        except BaseException as error:  # noqa: BLE001 - raised where it is asked for
            has_failed.set()
            future.set_exception(error)

    threading.Thread(target=run, name="neardup-request", daemon=True).start()
    return future
