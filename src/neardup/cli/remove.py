"""neardup remove: take a window in a cluster away."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neardup.cli import options
from neardup.cli.cluster import connected
from neardup.cli.context import configuration, window_location
from neardup.cli.exit_codes import DONE, USAGE
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, print_line

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.elastic.http.client import Cluster


def remove(
    window: options.AddressOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be removed.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Do it, instead of only printing what would be removed.")
    ] = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Remove a window from a cluster: its hours with all their documents, its state, its templates and the like.

    An index that is scored in place stays, with its documents: only the object neardup is removed from those that this
    window has marked. Stop scorers and other writers first; while a scorer is at work the command is refused.

    Without --force it prints what would be removed, changes nothing, and the exit code is 2 (with --dry-run 0). What
    stays, and a scorer at work, is reported on standard error. If a run was interrupted, start it again: it goes on. It
    needs more rights than any other command (docs/security.md).

    Examples:

        neardup remove --window https://localhost:9200/news --dry-run

        neardup remove --window https://localhost:9200/news --force
    """
    check_output()
    config = configuration(config_file)
    _check_cluster_window(window, config)
    with connected(window, config, make=True) as cluster:
        if force and not dry_run:
            _remove(cluster)
            return
        _print_plan(cluster)
    if not dry_run:
        log_line("nothing was changed: --force does it")
    raise typer.Exit(DONE if dry_run else USAGE)


def _check_cluster_window(window: str | None, config: Config) -> None:
    """Raises `SettingsError` for a window in a directory, which is never deleted, or `WindowMissing`."""
    from neardup.elastic.http.address import is_address
    from neardup.errors import SettingsError
    from neardup.stores.window_directory import check_window

    if not (window or config.window):
        return
    location = window_location(window, config)
    if not is_address(location):
        check_window(Path(location))
        expected = (
            f"the URL of a window in a cluster: a directory is removed by `rm -r {shlex.quote(location)}`"
        )
        raise SettingsError("window", location, expected)


def _print_plan(cluster: Cluster) -> None:
    from neardup.elastic.watch.window_removal import at_work, plan_removal, steps_of

    plan = plan_removal(cluster)
    for step in steps_of(cluster, plan):
        print_line(f"would {step}")
    for note in plan.notes:
        log_line(note)
    if (holder := at_work(cluster)) is not None:
        log_line(
            f"--force is refused while another process is at work here ({holder}): wait for it, or end it"
        )


def _remove(cluster: Cluster) -> None:
    from neardup.elastic.watch.window_removal import plan_removal
    from neardup.elastic.watch.window_removal import remove as remove_window

    notes = plan_removal(cluster).notes
    with closing(remove_window(cluster)) as steps:
        for step in steps:
            print_line(step.done)
    for note in notes:
        log_line(note)
