"""Opening a window in a cluster: finds what `neardup setup` made, checks its recipe; loads only when needed."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from neardup.elastic.window.index_layout import ElasticContext
from neardup.elastic.window.reading_rights import readable
from neardup.elastic.window.scored_documents import begin_window, checked_unused
from neardup.elastic.window.state_document import scoring_lease
from neardup.elastic.window.store import ClusterStore
from neardup.elastic.window.window_state import (
    FollowedSettings,
    check_hours_of_archive,
    check_searchable,
    check_signed,
    checked_signer,
    connected,
    settings_left,
    warn_of_half_changed,
    warn_of_policy,
)
from neardup.errors import NotSetUp
from neardup.model.settings import Settings
from neardup.window.changed_hours import check_hours, tell_hours
from neardup.window.engine import WindowEngine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.http.address import Credentials
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.window_state import GivenUp


def open_elastic_window(
    window: str,
    *,
    settings: Settings | None = None,
    readonly: bool = False,
    credentials: Credentials | None = None,
    patience: float | None = None,
    archive: str | None = None,
    remember: bool = True,
    force: bool = False,
    follows: GivenUp | None = None,
    **changes: Any,
) -> WindowEngine:
    """The window at `window` (`https://host:9200/PREFIX`), set up if it does not exist.

    `settings`, `changes`, `remember` and `force` as in `neardup.open`. Without `credentials` those of the environment
    are used (NEARDUP_API_KEY, ...). `archive` names an index to be scored in place, instead of hourly ones.
    `follows` is for a process that runs until it is stopped: each hour that is dropped is logged, and every method
    raises `SettingsChanged` as soon as another process has left other values of settings that are not among `changes`.
    Each opening must get the same list, which begins empty.
    Nothing is loaded yet: the first ingest reads the window into memory, about 0.2 ms a document.

    Raises `ClusterError`, `RecipeMismatch`, `SettingsError`, `LexiconError`, and what `neardup setup` raises if the
    window does not exist yet.
    """
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(connected(window, credentials, patience))
        opened, left = _opened(
            cluster, settings, changes, readonly=readonly, archive=archive, remember=remember, follows=follows
        )
        is_kept = remember and not readonly
        if left and is_kept and check_hours(left, opened.settings, opened.expirable, force=force):
            opened.apply_hours()
            tell_hours(str(cluster.address), left, opened.settings)
        stack.pop_all()
        return opened


def _opened(
    cluster: Cluster,
    settings: Settings | None,
    changes: Mapping[str, Any],
    *,
    readonly: bool,
    archive: str | None,
    remember: bool,
    follows: GivenUp | None = None,
) -> tuple[WindowEngine, Settings | None]:
    """The window, and the settings that its last writer left; None for a new one."""
    address, lease = cluster.address, scoring_lease(cluster)
    state = lease.read()
    left = None if state is None else settings_left(address.prefix, state)
    if state is None:
        if readonly:
            raise NotSetUp(str(address))
        state = begin_window(cluster, lease, (settings or Settings()).with_changes(**changes), archive)
    elif state.is_unused:
        state = checked_unused(cluster, lease, state)
    if archive is not None:
        state.check_kept_in(archive)
    chosen = (settings or left or settings_left(address.prefix, state)).with_changes(**changes)
    check_searchable(chosen)
    check_signed(str(address), state)
    config, layout = readable(cluster, state)
    signer = checked_signer(str(address), config, chosen)
    chosen = chosen.with_changes(recipe=signer.recipe)
    if state.archive is not None:
        check_hours_of_archive(chosen.window_hours)
    if readonly:
        warn_of_half_changed(cluster, state)
    elif state.archive is None:
        warn_of_policy(address.policy, config, chosen)
    layout.check_indexed(chosen)
    context = ElasticContext(cluster, layout, lease, signer, chosen)
    store = ClusterStore(context, state, partial(readable, cluster), remember=remember)
    if follows is not None:
        store.tells_dropped = True
        store.check_settings = FollowedSettings(chosen, changes, layout, follows).check
    return WindowEngine(store, chosen, signer, readonly=readonly), left
