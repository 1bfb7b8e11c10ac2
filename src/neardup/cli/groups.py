"""neardup groups: the groups of duplicates in a window."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.described import left_out_if_empty
from neardup.cli.stories import COLUMNS, KindOption, Stories, csv_line, showing, told_groups
from neardup.cli.tables import (
    ROWS,
    WIDE,
    console,
    counted,
    duration,
    minute,
    print_line,
    print_lines,
    print_table,
    shown_score,
)
from neardup.model.escapes import BYTE_ORDER_MARK
from neardup.model.times import MIN_TIME_MS, parse_time
from neardup.reading.group_order import Sort, in_order

if TYPE_CHECKING:
    from neardup.model.verdict import Group
    from neardup.reading.story import Story


def groups(
    window: options.WindowOption = None,
    sort: Annotated[
        Sort, typer.Option(help="Order: by time of the head, largest first, or longest time span first.")
    ] = "time",
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            show_default=f"{ROWS} in a table, else all",
            help="List at most this many groups; 0 is all.",
        ),
    ] = None,
    min_size: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="List groups of at least this many stored documents, including the head.",
        ),
    ] = 1,
    since: Annotated[
        str | None,
        options.time("any", "List groups that have a document of this time or later (ISO 8601)."),
    ] = None,
    kind: Annotated[
        KindOption,
        typer.Option(help="List copies of a text; forms, filled in with other figures and dates; or all."),
    ] = "all",
    source_field: options.SourceFieldOption = "source",
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="With JSON Lines: add kind, origins, sources, and the share of the first text in each.",
        ),
    ] = False,
    format: Annotated[
        Literal["jsonl", "table", "csv"],
        typer.Option(
            "--format",
            "-f",
            help="JSON Lines for programs, a table for people, or a row per document for a spreadsheet.",
        ),
    ] = "jsonl",
    output: Annotated[Path | None, options.output("Write JSON Lines or CSV to this file.")] = None,
    force: options.ReplaceOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """List the groups of duplicates in a window: a head and its members, which are duplicates of the head directly.

    A document is in one group only: it joins the group of the best of its matches that heads one. A head may therefore
    have matches that are members of other groups.

    A table has a line for each group: its size, when its first document came, the time from first to last, its kind
    (copies or form), the number of independent texts (origins), its range of doc_q with the head, and how it begins.
    Kind and origins need the original texts, and are left out if those were not kept.

    Examples:

        neardup groups --window news.window

        neardup groups --window news.window --sort size --limit 10 --format table

        neardup groups --window news.window --kind copies --min-size 5 --format csv --output groups.csv

        neardup groups --window news.window --since 2026-11-20T00:00 --sort size --format table
    """
    if details and format != "jsonl":
        raise typer.BadParameter("only --format jsonl has details: leave it out", param_hint="--details")
    most = min(limit, sys.maxsize) if limit is not None else ROWS if format == "table" else 0
    config = showing(configuration(config_file), source_field)
    written = _written_to(output, format, config.files_read, force=force)
    with written, opened_window(window, config, readonly=True) as target:
        oldest = MIN_TIME_MS if since is None else parse_time(since)
        ordered = in_order(told_groups(target), sort, min_size, since=oldest)
        if format == "jsonl" and kind == "all" and not details:
            print_lines(group.to_dict() for group in islice(ordered, most or None))
            return
        stories = Stories(target, config, source_field)
        listed = stories.listed(ordered, kind, most)
        if format == "jsonl":
            print_lines(each.group.to_dict() | (each.to_dict() if details else {}) for each in listed)
        elif format == "csv":
            _print_csv(stories, listed)
        else:
            shown = _print_table(stories, listed)
            _report_left_out(stories, ordered, kind, shown, by_size=sort == "size")


@contextmanager
def _written_to(path: Path | None, format: str, read: Iterable[str | Path], *, force: bool) -> Iterator[None]:
    """Redirects standard output to the file, if there is one; raises `OutputRefused` if that may not be written."""
    if path is None:
        yield
        return
    from neardup.cli.output_files import check_outputs, opened_output
    from neardup.sources.files import form_of

    if format == "table":
        raise typer.BadParameter(
            "a table is for the screen: give --format csv or jsonl", param_hint="--output"
        )
    if format == "jsonl" and form_of(path.name) == "csv":
        raise typer.BadParameter(f"{path} is to hold CSV: give --format csv, too", param_hint="--output")
    check_outputs([("--output", path)], read, replace=force)
    with opened_output(path, force=force, whole=True) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        if format == "csv":
            text.write(BYTE_ORDER_MARK)
        with redirect_stdout(text):
            yield
        text.detach()


def _print_csv(stories: Stories, listed: Iterator[Story]) -> None:
    sys.stdout.write(csv_line(COLUMNS))
    for story in listed:
        for row in stories.rows(story):
            sys.stdout.write(csv_line(row))


def _print_table(stories: Stories, listed: Iterator[Story]) -> int:
    """Prints the table; returns how many groups are in it."""
    is_wide = console().width >= WIDE
    rows: list[list[Any]] = []
    for story in listed:
        first = story.versions[0]
        sources = len({each.source for each in story.versions if each.source is not None})
        rows.append(
            [
                story.group.size, minute(first.time), duration(story.span_ms / 1_000), story.kind or "",
                story.origins if is_wide else None, sources if is_wide and sources else None,
                _span(story.group), story.group.head,
                stories.title(story.group),
            ]
        )  # fmt: skip
    columns = ("n", "first seen (UTC)", "for", "kind", "origins", "sources", "doc_q", "head", "text")
    print_table(*left_out_if_empty(columns, rows, ("kind", "origins", "sources")), texts=1)
    return len(rows)


def _report_left_out(
    stories: Stories, rest: Iterator[Group], kind: KindOption, shown: int, *, by_size: bool
) -> None:
    left_out = sum(1 for group in rest if kind == "all" or stories.of(group).kind == kind)
    largest = "" if by_size else ", --sort size the largest first"
    more = f"({counted(left_out, 'group')} left out: --limit 0 lists all{largest})"
    print_line(more if left_out else counted(shown, "group"))


def _span(group: Group) -> str:
    """The range of doc_q between the head and the members, in words."""
    scores = sorted(member.score for member in group.members if member.score is not None)
    if not scores:
        return ""
    low, high = shown_score(scores[0]), shown_score(scores[-1])
    return low if low == high else f"{low} to {high}"
