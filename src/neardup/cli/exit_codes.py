"""How a command ends: an error or a signal becomes one line on standard error and an exit code.

0    done
1    done, some documents were rejected, or not compared with all they should be
2    the command was not understood, or asked for something that does not exist
3    the engine or its data cannot be used
129  its terminal was closed (SIGHUP), 130 interrupted (SIGINT), 141 the reader of our output went away (SIGPIPE), 143
     terminated (SIGTERM)
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import pwd
import re
import shlex
import signal
import stat
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn, Self, TypeVar

import typer
from typer.core import TyperGroup

from neardup.cli import streams
from neardup.cli.streams import log_line
from neardup.errors import DocumentError, NeardupError, OutputClosed, SettingsError, UnknownDocument
from neardup.model.escapes import escaped, without_passwords

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

MAY_BE_EMPTY: Final = frozenset(("--text", "--title", "--keep-kinds", "--source"))
"""Options whose values are not names, and may be empty."""

_LEFT_OVER_RE: Final = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.+)\)", re.DOTALL)
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


def end_at_signals() -> None:
    """Lets a signal end the process at once: for a command that leaves nothing half done, because a thread of a library
    may wait for ever for input, and Python would wait for that thread.
    """
    for number in KINDS:
        if not is_ignored(number):
            signal.signal(number, lambda number, _: os._exit(exit_code(KINDS[number]())))


class ErrorReportingGroup(TyperGroup):
    """The group of all commands; it turns every exception from one into a message and an exit code."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """Parses the words of the command line."""
        try:
            with _escaped_usage():
                if not options.get("resilient_parsing"):  # as for completion in a shell
                    _check_no_empty_name(*words[1:2])
                return super().make_context(*words, **options)
        except KeyboardInterrupt as error:  # typer would end without a message
            raise typer.Exit(exit_code(error)) from error

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that `ctx` names."""
        try:
            with _escaped_usage():
                return super().invoke(ctx)
        except (NeardupError, OSError, KeyboardInterrupt, Terminated) as error:
            raise typer.Exit(exit_code(error)) from error


def _check_no_empty_name(words: Sequence[str] = ()) -> None:
    """Raises `typer.BadParameter` for an empty name: as a path it would mean the working directory."""
    end = words.index("--") if "--" in words else len(words)
    for at, (before, word) in enumerate(pairwise(["neardup", *words])):
        is_unnamed = at < end and word.startswith("--") and word.partition("=")[1:] == ("=", "")
        behind = word.removesuffix("=") or before
        if (not word or is_unnamed) and MAY_BE_EMPTY.isdisjoint((before, behind)):
            raise typer.BadParameter(f"the name after {behind} is empty: is a shell variable not set?")


@contextlib.contextmanager
def _escaped_usage() -> Iterator[None]:
    """Removes passwords and control characters from typer's messages about a command line, and lets them name the
    option meant.
    """
    try:
        yield
    except Exception as error:
        if hasattr(error, "possibilities"):
            _name_the_longer(error)
            _say_how_names_begin(error)
            _name_what_is_meant(error)
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            _name_the_value(error)
            _name_the_option(error)
            error.message = escaped(_with_bytes(error.message), lines=True)  # type: ignore[attr-defined]
            error.message = without_passwords(error.message)  # type: ignore[attr-defined]
        raise


def _with_bytes(message: str) -> str:
    r"""`message` with bytes of the command line that are not UTF-8 as `\xNN`: `repr` writes them as surrogates.

    >>> print(_with_bytes(repr("caf\udce9")))
    'caf\xe9'
    """
    return _REPR_OF_BYTE_RE.sub(r"\\x\1", message)


def _say_how_names_begin(error: Any) -> None:
    """Adds to typer's error for an unknown option how to give a name that begins with -."""
    takes_names = any(each.param_type_name == "argument" for each in error.ctx.command.params)
    if takes_names and not error.option_name.startswith("--"):
        error.message += f"; put a name that begins with - after --: `{error.ctx.command_path} -- NAME`"


def _name_the_longer(error: Any) -> None:
    """Lets typer's error, which proposes similar options, propose those that begin with the unknown one."""
    options = [name for each in error.ctx.command.params for name in (*each.opts, *each.secondary_opts)]
    error.possibilities = [
        name for name in options if name.startswith(error.option_name)
    ] or error.possibilities


