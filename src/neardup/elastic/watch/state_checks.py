"""What a doctor says of what the state document of a window tells. Reads only."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from neardup.elastic.admin.hourly_indices import read_indices
from neardup.elastic.http.admin_api import config_of_template
from neardup.elastic.window.loader import given_up
from neardup.elastic.window.scored_documents import check_unscored
from neardup.elastic.window.state_document import read_state
from neardup.elastic.window.window_state import check_signed, settings_left, why_half_changed
from neardup.errors import ClusterRefused, ClusterRejected
from neardup.model.counted import counted
from neardup.model.finding import Finding
from neardup.window.newest_hour import examine_newest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import StateDocument


def examine_state(address: Address, state: StateDocument) -> Iterator[Finding]:
    """What a doctor finds of a window at `address` in this `state`: that a scorer has died, and left changes that are
    to be undone; that its newest hour is ahead of the clock.
    """
    died = why_half_changed(str(address), state)
    if died is not None:
        yield Finding(f"state of {address.prefix}", "warning", died)
    yield from examine_newest(state.newest, settings_left(address.prefix, state).kept_hours)


def check_given_up(cluster: Cluster, state: StateDocument) -> Iterator[Finding]:
    """That documents of an archive were given up for a budget, as earlier versions of neardup did: they keep their
    verdicts, so that nobody scores them again, and nothing is compared with them.
    """
    if state.archive is None or not (lost := given_up(cluster, state, state.archive)):
        return
    own = cluster.address
    fault = "were given up for max_documents or max_memory, and are never compared again"
    remedy = f"`neardup remove --window {own} --force`, then score {state.archive} again without a limit"
    yield Finding(f"documents of {own.prefix}", "warning", f"{counted(lost, 'document')} {fault}; {remedy}")


def opened_state(cluster: Cluster) -> StateDocument | None:
    """The state document, checked as when the window is opened, except for closed hours; None if there is none."""
    state = read_state(cluster)
    if state is None:
        about = config_of_template(cluster)
    else:
        check_signed(str(cluster.address), state)
        settings_left(cluster.address.prefix, state)
        about = state.about if state.is_unused and state.archive is None else None
    if about is not None:
        # What is in a closed hour is not known; that it is closed is a finding of its own.
        with suppress(ClusterRejected):
            check_unscored(cluster, about, has_state=state is not None)
    return state


def hours_left(cluster: Cluster, recipe: str) -> str:
    """How many hours of a window that is being signed again by `recipe` are not signed yet, in words; empty for an
    archive, or if the user may not look at the hours.
    """
    try:
        hourly = read_indices(cluster).hourly
    except ClusterRefused:
        return ""
    left = sum(index.about is None or index.about.get("recipe") != recipe for index in hourly)
    return f"; {left} of {len(hourly)} indices of hours are not signed yet" if hourly else ""
