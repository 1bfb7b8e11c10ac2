"""A window in Elasticsearch: the connection to its cluster, whether it exists, and its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Settings
    from neardup.window.engine import WindowEngine

FIRST_PATIENCE: Final = 10.0
"""Seconds to wait for the first answer of a cluster: if there is none, most often the URL is wrong."""


def connected(window: str | None, config: Config, *, make: bool) -> Cluster:
    """A connection to the cluster of the window: the option's, else the configuration's. Raises as `check_cluster`."""
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    config.check_secrets(window)
    address = parse_address(window or config.window or "")
    check_cluster(str(address), config, make=make)
    return Cluster(address, config.credentials)


def check_cluster(location: str, config: Config, *, make: bool) -> None:
    """Raises `ClusterUnreachable`, soon, if nothing answers at a URL. Unless the window is to be made, also raises
    `NotSetUp` if there is none, and `WindowDamaged`.
    """
    from neardup.elastic.window.state_document import read_state
    from neardup.errors import NotSetUp, WindowDamaged

    with _impatient(location, config) as cluster:
        try:
            state = read_state(cluster)
        except WindowDamaged:
            if not make:
                raise
            return
    if state is None and not make:
        raise NotSetUp(location)


def settings_of_window(cluster: Cluster) -> Settings:
    """The settings that the window of a cluster was last written with; the defaults if there is none."""
    from neardup.elastic.window.state_document import read_state
    from neardup.model.settings import Settings
    from neardup.stores.remembered_settings import without_earlier

    state = read_state(cluster)
    return Settings() if state is None else Settings(**without_earlier(state.settings))


def looks_for_partial(cluster: Cluster, config: Config) -> bool:
    """Whether partial copies will be looked for in the window of a cluster, opened by this configuration."""
    return bool(config.given.get("partial", settings_of_window(cluster).partial))


def is_new_in_cluster(location: str, config: Config, hours: Callable[[], int]) -> bool:
    """Whether there is no window at this URL yet.

    Raises `SettingsError` if so many `hours` do not fit into the cluster, where each becomes an index.
    """
    from neardup.elastic.reindex.capacity import check_free_hours
    from neardup.elastic.window.state_document import read_state

    with _impatient(location, config) as cluster:
        if read_state(cluster) is not None:
            return False
        check_free_hours(cluster, hours())
    return True


def by_fields_of_window(location: str, config: Config, *, adds: bool) -> Config:
    """`config` with the fields in which the window at this URL has text and time, unless others are named.

    Text and time read from other fields would overwrite the values that the documents have in these. Raises
    `SettingsError` for a window that takes no documents, if the command `adds` some.
    """
    from neardup.elastic.window.index_layout import Layout
    from neardup.elastic.window.state_document import read_state
    from neardup.sources.fields import Fields

    with _impatient(location, config) as cluster:
        state = read_state(cluster)
        if state is None:
            return config
        about = Layout.described(cluster.address, state.about, state.archive)
        if adds and about.archive is not None:
            about.check_takes_new(cluster)
    own, usual = config.fields, Fields()
    is_named = own.text != usual.text or "text_field" in config.options
    text = own.text if is_named else about.text_field
    is_other = own.time == usual.time and about.time_field not in usual.time
    time = (about.time_field, *usual.time) if is_other else own.time
    return replace(config, fields=replace(own, text=text, time=time))


def cluster_window_opener(location: str, config: Config, **options: Any) -> Callable[[], WindowEngine]:
    """A function that opens the window at a URL with these `options`, each time anew."""
    from neardup.elastic.window.opening import open_elastic_window

    return lambda: open_elastic_window(location, credentials=config.credentials, **options)


def _impatient(location: str, config: Config) -> Cluster:
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    return Cluster(parse_address(location), config.credentials, patience=FIRST_PATIENCE)
