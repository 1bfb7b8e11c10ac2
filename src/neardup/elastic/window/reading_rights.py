"""Whether a user may read all hours of a window: a search by their pattern silently skips the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.api import field_types
from neardup.elastic.http.mget import check_readable
from neardup.elastic.http.permission_errors import role_for
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.index_layout import Layout
from neardup.errors import ClusterRefused
from neardup.model.clock import now_ms
from neardup.model.hours import FIRST_NAMED, hour_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import StateDocument

_ARRIVAL: Final = f"{OBJECT}.order"
"""Every document that counts has this field, and documents of a window are searched for by it."""
_MOST_UNSEEN: Final = 366 * 24
"""The most hours that are asked about without being seen: each costs a node some 0.05 ms, existing or not."""


def readable(cluster: Cluster, state: StateDocument) -> tuple[WindowConfig, Layout]:
    """The config of a window, and its layout. Raises `ClusterRefused` if the user may not read all of it: one of its
    hours (the current one, if it has none), or the fields by which documents are found. Copies of documents that the
    user may not read would count as new. An hour that the user may neither read nor see is noticed if the window drops
    hours and it is the first, the last, or one of the last year. A role that shows only some documents of an hour is
    not noticed: no answer mentions the others.
    """
    own = cluster.address
    config = window_config(state.about, f"{own.state}/window of {own}")
    layout = Layout.of(own, config, state.archive)
    first, last = state.commit.floor_hour, state.commit.newest
    hours = {hour for hour in (first, last) if hour > FIRST_NAMED}  # before which none is: all are kept
    kinds = {False, state.settings.get("policy") == "route"}
    between = range(max(first, last - _MOST_UNSEEN), last) if len(hours) == 2 else ()

    def names(hours: Iterable[int]) -> set[str]:
        return {layout.index_for(hour, copies=copies) for hour in hours for copies in kinds}

    # What an archive stands for may be readable by its name alone, and has no hours between.
    others = names(between).union(layout.existing_hours(cluster)) if state.archive is None else set()
    check_readable(cluster, names(hours or {hour_of(now_ms())}), others)
    if state.commit.next_order > state.commit.floor_order and not field_types(
        cluster, layout.target, _ARRIVAL
    ):
        _check_fields(cluster, layout)
    return config, layout


def _check_fields(cluster: Cluster, layout: Layout) -> None:
    """Raises `ClusterRefused` if the window has an open index: none shows this user the field that all have."""
    if layout.existing_indices(cluster, which="open,hidden"):
        action = f"indices:data/read of the field {_ARRIVAL} (field-level security)"
        raise ClusterRefused(cluster.url, action, layout.target, role_for("indices:data/read/search"))
