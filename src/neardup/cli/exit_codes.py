"""How a command ends: an error or a signal becomes one line on standard error and an exit code.

0    done
1    done, some documents were rejected, or not compared with all they should be
2    the command was not understood, or asked for something that does not exist
3    the engine or its data cannot be used
129  its terminal was closed (SIGHUP), 130 interrupted (SIGINT), 141 the reader of our output went away (SIGPIPE), 143
     terminated (SIGTERM); a server that SIGTERM has ended is done (0)
"""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import re
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final, Self, TypeVar

from neardup.cli import streams
from neardup.cli.streams import log_line
from neardup.errors import DocumentError, OutputClosed, SettingsError, UnknownDocument

DONE: Final = 0
REJECTED: Final = 1
USAGE: Final = 2
UNUSABLE: Final = 3
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM
HUNG_UP: Final = 128 + signal.SIGHUP
BROKEN_PIPE: Final = 128 + signal.SIGPIPE
_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors of a full disk, an exceeded quota or a file that may not grow."""

_REPR_OF_BYTE_RE: Final = re.compile(r"(?<!\\)\\udc([89a-f][0-9a-f])")

Item = TypeVar("Item")


class Terminated(BaseException):
    """SIGTERM has come. Like KeyboardInterrupt it is not an `Exception`, so that no handler catches it by accident."""


class HungUp(KeyboardInterrupt):
    """SIGHUP has come: the terminal was closed. A KeyboardInterrupt, which the loop of a server lets through."""


KINDS: Final[dict[int, type[KeyboardInterrupt | Terminated]]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
    signal.SIGHUP: HungUp,
}


def is_ignored(number: int) -> bool:
    """Whether our parent process wants this signal ignored, as a shell does by `trap ''` or in the background."""
    return signal.getsignal(number) is signal.SIG_IGN


def terminate(number: int, _: FrameType | None) -> None:
    """The handler of SIGTERM and SIGHUP where nothing has to be finished first."""
    raise KINDS[number]


def exit_code(error: BaseException) -> int:
    """The exit code for `error`, after reporting it in one line."""
    if isinstance(error, HungUp):
        log_line("ended by SIGHUP: its terminal was closed")
        return HUNG_UP
    if isinstance(error, KeyboardInterrupt):
        log_line("interrupted")
        return INTERRUPTED
    if isinstance(error, Terminated):
        log_line("terminated")
        return TERMINATED
    if isinstance(error, BrokenPipeError):
        streams.discard(sys.stdout)
        return BROKEN_PIPE
    if isinstance(error, BlockingIOError) and error.filename is None:  # from a buffer, which knows no name
        error.filename = "standard output"
    log_line(in_words(error))
    if isinstance(error, SettingsError | UnknownDocument | FileNotFoundError | OutputClosed):
        return USAGE
    return REJECTED if isinstance(error, DocumentError) else UNUSABLE


def in_words(error: BaseException) -> str:
    """The message for an error, in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {system_message(error)}"
    return with_bytes(str(error))


def system_message(error: OSError) -> str:
    """The system's message, and what to do about it."""
    if error.errno in _FULL:  # a note says how to go on, perhaps by another command
        again = "" if getattr(error, "__notes__", ()) else ", and give the same command again"
        return f"{error.strerror}: make room{again}"
    if error.errno == errno.EMFILE:
        return f"{error.strerror}: raise the limit for this process (ulimit -n)"
    whose = _whose(error.filename) if error.strerror == os.strerror(errno.EACCES) else ""
    return f"{error.strerror}{whose}"


def _whose(name: Any) -> str:
    """Who owns the file, or the directory of it, to which access is denied, and who is denied; empty if neither is
    known to be the cause.
    """
    path = Path(os.path.abspath(os.fsdecode(name)))  # noqa: PTH100 - resolving links may be denied
    for each in (path, *path.parents):
        with contextlib.suppress(OSError, ValueError):
            status = each.stat()
            every_use = os.R_OK | os.W_OK | (os.X_OK if stat.S_ISDIR(status.st_mode) else 0)
            if os.access(each, every_use):
                if each == path:
                    continue  # deleting or renaming depends on the directory
                break
            mode = stat.S_IMODE(status.st_mode)
            owner, own = _user(status.st_uid), _user(os.geteuid())
            return f": {each} belongs to {owner} (mode {mode:03o}), and neardup runs as {own}"
    return ""


def _user(id: int) -> str:
    try:
        return pwd.getpwuid(id).pw_name
    except KeyError:  # as in a container
        return f"user {id}"


def with_bytes(message: str) -> str:
    r"""`message` with bytes of the command line that are not UTF-8 as `\xNN`: `repr` writes them as surrogates.

    >>> print(with_bytes(repr("caf\udce9")))
    'caf\xe9'
    """
    return _REPR_OF_BYTE_RE.sub(r"\\x\1", message)


class Stop:
    """Records the first signal and lets the work at hand go on until it checks; a second signal ends the work at once.

    While the run only waits for the next document, one signal is enough; with `waits`, also before the first document.
    """

    def __init__(self, *, waits: bool = False) -> None:
        self.requested: type[BaseException] | None = None
        self._waiting = waits
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            heeded = [number for number in KINDS if not is_ignored(number)]
            self._before = {number: signal.signal(number, self._on_signal) for number in heeded}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        again, self.requested = self.requested is not None, KINDS[number]
        if again or self._waiting:
            raise self.requested

    def raise_if_requested(self) -> None:
        """Raises the exception of the signal that has come, if any; to be called when everything is done."""
        if self.requested is not None:
            raise self.requested

    def until_requested(self, items: Iterable[Item]) -> Iterator[Item]:
        """The `items` until a signal comes: the consumer then sees their end, and finishes its work."""
        source = iter(items)
        while self.requested is None:
            try:
                self._waiting = True
                item = next(source)
            except (StopIteration, KeyboardInterrupt, Terminated):
                return
            finally:
                self._waiting = False
            yield item

    def sleep(self, seconds: float) -> None:
        """Sleeps, less long if a signal comes."""
        try:
            self._waiting = True
            if self.requested is None:
                time.sleep(seconds)
        except (KeyboardInterrupt, Terminated):
            pass  # recorded in `requested`
        finally:
            self._waiting = False
