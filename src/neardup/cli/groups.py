"""neardup groups: the groups of duplicates in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.tables import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.model.verdict import Group


def groups(
    window: options.WindowOption = None,
    sort: Annotated[
        Literal["time", "size"],
        typer.Option(help="By the time of their heads, or the largest first."),
    ] = "time",
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            show_default=f"{ROWS} in a table, else all",
            help="List so many groups; 0 is all.",
        ),
    ] = None,
    format: options.PrintedOption = "jsonl",
    config: options.ConfigOption = None,
) -> None:
    """List the groups of duplicates: a head, and every document that is at or above the threshold with it directly.

    Examples:

        neardup groups --window news.window

        neardup groups --window news.window --sort size --limit 10 --format table
    """
    from itertools import islice

    from neardup.cli.tables import counted, print_line, print_lines, print_table

    most = limit if limit is not None else ROWS if format == "table" else 0
    with opened_window(window, configuration(config), readonly=True) as target:
        ordered = _sorted(target.groups(), sort)
        listed = islice(ordered, most or None)
        if format == "jsonl":
            print_lines(group.to_dict() for group in listed)
            return
        rows = [
            (g.head, g.time, len(g.members), _span(g), [member.id for member in g.members]) for g in listed
        ]
        left_out = sum(1 for _ in ordered)
    print_table(("head", "time", "members", "doc_q", "ids"), rows)
    more = f"({counted(left_out, 'group')} left out: --limit 0 lists all, --sort size the largest first)"
    print_line(more if left_out else counted(len(rows), "group"))


def _sorted(groups: Iterator[Group], sort: str) -> Iterator[Group]:
    """The groups by time or by size; groups of one size stay in order of time."""
    return iter(sorted(groups, key=lambda group: -len(group.members))) if sort == "size" else groups


def _span(group: Group) -> str:
    """From which doc_q with the head to which its members go."""
    scores = sorted(member.score for member in group.members if member.score is not None)
    if not scores:
        return ""
    low, high = f"{scores[0]:.3f}", f"{scores[-1]:.3f}"
    return low if low == high else f"{low} to {high}"
