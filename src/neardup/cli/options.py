"""The options shared by several commands, each defined once; defaults in help texts are those of `Settings`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from neardup.cli import file_options
from neardup.cli.callbacks import checked_time, that_exist, that_exists
from neardup.cli.context import DEFAULT_WINDOW
from neardup.model.settings import MAX_Q, ROUTES, CandidatesFrom, Policy, Recipe, Retrieval, Settings

COMPARING = "Comparing"
KEEPING = "Keeping"
READING = file_options.READING
comparing = partial(typer.Option, rich_help_panel=COMPARING)
keeping = partial(typer.Option, rich_help_panel=KEEPING)
writing = file_options.writing

Format = Literal["jsonl", "table", "quiet"]
Printed = Literal["jsonl", "table"]

SETTINGS = Settings()
RECIPE = Recipe()


def shown(value: object, nothing: str | None = None) -> str:
    """A default as a help text shows it; `nothing` is shown for None, and for 0 where that means no limit.

    >>> shown(10_000_000), shown(False), shown(None, "by threshold"), shown(0, "no limit"), shown(0)
    ('10,000,000', 'no', 'by threshold', 'no limit', '0')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if nothing is not None and not value:
        return nothing
    return f"{value:,}" if isinstance(value, int) else str(value)


def _setting(
    name: str,
    *flags: str,
    help: str,
    panel: str | None = COMPARING,
    metavar: str | None = None,
    nothing: str | None = None,
) -> Any:
    """The option for the setting `name` of `Settings` or `Recipe`; the help text shows the default there."""
    default = getattr(SETTINGS if hasattr(SETTINGS, name) else RECIPE, name)
    return typer.Option(
        *flags, metavar=metavar, show_default=shown(default, nothing), rich_help_panel=panel, help=help
    )


_FILES = (
    "JSON Lines, JSON, CSV, text, mail, mailboxes, Parquet, Arrow, or directories of them, plain, gzip or zstd; "
    "- is standard input."
)

FilesArgument = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", callback=that_exist, show_default=False, help=_FILES),
]
PerhapsFilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE", callback=that_exist, show_default=False, help=_FILES),
]
FileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=that_exists, help="A file with one text; - is standard input."),
]
TextOption = Annotated[str | None, typer.Option(metavar="TEXT", help="The text itself.")]


def time(show_default: str, help: str) -> Any:
    """An option whose value is a time."""
    return typer.Option(metavar="TIME", callback=checked_time, show_default=show_default, help=help)


TimeOption = Annotated[str | None, time("any", "Ask as if the text had this time (ISO 8601).")]
NowOption = Annotated[str | None, time("the clock", "Time to use instead of the clock (ISO 8601).")]


def _window(help: str) -> Any:
    return typer.Option("--window", "-w", metavar="DIR|URL", show_default=DEFAULT_WINDOW, help=help)


WindowOption = Annotated[str | None, _window("Directory of the window, or https://host:9200/PREFIX.")]
NewWindowOption = Annotated[
    str | None, _window("Directory of the window (made when missing), or https://host:9200/PREFIX.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", show_default="neardup.toml", help="Read settings from this file."
    ),
]

ThresholdOption = Annotated[
    str | None,
    _setting(
        "threshold",
        "--threshold",
        "-t",
        metavar="NUMBER",
        help="Lowest doc_q that makes a document a duplicate.",
    ),
]
RetrievalOption = Annotated[
    Retrieval | None,
    _setting("retrieval", help="How to find candidates: sketch is fast, complete misses none."),
]
CandidatesOption = Annotated[
    CandidatesFrom | None,
    _setting(
        "candidates",
        help="Where to find candidates: in a window held in memory, or by searches in the cluster.",
    ),
]
MatchesOption = Annotated[
    str | None,
    _setting(
        "matches",
        metavar="N|all",
        nothing="all",
        help="List at most this many matches in a verdict, best first; it counts all.",
    ),
]
RoutesOption = Annotated[
    list[str] | None,
    comparing(
        "--route", metavar="|".join(ROUTES), help="Find candidates in this way too; may be given twice."
    ),
]
MinSharedOption = Annotated[
    int | None,
    _setting(
        "min_shared",
        metavar="N",
        nothing="by threshold",
        help="Number of sketch keys that a candidate must share.",
    ),
]
PartialOption = Annotated[
    bool | None,
    _setting(
        "partial",
        "--partial/--no-partial",
        help="Look for partial copies too: quotations, clippings, several originals in one text.",
    ),
]
ContainmentOption = Annotated[
    str | None,
    _setting(
        "containment",
        metavar="NUMBER",
        help="Share of the smaller text that makes a partial copy, if the texts share a sentence.",
    ),
]
DeltaOption = Annotated[
    int | None,
    _setting("delta", metavar="N", help="More than N sentences in common make a partial copy."),
]
WindowHoursOption = Annotated[
    int | None,
    _setting(
        "window_hours",
        metavar="N",
        help="Compare a document with this many hours before its own; 0 is no limit.",
    ),
]
QOption = Annotated[
    int | None, _setting("q", "--q", metavar="N", help=f"Characters of a q-gram, 1 to {MAX_Q}.")
]
FoldCaseOption = Annotated[
    bool | None,
    comparing(
        "--fold-case/--keep-case",
        show_default="fold" if RECIPE.fold_case else "keep",
        help="Treat A and a as equal, or as different.",
    ),
]
ReachOption = Annotated[
    float | None,
    _setting(
        "reach",
        metavar="NUMBER",
        help="Lowest threshold that sketches are made for: 0.6, or 0.5, which costs more.",
    ),
]
LexiconOption = Annotated[
    Path | None,
    _setting(
        "lexicon", metavar="FILE", nothing="the one that ships", help="Lexicon made by `lexicon build`."
    ),
]
SaltOption = Annotated[
    Path | None,
    _setting(
        "salt", metavar="FILE", nothing="none", help="File with a secret that selects the grams of sketches."
    ),
]
BoilerplateOption = Annotated[
    Path | None,
    _setting(
        "boilerplate",
        metavar="FILE",
        nothing="none",
        help="Table of `boilerplate learn`: text that recurs in a source, and does not count.",
    ),
]
StripBoilerplateOption = Annotated[
    bool,
    comparing("--strip-boilerplate", help="Learn boilerplate from these files first."),
]

