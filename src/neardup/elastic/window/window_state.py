"""A window in a cluster before it is opened: its connection, its set-up, and the settings that its last writer left;
and whether it must be opened again because another process has left others meanwhile.
"""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.managed_objects import deleted_after
from neardup.elastic.admin.node_files import check_no_boilerplate
from neardup.elastic.http.address import Credentials, parse_address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.state_document import RemovalBegun
from neardup.elastic.window.undo_log import has_begun
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged, WindowResigning
from neardup.model.settings import Settings
from neardup.signing.signer import Signer, signer_for
from neardup.stores.remembered_settings import differing, is_of_all, without_earlier
from neardup.window.base import SettingsChanged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.window.index_layout import Layout
    from neardup.elastic.window.state_document import StateDocument

log = logging.getLogger("neardup")

GivenUp = list[tuple[Settings, float]]
"""The settings that a watcher has given up to follow others, each with the time of that by the monotonic clock."""
NOT_AGAIN_FOR: Final = 600.0
"""Seconds for which settings that were given up are not followed again. If two processes set theirs in turn, a watcher
that followed each of them would read the window again for every batch.
"""


def connected(window: str, credentials: Credentials | None, patience: float | None) -> Cluster:
    """A connection to the cluster of the window at `window`; the credentials of the environment if none are given."""
    own = credentials or Credentials.from_settings({}, os.environ)
    address = parse_address(window)
    return Cluster(address, own) if patience is None else Cluster(address, own, patience=patience)


def settings_left(name: str, state: StateDocument) -> Settings:
    """The settings that the last writer left."""
    try:
        return Settings(**without_earlier(state.settings))
    except (TypeError, SettingsError) as error:
        remedy = "`neardup setup` with the same --window writes those of its template there"
        raise WindowDamaged(
            f"the state of {name}", f"settings with {error}", "those of a writer", remedy=remedy
        ) from error


def checked_signer(where: str, config: WindowConfig, chosen: Settings) -> Signer:
    """The signer of the window's recipe. If the window has its own lexicon or salt, `chosen` must name the file on this
    machine: the nodes have theirs.
    """
    own = chosen.recipe
    if own is not None:
        check_no_boilerplate(own)
    given = (None, None) if own is None else (own.lexicon, own.salt)
    names = (("lexicon", config.lexicon), ("salt", config.salt))
    for (kind, name), file in zip(names, given, strict=True):
        if name is not None and file is None:
            # Not every command that opens a window has the option; all read the file of settings.
            ways = (
                f'`{kind} = "FILE"` under [recipe] of neardup.toml, or --{kind} FILE of `ingest` and `watch`'
            )
            expected = f"the file of the {kind} {name!r} that this window is signed with: {ways}"
            raise SettingsError(kind, None, expected)
    signer = signer_for(own or config.recipe)
    if signer.text != config.recipe_text:
        raise RecipeMismatch(where, config.recipe_text, signer.text, where)
    return signer


def check_signed(where: str, state: StateDocument, signer: Signer | None = None) -> None:
    """Raises `WindowResigning` for a window that is being signed again, or has been signed again by another recipe than
    that of the `signer` with which it was opened; `RemovalBegun` for one whose marks are being removed.
    """
    if state.is_being_removed:
        raise RemovalBegun(where)
    recipe = str(state.about.get("recipe"))
    if state.resigned_from is not None:
        raise WindowResigning(where, recipe)
    if signer is not None and recipe != signer.text:
        raise WindowResigning(where, recipe, done=True)


def why_half_changed(where: str, state: StateDocument) -> str | None:
    """What is to be said of verdicts that are read in this `state`, if a scorer has died that may have changed some."""
    if not state.has_dead_holder:
        return None
    return (
        f"a scorer ({state.holder}) ended in the middle of a batch: none of it counts, but verdicts that it changed, "
        "as `neardup reconcile` does, stay changed until the next scorer restores them; run "
        f"`neardup watch --once --window {where}`"
    )


