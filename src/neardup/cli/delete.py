"""neardup delete: take documents out of a window."""

from __future__ import annotations

from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.exit_codes import DONE, REJECTED
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, print_line


def delete(
    ids: Annotated[list[str], typer.Argument(metavar="ID", show_default=False, help="Ids of the documents.")],
    window: options.WindowOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Delete documents from a window; those that matched them keep their verdicts until `neardup reconcile`.

    One that is not there is reported on standard error, and the exit code is 1. A directory holds the bytes of what was
    deleted until its hour goes (docs/security.md, Erasing).

    Example:

        neardup delete 4711 4712 --window news.window
    """
    from neardup.cli.one_text import from_command_line

    check_output()
    missing = 0
    ids = [str(from_command_line(id, "ID")) for id in ids]
    with opened_window(window, configuration(config)) as target:
        for id in ids:
            if not target.delete(id):
                log_line(f"no document {id!r} in this window")
                missing += 1
    print_line(f"{len(ids) - missing:,} deleted")
    raise typer.Exit(REJECTED if missing else DONE)
