"""neardup doctor: whether everything that neardup needs is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, window_location
from neardup.cli.exit_codes import DONE, UNUSABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.cli.config import Config
    from neardup.cli.options import Printed
    from neardup.model.finding import Finding


def doctor(
    window: options.WindowOption = None,
    format: options.PrintedOption = "table",
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="List what a repair of a damaged window in a directory keeps and loses; --force does it.",
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Do the repair, instead of only reporting what it would do.")
    ] = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Check Python, the libraries, the data files, the compiled kernels and the window; exit code 3 if one is unusable.

    For a window in Elasticsearch it checks the cluster, the plugin and how it signs on every node, templates, pipeline,
    every hour and the state document. Every finding says what to do. A window in a directory is read completely, and
    every checksum is checked.

    With --repair it lists by hour how many documents of a damaged window are whole, and which are lost. With --force
    too, it keeps the whole ones, and the window can be opened again; its directory `damaged` gets the damaged files.

    Examples:

        neardup doctor --window news.window

        neardup doctor --window news.window --repair --force

        neardup doctor --window https://localhost:9200/news
    """
    from neardup.cli.installation import examine
    from neardup.cli.tables import STYLES, print_lines, print_table
    from neardup.elastic.http.address import is_address

    config = configuration(config_file)
    location = window_location(window, config)
    if repair:
        raise typer.Exit(_repair(location, format, force=force))
    if is_address(location):
        checks = list(_examine_cluster(location, config))
    else:
        checks = list(examine(Path(location), named=window is not None))
    if format == "jsonl":
        print_lines(check._asdict() for check in checks)
    else:
        styles = [STYLES.get(check.state, "") for check in checks]
        print_table(("what", "state", "found"), checks, styles=styles)
    raise typer.Exit(UNUSABLE if any(check.state == "bad" for check in checks) else DONE)


def _examine_cluster(location: str, config: Config) -> Iterator[Finding]:
    # The client library takes half a second to load.
    from neardup.cli.installation import examine_installation
    from neardup.elastic.admin.checks import examine
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.watch.document_checks import examine_documents, readable_state

    own = parse_address(location), config.credentials
    yield from examine_installation()
    state = readable_state(*own)
    is_half_signed = state is not None and state.resigned_from is not None
    is_in_place = state is not None and state.archive is not None
    yield from examine(*own, is_half_signed=is_half_signed, is_in_place=is_in_place)
    yield from examine_documents(*own)


def _repair(location: str, format: Printed, *, force: bool) -> int:
    from neardup.elastic.http.address import is_address

    if is_address(location):
        raise typer.BadParameter("a window in a cluster is repaired by Elasticsearch", param_hint="--repair")
    # Reading a damaged window needs numpy.
    from neardup.cli.repair import repair_window

    return repair_window(Path(location), format, force=force)
