"""The options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

COMPARING = "Comparing"
KEEPING = "Keeping"
READING = "Reading"
WRITING = "Writing"

Format = Literal["jsonl", "table", "quiet"]
Printed = Literal["jsonl", "table"]


def _that_exist(paths: list[Path] | None) -> list[Path]:
    for path in paths or ():
        if str(path) != "-" and not path.exists():
            raise typer.BadParameter(f"{path} does not exist")
    return paths or []


def _that_exists(path: Path | None) -> Path | None:
    return _that_exist([path])[0] if path else None


def a_time(text: str | None) -> str | None:
    """`text` if it is a time."""
    from neardup.model.document import parse_time

    try:
        if text is not None:
            parse_time(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return text


_FILES = "JSON Lines, JSON, CSV, text files or directories of them, plain, gzip or zstd; - is standard input."

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        callback=_that_exist,
        show_default=False,
        help=_FILES,
    ),
]
PerhapsFilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE", callback=_that_exist, show_default=False, help=_FILES),
]
FileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=_that_exists, help="A file with one text; - is standard input."),
]
TextOption = Annotated[str | None, typer.Option(metavar="TEXT", help="The text itself.")]
TimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        callback=a_time,
        show_default="any",
        help="Ask as if the text had this time (ISO 8601).",
    ),
]
NowOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", callback=a_time, show_default="the clock", help="What time it is (ISO 8601)."
    ),
]
WindowOption = Annotated[
    str | None,
    typer.Option(
        "--window",
        "-w",
        metavar="DIR|URL",
        show_default="neardup.window",
        help="Directory of the window (made when missing), or https://host:9200/PREFIX.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", show_default="neardup.toml", help="Settings to read first."),
]

ThresholdOption = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        "-t",
        metavar="NUMBER",
        show_default="0.7",
        rich_help_panel=COMPARING,
        help="From what doc_q on a document is a duplicate.",
    ),
]
RetrievalOption = Annotated[
    Literal["sketch", "complete"] | None,
    typer.Option(
        show_default="sketch",
        rich_help_panel=COMPARING,
        help="How candidates are found: sketch is fast, complete misses none.",
    ),
]
MatchesOption = Annotated[
    str | None,
    typer.Option(
        metavar="N|all",
        show_default="10",
        rich_help_panel=COMPARING,
        help="How many matches a verdict lists, best first; it counts all of them.",
    ),
]
RoutesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--route",
        metavar="sentences|simhash",
        rich_help_panel=COMPARING,
        help="A further way to find candidates; may be given twice.",
    ),
]
PartialOption = Annotated[
    bool | None,
    typer.Option(
        "--partial/--no-partial",
        show_default="no",
        rich_help_panel=COMPARING,
        help="Look for partial copies too: quotations, clippings, several originals in one text.",
    ),
]
ContainmentOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        show_default="0.8",
        rich_help_panel=COMPARING,
        help="What part of the smaller text makes a partial copy, if a sentence is shared.",
    ),
]
DeltaOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default="1",
        rich_help_panel=COMPARING,
        help="More than N sentences in common make a partial copy.",
    ),
]
WindowHoursOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default="24",
        rich_help_panel=COMPARING,
        help="Compare with this many hours before a document's own; 0 is no limit.",
    ),
]
KeepHoursOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default="as --window-hours",
        rich_help_panel=KEEPING,
        help="Keep this many hours before the newest one, compared or not; 0 is for ever.",
    ),
]
AheadHoursOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default="24",
        rich_help_panel=READING,
        help="Reject documents of a time further ahead of the clock than this.",
    ),
]
AdvanceOption = Annotated[
    bool | None,
    typer.Option(
        "--advance",
        rich_help_panel=READING,
        show_default="no",
        help="Believe also a single document by whose time most of the window expires.",
    ),
]
QOption = Annotated[
    int | None,
    typer.Option(
        "--q",
        metavar="N",
        show_default="4",
        rich_help_panel=COMPARING,
        help="Characters of a q-gram, 1 to 16.",
    ),
]
FoldCaseOption = Annotated[
    bool | None,
    typer.Option(
        "--fold-case/--keep-case", show_default="keep", rich_help_panel=COMPARING, help="Whether A equals a."
    ),
]
LexiconOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default="the one that ships",
        rich_help_panel=COMPARING,
        help="Lexicon made by `neardup lexicon build`.",
    ),
]

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
    Literal["jsonl", "csv", "text"] | None,
    typer.Option(
        show_default="by the file's name",
        rich_help_panel=READING,
        help="What the files are, whatever their names.",
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

OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default="standard output",
        rich_help_panel=WRITING,
        help="File for the verdicts, as JSON Lines; never one that is read.",
    ),
]
RejectsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default="told on standard error",
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
        help="Replace files that exist already; let documents go that fewer hours than before do not keep.",
    ),
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", "-f", rich_help_panel=WRITING, help="What standard output gets; quiet is nothing."
    ),
]
PrintedOption = Annotated[
    Printed, typer.Option("--format", "-f", help="JSON Lines for programs, a table for people.")
]
