"""neardup resign: sign a window again that an earlier version of neardup, or another recipe, has signed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neardup.cli import options
from neardup.cli.cluster import check_cluster
from neardup.cli.context import configuration, window_location
from neardup.cli.streams import log_line
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.elastic.window.cluster_resign import ClusterResigning
    from neardup.window.directory_resign import Resigning


def resign(
    window: options.WindowOption = None,
    reach: Annotated[
        float | None,
        options.comparing(
            metavar="NUMBER",
            show_default="the window's, or 0.5 if its threshold needs it",
            help="Lowest threshold that sketches are made for: 0.6, or 0.5, which costs more.",
        ),
    ] = None,
    lexicon: options.LexiconOption = None,
    salt: options.SaltOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Do it, instead of only reporting what would be done.")
    ] = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Sign a window again, because an earlier version signed it or to give it another recipe.

    Documents, verdicts, groups and settings stay as they are; the data for searching is computed again from the stored
    texts. The recipe is that of neardup.toml, if it gives one, else the current one that is nearest to the window's
    own. q and case cannot change; nor can simhash variants of a directory, because it stores normal forms.

    Without --force it reports what it would do, and changes nothing. If a run was interrupted at any moment, start it
    again: it resumes.

    In a directory the new files are written beside the old ones, checked, and put in their place; the old ones stay in
    the window's directory, as old-1, until you delete them. In a cluster every hour is signed in place, while other
    clients continue to write; scorers and readers are stopped until it is done. It needs the roles setup and scorer.

    Examples:

        neardup resign --window news.window

        neardup resign --window news.window --force

        neardup resign --window https://localhost:9200/news --force
    """
    from neardup.elastic.http.address import is_address

    config = configuration(config_file).with_reach(None)
    location = window_location(window, config)
    given = {"reach": reach, "lexicon": lexicon, "salt": salt}
    changes = {name: value for name, value in given.items() if value is not None}
    if is_address(location):
        _resign_cluster(location, config, changes, force=force)
        return
    # Reading a window needs numpy.
    from neardup.window.directory_resign import resign_directory

    path = Path(location)
    done = resign_directory(path, config.given.get("recipe"), changes, dry_run=not force)
    _report(path, done, force=force)


def _resign_cluster(window: str, config: Config, changes: dict[str, Any], *, force: bool) -> None:
    from neardup.elastic.window.cluster_resign import resign_cluster

    check_cluster(window, config, make=False)
    recipe, credentials = config.given.get("recipe"), config.credentials
    done = resign_cluster(
        window, recipe, changes, dry_run=not force, credentials=credentials, on_index=_say_index
    )
    _report_cluster(window, done, force=force)


def _say_index(name: str, documents: int) -> None:
    log_line(f"{name}: {counted(documents, 'document')} signed")


def _report_cluster(window: str, done: ClusterResigning, *, force: bool) -> None:
    if not done.is_needed:
        log_line(f"nothing to do: all documents of {window} are signed by {done.recipe}")
        return
    if force:
        log_line(f"signed again by {done.recipe}")
        return
    what = f"{counted(done.documents, 'document')} in {counted(done.indices, 'index', 'indices')}"
    begun = ", continuing an interrupted run" if done.is_begun else ""
    log_line(f"{window}: {what} to be signed again{begun}; currently signed by {done.old_recipe}")
    log_line(
        f"signing by {done.recipe} would take about {done.seconds:,.0f} s with 4 KB a document, and longer with longer "
        "ones; scorers and readers wait meanwhile"
    )
    log_line("nothing was changed: --force does it")


def _report(path: Path, done: Resigning, *, force: bool) -> None:
    what = f"{counted(done.documents, 'document')} in {counted(done.hours, 'hour')}"
    if done.is_needed:
        log_line(f"{path}: {what}, signed by {done.old_recipe} in format {done.old_format}")
    if done.is_needed and not force:
        log_line(
            f"signing by {done.recipe} would take about {done.seconds:,.0f} s and {done.bytes / 1e6:,.1f} MB more of "
            f"disk ({done.free / 1e6:,.1f} MB are free)"
        )
        log_line("nothing was changed: --force does it")
    elif done.is_needed:
        log_line(f"signed again by {done.recipe}")
    elif done.lost_salts:
        names = " and ".join(done.lost_salts)
        lost = f"{names} {'is' if len(done.lost_salts) == 1 else 'are'} lost: --force puts the secret back"
        log_line(f"{path}: the secret is back in {names}" if force else f"{path}: {lost}")
    else:
        log_line(f"nothing to do: {what}, all signed by {done.recipe} in the current format")
    if done.aside is not None:
        log_line(f"the old files are in {done.aside}: delete it when they are no longer needed")
