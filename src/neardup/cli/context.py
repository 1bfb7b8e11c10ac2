"""The first steps of commands: loading the configuration, and opening the window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.cli.cluster import by_fields_of_window, check_cluster, connected, is_new_in_cluster
from neardup.cli.streams import log_line
from neardup.model.counted import counted
from neardup.stores.window_directory import check_free_directory, check_window, holds_window

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.sources.reader import Reader

DEFAULT_WINDOW: Final = "neardup.window"
_JUDGED: Final = "judged.tsv"
"""The file for judgements of earlier states, which two windows may have shared."""


def configuration(path: Path | None, arguments: Mapping[str, Any] | None = None) -> Config:
    """The configuration from the file and the environment, overridden by the settings among a command's `arguments`.

    A command passes its `locals()`: a parameter with the name of a setting is the option for that setting.
    """
    from neardup.cli.config import RECIPE_KEYS, SETTING_KEYS, load

    given = arguments or {}
    options = {name: given[name] for name in (*SETTING_KEYS, *RECIPE_KEYS) if name in given}
    return load(path, os.environ).with_options(**options)


def window_location(window: str | None, config: Config) -> str:
    """The directory or URL of the window: that of the option, else of the configuration, else `DEFAULT_WINDOW`.

    Raises `ConfigError` if credentials would go to a host that the user has not chosen.
    """
    config.check_secrets(window)
    location = window or config.window or DEFAULT_WINDOW
    from neardup.elastic.http.address import check_no_address, is_address, parse_address

    if is_address(location):
        parse_address(location)  # refuses an invalid URL before anything else happens
    else:
        check_no_address(location)
    return location


def judged_file(location: str) -> Path:
    """The file for judgements of pairs if none is named: in the working directory, with the name of the window, because
    two windows may have documents of the same ids. Reports a file of earlier states, which is not used.
    """
    from neardup.elastic.http.address import is_address, parse_address

    name = parse_address(location).prefix if is_address(location) else Path(location).resolve().name
    file = Path(f"{name.removesuffix('.window')}.{_JUDGED}")
    if Path(_JUDGED).exists() and not file.exists():
        log_line(
            f"{_JUDGED} is not used: judgements are kept by window. If those in it are of {location}, rename it to "
            f"{file}, or give --judged {_JUDGED}"
        )
    return file


@contextmanager
def opened_window(
    window: str | None,
    config: Config,
    *,
    readonly: bool = False,
    make: bool = False,
    remember: bool = False,
    **options: Any,
) -> Iterator[Window]:
    """A context with the open window, which is closed however the command ends; it is made if missing only with `make`.

    The settings are for this command only unless the window is to `remember` them. `force` among the `options` counts
    as `forces_hours` decides.
    """
    import neardup
    from neardup.elastic.http.address import is_address

    location = window_location(window, config)
    if "force" in options:
        options["force"] = forces_hours(config, force=options["force"])
    if is_address(location):
        check_cluster(location, config, make=make)
        options["credentials"] = config.credentials
    else:
        config = _opening(Path(location), config, make=make, is_named=bool(window or config.window))
    with neardup.open(location, readonly=readonly, remember=remember, **options, **config.given) as target:
        report_without_partial(config, lambda: target.settings.partial)
        yield target


def where_stored(window: str | None, config: Config, ids: Sequence[str]) -> dict[str, str]:
    """Where documents of these ids are stored that do not count in the window of a cluster, and why not, in words; none
    for a directory.
    """
    from neardup.elastic.http.address import is_address

    location = window_location(window, config)
    if not is_address(location):
        return {}
    # The client library takes half a second to load.
    from neardup.elastic.watch.backlog import layout_at, without_verdict

    with connected(location, config, make=False) as cluster:
        return without_verdict(cluster, layout_at(cluster), ids)


def forces_hours(config: Config, *, force: bool) -> bool:
    """Whether `--force` drops documents that fewer hours no longer keep: only if the hours that decide this are given
    by an option, too. A user who gives `--force` for an existing output file may not know of the hours that
    `neardup.toml` has for another window.
    """
    deciding = "keep_hours" if "keep_hours" in config.given else "window_hours"
    return force and deciding in config.options


def report_without_partial(config: Config, partial: Callable[[], bool]) -> None:
    """Reports options for partial copies that have no effect because the window does not look for partial copies."""
    idle = [f"--{name}" for name in ("containment", "delta") if name in config.options]
    if idle and not partial():
        has = "has" if len(idle) == 1 else "have"
        log_line(
            f"{' and '.join(idle)} {has} no effect: this run does not look for partial copies (--partial)"
        )


def _opening(directory: Path, config: Config, *, make: bool, is_named: bool) -> Config:
    """`config` for the window in a directory. Raises `WindowMissing` if there is none to open and it is not to `make`
    one; if the directory is not `is_named` by the user, reports which one is used.
    """
    from neardup.stores.description import read_description

    if not make:
        check_window(directory)
    elif not is_named:
        _report_default(directory)
    if "recipe" not in config.given:
        return config
    return config.with_reach(read_description(directory).recipe_fields.get("reach"))


def reader_into(
    location: str, config: Config, files: Iterable[Path], *, adds: bool, **options: Any
) -> Reader:
    """A reader of `files` for the window at `location`; of all their fields, if the command `adds` them to a cluster's.

    Raises `SettingsError` for a window that takes no documents, if the command `adds` them.
    """
    from neardup.elastic.http.address import is_address

    is_url = is_address(location)
    chosen = by_fields_of_window(location, config, adds=adds) if is_url else config
    return chosen.reader(files, keep=is_url and adds, **options)


def is_new_window(location: str, config: Config, *, hours: Callable[[], int]) -> bool:
    """Whether there is no window yet.

    Raises `SettingsError` if no window can be made, or if a new one is in a cluster that has no room for so many
    `hours`, each of which becomes an index.
    """
    from neardup.elastic.http.address import is_address

    if is_address(location):
        return is_new_in_cluster(location, config, hours)
    if holds_window(Path(location)):
        return False
    check_free_directory(Path(location))
    return True


def report_new_window(location: str, config: Config, hours: int) -> None:
    """Reports that a run makes a new window of so many `hours` in a directory or a cluster: if another one was meant,
    copies of earlier documents would be missed, and a cluster would keep what a name with a typing error has made.

    Raises `SettingsError` if no window can be made.
    """
    if is_new_window(location, config, hours=lambda: 0):
        limited = f"of {counted(hours, 'hour')} (--window-hours 0 for no limit)"
        log_line(f"{location} is a new window, {limited if hours else 'without a limit of hours'}")


def report_fields(config: Config, *, ingests: bool) -> None:
    """Reports names of fields in the configuration, which are those of records in files, if documents are posted."""
    from neardup.sources.fields import Fields

    own, usual = config.fields, Fields()
    if ingests and (own.id, own.text, own.time) != (usual.id, usual.text, usual.time):
        log_line(
            f"[fields] of {config.path} names id, text and time in records of files: documents that are posted must "
            "have them in the fields id, text and time"
        )


def _report_default(directory: Path) -> None:
    """Reports which directory is used, when the user has named no window."""
    if holds_window(directory):
        log_line(
            f"documents are compared with those that {directory} holds already (--window DIR for another window)"
        )
    else:
        log_line(f"the window is made in {directory} (--window DIR for another place)")
