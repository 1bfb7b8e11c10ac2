"""The options that say where output goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from neardup.cli.callbacks import unless_standard_output

WRITING = "Writing"


def output(help: str) -> Any:
    """The option --output of a command that else writes to standard output."""
    return typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=unless_standard_output,
        show_default="standard output",
        rich_help_panel=WRITING,
        help=help,
    )


OutputOption = Annotated[Path | None, output("File for the verdicts, as JSON Lines; never one that is read.")]
RejectsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default="reported on standard error",
        rich_help_panel=WRITING,
        help="File for rejected documents: file, line, reason.",
    ),
]
AppendOption = Annotated[
    bool,
    typer.Option(
        "--append", rich_help_panel=WRITING, help="Add to files of verdicts and rejects that exist already."
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force",
        rich_help_panel=WRITING,
        help="Replace files that exist already; drop documents that fewer hours than before no longer keep.",
    ),
]
ReplaceOption = Annotated[
    bool, typer.Option("--force", rich_help_panel=WRITING, help="Replace a file that exists already.")
]
