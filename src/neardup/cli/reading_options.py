"""The options that say how files are read."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import typer

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
        metavar="NAME", show_default="time, timestamp or @timestamp", help="Field or column of the time."
    ),
]
InputOption = Annotated[
    Literal["jsonl", "csv", "text", "mail", "mbox", "html", "parquet", "arrow"] | None,
    reading(show_default="by the file's name", help="What the files are, whatever their names."),
]
HtmlOption = Annotated[
    bool,
    reading(
        "--html",
        help="Read HTML pages too (main text, title, date), and of mails the HTML that is not beside a plain version.",
    ),
]
DelimiterOption = Annotated[
    str | None,
    reading(metavar="CHAR", show_default="what fits the header", help="Separator of CSV columns."),
]

EncodingOption = Annotated[
    str | None,
    reading(metavar="NAME", show_default="UTF-8", help="What text is in, such as latin-1, cp1252 or utf-16."),
]
