"""neardup ingest: mark the duplicates in a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.archive import in_time, tell_undated, without_limit
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.from_index import copied, scored_in_place
from neardup.cli.pipeline import OutputOptions, take_in
from neardup.cli.session import configured, opened, place_of

INDEX = "An index as the source"


def ingest(
    files: options.PerhapsFilesArgument = None,
    window: options.WindowOption = None,
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    matches: options.MatchesOption = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    route: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
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
    encoding: options.EncodingOption = None,
    ahead_hours: options.AheadHoursOption = None,
    advance: options.AdvanceOption = None,
    from_index: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="files",
            rich_help_panel=INDEX,
            help="Copy the documents of this index of the same cluster into the window; goes on where it was ended.",
        ),
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            rich_help_panel=INDEX,
            help="Copy nothing: sign and mark the documents of the index where they are.",
        ),
    ] = False,
    output: options.OutputOption = None,
    rejects: options.RejectsOption = None,
    append: options.AppendOption = False,
    force: options.ForceOption = False,
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
    """Mark the duplicates in files, or in an index, as they are read into a window.

    Every document is compared with the documents around its own time that came before, by exact doc_q, and gets
    one verdict: unique, near, exact, empty, unscored (no hour around it lives any more), or with --partial also
    partial. A document that cannot be used is rejected with its file, line and reason, and the stream goes on (exit
    code 1; also if more than 1 % of the documents could not be compared with all of their window). What came again
    under one id, fields that are missing and files passed over are told once, in the end.

    Files are no stream: a new window that files are read into has no limit of hours unless --window-hours gives one,
    and into a window with a limit documents of files go in order of time. Standard input is taken as it comes, into a
    new window of 24 hours. A document without a time has that of the one before it; one whose time is ahead of the
    clock, or alone would make most of the window expire, is rejected.

    Reading the same file again changes nothing in the window: what is still there gets its verdict once more. Documents
    of hours that were dropped already are judged anew by what is left; their verdicts say truncated.

    Examples:

        neardup ingest news.jsonl.gz --window news.window --output verdicts.jsonl --rejects rejects.jsonl

        tail -f news.jsonl | neardup ingest - --window news.window --output verdicts.jsonl --append

        neardup ingest letters.csv --text-field body --policy drop --format table

        neardup ingest news.jsonl.gz --window https://localhost:9200/news --format quiet

        neardup ingest --from-index letters --in-place --text-field body --window https://localhost:9200/letters-state
    """
    from neardup.cli.remarks import Observed, named_fields, tell_passed_over
    from neardup.elastic.http.address import is_address
    from neardup.sources.time_order import DatedReader

    files = files or []
    _check_sources(files, from_index, in_place=in_place)
    settings = configured(
        config,
        threshold=threshold,
        retrieval=retrieval,
        matches=matches,
        window_hours=window_hours,
        keep_hours=keep_hours,
        ahead_hours=ahead_hours,
        advance=advance,
        routes=route or None,
        partial=partial,
        containment=containment,
        delta=delta,
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
    way_out = OutputOptions(format, output, rejects, append, force)
    place = place_of(window, settings)
    is_wrong = False
    if from_index is not None:
        way_out.check(settings.files_read, window=place)
    if from_index is not None and not in_place:
        code = copied(window, settings, from_index, way_out, force=force)
    elif from_index is not None:
        named = {"text_field": text_field, "time_field": time_field}
        given = [option for option, value in named.items() if value is not None]
        code = scored_in_place(window, settings, from_index, way_out, given=given)
    else:
        keep = is_address(place)
        source = settings.reader(files, form=input, delimiter=delimiter, encoding=encoding, keep=keep)
        way_out.check((*files, *source.paths, *settings.files_read), window=place)
        tell_passed_over(source)
        dated = DatedReader(source, ahead_hours=settings.settings.ahead_hours)
        settings = without_limit(place, settings, dated)
        with opened(window, settings, make=True, remember=True, force=force) as target:
            fields = named_fields(settings, id=id_field, time=time_field)
            reader = Observed(in_time(target, dated), source, fields)
            try:
                code = take_in(target, reader, way_out._replace(live=dated.is_live))
            finally:
                tell_undated(dated)
                is_wrong = reader.tell(target.replaced)
    raise typer.Exit(code or (REJECTED if is_wrong else DONE))


def _check_sources(files: list[Path], from_index: str | None, *, in_place: bool) -> None:
    if not files and from_index is None:
        raise typer.BadParameter("Missing argument 'FILE': name files, or an index by --from-index")
    if files and from_index is not None:
        raise typer.BadParameter("give files or --from-index, not both", param_hint="--from-index")
    if in_place and from_index is None:
        raise typer.BadParameter("name the index by --from-index", param_hint="--in-place")
