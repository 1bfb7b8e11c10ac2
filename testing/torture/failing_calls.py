"""System calls that fail in this process, from a chosen call that changes files onwards.

Unlike testing/window/faults.py, this replaces the functions of `os` themselves, whichever code calls them, so that it
works in any process, and can really end it.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
from collections.abc import Callable
from typing import Any, Final, NamedTuple

CHANGING: Final = (
    "pwrite", "truncate", "ftruncate", "fsync", "rename", "replace", "unlink", "rmdir", "mkdir", "open",
)  # fmt: skip
ERRORS: Final = {name: getattr(errno, name) for name in ("EIO", "ENOSPC", "EDQUOT", "EROFS")}
SECTOR: Final = 512
"""Number of bytes that disks, and the memory of the system, write whole or not at all."""
KILL, TERMINATE, INTERRUPT, FULL = "kill", "terminate", "interrupt", "full"


class Failing(NamedTuple):
    """Which call fails, counted from 1, and how: `do` is a name in ERRORS, KILL, TERMINATE, INTERRUPT, or FULL.

    `times`: how many calls in a row, -1 for all later ones; with FULL, which begins after `at` written bytes, how many
    fail before there is space again. `part`: the part that is done of a write that is not done at once.
    """

    do: str
    at: int
    times: int = 1
    part: float = 0.5


class _Counter:
    def __init__(self, failing: Failing) -> None:
        self.failing = failing
        self.calls = self.bytes = self.failed = 0

    def is_due(self) -> bool:
        """Whether this call fails."""
        self.calls += 1
        at, times = self.failing.at, self.failing.times
        return self.calls >= at and (times < 0 or self.calls < at + times)

    def fail(self, file: object) -> None:
        """Fails as configured; returns if the call is still to be done."""
        match self.failing.do:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "terminate":
                signal.raise_signal(signal.SIGTERM)
            case "interrupt":
                signal.raise_signal(signal.SIGINT)
            case name:
                number = ERRORS[name]
                raise OSError(number, os.strerror(number), file if isinstance(file, str) else None)


def install(failing: Failing) -> None:
    """From now on, calls of this process fail in this way."""
    counter = _Counter(failing)
    if failing.do == FULL:
        os.pwrite = _filling(counter, os.pwrite)
        return
    for name in CHANGING:
        setattr(os, name, _failing(counter, name, getattr(os, name)))
    opened = _failing_open(counter, io.open)
    io.open = opened
    builtins.open = opened


def _failing(counter: _Counter, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def failing(*arguments: Any, **named: Any) -> Any:
        changes = name != "open" or arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if changes and counter.is_due():
            if name == "pwrite" and not _is_at_once(*arguments):
                file, data, place = arguments
                function(file, bytes(data)[: int(len(data) * counter.failing.part)], place)
            counter.fail(os.fspath(arguments[0]) if not isinstance(arguments[0], int) else None)
        return function(*arguments, **named)

    return failing


def _is_at_once(file: int, data: Any, place: int) -> bool:
    """Whether a write is done whole or not at all: a small one over existing bytes, such as a commit slot."""
    return len(data) <= SECTOR and place + len(data) <= os.fstat(file).st_size


def _failing_open(counter: _Counter, function: Callable[..., Any]) -> Callable[..., Any]:
    def failing(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if set(mode) & set("wax+") and counter.is_due():
            counter.fail(str(file))
        return function(file, mode, *arguments, **named)

    return failing


def _filling(counter: _Counter, function: Callable[..., int]) -> Callable[..., int]:
    """A disk this full: bytes that fit are written, and the next write fails."""

    def filling(file: int, data: Any, place: int) -> int:
        left = counter.failing.at - counter.bytes
        is_full = left < len(data) and counter.failed < counter.failing.times
        if not is_full:
            counter.bytes += len(data) if counter.failed == 0 else 0
            return function(file, data, place)
        counter.bytes += max(left, 0)
        if left > 0 and not _is_at_once(file, data, place):
            return function(file, bytes(data)[:left], place)
        counter.failed += 1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return filling
