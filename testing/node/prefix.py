"""A prefix of one's own in a cluster, and nothing left of it afterwards."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.client import Cluster


@contextmanager
def fresh_prefix(url: str, credentials: Credentials | None = None, **options: Any) -> Iterator[Cluster]:
    """A connection to the cluster at `url` with a random prefix; whatever is named by it is deleted at the end."""
    address = Address(url, f"test{secrets.token_hex(5)}")
    with Cluster(address, credentials, **options) as cluster:
        try:
            yield cluster
        finally:
            remove_all(cluster)


def remove_all(cluster: Cluster) -> None:
    """Delete every index, template, pipeline and policy of the cluster's prefix, each by its exact name."""
    own = cluster.address
    found = cluster.request(
        "GET", f"/{own.pattern},{own.state}", params={"expand_wildcards": "all", "ignore_unavailable": True}
    )
    for index in found:
        cluster.request("DELETE", f"/{index}", missing_ok=True)
    for template in (own.template, own.copies_template, own.alias_template, own.state_template):
        cluster.request("DELETE", f"/_index_template/{template}", missing_ok=True)
    cluster.request("DELETE", f"/_component_template/{own.prefix}@custom", missing_ok=True)
    cluster.request("DELETE", f"/_ingest/pipeline/{own.pipeline}", missing_ok=True)
