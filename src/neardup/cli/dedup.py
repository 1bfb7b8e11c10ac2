"""neardup dedup: files without their copies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration


def dedup(
    files: options.FilesArgument,
    against: Annotated[
        list[str] | None,
        options.comparing(
            metavar="FILE",
            show_default="nothing",
            help="Also remove copies of these files or directories, which are not written; may be given several times.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        options.output(
            "File for the kept records: .jsonl, .json, .csv or .tsv, also with .gz or .zst; .parquet or .arrow."
        ),
    ] = None,
    removed: Annotated[
        Path | None,
        options.writing(
            metavar="FILE",
            show_default="not written",
            help="File for the removed records, each with the record kept in its place and their doc_q; same formats.",
        ),
    ] = None,
    keep: Annotated[
        str,
        options.comparing(
            metavar="first|last|longest|earliest|source:A,B",
            help="Keep this one of several copies; source: that of the source named first.",
        ),
    ] = "first",
    kinds: Annotated[
        bool | None,
        options.comparing(
            "--kinds/--no-kinds",
            show_default="no",
            help="Label every removed record with its kind: copy, form, quote, frame or other.",
        ),
    ] = None,
    keep_kinds: Annotated[
        str,
        options.comparing(
            metavar="KIND,KIND",
            show_default="none",
            help="Keep copies of these kinds: form, quote, frame, other.",
        ),
    ] = "",
    source_field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            rich_help_panel=options.READING,
            help="Field or column of the source, for --keep source:A,B; the name of the file counts too.",
        ),
    ] = "source",
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    routes: options.RoutesOption = None,
    min_shared: options.MinSharedOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    lexicon: options.LexiconOption = None,
    boilerplate: options.BoilerplateOption = None,
    strip_boilerplate: options.StripBoilerplateOption = False,
    max_length: options.MaxLengthOption = None,
    input: options.InputOption = None,
    html: options.HtmlOption = False,
    id_field: options.IdFieldOption = None,
    text_field: options.TextFieldOption = None,
    against_text_field: options.AgainstTextFieldOption = None,
    time_field: options.TimeFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    rejects: options.RejectsOption = None,
    force: Annotated[
        bool,
        options.writing("--force", help="Replace existing files."),
    ] = False,
    threads: options.ThreadsOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Write files without their duplicate records: no window, no hours, no clock.

    Every removed record has doc_q at or above the threshold with a kept record; two kept records are below it, except
    for the few pairs that --retrieval sketch misses. Kept records stay in order. JSON Lines written as JSON Lines stay
    the same to the byte, and so do rows of CSV files with one header; other records are written as their id, text and,
    if they have them, time, title and the like. A record that cannot be used is rejected, and is in neither file (exit
    code 1).

    Not every copy is a plain copy: --keep-kinds form,quote keeps forms that were filled in anew and replies that quote
    a mail, and --kinds labels them in --removed. Without either, the summary says how many of these a random sample
    has.

    By default the first of several copies is kept, and records are written as they are read. With another --keep, all
    records are first read into a temporary file. --keep earliest compares times: the files need not be in any order.

    Files given by --against, such as records kept earlier, are read first. Their records count as kept, whatever --keep
    says, and are compared only with the other records, not with each other. If their text is in a field of another
    name, --against-text-field names it.

    Examples:

        neardup dedup news.jsonl.gz --output clean.jsonl.gz --removed removed.jsonl

        neardup dedup mail/ archive.mbox --html --keep longest --output mails.parquet

        neardup dedup mail/ --keep-kinds form,quote --output mails.jsonl --removed removed.jsonl

        neardup dedup reuters.csv blogs.csv --keep source:reuters,blogs --output clean.csv

        neardup dedup train.jsonl --against test.jsonl --against-text-field question --output train-clean.jsonl
    """
    from neardup.cleaning.kept_kinds import parse_kinds
    from neardup.cleaning.preference import parse_keep
    from neardup.cli.cleaning_outputs import CleaningOutputs
    from neardup.cli.cleaning_run import CleaningRules, clean
    from neardup.cli.exit_codes import REJECTED
    from neardup.cli.files_before import FilesBefore
    from neardup.cli.inputs import named_fields
    from neardup.cli.stripping import learned

    config = configuration(config_file, locals()).with_fields(id=id_field, text=text_field, time=time_field)
    rules = CleaningRules(parse_keep(keep), source_field, parse_kinds(keep_kinds))
    outputs = CleaningOutputs(output, removed, rejects, force=force)
    outputs.check_forms()
    reading = {"form": input, "delimiter": delimiter, "encoding": encoding, "html": html, "only_texts": True}
    reader = config.reader(files, **reading)
    if against_text_field is not None and not against:
        raise typer.BadParameter(
            "name the files that have it by --against", param_hint="--against-text-field"
        )
    there = config.with_fields(text=against_text_field)
    before = FilesBefore(against or [], there, reading, apart_from=reader)
    outputs.check((*files, *reader.paths, *before.names, *config.files_read))
    before.check_any_usable(config.settings.max_length)
    with learned(
        config, files, reading, wanted=strip_boilerplate, also=there.reader(before.names, **reading)
    ) as own:
        named = named_fields(config, id=id_field, time=time_field)
        code = clean(reader, before.opened(), own, rules, outputs, named)
    raise typer.Exit(code if before.is_whole else max(code, REJECTED))
