"""A run of the command line, from its first signal handler to the exit code of the process."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
import warnings
from typing import Any, NoReturn

import typer

from neardup.cli import streams
from neardup.cli.exit_codes import (
    BROKEN_PIPE,
    DONE,
    KINDS,
    UNUSABLE,
    Terminated,
    exit_code,
    is_ignored,
    system_message,
    terminate,
)
from neardup.cli.streams import log_line
from neardup.errors import OutputClosed


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
            log_line(f"standard output: {system_message(error)}")
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


def end_at_signals() -> None:
    """Lets a signal end the process at once: for a command that leaves nothing half done, because a thread of a library
    may wait for ever for input, and Python would wait for that thread.
    """
    for number in KINDS:
        if not is_ignored(number):
            signal.signal(number, lambda number, _: os._exit(exit_code(KINDS[number]())))
