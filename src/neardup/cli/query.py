"""neardup query: what is like a text, or like a stored document?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.described import Descriptions, left_out_if_empty
from neardup.cli.tables import TIME, counted, minute, print_line, print_lines, print_table, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup import Window
    from neardup.model.verdict import Match, PartialMatch, Verdict


def query(
    window: options.WindowOption = None,
    text: options.TextOption = None,
    file: options.FileOption = None,
    input: options.InputOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Ask about this stored document; it does not match itself."),
    ] = None,
    threshold: options.ThresholdOption = None,
    matches: options.MatchesOption = None,
    retrieval: options.RetrievalOption = None,
    routes: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    time: options.TimeOption = None,
    format: options.PrintedOption = "jsonl",
    config_file: options.ConfigOption = None,
) -> None:
    """Find the documents of a window that are like a text or a stored document; nothing is stored.

    Examples:

        neardup query --window news.window --file page.txt

        neardup query --window news.window --id 4711 --threshold 0.5 --format table

        neardup query --window news.window --file collage.txt --partial --format table

        neardup query --text "The ferry ran aground off the western spit at dawn." --matches 3
    """
    from neardup.cli.one_text import from_command_line, one_text

    config = configuration(config_file, locals())
    content = one_text(
        text, file, otherwise=id, otherwise_option="--id", encoding=encoding, html=html, form=input
    )
    id = from_command_line(id, "--id")
    with opened_window(window, config, readonly=True) as target:
        verdict = target.query(content, id=id, matches=config.settings.matches, time=time)
        if format == "jsonl":
            print_lines([verdict.to_dict()])
        else:
            _print_tables(verdict, target, is_text=id is None)


def _print_tables(verdict: Verdict, target: Window, *, is_text: bool) -> None:
    """Prints the matches, the partial copies, and the number of each in words."""
    known = Descriptions(target.read)
    known.look_up([match.id for match in verdict.matches] + [part.id for part in verdict.partial or ()])
    if verdict.matches or not verdict.partial:
        _print_described(("id", "score", "shared"), verdict.matches, known)
    if verdict.partial:
        columns = ("partial copy", "share", "containment", "shared", "sentences")
        _print_described(columns, verdict.partial, known)
    matches = counted(verdict.matches_total, "match", "matches")
    if verdict.partial:
        parts = counted(verdict.partial_total or 0, "partial copy", "partial copies")
        matches = f"{parts}, {matches} of the whole,"
    print_line(
        f"{verdict.status}: {matches} of {counted(verdict.candidates, 'candidate')}{_not_listed(verdict)}"
    )
    if not verdict.matches_total and verdict.partial is None and is_text:
        print_line(
            "(a headline or a passage is no copy of a whole text: --partial looks for passages; "
            "a window in a directory must have been made with it)"
        )


def _print_described(
    columns: Sequence[str], matches: Sequence[Match | PartialMatch], known: Descriptions
) -> None:
    """Prints a table of matches, with the description of each."""
    rows = []
    for match in matches:
        shown = known.of(match.id)
        rows.append([*match, minute(shown.time), shortened(shown.source), shown.begins])
    print_table(*left_out_if_empty((*columns, TIME, "source", "text"), rows, ("source",)), texts=1)


def _not_listed(verdict: Verdict) -> str:
    """How many matches the tables leave out, and how to see them; "" if the tables show all."""
    matches = verdict.matches_total - len(verdict.matches)
    parts = (verdict.partial_total or 0) - len(verdict.partial or ())
    left_out = [f"{matches:,} more"] if matches else []
    left_out += [f"{parts:,} more in part"] if parts else []
    return f" ({' and '.join(left_out)}: --matches all)" if left_out else ""
