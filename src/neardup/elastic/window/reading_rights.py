"""Whether a user may read the hours of a window: a search by their pattern passes over what he may not read."""

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
"""Every document that counts has it, and all that is read of a window is searched for by it."""
_MOST_UNSEEN: Final = 366 * 24
"""How many hours are asked about that this user does not see: each takes a node some 0.05 ms, there or not."""


def readable(cluster: Cluster, state: StateDocument) -> tuple[WindowConfig, Layout]:
    """How a window was set up, and its layout. Raises `ClusterRefused` where the user may not read all of it: one of
    its hours (one of today, if it has none), or the fields that tell neardup what is there. What he may not read would
    be new to it. An hour that he may neither read nor see is noticed if it is the first or the last, or of the last
    year, of a window that drops hours. A role that shows only some documents of an hour is not noticed: no answer tells
    of the others.
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
    others = names(between).union(layout.living(cluster)) if state.archive is None else set()
    check_readable(cluster, names(hours or {hour_of(now_ms())}), others)
    if state.commit.next_order > state.commit.floor_order and not field_types(
        cluster, layout.target, _ARRIVAL
    ):
        _check_fields(cluster, layout)
    return config, layout


def _check_fields(cluster: Cluster, layout: Layout) -> None:
    """Raises `ClusterRefused` if the window has an index that is open: none shows this user what all have."""
    if layout.made(cluster, which="open,hidden"):
        action = f"indices:data/read of the field {_ARRIVAL} (field-level security)"
        raise ClusterRefused(cluster.url, action, layout.target, role_for("indices:data/read/search"))
