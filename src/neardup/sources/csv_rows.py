"""CSV and its kin (tab, semicolon, bar): a header line, then one document a row."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import SettingsError
from neardup.model.counted import some_of
from neardup.model.document import FLUSH
from neardup.sources.encoding import not_text
from neardup.sources.fields import RecordError
from neardup.sources.lines import BOM, Overlong, excerpt, lines
from neardup.sources.streams import peeked

if TYPE_CHECKING:
    from neardup.model.document import Document
    from neardup.sources.fields import FieldUse
    from neardup.sources.lines import Lines
    from neardup.sources.position import Item, Position, Record
    from neardup.sources.streams import Chunk

DELIMITERS: Final = ",\t;|"
_FOR_EXCEL_RE: Final = re.compile("sep=.?", re.IGNORECASE)
_SHOWN: Final = 30
"""How many columns a message names, and how many characters of each."""
LONGEST_ROW: Final = 48 * 1024 * 1024
"""For how many bytes an open quote is followed: 10 million characters take 40 million bytes in UTF-8 at most."""
MOST_LINES: Final = 1_000_000
"""For how many lines an open quote is followed: each costs some memory, however short it is."""

_CUT: Final = "unexpected end of data"  # the parser's own words for it
_BARE_RETURN: Final = "new-line character seen in unquoted field"
"""The beginning of the parser's message; advice to programmers follows it."""
_RETURN_IN_CELL: Final = (
    "a cell without quotes has a carriage return in it: quote the cell, or, if every line of the file ends in a "
    "carriage return alone, turn these into line feeds (tr '\\r' '\\n')"
)
_BACKSLASH: Final = (
    'a backslash is no escape in CSV: a quote within quotes is written twice (sed \'s/\\\\"/""/g\')'
)


class _NothingNow(Exception):
    """Raised through the csv module's parser, between two rows: nothing more is there now."""


def documents(
    chunks: Iterator[Chunk], use: FieldUse, position: Position, longest: int, delimiter: str | None = None
) -> Iterator[Item]:
    """A document or a `Reject` for every row; `position` has the number of the row's first line.

    Without a `delimiter`, the first of `DELIMITERS` is used by which the header has the text field. If there is none,
    the message about it names the columns by the one that makes the most. Quoting is read strictly: a row that breaks
    it is rejected by its first line, and reading goes on with the next one, so that a quote that is never closed costs
    one row and not the rest of the file.
    """
    # The parser's own limit (128 KiB a field) is one number for the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), longest))
    head, chunks = peeked(chunks)
    source = _LineSource(lines(chunks, longest), min(longest, LONGEST_ROW))
    table: Record | None = None
    for row in _rows(source, use.text, delimiter):
        position.line = source.start
        if row is None:
            yield FLUSH
        elif isinstance(row, csv.Error):
            why = source.fault(position.encoding) or f"not CSV: {row}"
            yield position.reject(why, raw=source.excerpt())
        elif table is not None:
            yield _item(table, row, use, position, source)
        elif reason := _why_no_header(use.text, row):
            yield position.reject(source.fault(position.encoding) or reason, raw=source.excerpt())
            return
        else:
            table = position.begin_table(source.raw(), row, source.delimiter, is_marked=head.startswith(BOM))


def checked_delimiter(delimiter: str | None) -> str | None:
    """The `delimiter` as one character; a tab may be written as on a command line, by a backslash and t, or as "tab".

    Raises `SettingsError` for a delimiter that cannot separate columns.
    """
    chosen = "\t" if delimiter in ("\\t", "tab") else delimiter
    if chosen is not None and (len(chosen) != 1 or chosen in '\r\n"'):
        raise SettingsError("delimiter", delimiter, "one character, such as ; or \\t, and no quote")
    return chosen


