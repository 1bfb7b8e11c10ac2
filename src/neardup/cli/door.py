"""From what may go wrong to what a shell sees: one line on standard error and an exit code.

0    done
1    done, some documents were rejected
2    the command was not understood, or asked for what is not there
3    the engine or its data cannot be used
130  interrupted (SIGINT), 141 the reader of our output went away (SIGPIPE), 143 terminated (SIGTERM)
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from neardup.errors import DocumentError, NeardupError, SettingsError, UnknownDocument

DONE: Final = 0
REJECTED: Final = 1
USAGE: Final = 2
UNUSABLE: Final = 3
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM
BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, which Windows does not have


class WindowMissing(NeardupError):
    """There is no window at the place that was named."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: there is no window here; `neardup ingest FILE --window {self.place}` makes one"


class Door(TyperGroup):
    """The group of all commands; every exception that leaves one becomes a message and an exit code here."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that `ctx` names."""
        try:
            return super().invoke(ctx)
        except (NeardupError, OSError, KeyboardInterrupt) as error:
            raise typer.Exit(exit_code(error)) from error


def exit_code(error: BaseException) -> int:
    """The exit code for `error`, after saying in one line what it is."""
    if isinstance(error, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # Python would flush standard output once more on its way out, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    if isinstance(error, OSError) and error.filename is not None:
        say(f"{error.filename}: {error.strerror}")
    else:
        say(str(error))
    if isinstance(error, SettingsError | UnknownDocument | FileNotFoundError):
        return USAGE
    return REJECTED if isinstance(error, DocumentError) else UNUSABLE


def say(message: str) -> None:
    """One line to standard error."""
    print(f"neardup: {message}", file=sys.stderr)


class _Teller(logging.Handler):
    """What the library logs, told as everything else is."""

    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())


def run(app: typer.Typer) -> NoReturn:
    """Run the command line and end the process with its exit code."""
    logging.getLogger("neardup").addHandler(_Teller())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        app(prog_name="neardup")
    except Exception:  # noqa: BLE001 - Python's own exit code for a crash, 1, would say that all is done
        traceback.print_exc()
        say("this is a fault of neardup: please report the lines above")
        sys.exit(UNUSABLE)
    sys.exit(DONE)
