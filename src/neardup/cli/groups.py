"""neardup groups: the groups of duplicates in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.cli import options
from neardup.cli.session import configured, opened

if TYPE_CHECKING:
    from neardup.verdict import Group


def groups(
    window: options.WindowOption = None,
    format: options.PrintedOption = "jsonl",
    config: options.ConfigOption = None,
) -> None:
    """List the groups of duplicates: a head, and every document that is at or above the threshold with it directly.

    Examples:

        neardup groups --window news.window

        neardup groups --window news.window --format table
    """
    from itertools import islice

    from neardup.cli.tables import ROWS, counted, print_lines, print_table

    with opened(window, configured(config), readonly=True) as target:
        found = target.groups()
        if format == "jsonl":
            print_lines(group.to_dict() for group in found)
            return
        rows = [
            (g.head, g.time, len(g.members), _span(g), [member.id for member in g.members])
            for g in islice(found, ROWS)
        ]
        left_out = sum(1 for _ in found)
    print_table(("head", "time", "members", "doc_q", "ids"), rows)
    print(f"({counted(left_out, 'group')} left out)" if left_out else counted(len(rows), "group"))


def _span(group: Group) -> str:
    """From which doc_q with the head to which its members go."""
    scores = sorted(member.score for member in group.members if member.score is not None)
    if not scores:
        return ""
    low, high = f"{scores[0]:.3f}", f"{scores[-1]:.3f}"
    return low if low == high else f"{low} to {high}"
