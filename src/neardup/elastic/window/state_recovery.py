"""The state document after `neardup setup`: up to date, or made anew if it was lost or damaged.

Without a state document no stored document counts, so a window whose documents have arrivals is never taken for a new
one: opening it is an error until `neardup setup` has made the state again. Then every scored document counts, including
those of a batch that was never committed: they have the verdicts that they would have got. By which settings the
verdicts were made is then not known.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.elastic.admin.hour_changes import Change
from neardup.elastic.http.address import STATE_DOCUMENT
from neardup.elastic.http.admin_api import config_of_template
from neardup.elastic.window.scored_documents import recovered
from neardup.elastic.window.setup_changes import change_state, remember_hours
from neardup.elastic.window.state_document import StateDocument, read_state, scoring_lease
from neardup.elastic.window.window_state import connected, settings_left
from neardup.errors import ClusterRefused, WindowDamaged
from neardup.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.http.address import Credentials
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")


def describe(window: str, *, credentials: Credentials | None = None) -> None:
    """Brings the state document up to date with the templates, which only the role `setup` can read."""
    with connected(window, credentials, None) as cluster:
        about = config_of_template(cluster)
        if about is None:
            return
        lease = scoring_lease(cluster)
        try:
            state = lease.read()
        except WindowDamaged as error:
            log.warning("%s; doing so", error)
            lease.replace(_recovered(cluster, about))
            return
        if state is None:
            lease.create(_first(cluster, about))
        elif (
            state.is_unused and state.archive is None and (first := _first(cluster, about)).commit.next_order
        ):
            lease.replace(first)
        else:
            _bring_up_to_date(cluster, state, about)


def keep_hours(
    window: str, hours: Mapping[str, int], *, credentials: Credentials | None = None, force: bool = False
) -> None:
    """`remember_hours`, also of a window whose state document is damaged: that is made anew first, with the hours of
    its template, so that those that are to go by other hours are told as ever. Where there is no template either,
    nobody knows of other hours; `describe` makes the state when there is one.
    """
    try:
        remember_hours(window, hours, credentials=credentials, force=force)
    except WindowDamaged:
        describe(window, credentials=credentials)
        with suppress(WindowDamaged):
            remember_hours(window, hours, credentials=credentials, force=force)


def lost_state(cluster: Cluster) -> list[Change]:
    """What `describe` will make anew in a window that is set up: its state document, if that is lost or damaged, or the
    settings in it.
    """
    if config_of_template(cluster) is None:
        return []
    id = f"{cluster.address.state}/{STATE_DOCUMENT}"
    words = f"make state document {id}"
    with suppress(WindowDamaged):
        state = read_state(cluster)
        if state is not None:
            words = f"change state document {id}: the settings of the template"
            settings_left(cluster.address.prefix, state)
            return []
    return [Change(words, (), f"/{id}", {}, is_lacking=True)]


def _first(cluster: Cluster, about: dict[str, Any]) -> StateDocument:
    """The state of a window without one: made from its documents, if this user may look at them; otherwise the state of
    a new window, which is checked when the window is opened.
    """
    try:
        return _recovered(cluster, about)
    except ClusterRefused:
        return StateDocument(about, _hours(about).remembered)


def _bring_up_to_date(cluster: Cluster, state: StateDocument, about: dict[str, Any]) -> None:
    """Changes the parts of a state that differ from the template's description, or that cannot be read."""
    if state.about != about:
        change_state(cluster, lambda state: replace(state, about=about))
    try:
        settings_left(cluster.address.prefix, state)
    except WindowDamaged as error:
        log.warning("%s; doing so", error)
        name, new = str(cluster.address), _hours(about).remembered
        change_state(cluster, lambda state: state.with_settings_lost(name, new))


def _hours(about: dict[str, Any]) -> Settings:
    return Settings(window_hours=about["window_hours"], keep_hours=about.get("keep_hours"))


def _recovered(cluster: Cluster, about: dict[str, Any]) -> StateDocument:
    """The state of a window that is new or has lost its own: from its documents, with the hours of the template."""
    return recovered(cluster, about, _hours(about).remembered, None)
