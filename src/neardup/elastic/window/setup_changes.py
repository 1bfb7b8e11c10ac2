"""Changes of an existing window by `neardup setup`: hours and longest text; checks of what cannot change; what comes
after it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.address import STATE_DOCUMENT
from neardup.elastic.http.api import count, get_doc
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import StateDocument, kept_in_place, read_state, scoring_lease
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
    from neardup.elastic.http.address import Address, Credentials
    from neardup.elastic.http.client import Cluster


def remember_hours(
    window: str, hours: Mapping[str, int], *, credentials: Credentials | None = None, force: bool = False
) -> None:
    """Makes an existing window remember `hours` (window_hours, keep_hours), as opening it with them does.

    Raises `SettingsError` if documents would expire by that, unless `force` is given.
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
    """Makes scorers reject texts of more than `max_length` characters, if they took longer ones so far; must be called
    before nodes stop signing these. Running batches are done when it returns.
    """
    with connected(window, credentials, None) as cluster, suppress(WindowDamaged):
        state = read_state(cluster)
        if state is None or state.is_unused or state.about.get("max_length", 0) <= max_length:
            return
        change_state(cluster, lambda now: replace(now, about={**now.about, "max_length": max_length}))


def check_not_resigning(cluster: Cluster) -> None:
    """Raises `WindowResigning` if the window at the cluster's address is being signed again: its hours have two recipes
    until that is done, and setup does not turn an interrupted run back; `RemovalBegun` if its marks are being removed.
    """
    if (known := _present(cluster)) is not None:
        check_signed(str(cluster.address), known[0])


def check_archive(cluster: Cluster, config: WindowConfig) -> None:
    """Raises `RecipeMismatch` or `SettingsError` if the window at the cluster's address scores an archive in place and
    `config` differs from its own: setup cannot change how an archive is signed, and nothing expires there.
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
            raise kept_in_place(cluster.address, name, kept, wanted)
    check_hours_of_archive(config.window_hours)
    if config.signed_by != "client":
        wanted = "client for an archive, which is scored in place: no pipeline of neardup signs its documents"
        raise SettingsError("sign", config.signed_by, wanted)


def _present(cluster: Cluster) -> tuple[StateDocument, WindowConfig] | None:
    """The state of the window at the cluster's address, and its config. None if there is no state, or if it is damaged
    and will be made anew first (state_recovery.py). Raises `WindowDamaged` for that of an archive: from hours, which an
    archive does not have, it would be made the state of a window without documents. A state that lacks nothing but
    whether it is of an archive is taken for one if the window has no hours.
    """
    try:
        state = read_state(cluster)
    except WindowDamaged as error:
        stored = get_doc(cluster, cluster.address.state, STATE_DOCUMENT)
        source = {} if stored is None else stored.source
        if source.get("archive"):
            raise
        if StateDocument.lacks_archive_only(source) and not Layout(cluster.address).existing_hours(cluster):
            raise _of_no_kind(cluster.address, error) from None
        return None
    with suppress(WindowDamaged):
        if state is not None:
            return state, window_config(state.about)
    return None


def _of_no_kind(own: Address, error: WindowDamaged) -> WindowDamaged:
    """The `error` of a state of which nobody knows whether it is that of an archive."""
    remedy = (
        f"DELETE {own.state}/_doc/{STATE_DOCUMENT}; then, if the window scores an index in place, "
        f"`neardup ingest --from-index INDEX --in-place --window {own}`, else `neardup setup --window {own}`"
    )
    actual = "no key archive, which names an index that is scored in place, and no hours of this window"
    return WindowDamaged(error.path, actual, error.expected, remedy=remedy)


def change_state(cluster: Cluster, change: Callable[[StateDocument], StateDocument]) -> None:
    """Commits a change of the state only. Changes of a scorer that died are left for the next scorer to undo."""
    lease = scoring_lease(cluster)
    lease.commit(change(lease.acquire()))


def before_first_write(cluster: Cluster) -> str | None:
    """What must be done before a client can write to the alias of a window that is set up, in words; None if the window
    has an hour, or scores an archive in place.
    """
    own, state = cluster.address, read_state(cluster)
    if (state is not None and state.archive is not None) or Layout(own).existing_hours(cluster):
        return None
    return (
        f"there is no index yet: before clients write to the name {own.alias}, start `neardup watch` or run `neardup "
        f"rollover`, which make the current hour; `neardup ingest`, and writes to the names of hours "
        f"({own.prefix}-YYYY.MM.DD-HH), make hours themselves"
    )


def _older(cluster: Cluster, layout: Layout, hour: int) -> Expired:
    """The documents in the indices of hours before `hour`."""
    old = {name: own for name, own in layout.existing_hours(cluster).items() if own < hour}
    if not old:
        return Expired()
    documents = sum(count(cluster, name) for name in old)
    return Expired(sorted({hour_name(own) for own in old.values()}), documents)
