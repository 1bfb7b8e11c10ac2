"""The verdicts of a run as a table for people: at the end of a run over files, row by row on a live stream."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup.cli.tables import ROWS, STYLES, beginning, cell, console, print_line, print_table

if TYPE_CHECKING:
    from neardup.model.document import Document
    from neardup.model.verdict import Verdict

KNOWN: Final = 20_000
"""Documents of a run whose beginnings are kept, so that a copy is shown beside what it is a copy of."""
COLUMNS: Final = ("time", "id", "status", "copy of", "score", "text")
WIDTHS: Final = (16, 16, 8, 16, 5)
"""Of the columns of a live table, whose rows nobody knows beforehand; what is longer moves the rest of its row."""


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
        """Take one verdict."""
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
    room = max(20, console().width - cell_len(before) - 2)
    text = cells[-1]
    return f"{before}  {text if cell_len(text) <= room else set_cell_size(text, room - 1) + '…'}".rstrip()
