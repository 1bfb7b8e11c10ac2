"""The three standard streams, which may be closed, broken or of another encoding. In every line that is printed,
control characters are escaped (model/escapes.py).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from neardup.errors import OutputClosed
from neardup.model.escapes import escaped, escaped_json, without_passwords
from neardup.sources import files

_IN, _OUT, _ERR = range(3)
_CLOSED: Final = "standard input is closed"
_NO_UTF8_RE: Final = re.compile("[\udc80-\udcff]+|[\ud800-\udfff]")
"""Surrogates, by which Python represents bytes of a file's name that are not UTF-8; or half a character."""


class NamedFile(io.FileIO):
    """A file for writing, by its path or as standard output, whose errors name it: the system's own, for an open file,
    only say that a disk is full.
    """

    def write(self, data: Any) -> int:
        """Like `io.FileIO.write`, but names the file in an error."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "standard output" if self.name == _OUT else os.fspath(self.name)
            raise


class _ClosedOutput(io.TextIOBase):
    """Stands in for a closed standard output: every write raises `OutputClosed`."""

    encoding = "utf-8"

    @property
    def buffer(self) -> Any:
        raise OutputClosed

    def write(self, _: str) -> int:
        raise OutputClosed

    def isatty(self) -> bool:
        return False


class _ClosedInput(io.TextIOBase):
    """Stands in for a closed standard input: reading raises `OSError`."""

    @property
    def buffer(self) -> Any:
        raise OSError(errno.EBADF, _CLOSED)

    def readline(self, _: int | None = -1, /) -> Any:
        raise OSError(errno.EBADF, _CLOSED)

    def fileno(self) -> int:
        raise OSError(errno.EBADF, _CLOSED)

    def isatty(self) -> bool:
        return False


def repair() -> None:
    """Repairs the standard streams, so that nothing is lost on them and no other file takes their numbers.

    The number of a closed stream would go to the next file that is opened, such as a window's, and `print` would write
    text for a closed standard error to standard output. A character that the encoding of a stream does not have is
    written as its escape.
    """
    closed = [number for number in (_IN, _OUT, _ERR) if _is_closed(number)]
    for number in closed:
        flags = os.O_RDONLY if number == _IN else os.O_WRONLY
        file = os.open(os.devnull, flags)
        if file != number:
            os.dup2(file, number)
            os.close(file)
    if _IN in closed or sys.stdin is None:
        sys.stdin = _ClosedInput()
    if _OUT in closed or sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if _ERR in closed or sys.stderr is None:
        sys.stderr = os.fdopen(_ERR, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(NamedFile(_OUT, "wb", closefd=False)), sys.stdout.encoding,
            line_buffering=sys.stdout.line_buffering, write_through=sys.stdout.write_through,
        )  # fmt: skip
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def check_output() -> None:
    """Raises `OutputClosed` if there is no standard output, before work is done whose result would be lost."""
    if isinstance(sys.stdout, _ClosedOutput):
        raise OutputClosed


def log_line(message: str) -> None:
    """Writes one message to standard error."""
    write_error_line(f"neardup: {message}")


def write_error_line(line: str) -> None:
    """Writes one line to standard error, with control characters escaped, names of files as in JSON, and without
    passwords of URLs.

    If standard error is broken, the line is lost and the work goes on.
    """
    try:
        print(without_passwords(escaped(_written_out(line))), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Redirects `stream` to the null device: otherwise Python would report an error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def as_json(values: Any) -> bytes:
    r"""`values` as a line of JSON; bytes of a file's name and half characters, which JSON does not have, are escaped.

    >>> as_json({"window": "caf\udce9.window"})
    b'{"window":"caf\\\\xe9.window"}\n'
    """
    import orjson

    try:
        return orjson.dumps(values, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return orjson.dumps(_written_out(values), option=orjson.OPT_APPEND_NEWLINE)


def _written_out(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_UTF8_RE.sub(_as_escapes, value)
    if isinstance(value, Mapping):
        return {_written_out(name): _written_out(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_written_out(each) for each in value]
    return value


def _as_escapes(match: re.Match[str]) -> str:
    part = match[0]
    is_name = "\udc80" <= part[0] <= "\udcff"
    return files.bytes_escaped(part) if is_name else part.encode(errors="backslashreplace").decode()


def write_json(data: bytes) -> None:
    """Writes lines of JSON to standard output: to a terminal with control characters escaped, else as they are."""
    sys.stdout.buffer.write(escaped_json(data) if sys.stdout.isatty() else data)
    sys.stdout.buffer.flush()