def _why_no_header(name: str, row: list[str]) -> str | None:
    """Why the rows below the header `row` cannot be read, with the text in column `name`; None if they can."""
    twice = next((column for column, count in Counter(row).items() if column and count > 1), None)
    if name in row and twice is None:
        return None
    if _FOR_EXCEL_RE.fullmatch("".join(row)):
        return "the first line tells Excel the delimiter and is no header, so no row is read: delete it"
    shown = [column if len(column) <= _SHOWN else f"{column[:_SHOWN]}…" for column in row]
    what = f"more than one column {twice!r}" if name in row else f"no column {name!r}"
    columns = f"{what} (columns: {some_of(shown, _SHOWN)})"
    if name in row:
        return f"{columns}, so no row is read: give each column a name of its own"
    if len(row) == 1:
        return f"{columns}, so no row is read: --delimiter says what separates columns, --text-field names another"
    return f"{columns}, so no row is read: --text-field names another"


def _fault(error: csv.Error, ends: Sequence[bytes]) -> str:
    """What is wrong with a broken row, from the parser's `error` and the row's first line and that of the fault."""
    if str(error).startswith(_BARE_RETURN):
        return _RETURN_IN_CELL
    return f"{error}; {_BACKSLASH}" if any(b'\\"' in line for line in ends) else str(error)


def _rows(
    source: _LineSource, text_field: str, delimiter: str | None
) -> Iterator[list[str] | csv.Error | None]:
    """Every row that is not blank, or its error in its place; None where nothing more is available now."""
    while (header := source.peek()) is None:
        yield None
    source.delimiter = delimiter or _delimiter(header, text_field)
    rows = csv.reader(source, delimiter=source.delimiter, strict=True)
    pieces: list[list[str]] = []  # of a row read only in part yet, inside a quote
    while True:
        if not pieces:
            source.begin()
        try:
            row = next(rows, None)
            if row is None:
                if not pieces:
                    return
                raise csv.Error(_CUT)
        except _NothingNow:
            yield None
        except csv.Error as error:
            fault = csv.Error(_fault(error, source.ends()))
            source.reject_row(str(error))
            pieces = []
            yield fault
        else:
            if source.is_interrupted:
                pieces.append(row)
                yield None
            elif row:
                yield _joined([*pieces, row]) if pieces else row
                pieces = []


def _joined(pieces: list[list[str]]) -> list[str]:
    """The row that these pieces make up: the last field of each piece continues in the first field of the next."""
    row: list[str] = []
    field: list[str] = []
    for piece in pieces:
        field.append(piece[0])
        if len(piece) > 1:
            row += ["".join(field), *piece[1:-1]]
            field = [piece[-1]]
    return [*row, "".join(field)]


def _delimiter(header: str, text_field: str) -> str:
    # Where every line ends in a carriage return alone, `header` is the whole file, of which the parser reads none.
    start = [f"{line}\n" for line in header.split("\r")]
    columns: dict[str, int] = {}
    for delimiter in DELIMITERS:
        with suppress(csv.Error):
            names = next(csv.reader(start, delimiter=delimiter), [])
            if text_field in names:
                return delimiter
            columns[delimiter] = len(names)
    return max(columns, key=columns.__getitem__, default=DELIMITERS[0])


def _item(table: Record, row: list[str], use: FieldUse, position: Position, source: _LineSource) -> Item:
    try:
        return _document(table, row, use, position, source)
    except RecordError as error:
        return position.reject(error.reason, id=error.id, raw=source.excerpt())


def _document(
    table: Record, row: list[str], use: FieldUse, position: Position, source: _LineSource
) -> Document:
    if fault := source.fault(position.encoding):
        raise RecordError(fault)
    if len(row) != len(table.columns):
        raise RecordError(f"the row has {len(row)} columns, the header has {len(table.columns)}")
    # An empty cell means that there is no value, and a blank one too in a column without a name, except in the text.
    cells = zip(table.columns, row, strict=True)
    valued = [(name, cell) for name, cell in cells if (cell if name else cell.strip()) or name == use.text]
    if sum(not name for name, _ in valued) > 1:
        raise RecordError("more than one column without a name has a value: give each a name of its own")
    record: dict[str, Any] = dict(valued)
    position.record = table._replace(raw=source.raw(), values=record)
    return use.document(record, position.name("\0".join(row).encode()))


