"""What is printed for people: tables, pairs, counts, and the verdicts of a run as a table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.cli.streams import escaped, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from neardup.cli.options import Printed
    from neardup.model.document import Document
    from neardup.model.verdict import Verdict

ROWS: Final = 50
"""Rows of a table; what is more is counted below it."""
BEGINNING: Final = 200
"""Characters of a text that a table shows at most, however wide the terminal is."""
WIDTH: Final = 120
"""Columns where there is no terminal."""
STYLES: Final = {
    "exact": "red", "near": "magenta", "partial": "green", "empty": "dim", "unscored": "bold",
    "bad": "red", "warning": "magenta",
}  # fmt: skip
"""How what needs to be seen is shown: colours that can be read on white and on black."""

KNOWN: Final = 20_000
"""Documents of a run whose beginnings are kept, so that a copy is shown beside what it is a copy of."""
COLUMNS: Final = ("time", "id", "status", "copy of", "score", "text")
WIDTHS: Final = (16, 16, 8, 16, 5)
"""Of the columns of a live table, whose rows nobody knows beforehand; what is longer moves the rest of its row."""


def console() -> Console:
    """Standard output as rich sees it."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    styles: Sequence[str] = (),
    last_is_text: bool = False,
) -> None:
    """Print `rows` under `columns`, each row in its style; numbers stand to the right.

    Where `last_is_text`, the last column takes the width that the others leave, and is cut to it.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, expand=last_is_text)
    shown = [list(row) for row in rows]
    for at, column in enumerate(columns):
        if last_is_text and at == len(columns) - 1:
            table.add_column(column, ratio=1, no_wrap=True, overflow="ellipsis")
        else:
            numeric = any(isinstance(row[at], int | float) for row in shown)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for at, row in enumerate(shown):
        table.add_row(*(Text(cell(value)) for value in row), style=styles[at] if styles else None)
    console().print(table)


def print_lines(rows: Iterable[Mapping[str, Any]]) -> int:
    """Print `rows` as JSON Lines, each as soon as it is there; how many there were."""
    import orjson

    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - counted for the caller
        write_json(orjson.dumps(row) + b"\n")
    return count


def print_either(format: Printed, pairs: Mapping[str, Any]) -> None:
    """Print one thing with its properties: as a line of JSON, or for people one property a line."""
    if format == "jsonl":
        print_lines([pairs])
    else:
        print_pairs(pairs)


def print_pairs(pairs: Mapping[str, Any]) -> None:
    """Print names with their values, one a line."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        print(f"{name:<{width}}  {cell(value)}")


def counted(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "match", "matches"), counted(1200, "document")
    ('1 match', '1,200 documents')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def beginning(text: str) -> str:
    """How a text begins: its first line, on which news has its headline."""
    lines = text[: 4 * BEGINNING].strip().splitlines()
    return lines[0][:BEGINNING] if lines else ""


def print_line(line: str) -> None:
    """One line to standard output, with what would steer a terminal escaped."""
    print(escaped(line))


