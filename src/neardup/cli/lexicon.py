"""neardup lexicon: builds and shows collection statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from neardup.cli import options
from neardup.cli.context import configuration
from neardup.cli.exit_codes import DONE, REJECTED

SAMPLE: Final = 2_000
"""Documents that a lexicon is made of. With very many, the table fills up: random strings look like rare q-grams."""

lexicon = typer.Typer(
    no_args_is_help=True,
    help="Build and show lexicons: statistics of which words are common and which q-grams are rare.",
)


@lexicon.command()
def build(
    files: options.FilesArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", dir_okay=False, help="The lexicon to write.")
    ],
    force: options.ReplaceOption = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="the file's", help="Name of the lexicon."),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            show_default=options.shown(SAMPLE),
            help="Number of documents to draw at random.",
        ),
    ] = SAMPLE,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    input: options.InputOption = None,
    text_field: options.TextFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Make a lexicon from a sample of documents like your own, preferably not the ones to be compared.

    It decides which words are common, how words are weighted, and how fast the complete search is; it never changes a
    sketch or a doc_q.

    Example:

        neardup lexicon build archive.jsonl.gz --output archive.lexicon
    """
    from neardup.cli.inputs import report_passed_over, report_read
    from neardup.cli.output_files import check_outputs
    from neardup.cli.sinks import Rejects
    from neardup.cli.tables import check_output, counted, print_line
    from neardup.signing.lexicon_sample import lexicon_of, sampled
    from neardup.sources.files import bytes_escaped
    from neardup.tables.container import check_directory

    check_output()
    check_directory(output)  # before a sample is drawn from files that may be very long
    config = configuration(config_file, locals()).with_fields(text=text_field)
    recipe = config.recipe
    reader = config.reader(files, form=input, delimiter=delimiter, encoding=encoding, html=html)
    read = (*files, *reader.paths, *config.files_read)
    check_outputs([("--output", output)], read, replace=force, whole=True)
    report_passed_over(reader)
    with Rejects(None, has_option=False) as rejects:
        drawn, seen = sampled((document.text for document in rejects.passing(reader)), sample)
        made = lexicon_of(
            drawn, name=bytes_escaped(name or output.stem), q=recipe.q, fold_case=recipe.fold_case
        )
    report_read(reader, ())
    made.save(output)
    source = "" if seen == made.documents else f", drawn from {seen:,}"
    print_line(f"{output}: lexicon {made.id} of {counted(made.documents, 'document')}{source}")
    raise typer.Exit(REJECTED if rejects.count else DONE)


@lexicon.command()
def show(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", exists=True, show_default="the one that ships", help="The lexicon."),
    ] = None,
    format: options.PrintedOption = "table",
) -> None:
    """Show what a lexicon holds.

    Example:

        neardup lexicon show archive.lexicon
    """
    from neardup.cli.tables import print_either
    from neardup.tables.lexicon import Lexicon

    chosen = Lexicon.load(path) if path else Lexicon.default()
    keys = ("name", "id", "q", "fold_case", "documents")
    known = {
        "known q-gram slots": int((chosen.qgram_classes != 255).sum()),
        "known word slots": int((chosen.word_classes != 255).sum()),
    }
    print_either(format, {key: getattr(chosen, key) for key in keys} | known)
