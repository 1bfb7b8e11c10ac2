"""Capacity: whether the documents of an index fit into the hours of a window, before they are copied there."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from neardup.elastic.http.admin_api import SHARDS_A_NODE, index_names, shard_limit
from neardup.errors import ClusterRefused, SettingsError
from neardup.model.hours import hour_name

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.reindex.index_reader import Source, Span

log = logging.getLogger("neardup")

_MANY: Final = 200
"""So many new indices are named before they are made: a cluster has room for 1,000 shards on a node."""
_BECOME_INDICES: Final = (
    "%s: each hour with documents becomes an index, and there are up to %s new ones; %s, a directory as --window keeps "
    "all of them in few files"
)


def check_fits(source: Source, window_hours: int, *, chosen: bool) -> None:
    """Raises `SettingsError` if copying `source` into a window of `window_hours` cannot be intended.

    An archive that is longer than the window expires while it is copied: the user must have `chosen` that. In a window
    without an end (0 hours), every hour with documents becomes an index, unless it is one already, and the indices of a
    cluster are limited. Warns if there are very many such hours.
    """
    span = source.span()
    if span is None:
        return
    new = source.count_hours(span, _hours_there(source.cluster))
    if not window_hours:
        _check_source_fits(source, new)
    elif span.last - span.first > window_hours:
        _check_expiry(source.name, span, window_hours, chosen=chosen)
    if new >= _MANY:
        log.warning(
            _BECOME_INDICES, source.name, f"{new:,}", "--in-place scores the documents where they are"
        )


def _check_expiry(name: str, span: Span, window_hours: int, *, chosen: bool) -> None:
    extent = f"{name} goes from hour {hour_name(span.first)} to {hour_name(span.last)}"
    if chosen:
        log.warning("%s: copying it leaves only its last %d hours", extent, window_hours + 1)
        return
    expected = (
        f"chosen: {extent}, and all but its last {window_hours + 1} hours would expire while they are copied; "
        f"--window-hours 0 keeps and compares all, --window-hours {window_hours} lets them expire"
    )
    raise SettingsError("window_hours", window_hours, expected)


def check_free_hours(cluster: Cluster, hours: int) -> None:
    """Raises `SettingsError` if a cluster has no room for the indices of `hours` hours with documents of files; warns
    if they are very many.
    """
    free = _hours_left(cluster)
    if hours > free:
        expected = (
            f"above 0 for files with documents in {hours:,} hours: each hour becomes an index, and the cluster has "
            f"room for {free:,} more; --window-hours 24 keeps the last hours only, a directory as --window keeps all"
        )
        raise SettingsError("window_hours", 0, expected)
    if hours >= _MANY:
        log.warning(
            _BECOME_INDICES, cluster.address, f"{hours:,}", "--window-hours 24 keeps the last hours only"
        )


def _check_source_fits(source: Source, hours: int) -> None:
    free = _hours_left(source.cluster)
    if hours > free:
        expected = (
            f"an index of at most {free:,} new hours with documents, not {hours:,}: each hour becomes an index, and "
            "the cluster has no room for more; --in-place scores the documents where they are"
        )
        raise SettingsError("from_index", source.name, expected)


def _hours_there(cluster: Cluster) -> frozenset[int]:
    """The hours that are indices of the window at the cluster's address already."""
    own = cluster.address
    there = map(own.hour_of_index, index_names(cluster, own.pattern, expand="all"))
    return frozenset(hour[0] for hour in there if hour is not None and not hour[1])


def _hours_left(cluster: Cluster) -> int:
    """How many more hours the cluster has room for; if this user may not ask, the default limit of one node."""
    try:
        return shard_limit(cluster).hours_left
    except ClusterRefused:
        return SHARDS_A_NODE
