"""What `neardup setup` changes of a window that is there, the hours it keeps, and what it cannot change."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.api import count
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import read_state, scoring_lease
from neardup.elastic.window.window_state import (
    check_hours_of_archive,
    check_signed,
    connected,
    settings_left,
)
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.hours import hour_name
from neardup.stores.remembered_settings import merged
from neardup.window.base import Expired
from neardup.window.changed_hours import check_hours, tell_hours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.address import Credentials
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import StateDocument


def remember_hours(
    window: str, hours: Mapping[str, int], *, credentials: Credentials | None = None, force: bool = False
) -> None:
    """Makes a window that is there remember `hours` (window_hours, keep_hours), as opening it with them does.

    Raises `SettingsError` if documents would go by it and there is no `force`.
    """
    with connected(window, credentials, None) as cluster:
        state = read_state(cluster) if hours else None
        if state is None:
            return
        left = settings_left(cluster.address.prefix, state)
        chosen = left.with_changes(**hours)
        layout = Layout.described(cluster.address, state.about, state.archive)
        newest = state.commit.newest
        changed = check_hours(left, chosen, lambda kept: _older(cluster, layout, newest - kept), force=force)
        if chosen != left:
            remembered = chosen.remembered
            change_state(cluster, lambda state: replace(state, settings=merged(state.settings, remembered)))
        if changed:
            tell_hours(str(cluster.address), left, chosen)


def lower_max_length(window: str, max_length: int, *, credentials: Credentials | None = None) -> None:
    """Has scorers reject texts of more characters, where they took them so far: to be called before nodes stop signing
    these. What is being scored is done when it returns.
    """
    with connected(window, credentials, None) as cluster, suppress(WindowDamaged):
        state = read_state(cluster)
        if state is None or state.is_unused or state.about.get("max_length", 0) <= max_length:
            return
        change_state(cluster, lambda now: replace(now, about={**now.about, "max_length": max_length}))


def check_not_resigning(cluster: Cluster) -> None:
    """Raises `WindowResigning` where the window at the cluster's address is being signed again: what a run that was
    ended has begun, setup does not turn back; its hours are of two recipes until then.
    """
    if (known := _present(cluster)) is not None:
        check_signed(str(cluster.address), known[0])


def check_archive(cluster: Cluster, config: WindowConfig) -> None:
    """Raises `RecipeMismatch` or `SettingsError` where the documents of the window at the cluster's address are scored
    in place, and are not as `config` has them: no setup changes what is signed there, and nothing expires.
    """
    if (known := _present(cluster)) is None or known[0].archive is None:
        return
    state, present = known
    if present.recipe_text != config.recipe_text:
        where = f"archive {state.archive}"
        raise RecipeMismatch(where, present.recipe_text, config.recipe_text, str(cluster.address))
    for name in ("text_field", "time_field", "lossless"):
        kept, wanted = getattr(present, name), getattr(config, name)
        if kept != wanted:
            raise SettingsError(name, wanted, f"{kept!r}, as this window has it: others need another prefix")
    check_hours_of_archive(config.window_hours)
    if config.signed_by != "client":
        wanted = "client for an archive, which is scored in place: no pipeline of ours signs what is there"
        raise SettingsError("sign", config.signed_by, wanted)


def _present(cluster: Cluster) -> tuple[StateDocument, WindowConfig] | None:
    """The state of the window at the cluster's address and how it is set up. None: there is none, or it is damaged, and
    made anew (state_recovery.py) before anything else goes on.
    """
    with suppress(WindowDamaged):
        state = read_state(cluster)
        if state is not None:
            return state, window_config(state.about)
    return None


def change_state(cluster: Cluster, change: Callable[[StateDocument], StateDocument]) -> None:
    """Commits a change of the state alone. What a scorer left that died is for the next scorer to undo."""
    lease = scoring_lease(cluster)
    lease.commit(change(lease.acquire()))


def _older(cluster: Cluster, layout: Layout, hour: int) -> Expired:
    """The documents in the indices of hours before `hour`."""
    old = {name: own for name, (own, _) in layout.living(cluster).items() if own < hour}
    if not old:
        return Expired()
    documents = sum(count(cluster, name) for name in old)
    return Expired(sorted({hour_name(own) for own in old.values()}), documents)
