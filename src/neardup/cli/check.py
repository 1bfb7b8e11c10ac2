"""neardup check: which documents of some files are in a window, or in other files?"""

from __future__ import annotations

from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, reader_into, window_location


def check(
    files: options.FilesArgument,
    against: Annotated[
        list[str],
        typer.Option(
            metavar="DIR|URL|FILE",
            show_default=False,
            help="Window, or files and directories, to compare with; may be given several times for files.",
        ),
    ],
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    matches: options.MatchesOption = None,
    routes: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    min_shared: options.MinSharedOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    lexicon: options.LexiconOption = None,
    boilerplate: options.BoilerplateOption = None,
    strip_boilerplate: Annotated[
        bool,
        options.comparing("--strip-boilerplate", help="Learn boilerplate from the files of --against first."),
    ] = False,
    max_length: options.MaxLengthOption = None,
    input: options.InputOption = None,
    html: options.HtmlOption = False,
    id_field: options.IdFieldOption = None,
    text_field: options.TextFieldOption = None,
    against_text_field: options.AgainstTextFieldOption = None,
    time_field: options.TimeFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    output: options.OutputOption = None,
    rejects: options.RejectsOption = None,
    append: options.AppendOption = False,
    force: options.ReplaceOption = False,
    format: options.FormatOption = "jsonl",
    config_file: options.ConfigOption = None,
) -> None:
    """Report what each document of files is a copy of, in a window or in other files; nothing is stored.

    Each document gets one verdict, as from `neardup ingest`, but is compared with all documents of --against, whatever
    their hours, and not with the other documents that are checked. A document that is in --against is a copy of itself.
    Files of --against are not compared with one another: the group of a match is its duplicate_of.
    --input and the names of fields apply to both sides, except that --against-text-field names the text of --against:
    first ingest files of another format into a window.

    Examples:

        neardup check today.jsonl --against news.window --format table

        neardup check test.jsonl --against train.jsonl --against extra/ --output verdicts.jsonl
    """
    from neardup.cli.against import check_files, opened_against
    from neardup.cli.checking import check_all
    from neardup.cli.exit_codes import REJECTED
    from neardup.cli.inputs import named_fields
    from neardup.cli.sinks import OutputOptions
    from neardup.cli.stripping import learned

    config = configuration(config_file, locals()).with_fields(id=id_field, text=text_field, time=time_field)
    reading = {"form": input, "delimiter": delimiter, "encoding": encoding, "html": html}
    reader = reader_into(window_location(against[0], config), config, files, adds=False, **reading)
    outputs = OutputOptions(format, output, rejects, append, force, live=reader.bytes_total is None)
    outputs.check((*files, *reader.paths, *against, *config.files_read))
    if against_text_field is not None:
        check_files(against, "--against-text-field", "it holds documents without names of fields")
    there = config.with_fields(text=against_text_field)
    if strip_boilerplate:
        check_files(against, "--strip-boilerplate", "whose own table holds, if it has one")
    with (
        learned(there, against, reading, wanted=strip_boilerplate) as own,
        opened_against(against, own, reading, shown=format == "table") as other,
    ):
        named = named_fields(config, id=id_field)
        if time_field is None:  # times decide nothing here, and the setting in a file is for other commands
            named -= {"time"}
        with outputs.told_if_cut_short():
            code = check_all(other, reader, outputs, named=named)
    raise typer.Exit(code if other.is_whole else max(code, REJECTED))
