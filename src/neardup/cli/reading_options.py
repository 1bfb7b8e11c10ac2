"""The options that say how files are read."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

READING = "Reading"

IdFieldOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", show_default="id", rich_help_panel=READING, help="Field or column of the id."
    ),
]
TextFieldOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", show_default="text", rich_help_panel=READING, help="Field or column of the text."
    ),
]
TimeFieldOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default="time, timestamp or @timestamp",
        rich_help_panel=READING,
        help="Field or column of the time.",
    ),
]
InputOption = Annotated[
    Literal["jsonl", "csv", "text", "mail", "mbox", "html", "parquet", "arrow"] | None,
    typer.Option(
        show_default="by the file's name",
        rich_help_panel=READING,
        help="What the files are, whatever their names.",
    ),
]
HtmlOption = Annotated[
    bool,
    typer.Option(
        "--html",
        rich_help_panel=READING,
        help="Read HTML pages too, and mails that have no other text: their main text, title and date.",
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        show_default="what fits the header",
        rich_help_panel=READING,
        help="Separator of CSV columns.",
    ),
]

EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default="UTF-8",
        rich_help_panel=READING,
        help="What text is in, such as latin-1, cp1252 or utf-16.",
    ),
]
