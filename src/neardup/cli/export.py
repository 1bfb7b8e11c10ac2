"""neardup export: all stored documents with their verdicts, for another window or another program."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.streams import as_json, log_line, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.window.base import ReadDocument, Window

_AT_ONCE: Final = 32
"""How many documents are in memory together: their texts may be of millions of characters, and more gain nothing."""


def export(
    window: options.WindowOption = None,
    output: Annotated[Path | None, options.output("File for the documents, as JSON Lines.")] = None,
    show: options.ShowOption = None,
    force: options.ReplaceOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Write every stored document as a line of JSON: id, time, text, fields, and its verdict under `neardup`.

    Documents are written in the order in which they were stored, and `neardup ingest` can read them: for example into a
    window with another q, which `neardup resign` cannot change. The fields are those that --show named when the
    document was stored, in a cluster those that it names now; `neardup ingest` keeps them with the same --show. If a
    text was not kept (--no-keep-text), its normal form is written; the number of such texts is reported on standard
    error.

    Examples:

        neardup export --window news.window --output news.jsonl

        neardup ingest news.jsonl --window new.window --q 5
    """
    from neardup.cli.output_files import check_outputs

    config = configuration(config_file, locals())
    check_outputs([("--output", output)], config.files_read, replace=force, lines=True)
    count = not_kept = 0
    with opened_window(window, config, readonly=True) as target, _writing(output, force=force) as write:
        for document in _documents(target):
            write(as_json(_line_of(document)))
            count += 1
            not_kept += not document.is_original
    if not_kept:
        log_line(f"the original of {not_kept:,} of {count:,} texts was not kept: its normal form is written")


@contextmanager
def _writing(output: Path | None, *, force: bool) -> Iterator[Callable[[bytes], object]]:
    """A context with a function that writes a line: to standard output, or to a file that appears when complete."""
    from neardup.cli.output_files import opened_output

    if output is None:
        yield write_json
        return
    with opened_output(output, force=force, whole=True) as file:
        yield file.write


def _documents(window: Window) -> Iterator[ReadDocument]:
    """All documents, in the order in which they came, without those deleted meanwhile."""
    ids = iter(list(window))
    while part := list(islice(ids, _AT_ONCE)):
        yield from (document for document in window.read(part) if document is not None)


def _line_of(document: ReadDocument) -> dict[str, Any]:
    """A record that can be ingested, with the verdict in the field that it has in a cluster."""
    verdict = document.verdict.to_dict()
    del verdict["id"], verdict["time"]
    own = {"id": document.id, "time": document.time, "text": document.text}
    return own | dict(document.fields) | own | {"neardup": verdict}
