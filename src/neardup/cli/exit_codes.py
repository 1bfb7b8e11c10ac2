"""From what may go wrong to what a shell sees: one line on standard error and an exit code.

0    done
1    done, some documents were rejected, or not compared with all they should be
2    the command was not understood, or asked for what is not there
3    the engine or its data cannot be used
130  interrupted (SIGINT), 141 the reader of our output went away (SIGPIPE), 143 terminated (SIGTERM)
"""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import traceback
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from neardup.cli import streams
from neardup.cli.escaping import escaped
from neardup.cli.stopping import Terminated, terminate
from neardup.errors import DocumentError, NeardupError, SettingsError, UnknownDocument

DONE: Final = 0
REJECTED: Final = 1
USAGE: Final = 2
UNUSABLE: Final = 3
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM
BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, which Windows does not have


class ErrorReportingGroup(TyperGroup):
    """The group of all commands; every exception that leaves one becomes a message and an exit code here."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """What the words of the command line mean."""
        with _escaped_usage():
            return super().make_context(*words, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that `ctx` names."""
        try:
            with _escaped_usage():
                return super().invoke(ctx)
        except (NeardupError, OSError, KeyboardInterrupt, Terminated) as error:
            raise typer.Exit(exit_code(error)) from error


@contextlib.contextmanager
def _escaped_usage() -> Iterator[None]:
    """Lets what typer says of a command line repeat nothing of it that steers a terminal."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            error.message = escaped(error.message, lines=True)  # type: ignore[attr-defined]
        raise


def exit_code(error: BaseException) -> int:
    """The exit code for `error`, after saying in one line what it is."""
    if isinstance(error, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    if isinstance(error, Terminated):
        say("terminated")
        return TERMINATED
    if isinstance(error, BrokenPipeError):
        streams.discard(sys.stdout)
        return BROKEN_PIPE
    if isinstance(error, OSError) and error.filename is not None:
        say(f"{error.filename}: {error.strerror}")
    else:
        say(str(error))
    if isinstance(error, SettingsError | UnknownDocument | FileNotFoundError | streams.OutputClosed):
        return USAGE
    return REJECTED if isinstance(error, DocumentError) else UNUSABLE


def say(message: str) -> None:
    """One line to standard error."""
    streams.say_line(f"neardup: {message}")


class _Teller(logging.Handler):
    """What the library logs, told as everything else is."""

    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())


def run(app: typer.Typer) -> NoReturn:
    """Run the command line and end the process with its exit code."""
    streams.repair()
    logging.getLogger("neardup").addHandler(_Teller())
    signal.signal(signal.SIGTERM, terminate)
    code = _code_of(app)
    try:
        sys.stdout.flush()
    except OSError as error:
        streams.discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            say(f"standard output: {error.strerror}")
        code = BROKEN_PIPE if isinstance(error, BrokenPipeError) else UNUSABLE
    sys.exit(code)


def _code_of(app: typer.Typer) -> int:
    """Runs the command line; its exit code."""
    try:
        app(prog_name="neardup")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else DONE
    except (OSError, streams.OutputClosed, KeyboardInterrupt, Terminated) as error:  # outside every command
        return exit_code(error)
    except Exception:  # noqa: BLE001 - Python's own exit code for a crash, 1, would say that all is done
        for line in traceback.format_exc().splitlines():
            streams.say_line(line)
        say("this is a fault of neardup: please report the lines above")
        return UNUSABLE
    return DONE
