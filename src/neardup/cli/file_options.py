"""The options for how files are read, and where output is written."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from neardup.cli.callbacks import unless_standard_output
from neardup.sources.files import Form

READING = "Reading"
reading = partial(typer.Option, rich_help_panel=READING)
writing = partial(typer.Option, rich_help_panel="Writing")

IdFieldOption = Annotated[
    str | None,
    reading(metavar="NAME", show_default="id", help="Field or column of the id."),
]
TextFieldOption = Annotated[
    str | None,
    reading(metavar="NAME", show_default="text", help="Field or column of the text."),
]
AgainstTextFieldOption = Annotated[
    str | None,
    reading(
        metavar="NAME",
        show_default="that of --text-field",
        help="Field or column of the text in the files of --against.",
    ),
]
TimeFieldOption = Annotated[
    str | None,
    reading(
        metavar="NAME",
        show_default="time, timestamp or @timestamp",
        help="Field or column of the time. In files for a cluster, the window's own comes before these.",
    ),
]
InputOption = Annotated[
    Form | None,
    reading(show_default="by the file's name", help="Format of the files, whatever their names."),
]
HtmlOption = Annotated[
    bool,
    reading(
        "--html",
        help="Read HTML pages too (main text, title, date), and the HTML of mails whose plain text is missing or says "
        "far less.",
    ),
]
DelimiterOption = Annotated[
    str | None,
    reading(metavar="CHAR", show_default="detected from the header", help="Separator of CSV columns."),
]
EncodingOption = Annotated[
    str | None,
    reading(
        metavar="NAME", show_default="UTF-8", help="Encoding of the text, such as latin-1, cp1252 or utf-16."
    ),
]


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
