"""Tables for people."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console

    from neardup.cli.options import Printed
    from neardup.document import Document
    from neardup.verdict import Verdict

ROWS: Final = 50
"""Rows of a table; what is more is counted below it."""
BEGINNING: Final = 80
"""Characters of a text that a table shows at most."""
WIDTH: Final = 120
"""Columns where there is no terminal to ask."""
STYLES: Final = {"exact": "red", "near": "yellow", "partial": "cyan", "empty": "dim", "unscored": "magenta"}


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

    Where `last_is_text`, the last column takes the room that the others leave, and is cut to it.
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
        table.add_row(*(Text(_cell(value)) for value in row), style=styles[at] if styles else None)
    console().print(table)


def print_lines(rows: Iterable[Mapping[str, Any]]) -> int:
    """Print `rows` as JSON Lines, each as soon as it is there; how many there were."""
    import orjson

    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - counted for the caller
        sys.stdout.buffer.write(orjson.dumps(row) + b"\n")
        sys.stdout.buffer.flush()
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
        print(f"{name:<{width}}  {_cell(value)}")


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


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return f"{len(value):,} ({min(value)} to {max(value)})" if value else "0"
    if isinstance(value, list | tuple):
        return " ".join(map(_cell, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)


class VerdictTable:
    """The verdicts that say something: copies, empty and unscored documents; the others are counted."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._rows: list[Verdict] = []
        self._seen: Counter[str] = Counter()
        self._beginnings: dict[str, str] = {}
        self._shown: list[str] = []

    def note(self, document: Document) -> None:
        """Remember how this document begins until its verdict comes."""
        self._beginnings[document.id] = beginning(document.text)

    def add(self, verdict: Verdict) -> None:
        """Take one verdict."""
        self._seen[verdict.status] += 1
        text = self._beginnings.pop(verdict.id, "")
        if verdict.status != "unique" and len(self._rows) < ROWS:
            self._rows.append(verdict)
            self._shown.append(text)

    def print(self) -> None:
        """Print the table and, below it, what it leaves out."""
        columns = ("time", "id", "status", "duplicate of", "score", "group", "text")
        rows = [
            (
                row.time[:16].replace("T", " "),
                row.id,
                row.status,
                row.duplicate_of,
                row.score,
                row.group,
                text,
            )
            for row, text in zip(self._rows, self._shown, strict=True)
        ]
        if rows:
            styles = [STYLES.get(row.status, "") for row in self._rows]
            print_table(columns, rows, styles=styles, last_is_text=True)
        left_out = self._seen - Counter(row.status for row in self._rows)
        if left_out:
            named = ", ".join(f"{count:,} {status}" for status, count in left_out.items())
            where = f"; all verdicts are in {self._path}" if self._path else ""
            print(f"({named} left out{where})")
