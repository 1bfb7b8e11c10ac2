"""The verdicts of a run as a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup.cli.described import Descriptions, Row, left_out_if_empty, original_of
from neardup.cli.tables import (
    ROWS,
    STYLES,
    TIME,
    VERY_WIDE,
    WIDE,
    cell,
    console,
    minute,
    print_line,
    print_table,
    shortened,
)
from neardup.model.counted import shown_percent

if TYPE_CHECKING:
    from neardup.model.verdict import Verdict

COLUMNS: Final = (TIME, "id", "status", "copy of", "score", "text")
WIDTHS: Final = (16, 16, 8, 16, 5)
"""The widths of the columns of a live table, whose rows are not known in advance; a longer cell shifts its row."""


class VerdictTable:
    """The verdicts worth a row: copies, empty and unscored documents; the others are counted.

    `live`: every row is printed as soon as its batch is done, and none is left out. `every`: `unique` verdicts get a
    row as well.
    """

    def __init__(self, path: Path | None = None, *, live: bool = False, every: bool = False) -> None:
        self._path, self._live, self._every = path, live, every
        self.descriptions = Descriptions()
        """Documents of this run are noted here; others may be read from a window."""
        self.has_all_in_file = True
        """Whether the file at `path` has all verdicts; False if one could not be written."""
        self._rows: list[Row] = []
        self._seen: Counter[str] = Counter()
        self._shown: Counter[str] = Counter()
        self._begun = False

    def add(self, verdict: Verdict) -> None:
        """Adds the row of one verdict, or only counts it."""
        self._seen[verdict.status] += 1
        row = self.descriptions.row(verdict)
        if (self._every or verdict.status != "unique") and (self._live or len(self._rows) < ROWS):
            self._shown[verdict.status] += 1
            self._rows.append(row)

    def flush(self) -> None:
        """Print the rows of a live table so far."""
        if not self._live:
            return
        if self._rows and not self._begun:
            self._begun = True
            print(_fixed(COLUMNS))
        self.descriptions.look_up(original_of(row.verdict) for row in self._rows)
        for row in self._rows:
            _, _, _, own, other = self.descriptions.beside(row)
            print(_fixed([*map(cell, _cells(row.verdict)), cell(_both(own, other))]), flush=True)
        self._rows = []

    def print(self) -> None:
        """Prints the table, or the pending rows of a live one, and below it the numbers left out."""
        if self._live:
            self.flush()
        elif self._rows:
            self._print_whole()
        left_out = self._seen - self._shown
        if left_out:
            named = ", ".join(f"{count:,} {status}" for status, count in left_out.items())
            is_cut = self._every or bool(left_out.keys() - {"unique"})
            where = f"; all verdicts are in {self._path}" if self._path and self.has_all_in_file else ""
            if not self._path and is_cut:
                where = "; --format jsonl has all" if self._every else "; --output FILE keeps all verdicts"
            limit = f"; a table has the first {ROWS} rows" if is_cut else ""
            print_line(f"({named} left out{limit}{where})")

    def _print_whole(self) -> None:
        """Prints the table; with groups if one differs from that of the document that its row names, and with more
        columns the wider the terminal is.
        """
        verdicts = [row.verdict for row in self._rows]
        stored = [verdict.id for verdict in verdicts] if self._every else []  # documents from before this run
        self.descriptions.look_up([*stored, *map(original_of, verdicts)])
        is_wide, is_very_wide = console().width >= WIDE, console().width >= VERY_WIDE
        rows = []
        for row in self._rows:
            after, source, other_source, own, other = self.descriptions.beside(row)
            about = [after, shortened(source), shortened(other_source) if is_very_wide else ""]
            texts = [own, other] if is_very_wide else [_both(own, other)]
            cells = [*_cells(row.verdict), _other_kind(row.verdict), _other_group(row.verdict)]
            rows.append([*cells, *(about if is_wide else ("", "", "")), *texts])
        columns = [*COLUMNS[:-1], "kind", "group", "after", "source", "of source", "text"]
        columns += ["text of the original"] if is_very_wide else []
        shown, filled = left_out_if_empty(columns, rows, ("kind", "group", "after", "source", "of source"))
        styles = [STYLES.get(verdict.status, "") for verdict in verdicts]
        print_table(shown, filled, styles=styles, texts=2 if is_very_wide else 1)


def _both(own: str, other: str) -> str:
    """The beginning of a document, and that of its original if it differs."""
    return f"{own} (of: {other})" if other else own


def _cells(verdict: Verdict) -> list[str | float | None]:
    """All columns but the text. For a partial copy, the document of the largest part, and its share of this."""
    original, score = verdict.duplicate_of, verdict.score
    measure: str | float | None = score
    if verdict.status == "partial" and verdict.partial:
        original, measure = verdict.partial[0].id, shown_percent(verdict.partial[0].share)
        if others := (verdict.partial_total or 0) - 1:
            original += f" +{others}"  # however few of them are listed
    return [minute(verdict.time), verdict.id, verdict.status, original, measure]


def _other_kind(verdict: Verdict) -> str | None:
    """The kind of a copy that is not a plain one, or the numbers in which it differs; None for a plain copy."""
    if verdict.differing is not None:
        return "{} for {}".format(*verdict.differing)
    return None if verdict.kind == "copy" else verdict.kind


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