class _LineSource:
    """The iterator of decoded lines that the parser reads from, which can go back to the row's beginning.

    Time and memory are linear in what is read. A row continues on the next line only inside a quote, and where a quote
    ends does not depend on where it began: once a quote has been followed in vain up to some line, no other quote that
    is open before that line is followed again. While no more input is available, the parser gets a closing quote
    instead, and an opening quote before the input that comes next: so a row is not read again for every line that a
    pipe delivers.
    """

    def __init__(self, batches: Iterator[Lines], longest: int) -> None:
        self._batches, self._longest = batches, longest
        self._ahead: deque[bytes] = deque()
        self._read: list[bytes] = []
        self._size = 0  # bytes read
        self._number = 0
        self._in_vain, self._reason = 0, ""  # a quote open before this line does not end, and why
        self.is_interrupted = False
        self.start = 1
        self.delimiter = ","  # by which its rows are read

    def begin(self) -> None:
        """A new row starts here."""
        self._number += len(self._read)
        self._read.clear()
        self._size = 0
        self.start = self._number + 1

    def reject_row(self, reason: str) -> None:
        """Gives up the present row: its first line is used up, the others will be read as rows of their own."""
        last = self._number + len(self._read)
        if last > self._in_vain:
            self._in_vain, self._reason = last, reason
        self.is_interrupted = False
        self._push_back(1)

    def peek(self) -> str | None:
        """The first line, which is not used up; empty if there is none, None if nothing is available now."""
        try:
            line = next(self, "")
        except _NothingNow:
            return None
        self._push_back(0)
        return line

    def excerpt(self) -> str:
        """The beginning of the row's first line."""
        return excerpt(self._read[0]) if self._read else ""

    def ends(self) -> list[bytes]:
        """The first line of the row, and the last that was read."""
        return [*self._read[:1], *self._read[-1:]]

    def raw(self) -> bytes:
        """The bytes of the row in the file, without its last line end."""
        return b"\n".join(self._read)

    def fault(self, encoding: str | None) -> str | None:
        """What is wrong with the bytes of this row, if anything is."""
        for line in self._read:
            if isinstance(line, Overlong):
                return line.reason()
            if fault := not_text(line, encoding):
                return fault
        return None

    def _push_back(self, kept: int) -> None:
        """Uses up the first `kept` of the lines read since `begin`; the others will be read again."""
        self._ahead.extendleft(reversed(self._read[kept:]))
        del self._read[kept:]
        self._size = sum(map(len, self._read))

    def _follow(self) -> None:
        """Raises `csv.Error` unless a quote that is open at the end of the lines read may end in the next one."""
        if self._number + len(self._read) < self._in_vain:
            raise csv.Error(self._reason)
        if self._size > self._longest or len(self._read) > MOST_LINES:
            raise csv.Error(
                f"a quote that is open here is not closed within {self._longest:,} bytes or {MOST_LINES:,} lines"
            )

    def __iter__(self) -> _LineSource:
        return self

    def __next__(self) -> str:
        if self._read:
            self._follow()
        while not self._ahead:
            batch = next(self._batches)
            if batch is None:
                if self.is_interrupted or not self._read:
                    raise _NothingNow
                self.is_interrupted = True
                return '"\n'
            self._ahead.extend(batch)
        line = self._ahead.popleft()
        self._read.append(line)
        self._size += len(line)
        opening, self.is_interrupted = '"' if self.is_interrupted else "", False
        # Bytes that are not UTF-8 must not stop the parser in the middle of a row: `fault` finds them afterwards.
        return opening + line.decode("utf-8", "replace") + "\n"
