"""JSON that is not one object a line (arrays of objects, objects spread over lines) cut into its objects.

Nothing is parsed here: strings and brackets are followed only to see where a value ends. `json_lines` parses the pieces
as it parses lines. So memory stays within a value, however long the array is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from neardup.sources.lines import BOM, EXCERPT, Overlong
from neardup.sources.streams import after_head

if TYPE_CHECKING:
    from neardup.sources.streams import Chunk

MOST_LOOKED_AT: Final = 1 << 20
"""How many bytes are looked at: two lines must have begun in them for the second to show what the first is."""
BLANK: Final = b" \t\r\n"
_GOING_ON: Final = b'"}],:-0123456789tfn'
"""The bytes with which an object may continue on the next line. An opening bracket begins another object."""
_OBJECT_LINE_RE: Final = re.compile(rb"\n[ \t\r]*\{")
_BETWEEN_RE: Final = re.compile(rb'["{}\[\],]')
_WITHIN_RE: Final = re.compile(rb'["{}\[\]]')
_IN_STRING_RE: Final = re.compile(rb'["\\]')


class Cut(bytes):
    """The beginning of a value cut off by the end of the stream; empty if the stream ends in an array."""


Values = list[tuple[int, bytes]] | None
"""Values with the lines that they begin in; None: nothing more is available now."""


def is_spread(chunks: Iterator[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """(whether this is not JSON Lines but an array, or objects over several lines; all chunks).

    This is so if it begins with a bracket, or if the first line is a part of an object that the next line may continue.
    A line that ends within a string is not such a part, but cut off: no string continues on the next line. Nor is a
    line such as `[1, 2]` or `[WARN] started` the beginning of an array, if a later line begins with an object.
    """
    head = begun = b""
    for chunk in chunks:
        head += chunk or b""
        if BOM.startswith(head):  # an incomplete byte order mark decides nothing
            continue
        begun = head[:MOST_LOOKED_AT].removeprefix(BOM).lstrip(BLANK)
        spread = _is_array(begun) if begun.startswith(b"[") else _is_object_in_parts(begun)
        if spread is not None:
            return spread, after_head(head, chunks)
        if len(head) > MOST_LOOKED_AT:
            break
    return begun.startswith(b"["), after_head(head, chunks)


def _is_array(begun: bytes) -> bool | None:
    """Whether an array of objects begins with `begun`; None if that cannot be told yet."""
    first, newline, _ = begun.partition(b"\n")
    goes_on = newline and first.rstrip(BLANK).endswith((b"[", b","))
    if goes_on or begun[1:].lstrip(BLANK).startswith(b"{"):
        return True
    return False if _OBJECT_LINE_RE.search(begun) else None


def _is_object_in_parts(begun: bytes) -> bool | None:
    """Whether `begun` begins an object that continues on the next line; None if that cannot be told yet."""
    first, newline, rest = begun.partition(b"\n")
    if begun and (not begun.startswith(b"{") or (newline and not _is_part(first))):
        return False
    after = rest.lstrip(BLANK)[:1]
    return after in _GOING_ON if after else None


def values(chunks: Iterator[Chunk], longest: int) -> Iterator[Values]:
    """The values one after the other, those of arrays one by one. Values longer than `longest` bytes are `Overlong`."""
    splitter = _Splitter(longest)
    for chunk in chunks:
        if chunk is None:
            yield None
        elif ended := list(splitter.feed(chunk)):
            yield ended
    if unended := list(splitter.last()):
        yield unended


def _is_part(line: bytes) -> bool:
    """Whether a line ends within brackets that it has opened, and not in a string."""
    splitter = _Splitter(len(line))
    for _ in splitter.feed(line):
        pass
    return splitter.is_between_parts


class _Splitter:
    """Follows brackets and strings through chunks, and gives each value when it ends."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._pieces: list[bytes] = []
        self._length = 0
        self._line, self._start = 1, 1
        self._depth = 0  # of brackets within the value
        self._in_array = False
        self._in_string = False
        self._is_escaped = False

    @property
    def is_between_parts(self) -> bool:
        """Whether the next byte belongs to a value that has begun, but not to a string in it."""
        return self._depth > 0 and not self._in_string

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        """The values that end within `chunk`."""
        begun = 0  # where the part of the chunk begins that is not yet in a value
        for sign, at in self._signs(chunk):
            if self._depth == 0 and (sign in b",]" if self._in_array else sign in b"[,]}{"):
                # Between values: the bytes before the sign are a value, if they are more than blanks.
                self._append(chunk[begun : at - 1])
                begun = at
                yield from self._ended()
                if sign == b"{":
                    begun, self._depth = at - 1, 1
                self._in_array = sign == b"[" or (self._in_array and sign == b",")
            elif sign in b"{[":
                self._depth += 1
            elif sign in b"}]":
                self._depth = max(0, self._depth - 1)
                if not self._depth and not self._in_array:
                    self._append(chunk[begun:at])
                    begun = at
                    yield from self._ended()
        self._append(chunk[begun:])

    def _signs(self, chunk: bytes) -> Iterator[tuple[bytes, int]]:
        """The brackets of `chunk` outside of strings, and the commas between values, each with the place behind it."""
        at = 0
        if self._is_escaped and chunk:
            at, self._is_escaped = 1, False
        while match := self._sought().search(chunk, at):
            at, sign = match.end(), match[0]
            if sign == b'"':
                self._in_string = not self._in_string
            elif sign == b"\\":
                at, self._is_escaped = at + 1, at == len(chunk)
            else:
                yield sign, at

    def _sought(self) -> re.Pattern[bytes]:
        if self._in_string:
            return _IN_STRING_RE
        return _WITHIN_RE if self._depth else _BETWEEN_RE

    def last(self) -> Iterator[tuple[int, bytes]]:
        """The value left open by the end of the stream: a number or word may be whole, brackets and strings are not."""
        for line, value in self._ended():
            yield line, Cut(value) if self._depth or self._in_string else value
        if self._in_array and not (self._depth or self._in_string):
            yield self._line, Cut()

    def _append(self, piece: bytes) -> None:
        """Adds `piece` to the value at hand; blanks before the value are dropped."""
        if not self._length:
            whole = piece
            piece = whole.lstrip(BLANK)
            self._line += whole.count(b"\n", 0, len(whole) - len(piece))
            self._start = self._line
        if piece:
            self._line += piece.count(b"\n")
            self._length += len(piece)
            self._pieces.append(piece)
            if self._length > self._longest:
                self._pieces = [b"".join(self._pieces)[:EXCERPT]]

    def _ended(self) -> Iterator[tuple[int, bytes]]:
        """The value at hand, if it is more than blanks."""
        if self._length:
            value = b"".join(self._pieces).rstrip(BLANK)
            if value != BOM:
                yield (
                    self._start,
                    Overlong.cut(value, self._longest) if self._length > self._longest else value,
                )
        self._pieces, self._length = [], 0
