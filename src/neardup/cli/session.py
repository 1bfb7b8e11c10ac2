"""What every command begins with: the configuration and the window."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.cli.exit_codes import say

if TYPE_CHECKING:
    from neardup import Window
    from neardup.config import Config

DEFAULT_WINDOW: Final = "neardup.window"
FIRST_PATIENCE: Final = 10.0
"""Seconds to wait for the first answer of a cluster: where nobody answers, it is more often the URL that is wrong."""


def configured(path: Path | None, **options: Any) -> Config:
    """The file and the environment with the `options` that were given on top."""
    from neardup.config import load

    return load(path, os.environ).with_options(**options)


def place_of(window: str | None, config: Config) -> str:
    """The directory or URL meant: the option's, else the configuration's, else `neardup.model.hours`.

    Raises `ConfigError` if credentials would go where nobody said.
    """
    config.check_secrets(window)
    place = window or config.window or DEFAULT_WINDOW
    from neardup.elastic.http.address import check_no_address, parse_address

    if "://" in place:
        parse_address(place)  # whatever is no URL of ours is told before anything else happens
    else:
        check_no_address(place)
    return place


@contextmanager
def opened(
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

    place = place_of(window, config)
    if is_address(place):
        check_cluster(place, config, make=make)
        options["credentials"] = config.credentials
    elif not make:
        check_window(Path(place))
    elif not (window or config.window):
        _tell_of_default(Path(place))
    with neardup.open(place, readonly=readonly, remember=remember, **options, **config.given) as target:
        yield target


def check_cluster(place: str, config: Config, *, make: bool) -> None:
    """Raises `ClusterUnreachable` soon if nobody answers at a URL, `NotSetUp` if there is no window to open."""
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import read_state
    from neardup.errors import NotSetUp

    with Cluster(parse_address(place), config.credentials, patience=FIRST_PATIENCE) as cluster:
        if read_state(cluster) is None and not make:
            raise NotSetUp(place)


def _tell_of_default(directory: Path) -> None:
    """Says where the documents go, when nobody has said where."""
    from neardup.stores.window_directory import holds_window

    if holds_window(directory):
        say(
            f"documents are compared with those that {directory} holds already (--window DIR for another window)"
        )
    else:
        say(f"the window is made in {directory} (--window DIR for another place)")
