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
            help="Files or directories of which copies go, too, and nothing is written; may be given several times.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        options.output("What stays: .jsonl, .json, .csv or .tsv, also with .gz or .zst; .parquet or .arrow."),
    ] = None,
    removed: Annotated[
        Path | None,
        options.writing(
            metavar="FILE",
            show_default="not written",
            help="What goes, each with the record that stays for it and their doc_q; of the same forms.",
        ),
    ] = None,
    keep: Annotated[
        str,
        options.comparing(
            metavar="first|last|longest|earliest|source:A,B",
            help="Which of several copies stays; source: that of the source named first.",
        ),
    ] = "first",
    kinds: Annotated[
        bool | None,
        options.comparing(
            "--kinds/--no-kinds",
            show_default="no",
            help="Say of what goes whether it is a copy, a form, a quote, a frame with other content.",
        ),
    ] = None,
    keep_kinds: Annotated[
        str,
        options.comparing(
            metavar="KIND,KIND",
            show_default="every kind goes",
            help="Kinds of copies that stay all the same: form, quote, frame, other.",
        ),
    ] = "",
    source_field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            rich_help_panel=options.READING,
            help="Field or column of the source, for --keep source:A,B; the name of the file counts, too.",
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
    time_field: options.TimeFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    rejects: options.RejectsOption = None,
    force: Annotated[
        bool,
        options.writing("--force", help="Replace files that exist already."),
    ] = False,
    threads: options.ThreadsOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Write files without their copies: no window, no hours, no clock.

    Every record that goes has doc_q at or above the threshold with one that stays, and no two that stay have it. What
    stays keeps its order, and is the same to the byte where JSON Lines are read and written, or CSV of one header. A
    record of other forms is written as its id, text and, where it has them, time, title and the like. What cannot be
    used is rejected and in neither file (exit code 1).

    Not everything that is like another text is a plain copy of it: --keep-kinds form,quote keeps forms that were filled
    in anew and replies that quote a mail, --kinds marks them in --removed, and without these the summary says how many
    of these there are, judging by a sample.

    The first of several copies stays, and records are written as they are read; for --keep all are read first, into a
    temporary file. --keep earliest goes by the time of each: the files need not be in any order.

    What is given by --against, such as what was kept before, is read first. Its records stay whatever --keep says, and
    are compared with the others alone, not with each other.

    Examples:

        neardup dedup news.jsonl.gz --output clean.jsonl.gz --removed removed.jsonl

        neardup dedup mail/ archive.mbox --html --keep longest --output mails.parquet

        neardup dedup mail/ --keep-kinds form,quote --output mails.jsonl --removed removed.jsonl

        neardup dedup reuters.csv blogs.csv --keep source:reuters,blogs --output clean.csv

        neardup dedup train.jsonl --against test.jsonl --output train-clean.jsonl
    """
    from neardup.cleaning.kept_kinds import parse_kinds
    from neardup.cleaning.preference import parse_keep
    from neardup.cli.cleaning_outputs import CleaningOutputs
    from neardup.cli.cleaning_run import CleaningRules, clean
    from neardup.cli.exit_codes import REJECTED
    from neardup.cli.files_before import FilesBefore
    from neardup.cli.inputs import named_fields
    from neardup.cli.stripping import learned

    settings = configuration(config, locals()).with_fields(id=id_field, text=text_field, time=time_field)
    rules = CleaningRules(parse_keep(keep), source_field, parse_kinds(keep_kinds))
    outputs = CleaningOutputs(output, removed, rejects, force=force)
    outputs.check_forms()
    reading = {"form": input, "delimiter": delimiter, "encoding": encoding, "html": html, "only_texts": True}
    reader = settings.reader(files, **reading)
    before = FilesBefore(against or [], settings, reading, apart_from=reader)
    outputs.check((*files, *reader.paths, *before.names, *settings.files_read))
    with learned(settings, [*files, *before.names], reading, wanted=strip_boilerplate) as own:
        named = named_fields(settings, id=id_field, time=time_field)
        code = clean(reader, before.opened(), own, rules, outputs, named)
    raise typer.Exit(code if before.is_whole else max(code, REJECTED))
