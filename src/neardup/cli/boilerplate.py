"""neardup boilerplate: what recurs in each source, learned and looked at."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from neardup.cli import options
from neardup.cli.context import configuration
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.tables import check_output, print_line, print_lines, print_table, some_of
from neardup.model.boilerplate import LEAST, SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.boilerplate import Boilerplate

_NAMED: Final = 10
"""How many sources of a table a message names."""

boilerplate = typer.Typer(
    no_args_is_help=True,
    help="Learn and show boilerplate: the menus, footers and notices that recur in the documents of a source.",
)


@boilerplate.command()
def learn(
    files: options.FilesArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", dir_okay=False, help="The table to write.")
    ],
    force: options.ReplaceOption = False,
    least: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=2,
            help="Smallest number of documents, not copies of one another, that have the line.",
        ),
    ] = LEAST,
    sample: Annotated[
        int, typer.Option(metavar="N", min=2, help="Number of documents of each source to draw at random.")
    ] = SAMPLE,
    input: options.InputOption = None,
    text_field: options.TextFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Learn which lines and sentences recur in the documents of each source: menus, footers, signatures, notices.

    The source is the field `source`, else the host of the `url`, else the domain of the sender of a mail (`from`);
    documents without any of these are one source. Documents that are copies of one another count once for a line. The
    table is JSON: you can remove entries that are not boilerplate, and add sentences.

    Examples:

        neardup boilerplate learn archive.jsonl.gz --output boilerplate.json

        neardup ingest news.jsonl --boilerplate boilerplate.json --window news.window
    """
    from neardup.cli.inputs import report_passed_over, report_read
    from neardup.cli.output_files import check_outputs
    from neardup.cli.sinks import Rejects
    from neardup.cli.stripping import sourced_texts, summary
    from neardup.index.boilerplate_sample import boilerplate_of
    from neardup.signing.boilerplate_file import save
    from neardup.tables.container import check_directory

    check_output()
    check_directory(output)
    config = configuration(config_file).with_fields(text=text_field)
    reader = config.reader(files, form=input, delimiter=delimiter, encoding=encoding, html=html)
    read = (*files, *reader.paths, *config.files_read)
    check_outputs([("--output", output)], read, replace=force, whole=True)
    report_passed_over(reader)
    with Rejects(None, has_option=False) as rejects:
        texts = sourced_texts(rejects.passing(reader))
        table = boilerplate_of(_some(texts), least=least, size=sample)
    report_read(reader, ())
    save(table, output)
    print_line(f"{output}: {summary(table)}")
    raise typer.Exit(REJECTED if rejects.count else DONE)


def _some(texts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The `texts`; raises `typer.BadParameter` if there are none, so that no table is replaced by an empty one."""
    first = next(texts, None)
    if first is None:
        reason = "no document to learn from: give files with texts, or name their text field by --text-field"
        raise typer.BadParameter(reason, param_hint="FILE")
    return chain([first], texts)


@boilerplate.command()
def show(
    path: Annotated[Path, typer.Argument(metavar="FILE", exists=True, show_default=False, help="The table.")],
    source: Annotated[
        str | None, typer.Option(metavar="NAME", show_default="all", help="Show this source only.")
    ] = None,
    format: options.PrintedOption = "table",
) -> None:
    """Show what a table of boilerplate holds, the most frequent first, and name added texts that have no effect.

    Example:

        neardup boilerplate show boilerplate.json --source example.org
    """
    from neardup.cli.stripping import warn_of_passages
    from neardup.signing.boilerplate_file import load

    table = load(path)
    if source is not None and source not in table.sources:
        raise typer.BadParameter(_unknown(source, list(table.sources)), param_hint="--source")
    rows = list(_rows(table, source))
    if format == "jsonl":
        print_lines(dict(zip(("source", "documents", "of", "text"), row, strict=True)) for row in rows)
    else:
        print_table(("source", "documents", "of", "text"), rows, texts=1)
    warn_of_passages(table, table.sources if source is None else [source])


def _unknown(wanted: str, known: Sequence[str]) -> str:
    names = [name or "one without a name (--source '')" for name in known]
    return f"the table has no source {wanted!r}: it has {some_of(names, _NAMED) or 'none'}"


def _rows(table: Boilerplate, wanted: str | None) -> list[list[str | int]]:
    """Rows of (source, number of documents that have a piece, number of documents looked at, piece)."""
    return [
        [name, count, source.documents, piece]
        for name, source in table.sources.items()
        if wanted is None or name == wanted
        for piece, count in source.by_frequency()
    ]
