"""neardup report: a window as a page to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window

_PAGES: Final = ("", ".html", ".htm", ".xhtml")
"""The endings of names of pages."""


def report(
    window: options.WindowOption = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File for the page, in HTML.")
    ] = Path("report.html"),
    limit: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Show this many of the largest groups with their texts."),
    ] = 20,
    source_field: options.SourceFieldOption = "source",
    rejects: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="not shown",
            help="Also show this file, written by `neardup ingest --rejects`.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the page.")] = "Near-duplicates",
    force: options.ReplaceOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Write a page about a window: copies over time, scores, the largest groups with texts, who copies whom, what
    was left out.

    The page is one file that loads nothing from elsewhere and runs nothing, whatever the texts contain.

    Examples:

        neardup report --window news.window --output news.html

        neardup report --window news.window --source-field agency --rejects rejects.jsonl --limit 50
    """
    from neardup.cli.output_files import check_outputs, opened_output
    from neardup.cli.report_output import Reported, read_rejects
    from neardup.cli.stories import showing

    if output.suffix.lower() not in _PAGES:
        reason = f"{output} does not end in .html, but a report is an HTML page: give a name with that ending"
        raise typer.BadParameter(reason, param_hint="--output")
    config = showing(configuration(config_file), source_field)
    read = [*([rejects] if rejects is not None else []), *config.files_read]
    check_outputs([("--output", output)], read, replace=force)
    rejected = None if rejects is None else read_rejects(rejects)
    with opened_window(window, config, readonly=True) as target:
        page = Reported(target, config, source_field).page(limit, title, rejected)
    with opened_output(output, force=force, whole=True) as file:
        file.write(page.encode())
