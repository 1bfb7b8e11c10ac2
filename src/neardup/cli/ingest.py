"""neardup ingest: mark the duplicates in a stream."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window, reader_into, window_location
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.metrics import MetricsOption, metrics_at

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from neardup import Window
    from neardup.cli.config import Config
    from neardup.cli.sinks import OutputOptions

INDEX = "An index as the source"


def ingest(
    files: options.PerhapsFilesArgument = None,
    window: options.NewWindowOption = None,
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    candidates: options.CandidatesOption = None,
    matches: options.MatchesOption = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    routes: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    min_shared: options.MinSharedOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    reach: options.ReachOption = None,
    lexicon: options.LexiconOption = None,
    salt: options.SaltOption = None,
    boilerplate: options.BoilerplateOption = None,
    strip_boilerplate: options.StripBoilerplateOption = False,
    policy: options.PolicyOption = None,
    keep_text: options.KeepTextOption = None,
    kinds: options.KindsOption = None,
    show: options.ShowOption = None,
    max_documents: options.MaxDocumentsOption = None,
    max_memory: options.MaxMemoryOption = None,
    fsync: options.FsyncOption = None,
    max_length: options.MaxLengthOption = None,
    input: options.InputOption = None,
    id_field: options.IdFieldOption = None,
    text_field: options.TextFieldOption = None,
    time_field: options.TimeFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    ahead_hours: options.AheadHoursOption = None,
    advance: options.AdvanceOption = None,
    from_index: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="files",
            rich_help_panel=INDEX,
            help="Copy the documents of this index of the same cluster into the window; a later run resumes.",
        ),
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            rich_help_panel=INDEX,
            help="Copy nothing: sign and mark the documents of the index in place.",
        ),
    ] = False,
    output: options.OutputOption = None,
    rejects: options.RejectsOption = None,
    append: options.AppendOption = False,
    force: options.ForceOption = False,
    metrics: MetricsOption = None,
    format: options.FormatOption = "jsonl",
    batch_documents: options.BatchDocumentsOption = None,
    threads: options.ThreadsOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Mark the duplicates in files, or in an index, as they are read into a window.

    Every document is compared, by exact doc_q, with the documents around its own time that came before it. It gets one
    verdict: unique, near, exact, empty, unscored (no hour to compare it with is left), or with --partial also partial.
    A document that cannot be used is rejected with its file, line and reason, and the run goes on (exit code 1; also
    if more than 1 % of the documents could not be compared with all of their window). Skipped files are reported once,
    at the start; repeated ids and missing fields at the end.

    Files are not a stream: a new window for files has no limit of hours unless --window-hours or --keep-hours is given,
    and a window with a limit takes the documents of files in order of time. A pipe is read as it comes; if there is no
    window, it makes a new window of 24 hours. A record without a time gets that of the document before it; a page, mail
    or text without one gets the time when its file was last changed. A document is rejected if its time is ahead of the
    clock (--ahead-hours), or if it alone would make most of the window expire.

    Reading the same file again changes nothing in the window, if none of its ids has had another text since: a
    document that is still stored gets its verdict again. The text that comes last under an id stays, whatever its time.
    Documents of hours that were dropped are compared anew with what is left, and their verdicts say truncated.

    Examples:

        neardup ingest news.jsonl.gz --window news.window --output verdicts.jsonl --rejects rejects.jsonl

        tail -n +1 -F news.jsonl | neardup ingest - --window news.window --output verdicts.jsonl --append

        neardup ingest letters.csv --text-field body --policy drop --format table

        neardup ingest news.jsonl.gz --window https://localhost:9200/news --format quiet

        neardup ingest --from-index letters --in-place --text-field body --window https://localhost:9200/letters-state
    """
    from neardup.cli.from_index import ingest_index, score_in_place
    from neardup.cli.sinks import OutputOptions
    from neardup.cli.stripping import has_boilerplate, learned

    _check_sources(files or [], from_index, in_place=in_place)
    config = configuration(config_file, locals()).with_fields(id=id_field, text=text_field, time=time_field)
    outputs = OutputOptions(format, output, rejects, append, force, metrics=metrics_at(metrics, "ingest"))
    wanted = strip_boilerplate and not has_boilerplate(window_location(window, config))
    if from_index is None:
        reading: dict[str, Any] = {"form": input, "delimiter": delimiter, "encoding": encoding, "html": html}
        named = {"id": id_field, "time": time_field}
        with learned(config, files or [], reading, wanted=wanted) as own:
            code = _ingest_files(window, own, files or [], outputs, reading=reading, named=named)
    elif in_place:
        given = {"text_field": text_field, "time_field": time_field}
        code = score_in_place(window, config, from_index, outputs, given=given)
    else:
        code = ingest_index(window, config, from_index, outputs)
    raise typer.Exit(code)


def _ingest_files(
    window: str | None,
    config: Config,
    files: list[Path],
    outputs: OutputOptions,
    *,
    reading: dict[str, Any],
    named: dict[str, str | None],
) -> int:
    """Ingests the documents of `files`, read with the options `reading`; returns the exit code.

    `named`: the fields of the id and the time that an option names.
    """
    import neardup
    from neardup.cli import inputs
    from neardup.cli.pipeline import ingest_all
    from neardup.cli.repeated_ids import IdCheckingReader
    from neardup.sources.time_order import DatedReader

    location = window_location(window, config)
    source = reader_into(location, config, files, adds=True, **reading)
    outputs.check((*files, *source.paths, *config.files_read), window=location)
    inputs.report_passed_over(source)
    inputs.check_any(source)  # before a window is made
    dated = DatedReader(source, ahead_hours=config.settings.ahead_hours)
    if inputs.needs_no_window(location, config, dated):
        own = {name: value for name, value in config.given.items() if name != "candidates"}  # of a cluster
        opened: AbstractContextManager[Window] = neardup.open(None, **own)
    else:
        config = inputs.without_limit(location, config, dated)
        opened = opened_window(window, config, make=True, remember=True, force=outputs.force)
    with opened as target:
        ordered = inputs.in_time_order(target, dated)
        shown = inputs.fields_to_show(config)
        reader = IdCheckingReader(ordered, source, inputs.named_fields(config, **named), shown)
        outputs = outputs._replace(live=dated.is_live)
        try:
            with outputs.told_if_cut_short(lambda: target.left.documents > 0):
                code = ingest_all(target, reader, outputs)
        finally:
            reader.report_undated()
            inputs.report_earlier_copies(target.earlier_copies, location, policy=target.settings.policy)
            is_wrong = reader.report(target)
    return code or (REJECTED if is_wrong else DONE)


def _check_sources(files: list[Path], from_index: str | None, *, in_place: bool) -> None:
    if not files and from_index is None:
        raise typer.BadParameter("Missing argument 'FILE': name files, or an index by --from-index")
    if files and from_index is not None:
        raise typer.BadParameter("give files or --from-index, not both", param_hint="--from-index")
    if in_place and from_index is None:
        raise typer.BadParameter("name the index by --from-index", param_hint="--in-place")
