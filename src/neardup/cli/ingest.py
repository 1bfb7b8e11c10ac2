"""neardup ingest: mark the duplicates in a stream."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.door import DONE, REJECTED
from neardup.cli.session import configured, opened


def ingest(
    files: options.FilesArgument,
    window: options.WindowOption = None,
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    matches: options.MatchesOption = None,
    window_hours: options.WindowHoursOption = None,
    route: options.RoutesOption = None,
    min_shared: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="by threshold",
            rich_help_panel=options.COMPARING,
            help="Sketch q-grams that a candidate must share.",
        ),
    ] = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    lexicon: options.LexiconOption = None,
    policy: Annotated[
        Literal["mark", "drop", "route"] | None,
        typer.Option(
            show_default="mark",
            rich_help_panel=options.KEEPING,
            help="mark keeps everything, drop does not store copies, route keeps them apart.",
        ),
    ] = None,
    max_documents: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="no limit",
            rich_help_panel=options.KEEPING,
            help="Over this many documents the window loses its oldest hours.",
        ),
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            show_default="no limit",
            rich_help_panel=options.KEEPING,
            help="The same for memory, such as 1.5GB.",
        ),
    ] = None,
    fsync: Annotated[
        bool | None,
        typer.Option(
            "--fsync/--no-fsync",
            show_default="no",
            rich_help_panel=options.KEEPING,
            help="Survive a power cut, not only a killed process.",
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="10,000,000",
            rich_help_panel=options.READING,
            help="Longer texts (in characters) are rejected.",
        ),
    ] = None,
    input: options.InputOption = None,
    id_field: options.IdFieldOption = None,
    text_field: options.TextFieldOption = None,
    time_field: options.TimeFieldOption = None,
    delimiter: options.DelimiterOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default="standard output",
            rich_help_panel=options.WRITING,
            help="File for the verdicts, as JSON Lines.",
        ),
    ] = None,
    rejects: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="told on standard error",
            rich_help_panel=options.WRITING,
            help="File for rejected documents: file, line, reason.",
        ),
    ] = None,
    format: options.FormatOption = "jsonl",
    batch_documents: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="256", help="Documents worked in one go; changes no verdict."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="1", help="Threads that sign; changes no verdict."),
    ] = None,
    config: options.ConfigOption = None,
) -> None:
    """Mark the duplicates in files as they are read into a window.

    Every document is compared with the documents around its own time that came before, by exact doc_q, and gets
    one verdict: unique, near, exact, empty or unscored. Reading the same file again changes nothing. A document
    that cannot be used is rejected with its file, line and reason, and the stream goes on (exit code 1).

    Examples:

        neardup ingest news.jsonl.gz --window news.window --output verdicts.jsonl --rejects rejects.jsonl

        tail -f news.jsonl | neardup ingest - --window news.window

        neardup ingest letters.csv --text-field body --policy drop --format table
    """
    from neardup.cli.intake import Rejects, documents
    from neardup.cli.output import Verdicts
    from neardup.cli.progress import progress

    if output and output in files:
        raise typer.BadParameter(f"{output} is read already", param_hint="--output")
    settings = configured(
        config,
        threshold=threshold,
        retrieval=retrieval,
        matches=matches,
        window_hours=window_hours,
        routes=route or None,
        min_shared=min_shared,
        q=q,
        fold_case=fold_case,
        lexicon=lexicon,
        policy=policy,
        max_documents=max_documents,
        max_memory=max_memory,
        fsync=fsync,
        max_length=max_length,
        batch_documents=batch_documents,
        threads=threads,
    ).with_fields(id=id_field, text=text_field, time=time_field)
    name = f"stdin-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    reader = settings.reader(files, form=input, delimiter=delimiter, stdin_name=name)
    bar = sys.stderr.isatty() and not (sys.stdout.isatty() and format == "jsonl" and not output)
    with (
        opened(window, settings, make=True) as target,
        Verdicts(format, output) as out,
        Rejects(rejects) as refused,
        progress(reader, refused, shown=bar) as tally,
    ):
        stream = documents(reader, out, refused)
        for verdict in target.ingest(stream, on_reject=lambda reject: refused.add(reader.located(reject))):
            out.write(verdict)
            tally.add(verdict)
    raise typer.Exit(REJECTED if refused.count else DONE)