def _name_what_is_meant(error: Any) -> None:
    """Lets typer's error name the equivalent of another command's option: for a window, or for an output file."""
    options = {name for each in error.ctx.command.params for name in each.opts}
    meant = {"--window": "--against", "-w": "--against", "--against": "--window"}.get(error.option_name)
    if meant in options and error.ctx.command.name in ("check", "query"):
        error.possibilities = [meant]
    if error.option_name in ("--output", "-o"):
        error.message += f"; `{error.ctx.command_path} ... > FILE` writes what it prints to a file"
        error.possibilities = []  # a similar option would not be for a file


def _name_the_value(error: Any) -> None:
    """Lets typer's error name the value that pydantic could not read."""
    if hasattr(error.__cause__, "errors"):
        value = repr(error.__cause__.errors()[0]["input"])
        why = error.message.removeprefix("Value error, ")
        error.message = why if value in why else f"{value}: {why}"


def _name_the_option(error: Any) -> None:
    """Lets typer's error for surplus words that are a window, a file or a text name the option that is missing."""
    left_over = _LEFT_OVER_RE.fullmatch(error.message)
    if left_over is None or error.ctx is None:
        return
    word = left_over[1]
    # These two return False for a name that is too long; Path raises.
    is_window = word.startswith(("http://", "https://")) or os.path.isdir(word)  # noqa: PTH112
    is_file = word == "-" or os.path.isfile(word)  # noqa: PTH113
    option = "--window" if is_window else "--file" if is_file else "--text"
    if any(option in each.opts for each in error.ctx.command.params):
        error.message = f"{word} has no option before it: did you mean {option} {shlex.quote(word)}?"


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
        return f"{error.filename}: {_why(error)}"
    return _with_bytes(str(error))


def _why(error: OSError) -> str:
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


class _LogHandler(logging.Handler):
    """Writes the library's log as messages of the command line."""

    def emit(self, record: logging.LogRecord) -> None:
        log_line(record.getMessage())


def _log_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Writes a warning as a message of the command line, without the line of code that issued it."""
    log_line(str(message))


def run(app: typer.Typer) -> NoReturn:
    """Runs the command line and ends the process with its exit code."""
    streams.repair()
    logging.getLogger("neardup").addHandler(_LogHandler())
    warnings.showwarning = _log_warning
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if not is_ignored(ending):
            signal.signal(ending, terminate)
    try:
        code = _flushed(_code_of(app))
    except (KeyboardInterrupt, Terminated) as error:  # for example while the last output waits for a reader
        streams.discard(sys.stdout)
        code = exit_code(error)
    for number in KINDS:  # everything is done: later signals change nothing
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _flushed(code: int) -> int:
    """Flushes standard output; returns the exit code, which is `code` unless that fails."""
    try:
        sys.stdout.flush()
    except OSError as error:
        streams.discard(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        if code != UNUSABLE:  # which has been reported
            log_line(f"standard output: {_why(error)}")
        return UNUSABLE
    return code


def _code_of(app: typer.Typer) -> int:
    """Runs the command line; returns its exit code."""
    try:
        app(prog_name="neardup")
    except SystemExit as end:
        # The library that prints help and tables would make it 1.
        if isinstance(end.__context__, BrokenPipeError):
            return exit_code(end.__context__)
        return end.code if isinstance(end.code, int) else DONE
    except (OSError, OutputClosed, KeyboardInterrupt, Terminated) as error:  # outside every command
        return exit_code(error)
    except MemoryError as error:
        log_line(
            f"there is too little memory ({str(error) or 'the system gives no more'}): results already reported are "
            "safe. Shorter texts (--max-length), smaller batches (--batch-documents) and a smaller window "
            "(--max-memory) need less"
        )
        return UNUSABLE
    except Exception:  # noqa: BLE001 - Python's own exit code for a crash, 1, means "done" here
        for line in traceback.format_exc().splitlines():
            streams.write_error_line(line)
        log_line("this is a bug in neardup: please report the lines above")
        return UNUSABLE
    return DONE


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
