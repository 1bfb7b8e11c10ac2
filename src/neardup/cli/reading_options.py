"""The options for how files are read."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from neardup.sources.files import Form

READING = "Reading"
reading = partial(typer.Option, rich_help_panel=READING)

IdFieldOption = Annotated[
    str | None,
    reading(metavar="NAME", show_default="id", help="Field or column of the id."),
]
TextFieldOption = Annotated[
    str | None,
    reading(metavar="NAME", show_default="text", help="Field or column of the text."),
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
