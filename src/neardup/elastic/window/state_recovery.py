"""The state document as `neardup setup` leaves it: up to date, or made anew where it is lost or damaged.

Without it no stored document counts, so a window whose documents bear arrivals is never taken for a new one: opening
it is an error, until `neardup setup` has made the state again. Then every scored document counts, also one of a batch
that was never committed: its verdict is the one that it would have got.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.elastic.admin.setup import window_config
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.scored_documents import scored_documents
from neardup.elastic.window.setup_changes import change_state
from neardup.elastic.window.state_document import StateDocument, read_state, scoring_lease
from neardup.elastic.window.window_state import config_of_template, connected, settings_left
from neardup.errors import WindowDamaged
from neardup.model.settings import Settings
from neardup.stores.base import Commit

if TYPE_CHECKING:
    from neardup.elastic.http.address import Credentials
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")


def describe(window: str, *, credentials: Credentials | None = None) -> None:
    """Brings the state document up to what `neardup setup` has made, which only its role can see."""
    with connected(window, credentials, None) as cluster:
        about = config_of_template(cluster)
        if about is None:
            return
        try:
            state = read_state(cluster)
        except WindowDamaged as error:
            log.warning("%s; doing so", error)
            scoring_lease(cluster).replace(_recovered(cluster, about))
            return
        if state is None:
            scoring_lease(cluster).create(_recovered(cluster, about))
        else:
            _bring_up_to_date(cluster, state, about)


def _bring_up_to_date(cluster: Cluster, state: StateDocument, about: dict[str, Any]) -> None:
    """Changes of a state what is not as its template says, or cannot be."""
    if state.about != about:
        change_state(cluster, lambda state: replace(state, about=about))
    try:
        settings_left(cluster.address.prefix, state)
    except WindowDamaged as error:
        log.warning("%s; doing so", error)
        change_state(cluster, lambda state: replace(state, settings=_hours(about).remembered))


def _hours(about: dict[str, Any]) -> Settings:
    return Settings(window_hours=about["window_hours"], keep_hours=about.get("keep_hours"))


def _recovered(cluster: Cluster, about: dict[str, Any]) -> StateDocument:
    """The state of a new window, or of one whose state is gone: of its documents, with the hours of the template."""
    layout = Layout.of(cluster.address, window_config(about), None)
    state = recovered(cluster, layout, about, _hours(about).remembered)
    if state.commit.next_order:
        log.warning("%s: the state document is made anew: every scored document counts", cluster.address)
    return state


def recovered(
    cluster: Cluster, layout: Layout, about: dict[str, Any], settings: dict[str, Any]
) -> StateDocument:
    """A state by which all scored documents count; that of a new window if there are none."""
    scored = scored_documents(cluster, layout)
    begun = StateDocument(about, settings, archive=layout.archive)
    if not scored.documents:
        return begun
    committed = StateDocument(
        about,
        settings,
        Commit(seq=scored.last + 1, next_order=scored.last + 1, newest=scored.newest),
        archive=layout.archive,
        # Larger than any before it: an undo log that an earlier epoch has left is not to be taken for one of these.
        epoch=int(time.time()),
    )
    # As after a scorer that died: what is still on its way never counts.
    return committed.next_epoch(lost=True).without_undo()
