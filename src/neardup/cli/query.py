"""neardup query: what else says this?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neardup.cli import options
from neardup.cli.session import configured, opened
from neardup.cli.text_input import from_command_line, one_text

if TYPE_CHECKING:
    from neardup.model.verdict import Verdict


def query(
    window: options.WindowOption = None,
    text: options.TextOption = None,
    file: options.FileOption = None,
    encoding: options.EncodingOption = None,
    id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Ask about this stored document; it does not match itself."),
    ] = None,
    threshold: options.ThresholdOption = None,
    matches: options.MatchesOption = None,
    retrieval: options.RetrievalOption = None,
    route: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    time: options.TimeOption = None,
    format: options.PrintedOption = "jsonl",
    config: options.ConfigOption = None,
) -> None:
    """Ask a window what is like a text or like a stored document; nothing is stored.

    Examples:

        neardup query --window news.window --file page.txt

        neardup query --window news.window --id 4711 --threshold 0.5 --format table

        neardup query --window news.window --file collage.txt --partial --format table

        neardup query --text "The ferry ran aground off the western spit at dawn." --matches 3
    """
    from neardup.cli.tables import counted, print_line, print_lines, print_table

    settings = configured(
        config,
        threshold=threshold,
        matches=matches,
        retrieval=retrieval,
        routes=route,
        partial=partial,
        containment=containment,
        delta=delta,
    )
    asked = one_text(text, file, otherwise=id, what="--id", encoding=encoding)
    id = from_command_line(id, "--id")
    with opened(window, settings, readonly=True) as target:
        verdict = target.query(asked, id=id, matches=settings.settings.matches, time=time)
    if format == "jsonl":
        print_lines([verdict.to_dict()])
    else:
        print_table(("id", "score", "shared"), verdict.matches)
        if verdict.partial:
            print_table(("partial copy", "share", "containment", "shared", "sentences"), verdict.partial)
        found = counted(verdict.matches_total, "match", "matches")
        print_line(
            f"{verdict.status}: {found} of {counted(verdict.candidates, 'candidate')}{_not_listed(verdict)}"
        )
        if not verdict.matches_total and verdict.partial is None and id is None:
            print_line(
                "(a headline or a passage is no copy of a whole text: --partial looks for passages, "
                "in a window that was made with it)"
            )


def _not_listed(verdict: Verdict) -> str:
    """How much of what was found the tables leave out, and how to see it; nothing if they show it all."""
    matches = verdict.matches_total - len(verdict.matches)
    parts = (verdict.partial_total or 0) - len(verdict.partial or ())
    left_out = [f"{matches:,} more"] if matches else []
    left_out += [f"{parts:,} more in part"] if parts else []
    return f" ({' and '.join(left_out)}: --matches all)" if left_out else ""