def warn_of_half_changed(cluster: Cluster, state: StateDocument) -> None:
    """Logs, for who is to read verdicts, that a scorer has died that had begun to change some."""
    why = why_half_changed(str(cluster.address), state)
    # The next scorer, too, may have died, before it had undone what the last one changed.
    if why is not None and any(has_begun(cluster, epoch) for epoch in (*state.undo, state.epoch)):
        log.warning("%s", why)


def warn_of_policy(name: str, config: WindowConfig, chosen: Settings) -> None:
    """Warns if the window should keep hours for longer than the lifecycle policy by `neardup setup` keeps them."""
    kept = chosen.kept_hours
    if config.kept_hours and (not kept or kept > config.kept_hours):
        log.warning(
            "the lifecycle policy %s, where the cluster has it, deletes indices %d h after they were made, although %s "
            "hours are to be kept: neardup setup --keep-hours %d changes it",
            name, deleted_after(config), kept or "all", kept,
        )  # fmt: skip


def check_hours_of_archive(window_hours: int) -> None:
    """Raises `SettingsError` if an archive scored in place is given an end (`window_hours` not 0)."""
    if window_hours:
        raise SettingsError("window_hours", window_hours, "0 for an archive, which has no hours to expire")


def check_no_budget_of_archive(settings: Settings) -> None:
    """Raises `SettingsError` for a budget of an archive scored in place: a document that was given up keeps its
    verdict, so that nobody would score it again, and no later run would compare anything with it.
    """
    for name in ("max_documents", "max_memory"):
        if value := getattr(settings, name):
            expected = (
                "0 for an index that is scored in place: what is given up for a budget would never be compared again; "
                "`--candidates search` holds no window in memory"
            )
            raise SettingsError(name, value, expected)


def check_searchable(settings: Settings) -> None:
    """Raises `SettingsError` if candidates are searched for and a setting needs the whole window in memory."""
    if settings.candidates == "memory":
        return
    needs = {
        "routes": bool(settings.routes),
        "partial": settings.partial,
        "max_documents": bool(settings.max_documents),
        "max_memory": bool(settings.max_memory),
    }
    for name, given in needs.items():
        if given:
            expected = "left out with candidates='search': only candidates='memory' has it"
            raise SettingsError(name, getattr(settings, name), expected)


class FollowedSettings:
    """Whether a window must be opened again, because an opening now would choose other settings than its `own`.

    `given`: the settings that the opening was given, which always stay. So two processes that were given different
    settings do not make each other open the window again and again. `given_up`: what this and earlier openings have
    given up.
    """

    def __init__(self, own: Settings, given: Mapping[str, Any], layout: Layout, given_up: GivenUp) -> None:
        self._own, self._given, self._layout, self._given_up = own, given, layout, given_up
        self._checked: Mapping[str, Any] | None = None

    def check(self, state: StateDocument) -> None:
        """Raises `SettingsChanged` if the settings of `state` are to be followed."""
        if state.settings == self._checked:
            return
        self._checked = state.settings
        chosen = self._of_opening(settings_left(self._layout.address.prefix, state))
        if chosen is None or not (changes := differing(chosen.remembered, self._own.remembered)):
            return
        # Two processes that set theirs in turn leave verdicts by both; after a reconcile all are by one.
        if is_of_all(state.settings, self._own.remembered) or not self._was_given_up(chosen):
            self._given_up.append((self._own, time.monotonic()))
            raise SettingsChanged(changes)

    def _of_opening(self, left: Settings) -> Settings | None:
        """The settings of an opening that finds those that were `left`; None if it might be refused, or if documents of
        other clients could not be scored with them. A watcher that runs must not end for these reasons.
        """
        try:
            chosen = left.with_changes(**self._given)
            check_searchable(chosen)
            self._layout.check_indexed(chosen)
        except SettingsError:
            return None
        hours_stay = (left.window_hours, left.kept_hours) == (chosen.window_hours, chosen.kept_hours)
        return chosen if hours_stay and chosen.policy == "mark" else None

    def _was_given_up(self, chosen: Settings) -> bool:
        since = time.monotonic() - NOT_AGAIN_FOR
        return any(
            when > since and not differing(chosen.remembered, known.remembered)
            for known, when in self._given_up
        )
