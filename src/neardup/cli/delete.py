"""neardup delete: take documents out of a window."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, print_line
from neardup.model.escapes import advice_on_escapes


def delete(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", show_default=False, help="Ids of the documents.")
    ] = None,
    ids_from: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of further ids, one per line; - is standard input."),
    ] = None,
    window: options.WindowOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Delete documents from a window; documents that matched them keep their verdicts until `neardup reconcile`.

    In a cluster the document itself is deleted, whichever client wrote it; if the window scores an index in place, it
    is deleted from that index.

    An id that is not in the window is reported on standard error, and the exit code is 1. A directory keeps the bytes
    of a deleted document until its hour is dropped (docs/security.md, Erasing). Documents are deleted in batches of
    about a thousand. In a cluster, running scorers then read the window again, also for an id that is not in it: they
    may still hold a document that another client has deleted.

    Examples:

        neardup delete 4711 4712 --window news.window

        neardup delete --ids-from withdrawn.txt --window news.window
    """
    check_output()
    given = list(dict.fromkeys(_given(ids, ids_from)))
    with opened_window(window, configuration(config_file)) as target:
        missing = target.delete_many(given)
    for id in missing:
        log_line(f"no document {id!r} in this window{advice_on_escapes(id)}")
    print_line(f"{len(given) - len(missing):,} deleted")
    raise typer.Exit(REJECTED if missing else DONE)


def _given(ids: list[str] | None, file: Path | None) -> list[str]:
    from neardup.cli.one_text import from_command_line

    if not ids and file is None:
        raise typer.BadParameter("give the ids of documents, or a file of them by --ids-from")
    typed = [str(from_command_line(id, "ID")) for id in ids or ()]
    return typed if file is None else typed + _ids_of(file)


def _ids_of(file: Path) -> list[str]:
    """The ids in a file: each line that is not empty is one."""
    from neardup.cli.one_text import is_record
    from neardup.sources.files import STDIN

    data = sys.stdin.buffer.read() if str(file) == STDIN else file.read_bytes()
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _refused(f"{file}:{line} is not UTF-8: byte 0x{data[error.start]:02x}") from None
    ids = [line.removesuffix("\r") for line in lines]
    if is_record(ids[0]):
        raise _refused(f"{file}:1 is a record: give the ids alone, as `jq -r .id` prints them")
    return [id for id in ids if id]


def _refused(reason: str) -> typer.BadParameter:
    return typer.BadParameter(reason, param_hint="--ids-from")
