"""neardup get: stored documents, for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window, where_stored
from neardup.cli.described import described, left_out_if_empty, original_of
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.streams import log_line
from neardup.cli.tables import (
    TIME,
    cell,
    minute,
    moment,
    print_line,
    print_lines,
    print_pairs,
    print_table,
    shortened,
)
from neardup.model.escapes import advice_on_escapes, escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup import Window
    from neardup.cli.config import Config
    from neardup.window.base import ReadDocument


def get(
    ids: Annotated[list[str], typer.Argument(metavar="ID", show_default=False, help="Ids of the documents.")],
    window: options.WindowOption = None,
    format: Annotated[
        Literal["text", "table", "jsonl"],
        typer.Option("--format", "-f", help="Whole texts, a table with a line per document, or JSON Lines."),
    ] = "text",
    show: options.ShowOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Show stored documents: time, fields, verdict, and the text as it came.

    The fields are those that --show named when the document was stored; in a cluster any field of the document. If a
    text was not kept (--no-keep-text, or an earlier version), its normal form is shown, and the output says so. An id
    that is not in the window is reported on standard error, and the exit code is 1; in a cluster also that its document
    is stored, but has no verdict.

    Examples:

        neardup get wire-0002 wire-0020 --window news.window

        neardup get wire-0002 --window news.window --format jsonl
    """
    from neardup.cli.one_text import from_command_line

    wanted = [str(from_command_line(id, "ID")) for id in ids]
    config = configuration(config_file, locals())
    with opened_window(window, config, readonly=True) as target:
        documents = target.read(wanted)
        stored = [document for document in documents if document is not None]
        changed = _changed(stored, target) if format == "text" else {}
    if format == "jsonl":
        print_lines(document.to_dict() for document in stored)
    elif format == "table":
        _print_table(stored)
    else:
        _print_texts(stored, changed)
    if lacking := [id for id, document in zip(wanted, documents, strict=True) if document is None]:
        _report_lacking(lacking, window, config)
    raise typer.Exit(DONE if len(stored) == len(wanted) else REJECTED)


def _changed(documents: Sequence[ReadDocument], target: Window) -> dict[str, float]:
    """The doc_q of copies with the text that their best match has now, by id, where it is not that of the verdict."""
    copies = [each for each in documents if each.verdict.is_copy]
    if not copies:
        return {}
    from neardup.reading.explanation import present_score

    originals = target.read([str(each.verdict.duplicate_of) for each in copies])
    recipe = target.settings.recipe
    scores = {
        copy.id: present_score(copy, original, recipe)
        for copy, original in zip(copies, originals, strict=True)
    }
    return {id: score for id, score in scores.items() if score is not None}


def _report_lacking(ids: Sequence[str], window: str | None, config: Config) -> None:
    """Reports ids that are not in the window; in a cluster, which of them other clients have stored."""
    stored = where_stored(window, config, ids)
    for id in ids:
        if id in stored:
            log_line(f"document {id!r} {stored[id]}")
        else:
            why = "it was never stored, was deleted or has expired"
            log_line(f"no document {id!r} in this window: {why}{advice_on_escapes(id)}")


def _print_table(documents: Sequence[ReadDocument]) -> None:
    rows = []
    for each in documents:
        verdict, shown = each.verdict, described(each)
        cells = [minute(each.time), each.id, verdict.status, original_of(verdict), verdict.score]
        rows.append([*cells, verdict.kind, shortened(shown.source), shown.begins])
    columns = (TIME, "id", "status", "copy of", "score", "kind", "source", "text")
    print_table(*left_out_if_empty(columns, rows, ("source", "copy of", "score", "kind")), texts=1)


def _print_texts(documents: Sequence[ReadDocument], changed: Mapping[str, float]) -> None:
    """Prints every document: a line about it, its fields, and its text, which may have many lines."""
    for at, each in enumerate(documents):
        if at:
            print()
        print_line(_headline(each))
        if each.id in changed:
            now = f"now doc_q {cell(changed[each.id])}"
            print_line(
                f"({now}: the text of {each.verdict.duplicate_of}, or the recipe, has changed since then)"
            )
        print_pairs(each.fields)
        if not each.is_original and each.text:
            print("(the text was not kept; this is its normal form)")
        if each.left_out.spans:
            print("(text in [- -] recurs in its source and does not count)")
        if each.left_out.is_whole:
            print("(nearly all of this text recurs in its source, so all of it counts)")
        print()
        print(escaped(_marked(each), lines=True))


def _marked(document: ReadDocument) -> str:
    """The text of a document, with the parts that are left out in brackets."""
    marked, at = "", 0
    for start, end in document.left_out.spans:
        marked += f"{document.text[at:start]}[-{document.text[start:end]}-]"
        at = end
    return marked + document.text[at:]


def _headline(document: ReadDocument) -> str:
    verdict = document.verdict
    copy = f" copy of {verdict.duplicate_of}, doc_q {cell(verdict.score)}" if verdict.is_copy else ""
    if verdict.kind is not None:
        copy += f", kind {verdict.kind}"
    if verdict.differing is not None:
        copy += f" ({verdict.differing[0]} here, {verdict.differing[1]} there)"
    return f"{document.id}  {moment(document.time)}  {verdict.status}{copy}"