def cell(value: Any) -> str:
    r"""A value as a table shows it.

    >>> cell(0.98), cell(1200), cell(["a", "b\n"]), cell({"2026.11.21-09": 3})
    ('0.980', '1,200', 'a b\\x0a', '1 (2026.11.21-09 to 2026.11.21-09)')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return f"{len(value):,} ({min(value)} to {max(value)})" if value else "0"
    if isinstance(value, list | tuple):
        return " ".join(map(cell, value))
    return f"{value:.3f}" if isinstance(value, float) else escaped(str(value))


class VerdictTable:
    """The verdicts that say something: copies, empty and unscored documents; the others are counted.

    `live`: every row is printed as soon as its batch is done, and none is left out.
    """

    def __init__(self, path: Path | None = None, *, live: bool = False) -> None:
        self._path, self._live = path, live
        self._rows: list[Verdict] = []
        self._texts: list[str] = []
        self._seen: Counter[str] = Counter()
        self._shown: Counter[str] = Counter()
        self._beginnings: dict[str, str] = {}
        self._begun = False

    def note(self, document: Document) -> None:
        """Remember how this document begins: its verdict will come, and perhaps copies of it."""
        self._beginnings.pop(document.id, None)
        self._beginnings[document.id] = beginning(document.text)
        if len(self._beginnings) > KNOWN:
            del self._beginnings[next(iter(self._beginnings))]

    def add(self, verdict: Verdict) -> None:
        """Add the row of one verdict, or count it."""
        self._seen[verdict.status] += 1
        if verdict.status != "unique" and (self._live or len(self._rows) < ROWS):
            self._shown[verdict.status] += 1
            self._rows.append(verdict)
            self._texts.append(self._text(verdict))

    def _text(self, verdict: Verdict) -> str:
        """How the document begins, and where that differs how what it is a copy of does."""
        own = self._beginnings.get(verdict.id, "")
        other = self._beginnings.get(verdict.duplicate_of or "", own)
        return own if other in own else f"{own} (of: {other})"

    def flush(self) -> None:
        """Print the rows of a live table so far."""
        if not self._live:
            return
        if self._rows and not self._begun:
            self._begun = True
            print(_fixed(COLUMNS))
        for row, text in zip(self._rows, self._texts, strict=True):
            print(_fixed([*map(cell, _cells(row)), cell(text)]), flush=True)
        self._rows, self._texts = [], []

    def print(self) -> None:
        """Print the table, or what of a live one is still to be printed, and below it what it leaves out."""
        if self._live:
            self.flush()
        elif self._rows:
            self._print_whole()
        left_out = self._seen - self._shown
        if left_out:
            named = ", ".join(f"{count:,} {status}" for status, count in left_out.items())
            where = f"; all verdicts are in {self._path}" if self._path else ""
            if not where and left_out.keys() - {"unique"}:
                where = "; --output FILE keeps all verdicts"
            print_line(f"({named} left out{where})")

    def _print_whole(self) -> None:
        """The table, with the groups where one is not that of the document that the row names."""
        columns, groups = list(COLUMNS), [_other_group(row) for row in self._rows]
        rows = [[*_cells(row), text] for row, text in zip(self._rows, self._texts, strict=True)]
        if any(groups):
            columns.insert(-1, "group")
            for row, group in zip(rows, groups, strict=True):
                row.insert(-1, group)
        print_table(
            columns, rows, styles=[STYLES.get(row.status, "") for row in self._rows], last_is_text=True
        )


def _cells(verdict: Verdict) -> list[str | float | None]:
    """All columns but the text. Of a partial copy the largest part: whose it is, and how much of the document."""
    original, score = verdict.duplicate_of, verdict.score
    measure: str | float | None = score
    if verdict.status == "partial" and verdict.partial:
        original, measure = verdict.partial[0].id, f"{verdict.partial[0].share:.0%}"
        if len(verdict.partial) > 1:
            original += f" +{len(verdict.partial) - 1}"
    return [verdict.time[:16].replace("T", " "), verdict.id, verdict.status, original, measure]


def _other_group(verdict: Verdict) -> str | None:
    """The group of a copy, unless it is that of the document it is a copy of."""
    return None if verdict.group in (verdict.duplicate_of, verdict.id) else verdict.group


def _fixed(cells: list[str] | tuple[str, ...]) -> str:
    """One row of a live table, cut to the width of the terminal."""
    from rich.cells import cell_len, set_cell_size

    padded = [
        value + " " * max(0, width - cell_len(value)) for value, width in zip(cells, WIDTHS, strict=False)
    ]
    before = "  ".join(padded)
    width = max(20, console().width - cell_len(before) - 2)
    text = cells[-1]
    return f"{before}  {text if cell_len(text) <= width else set_cell_size(text, width - 1) + '…'}".rstrip()
