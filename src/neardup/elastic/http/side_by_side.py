"""Pieces of work side by side, each of which waits for the cluster most of its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, wait
from typing import Final, TypeVar

Result = TypeVar("Result")
Check = Callable[[], object]
"""What a piece of work calls between two of its steps; it raises where there is nothing more to be done."""

LOOK_SECONDS: Final = 0.5


def side_by_side(works: Sequence[Callable[[Check], Result]], between: Check) -> list[Result]:
    """What each of `works` returns, in their order: the first is done here, the others in threads of their own.

    `between` is called in this thread alone: by the first, and every half second while the others go on. What it
    raises, as what a piece of work raises, ends the others at their next step; it is raised here once they have ended.
    Only an interrupt waits for none: such threads keep no process alive.
    """
    has_failed = threading.Event()

    def check() -> None:
        if has_failed.is_set():
            raise CancelledError

    def step() -> None:
        check()
        between()

    others = [_begun(work, check, has_failed) for work in works[1:]]
    results: list[Result] = []
    try:
        results.append(works[0](step))
        while wait(others, LOOK_SECONDS).not_done:
            between()
    except CancelledError:
        wait(others)  # one of which says why
    except Exception:
        has_failed.set()
        wait(others)
        raise
    except BaseException:
        has_failed.set()
        raise
    errors = [error for other in others if (error := other.exception()) is not None]
    for error in errors:
        if not isinstance(error, CancelledError):
            raise error
    return [*results, *(other.result() for other in others)]


def _begun(work: Callable[[Check], Result], check: Check, has_failed: threading.Event) -> Future[Result]:
    """What a piece of work will return, which a thread has begun."""
    future = Future[Result]()

    def run() -> None:
        try:
            future.set_result(work(check))
        except BaseException as error:  # noqa: BLE001 - raised where it is asked for
            has_failed.set()
            future.set_exception(error)

    threading.Thread(target=run, name="neardup-request", daemon=True).start()
    return future
