"""The work of processes that are to be killed, stopped or starved; testing/torture/forker.py forks them.

Every function in WORK is the work of such a process; every function in SETUPS limits the process before it begins.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import orjson
from testing.torture import failing_calls
from testing.torture.failing_calls import Failing
from testing.torture.stories import Story, plain, state_of
from testing.window.backends import START
from testing.window.operations import Ingest, Operation, Reopen, perform

from neardup.__main__ import main
from neardup.errors import NeardupError, WindowMissing
from neardup.model.document import Document
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.window.base import Window

MOST_ERRORS: Final = 25
"""The number of errors after which a writer that cannot write gives up."""
NOBODY: Final = 65_534


class _Interruptions:
    """An interruption (SIGINT) raises `KeyboardInterrupt` once, when it is `wanted`; otherwise it is ignored."""

    wanted = False

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        wanted, self.wanted = self.wanted, False
        if wanted:
            raise KeyboardInterrupt


def tell(story_file: str, path: str, first: int, patience: int = MOST_ERRORS) -> int:
    """Does the steps of a story from the `first` on, and prints the answer to each as a line of JSON.

    It also prints an error or an interruption, and then closes the window and opens it again, up to `patience` times.
    """
    story, interruptions = Story.load(Path(story_file)), _Interruptions()
    window: Window | None = None
    at, errors = first, 0
    while at < len(story.steps):
        try:
            interruptions.wanted = True
            if window is None:
                window = open_window(Path(path), **story.settings)
            rest = story.rest_of(story.steps[at])
            if isinstance(rest, Reopen):
                window.close()
                window = open_window(Path(path), **story.settings)
            for answer in _answers(window, rest):
                interruptions.wanted = False
                _say({"answer": answer})
                at += 1
                interruptions.wanted = True
            interruptions.wanted = False
        except (OSError, NeardupError, KeyboardInterrupt) as error:
            interruptions.wanted = False
            _say_error(error)
            errors += 1
            if window is not None:
                _close(window)
            window = None
            if errors > patience:
                return 3
    if window is not None:
        window.close()
    return 0


def tell_and_fork(story_file: str, path: str, fork_at: int) -> int:
    """Like `tell`; before the step `fork_at` the process forks, and the new one tries to write to the same window."""
    story = Story.load(Path(story_file))
    at = 0
    with open_window(Path(path), **story.settings) as window:
        while at < len(story.steps):
            if at >= fork_at:
                fork_at = len(story.steps)
                _write_in_a_fork(window)
            rest = story.rest_of(story.steps[at])
            before_fork = max(fork_at - at, 1)
            if isinstance(rest, Ingest):
                rest = Ingest(rest.documents[:before_fork])
            for answer in _answers(window, rest):
                _say({"answer": answer})
                at += 1
    return 0


def _write_in_a_fork(window: Window) -> None:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            verdicts = list(window.ingest([Document("forked", "of a fork", START)]))
            _say({"error": f"a forked process was let write: {verdicts}", "named": False})
        except NeardupError as error:
            _say_error(error)
        os._exit(0)
    os.waitpid(pid, 0)


def _answers(window: Window, operation: Operation) -> Iterator[Any]:
    """The answers to the steps of an operation, as they arrive."""
    if isinstance(operation, Ingest):
        yield from (plain(verdict) for verdict in window.ingest(operation.documents))
    else:
        yield plain([] if isinstance(operation, Reopen) else perform(window, operation))


def _close(window: Window) -> None:
    try:
        window.close()
    except OSError as error:
        _say_error(error)


def _say_error(error: BaseException) -> None:
    """Prints the error, and whether it names a file or a remedy."""
    is_named = isinstance(error, NeardupError | KeyboardInterrupt) or bool(getattr(error, "filename", None))
    _say({"error": f"{type(error).__name__}: {error}", "named": is_named})


def read(path: str) -> int:
    """Reads a window once, and prints what it finds."""
    with open_window(Path(path), readonly=True) as window:
        _say({"state": state_of(window)})
    return 0


def follow(path: str, seen: str) -> None:
    """Reads a window again and again until it is killed, and writes what it finds into the file `seen`."""
    with Path(seen).open("wb", buffering=0) as file:
        while True:
            try:
                with open_window(Path(path), readonly=True) as window:
                    for _ in range(2):
                        ids = list(window)
                        groups, figures, verdicts = state_of(window)
                        found = {"calls": [groups, figures, ids], "verdicts": verdicts}
                        file.write(orjson.dumps(found) + b"\n")
            except WindowMissing:
                time.sleep(0.001)
            except NeardupError as error:
                file.write(orjson.dumps({"error": f"{type(error).__name__}: {error}"}) + b"\n")


def _say(line: object) -> None:
    sys.stdout.buffer.write(orjson.dumps(line) + b"\n")
    sys.stdout.buffer.flush()


def command(*words: object) -> None:
    """The command `neardup` with these arguments."""
    # The streams that were open remember positions in files that they no longer refer to.
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    with mock.patch("sys.argv", ["neardup", *map(str, words)]):
        main()


WORK: Final[dict[str, Callable[..., int | None]]] = {
    "tell": tell,
    "tell_and_fork": tell_and_fork,
    "read": read,
    "follow": follow,
    "command": command,
}


# ---- before it begins ----


def fail(*failing: Any) -> None:
    """System calls fail (testing/torture/failing_calls.py)."""
    failing_calls.install(Failing(*failing))


def limit_files(size: int) -> None:
    """No file may grow beyond this number of bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def drop_rights() -> None:
    """If the process runs as root, it becomes the user nobody."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def compact_soon() -> None:
    """Memory is compacted as soon as anything has been removed from it."""
    mock.patch("neardup.window.state._COMPACT_FROM", 0).start()


def as_scorer(lease_seconds: float, host: str | None, ahead: int) -> None:
    """Sets the duration of leases, and makes the process one of a machine `host` whose clock is `ahead` milliseconds
    ahead.
    """
    mock.patch("neardup.elastic.window.state_document.LEASE_SECONDS", lease_seconds).start()
    mock.patch("neardup.elastic.watch.leadership.LEADER_SECONDS", lease_seconds).start()
    if host is not None:
        mock.patch("socket.gethostname", return_value=host).start()
    name = "neardup.elastic.window.lease.now_ms"
    mock.patch(name, side_effect=lambda: time.time_ns() // 1_000_000 + ahead).start()


SETUPS: Final[dict[str, Callable[..., None]]] = {
    "fail": fail,
    "limit_files": limit_files,
    "drop_rights": drop_rights,
    "compact_soon": compact_soon,
    "as_scorer": as_scorer,
}