KeepHoursOption = Annotated[
    int | None,
    _setting(
        "keep_hours",
        panel=KEEPING,
        metavar="N",
        nothing="as --window-hours",
        help="Keep this many hours before the newest one, compared or not; 0 keeps all.",
    ),
]
KeepTextOption = Annotated[
    bool | None,
    keeping(
        "--keep-text/--no-keep-text",
        show_default="keep, in a directory",
        help="Keep original texts for display; compressed to about half their size.",
    ),
]
KindsOption = Annotated[
    bool | None,
    keeping(
        "--kinds/--no-kinds",
        show_default="no",
        help="Label every copy with its kind: copy, form, quote, frame or other.",
    ),
]
ShowOption = Annotated[
    list[str] | None,
    keeping(
        metavar="NAME",
        show_default=", ".join(SETTINGS.show),
        help="Field or column to keep and show beside a text; may be given several times.",
    ),
]
SourceFieldOption = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Field that names the source: one kept by --show, in a cluster any field."
    ),
]
PolicyOption = Annotated[
    Policy | None,
    _setting(
        "policy",
        panel=KEEPING,
        help="What to do with copies: mark keeps them, drop does not store them, route sets them aside.",
    ),
]
MaxDocumentsOption = Annotated[
    int | None,
    _setting(
        "max_documents",
        panel=KEEPING,
        metavar="N",
        nothing="no limit",
        help="Drop the oldest hours beyond this many documents.",
    ),
]
MaxMemoryOption = Annotated[
    str | None,
    _setting(
        "max_memory",
        panel=KEEPING,
        metavar="SIZE",
        nothing="no limit",
        help="Drop the oldest hours beyond this much memory, such as 1.5GB.",
    ),
]
FsyncOption = Annotated[
    bool | None,
    _setting(
        "fsync", "--fsync/--no-fsync", panel=KEEPING, help="Survive a power cut, not only a killed process."
    ),
]
MaxLengthOption = Annotated[
    int | None,
    _setting("max_length", panel=READING, metavar="N", help="Reject texts longer than this many characters."),
]
AheadHoursOption = Annotated[
    int | None,
    _setting(
        "ahead_hours",
        panel=READING,
        metavar="N",
        help="Reject documents whose time is further ahead of the clock than this many hours.",
    ),
]
AdvanceOption = Annotated[
    bool | None,
    _setting(
        "advance",
        "--advance",
        panel=READING,
        help="Accept even a single document whose time makes most of the window expire.",
    ),
]
BatchDocumentsOption = Annotated[
    int | None,
    _setting(
        "batch_documents",
        panel=None,
        metavar="N",
        nothing="1024; 256 if all matches are listed, or each document is a search",
        help="Documents processed at once; changes no verdict.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    _setting(
        "threads",
        panel=None,
        metavar="N",
        help="Number of threads: one decides, the others sign ahead and help to compare; changes no verdict.",
    ),
]

AddressOption = Annotated[
    str | None,
    typer.Option(
        "--window",
        "-w",
        metavar="URL",
        show_default="NEARDUP_WINDOW",
        help="Address of the window: https://host:9200/PREFIX.",
    ),
]

DelimiterOption = file_options.DelimiterOption
EncodingOption = file_options.EncodingOption
HtmlOption = file_options.HtmlOption
IdFieldOption = file_options.IdFieldOption
InputOption = file_options.InputOption
TextFieldOption = file_options.TextFieldOption
AgainstTextFieldOption = file_options.AgainstTextFieldOption
TimeFieldOption = file_options.TimeFieldOption
OutputOption = file_options.OutputOption
RejectsOption = file_options.RejectsOption
AppendOption = file_options.AppendOption
ForceOption = file_options.ForceOption
ReplaceOption = file_options.ReplaceOption
LetGoOption = file_options.LetGoOption
output = file_options.output

FormatOption = Annotated[
    Format,
    writing("--format", "-f", help="Format of standard output; quiet prints nothing there."),
]
PrintedOption = Annotated[
    Printed, typer.Option("--format", "-f", help="JSON Lines for programs, a table for people.")
]
