"""Printing for people: tables, pairs, counts, times."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from neardup.cli.streams import as_json as as_json  # noqa: PLC0414 - printing modules import it from here
from neardup.cli.streams import check_output as check_output  # noqa: PLC0414 - as above
from neardup.cli.streams import write_json
from neardup.model.counted import counted as counted  # noqa: PLC0414 - as above
from neardup.model.counted import shown_score as shown_score  # noqa: PLC0414 - as above
from neardup.model.counted import some_of as some_of  # noqa: PLC0414 - as above
from neardup.model.escapes import escaped

if TYPE_CHECKING:
    from rich.console import Console

    from neardup.cli.options import Printed

ROWS: Final = 50
"""How many rows a table has; further ones are counted below it."""
WIDTH: Final = 120
"""The width in characters where there is no terminal."""
STYLES: Final = {
    "exact": "red", "near": "magenta", "partial": "green", "empty": "dim", "unscored": "bold",
    "bad": "red", "warning": "magenta",
}  # fmt: skip
"""The styles of rows that need attention, in colours that can be read on white and on black."""

WIDE: Final = 100
"""The width of a terminal from which on tables have optional columns, too."""
NARROWEST: Final = 16
"""The width that a column beside texts may always have."""
TEXT: Final = 20
"""The least width of texts, where a terminal is wide enough."""
VERY_WIDE: Final = 150
"""The width from which on two texts are shown side by side."""
_UNITS: Final = ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"))


def console() -> Console:
    """Standard output as a console of rich."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    styles: Sequence[str] = (),
    texts: int = 0,
) -> None:
    """Prints `rows` under `columns`, each row in its style; numbers are right-aligned.

    The last `texts` columns share the width that the others leave, and are cut to it. Beside them, a long id is wrapped
    instead of taking all of the width.
    """
    from rich.table import Table
    from rich.text import Text

    to = console()
    table = Table(box=None, header_style="bold", pad_edge=False, expand=texts > 0)
    shown = [list(row) for row in rows]
    beside = columns[: len(columns) - texts]
    widths = _widths_beside_texts(beside, shown, to.width) if texts else [None] * len(beside)
    for at, column in enumerate(columns):
        if at >= len(columns) - texts:
            table.add_column(column, ratio=1, no_wrap=True, overflow="ellipsis")
        else:
            numeric = any(isinstance(row[at], int | float) for row in shown)
            side: Literal["left", "right"] = "right" if numeric else "left"
            table.add_column(column, justify=side, overflow="fold", max_width=widths[at])
    for at, row in enumerate(shown):
        table.add_row(*(Text(cell(value)) for value in row), style=styles[at] if styles else None)
    to.print(table)


def _widths_beside_texts(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int
) -> list[int | None]:
    """How wide each column beside texts may be, so that the texts have a fifth of the `width`, and at least `TEXT`: the
    widest columns shrink first, at most to `NARROWEST`.
    """
    from rich.cells import cell_len

    natural = [max(cell_len(cell(row[at])) for row in [columns, *rows]) for at in range(len(columns))]
    widest = max(NARROWEST, width // 4)
    widths = [min(each, widest) for each in natural]
    while (
        sum(widths) + 2 * len(widths) > width - max(TEXT, width // 5) and max(widths, default=0) > NARROWEST
    ):
        widths[widths.index(max(widths))] -= 1
    return list(widths)


def print_lines(rows: Iterable[Mapping[str, Any]]) -> None:
    """Prints `rows` as JSON Lines, each as soon as it is made."""
    for row in rows:
        write_json(as_json(row))


def print_either(format: Printed, pairs: Mapping[str, Any]) -> None:
    """Prints the properties of one object: as a line of JSON, or for people one property a line."""
    if format == "jsonl":
        print_lines([pairs])
    else:
        print_pairs(pairs)


def print_pairs(pairs: Mapping[str, Any]) -> None:
    """Print names with their values, one a line."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        print(f"{name:<{width}}  {cell(value)}")


def duration(seconds: float) -> str:
    """A time in words, to two digits.

    >>> duration(90), duration(1_500_000), duration(86_400), duration(0)
    ('1.5 min', '17 days', '1 day', '0 s')
    """
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    number = f"{seconds / size:.2g}" if seconds < 10 * size else f"{seconds / size:,.0f}"
    return f"{number} {'day' if (number, unit) == ('1', 'days') else unit}"


TIME: Final = "time (UTC)"
"""The head of a column of times (`minute`)."""


def minute(time: str) -> str:
    """A time of a verdict to the minute, in UTC, for a column whose head says so.

    >>> minute("2026-11-21T09:00:00Z")
    '2026-11-21 09:00'
    """
    return time[:16].replace("T", " ")


def moment(time: str) -> str:
    """A time to the minute with its zone; "" for none.

    >>> moment("2026-11-21T09:00:00Z"), moment("")
    ('2026-11-21 09:00 UTC', '')
    """
    return time and f"{minute(time)} UTC"


def shortened(text: str) -> str:
    """`text`, cut to 16 characters.

    >>> shortened("The Morning Ledger")
    'The Morning Led…'
    """
    return text if len(text) <= 16 else text[:15] + "…"


def print_line(line: str) -> None:
    """Prints one line to standard output, with control characters escaped."""
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
    return shown_score(value) if isinstance(value, float) else escaped(str(value))
