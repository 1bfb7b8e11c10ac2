"""The three standard streams, closed, broken or of another encoding; and text of others as a terminal may be shown it.

Ids, titles, names of fields and files come from outside. An escape sequence among them could rename the window of a
terminal, clear it, or turn the rest of a line round, and logs are read on terminals, too. So every line that is printed
has what would steer a terminal written out.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from typing import Any, Final

from neardup.errors import OutputClosed

_IN, _OUT, _ERR = range(3)
_CLOSED: Final = "standard input is closed"
_STEERING: Final = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: escape sequences begin with one of them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the order in which a line is read
    "\u2028\u2029"  # line and paragraph separator
    "\ud800-\udfff"  # no characters: bytes of a file name that are not UTF-8
)
_ANY_RE: Final = re.compile(f"[{_STEERING}]")
_BUT_LINES_RE: Final = re.compile(f"(?![\t\n])[{_STEERING}]")
_JSON_RE: Final = re.compile(f"(?!\n)[{_STEERING}]")


class _ClosedOutput(io.TextIOBase):
    """Stands in for a standard output that is not there: whatever is written raises `OutputClosed`."""

    encoding = "utf-8"

    @property
    def buffer(self) -> Any:
        raise OutputClosed

    def write(self, _: str) -> int:
        raise OutputClosed

    def isatty(self) -> bool:
        return False


class _ClosedInput(io.TextIOBase):
    """Stands in for a standard input that is not there: reading raises `OSError`."""

    def fileno(self) -> int:
        raise OSError(errno.EBADF, _CLOSED)

    def isatty(self) -> bool:
        return False


def repair() -> None:
    """Make the standard streams such that nothing is lost on them and no other file takes their numbers.

    A closed one would lend its number to the next file that is opened, a window's for one, and `print` would write
    what is meant for a closed standard error to standard output. A character that the encoding of a stream does not
    have is written as its escape.
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
    """Raises `OutputClosed` if there is no standard output: before work is done whose result nobody would see."""
    if isinstance(sys.stdout, _ClosedOutput):
        raise OutputClosed


def log_line(message: str) -> None:
    """One message to standard error."""
    write_error_line(f"neardup: {message}")


def write_error_line(line: str) -> None:
    """One line to standard error, with what would steer a terminal escaped.

    Where nobody can read it any more, the line is lost and the work goes on.
    """
    try:
        print(escaped(line), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Send what is still to come on `stream` nowhere: Python would complain on its way out."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_json(data: bytes) -> None:
    """Lines of JSON to standard output: to a program as they are, to a terminal with what would steer it escaped."""
    sys.stdout.buffer.write(escaped_json(data) if sys.stdout.isatty() else data)
    sys.stdout.buffer.flush()


def escaped(text: str, *, lines: bool = False) -> str:
    r"""`text` with every character that steers a terminal as its escape; with `lines` tabs and line feeds stay.

    >>> print(escaped("a\x1b[2Jb\u202ec\nd"))
    a\x1b[2Jb\u202ec\x0ad
    """
    return (_BUT_LINES_RE if lines else _ANY_RE).sub(_escape, text)


def escaped_json(data: bytes) -> bytes:
    r"""Lines of JSON that say the same, with these characters as JSON's own escapes.

    >>> escaped_json('{"id":"a\x9bb"}'.encode())
    b'{"id":"a\\u009bb"}'
    """
    return _JSON_RE.sub(_json_escape, data.decode()).encode()


def _escape(match: re.Match[str]) -> str:
    point = ord(match[0])
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
