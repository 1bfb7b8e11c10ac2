"""Figures and tables as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neardup.model.counted import shown_score


def shown_rate(value: float | None) -> str:
    """A share, or a dash for None.

    >>> shown_rate(4928 / 4929), shown_rate(None)
    ('0.999', '-')
    """
    return "-" if value is None else shown_score(value)


def shown_time(microseconds: float) -> str:
    """A time for people.

    >>> shown_time(0.25), shown_time(88.1), shown_time(1_250), shown_time(2_000_000)
    ('0.25 µs', '88 µs', '1.2 ms', '2 s')
    """
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{_short(microseconds / size)} {unit}"
    return f"{_short(microseconds)} µs"


def shown_bytes(count: float) -> str:
    """A size for people.

    >>> shown_bytes(20), shown_bytes(18_300), shown_bytes(1_200_000)
    ('20 B', '18 KB', '1.2 MB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{_short(count / size)} {unit}"
    return f"{_short(count)} B"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]], *, figures: bool = True) -> str:
    r"""A table in Markdown; with `figures`, all columns but the first are right-aligned.

    >>> print(markdown_table(("name", "F1"), [("a|b", 0.5)]))
    | name | F1 |
    | --- | ---: |
    | a\|b | 0.5 |
    """
    rule = " ---: |" if figures else " --- |"
    lines = ["| " + " | ".join(header) + " |", "| --- |" + rule * (len(header) - 1)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
