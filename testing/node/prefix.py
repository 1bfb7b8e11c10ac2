"""A separate prefix in a cluster, with everything under it deleted afterwards."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.client import Cluster

_NAMES = 60
"""Names in one request, whose first line may have at most 4 KB."""


@contextmanager
def fresh_prefix(url: str, credentials: Credentials | None = None, **options: Any) -> Iterator[Cluster]:
    """A connection to the cluster at `url` with a random prefix; everything with this prefix is deleted at the end."""
    address = Address(url, f"test{secrets.token_hex(5)}")
    with Cluster(address, credentials, **options) as cluster:
        try:
            yield cluster
        finally:
            remove_all(cluster)


def remove_all(cluster: Cluster) -> None:
    """Delete every index, template, pipeline and policy of the cluster's prefix, each by its exact name."""
    own = cluster.address
    remove_windows(cluster, [own], f"*{own.prefix}*")
    cluster.request("DELETE", f"/_component_template/{own.prefix}@custom", missing_ok=True)
    cluster.request("DELETE", f"/_ingest/pipeline/{own.pipeline}", missing_ok=True)


def remove_windows(cluster: Cluster, gone: Sequence[Address], names: str) -> None:
    """Delete the indices and templates of windows, each by its exact name, as many at a time as a request holds:
    deleting one costs the same as deleting a hundred. `names`: a pattern that matches all their templates.
    """
    patterns = [name for address in gone for name in (address.pattern, address.state)]
    for some in _parts(patterns):
        for indices in _parts(indices_like(cluster, some)):
            params = {"ignore_unavailable": "true"}  # one may have been deleted meanwhile
            cluster.request("DELETE", f"/{','.join(indices)}", params=params, missing_ok=True)
    ours = {name for address in gone for name in templates_of(address)}
    path, params = f"/_index_template/neardup-{names}", {"filter_path": "index_templates.name"}
    found = cluster.request("GET", path, params=params, missing_ok=True) or {}
    there = {template["name"] for template in found.get("index_templates", ())}
    # OpenSearch takes one name, or a pattern.
    for some in _parts(sorted(ours & there), 1 if cluster.product == "opensearch" else _NAMES):
        cluster.request("DELETE", f"/_index_template/{','.join(some)}", missing_ok=True)


def indices_like(cluster: Cluster, patterns: list[str]) -> list[str]:
    """The names of indices that match one of `patterns`; a pattern may match no index."""
    params = {"expand_wildcards": "all", "ignore_unavailable": "true", "filter_path": "*.settings.index.uuid"}
    return list(cluster.request("GET", f"/{','.join(patterns)}", params=params, missing_ok=True) or ())


def templates_of(address: Address) -> tuple[str, ...]:
    """The names of a window's index templates."""
    return address.template, address.copies_template, address.alias_template, address.state_template


def _parts(names: Iterable[str], most: int = _NAMES) -> Iterator[list[str]]:
    rest = iter(names)
    while part := list(islice(rest, most)):
        yield part
