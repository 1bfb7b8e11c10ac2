"""Whether a user may read the hours of a window: a search by their pattern passes over what he may not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.mget import check_readable
from neardup.elastic.window.index_layout import Layout
from neardup.model.clock import now_ms
from neardup.model.hours import FIRST_HOUR, hour_of

if TYPE_CHECKING:
    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import StateDocument


def readable(cluster: Cluster, state: StateDocument) -> tuple[WindowConfig, Layout]:
    """How a window was set up, and its layout. Raises `ClusterRefused` where the user may not read it, as far as its
    first hour and its last tell (one of today, if it has none): every document would be new to it.
    """
    own = cluster.address
    config = window_config(state.about, f"{own.state}/window of {own}")
    layout = Layout.of(own, config, state.archive)
    hours = {hour for hour in (state.commit.floor_hour, state.commit.newest) if hour > FIRST_HOUR}
    kinds = {False, state.settings.get("policy") == "route"}
    names = {
        layout.index_for(hour, copies=copies) for hour in hours or {hour_of(now_ms())} for copies in kinds
    }
    check_readable(cluster, sorted(names))
    return config, layout
