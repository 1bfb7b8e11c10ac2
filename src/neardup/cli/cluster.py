"""A window in Elasticsearch: the connection to its cluster, whether it is there, and what it was written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Settings
    from neardup.window.engine import WindowEngine

FIRST_PATIENCE: Final = 10.0
"""Seconds to wait for the first answer of a cluster: where nobody answers, it is more often the URL that is wrong."""


def connected(window: str | None, config: Config) -> Cluster:
    """A connection to the cluster of the window: the option's, else the configuration's."""
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    config.check_secrets(window)
    return Cluster(parse_address(window or config.window or ""), config.credentials)


def check_cluster(location: str, config: Config, *, make: bool) -> None:
    """Raises `ClusterUnreachable` soon if nobody answers at a URL, `NotSetUp` if there is no window to open."""
    from neardup.elastic.window.state_document import read_state
    from neardup.errors import NotSetUp

    with _impatient(location, config) as cluster:
        if read_state(cluster) is None and not make:
            raise NotSetUp(location)


def settings_of_window(cluster: Cluster) -> Settings:
    """The settings that the window of a cluster was last written with; the defaults if there is none."""
    from neardup.elastic.window.state_document import read_state
    from neardup.model.settings import Settings
    from neardup.stores.remembered_settings import without_earlier

    state = read_state(cluster)
    return Settings() if state is None else Settings(**without_earlier(state.settings))


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


def cluster_window_opener(location: str, config: Config, **options: Any) -> Callable[[], WindowEngine]:
    """What opens the window at a URL with these `options`, each time anew."""
    from neardup.elastic.window.opening import open_elastic_window

    return lambda: open_elastic_window(location, credentials=config.credentials, **options)


def _impatient(location: str, config: Config) -> Cluster:
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    return Cluster(parse_address(location), config.credentials, patience=FIRST_PATIENCE)
