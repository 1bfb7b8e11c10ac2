"""Chunks of bytes cut into lines, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from neardup.sources.streams import Chunk

EXCERPT: Final = 200
"""How many bytes of a rejected line are shown."""

BOM: Final = b"\xef\xbb\xbf"

Lines = list[bytes] | None
"""Lines without their line feeds; None: nothing more is available now."""


class Overlong(bytes):
    """The head of a line that is longer than `limit` bytes; the rest of the line was dropped."""

    limit: int

    @classmethod
    def cut(cls, line: bytes, limit: int) -> Overlong:
        """The head of `line`, with the `limit` that it exceeds."""
        head = cls(line[:EXCERPT])
        head.limit = limit
        return head

    def reason(self) -> str:
        """Why this line makes no document."""
        return f"the line is longer than {self.limit:,} bytes"


def lines(chunks: Iterator[Chunk], longest: int) -> Iterator[Lines]:
    """The lines of a stream in lists, as they become complete; a line feed ends a line, and so does the stream's end.

    A line longer than `longest` bytes is represented by its `Overlong` head, so memory stays within `longest` and a
    chunk. Byte order marks before the first line are removed.
    """
    held: list[bytes] = []  # the pieces of the line that is not complete yet
    length = 0
    first = True
    for chunk in chunks:
        if chunk is None:
            yield None
            continue
        cut = chunk.split(b"\n")
        held.append(cut[0])
        length += len(cut[0])
        if length > longest:
            held = [b"".join(held)[:EXCERPT]]
        if len(cut) == 1:
            continue
        if len(chunk) > longest:
            cut[1:-1] = [_joined([line], len(line), longest) for line in cut[1:-1]]
        cut[0] = _joined(held, length, longest)
        if first:
            cut[0], first = without_bom(cut[0]), False
        held = [cut.pop()]
        length = len(held[0])
        yield cut
    last = _joined(held, length, longest)
    if first:
        last = without_bom(last)
    if last:
        yield [last]


def excerpt(line: bytes) -> str:
    r"""The beginning of `line`, so that people recognise it; bytes that are not UTF-8 are shown as `\xNN`.

    >>> print(excerpt(b"caf\xe9"))
    caf\xe9
    """
    shown = line[:EXCERPT].decode("utf-8", "backslashreplace")
    return shown + "…" if len(line) > EXCERPT or isinstance(line, Overlong) else shown


def _joined(held: list[bytes], length: int, longest: int) -> bytes:
    line = b"".join(held)
    return Overlong.cut(line, longest) if length > longest else line


def without_bom(line: bytes) -> bytes:
    """`line` without the byte order marks at its beginning."""
    start = 0
    while line.startswith(BOM, start):  # some programs put a second mark before the first
        start += len(BOM)
    return line[start:] if start and not isinstance(line, Overlong) else line
