"""What the commands that ask a cluster begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from neardup.config import Config
    from neardup.elastic.http.client import Cluster

AddressOption = Annotated[
    str | None,
    typer.Option(
        "--window",
        "-w",
        metavar="URL",
        show_default="NEARDUP_WINDOW",
        help="Address of the window: https://host:9200/PREFIX.",
    ),
]


def connected(window: str | None, config: Config) -> Cluster:
    """A connection to the cluster of the window: the option's, else the configuration's."""
    from neardup.elastic.http.address import parse_address
    from neardup.elastic.http.client import Cluster

    config.check_secrets(window)
    return Cluster(parse_address(window or config.window or ""), config.credentials)
