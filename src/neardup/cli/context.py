"""What commands begin with: the configuration, and the window or the cluster that they work on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.cli.streams import log_line

if TYPE_CHECKING:
    from neardup import Window
    from neardup.config import Config
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.window import ElasticWindow

DEFAULT_WINDOW: Final = "neardup.window"
FIRST_PATIENCE: Final = 10.0
"""Seconds to wait for the first answer of a cluster: where nobody answers, it is more often the URL that is wrong."""


def configuration(path: Path | None, arguments: Mapping[str, Any] | None = None) -> Config:
    """The file and the environment, and on top of them the settings among a command's `arguments`.

    A command gives its `locals()`: a parameter that bears the name of a setting is the option for it.
    """
    from neardup.config import RECIPE_KEYS, SETTING_KEYS, load

    given = arguments or {}
    options = {name: given[name] for name in (*SETTING_KEYS, *RECIPE_KEYS) if name in given}
    return load(path, os.environ).with_options(**options)


def window_location(window: str | None, config: Config) -> str:
    """The directory or URL of the window: the option's, else the configuration's, else `DEFAULT_WINDOW`.

    Raises `ConfigError` if credentials would go where nobody said.
    """
    config.check_secrets(window)
    location = window or config.window or DEFAULT_WINDOW
    from neardup.elastic.http.address import check_no_address, parse_address

    if "://" in location:
        parse_address(location)  # whatever is no URL of ours is refused before anything else happens
    else:
        check_no_address(location)
    return location


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
    """The open window, which is closed afterwards however the command ends; made if missing only where `make` is so.

    The settings are for this command only unless the window is to `remember` them.
    """
    import neardup
    from neardup.elastic.http.address import is_address
    from neardup.stores.window_directory import check_window

    location = window_location(window, config)
    if is_address(location):
        check_cluster(location, config, make=make)
        options["credentials"] = config.credentials
    elif not make:
        check_window(Path(location))
    elif not (window or config.window):
        _report_default(Path(location))
    with neardup.open(location, readonly=readonly, remember=remember, **options, **config.given) as target:
        yield target


def connected(window: str | None, config: Config) -> Cluster:
    """A connection to the cluster of the window: the option's, else the configuration's."""
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    config.check_secrets(window)
    return Cluster(parse_address(window or config.window or ""), config.credentials)


def cluster_window_opener(location: str, config: Config, **options: Any) -> Callable[[], ElasticWindow]:
    """What opens the window at a URL with these `options`, each time anew."""
    from neardup.elastic.window.opening import open_elastic_window

    return lambda: open_elastic_window(location, credentials=config.credentials, **options)


def check_cluster(location: str, config: Config, *, make: bool) -> None:
    """Raises `ClusterUnreachable` soon if nobody answers at a URL, `NotSetUp` if there is no window to open."""
    from neardup.elastic.window.state_document import read_state
    from neardup.errors import NotSetUp

    with _impatient(location, config) as cluster:
        if read_state(cluster) is None and not make:
            raise NotSetUp(location)


def is_new_window(location: str, config: Config, *, hours: Callable[[], int]) -> bool:
    """Whether there is no window yet.

    Raises `SettingsError` if so many `hours` do not fit into the cluster of a new one, where each becomes an index.
    """
    from neardup.elastic.http.address import is_address
    from neardup.elastic.reindex.capacity import check_room
    from neardup.elastic.window.state_document import read_state

    if not is_address(location):
        return not (Path(location) / "window.json").exists()
    with _impatient(location, config) as cluster:
        if read_state(cluster) is not None:
            return False
        check_room(cluster, hours())
    return True


def _impatient(location: str, config: Config) -> Cluster:
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    return Cluster(parse_address(location), config.credentials, patience=FIRST_PATIENCE)


def _report_default(directory: Path) -> None:
    """Where the documents go, when nobody has said where."""
    from neardup.stores.window_directory import holds_window

    if holds_window(directory):
        log_line(
            f"documents are compared with those that {directory} holds already (--window DIR for another window)"
        )
    else:
        log_line(f"the window is made in {directory} (--window DIR for another place)")
