"""The options for where output is written."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from neardup.cli.callbacks import unless_standard_output

writing = partial(typer.Option, rich_help_panel="Writing")


def output(help: str) -> Any:
    """The option --output of a command that otherwise writes to standard output."""
    return writing(
        "--output",
        "-o",
        metavar="FILE",
        callback=unless_standard_output,
        show_default="standard output",
        help=help,
    )


OutputOption = Annotated[Path | None, output("File for the verdicts, as JSON Lines; never an input file.")]
RejectsOption = Annotated[
    Path | None,
    writing(
        metavar="FILE",
        show_default="reported on standard error",
        help="File for rejected documents: file, line, reason.",
    ),
]
AppendOption = Annotated[
    bool,
    writing("--append", help="Append to existing files of verdicts and rejects."),
]
ForceOption = Annotated[
    bool,
    writing(
        "--force",
        help="Replace existing files; with --window-hours or --keep-hours also drop documents these no longer keep.",
    ),
]
ReplaceOption = Annotated[bool, writing("--force", help="Replace existing files.")]
LetGoOption = Annotated[
    bool,
    writing("--force", help="Drop documents that fewer hours than before no longer keep."),
]
