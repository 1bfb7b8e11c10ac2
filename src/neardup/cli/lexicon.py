"""neardup lexicon: collection statistics, made and looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.session import configured

lexicon = typer.Typer(
    no_args_is_help=True,
    help="Make and look at lexicons: the statistics that say which words are common and which q-grams are rare.",
)


@lexicon.command()
def build(
    files: options.FilesArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", dir_okay=False, help="The lexicon to write.")
    ],
    force: options.ForceOption = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="the file's", help="What the lexicon is called."),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(metavar="N", min=1, show_default="2,000", help="How many documents to draw at random."),
    ] = 2_000,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    input: options.InputOption = None,
    text_field: options.TextFieldOption = None,
    encoding: options.EncodingOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Make a lexicon from a sample of documents like your own, best not the very ones to be compared.

    It changes how fast candidates are found and how words weigh, never a doc_q. A larger sample makes searches cheaper,
    until the q-grams it prefers are so rare that an edit removes them and copies are missed.

    Example:

        neardup lexicon build archive.jsonl.gz --output archive.lexicon
    """
    from neardup.cli.intake import Rejects, texts
    from neardup.cli.output_files import check_outputs
    from neardup.cli.remarks import tell_of_reading, tell_passed_over
    from neardup.cli.tables import counted, print_line
    from neardup.signing.lexicon_sample import lexicon_of, sampled
    from neardup.tables.container import check_directory

    check_directory(output)  # before a sample is drawn of what may be very long
    settings = configured(config, q=q, fold_case=fold_case).with_fields(text=text_field)
    recipe = settings.recipe
    reader = settings.reader(files, form=input, encoding=encoding)
    check_outputs(
        [("--output", output)], (*files, *reader.paths, *settings.files_read), replace=force,
        ways="--force replaces it", whole=True,
    )  # fmt: skip
    tell_passed_over(reader)
    with Rejects(None) as refused:
        read = texts(reader, refused)
        drawn, seen = sampled(read, sample)
        made = lexicon_of(drawn, name=name or output.stem, q=recipe.q, fold_case=recipe.fold_case)
    tell_of_reading(reader, ())
    made.save(output)
    source = "" if seen == made.documents else f", drawn from {seen:,}"
    print_line(f"{output}: lexicon {made.id} of {counted(made.documents, 'document')}{source}")
    raise typer.Exit(REJECTED if refused.count else DONE)


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

    found = Lexicon.load(path) if path else Lexicon.default()
    keys = ("name", "id", "q", "fold_case", "documents")
    known = {
        "known q-gram slots": int((found.qgram_classes != 255).sum()),
        "known word slots": int((found.word_classes != 255).sum()),
    }
    print_either(format, {key: getattr(found, key) for key in keys} | known)
