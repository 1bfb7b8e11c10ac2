"""Opening a window in a cluster: find what `neardup setup` made, check its recipe; load only when it must be."""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.elastic.admin.managed_objects import deleted_after
from neardup.elastic.admin.setup import set_up, window_config
from neardup.elastic.http.address import Credentials, parse_address
from neardup.elastic.http.admin_api import get_object
from neardup.elastic.http.api import count
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.site import ElasticContext
from neardup.elastic.window.state_document import StateDocument, scoring_lease
from neardup.elastic.window.window import ElasticWindow
from neardup.errors import NotSetUp, RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.hours import hour_name
from neardup.model.settings import Settings
from neardup.signing.signer import Signer, signer_for
from neardup.stores.remembered_settings import merged, settled
from neardup.window.base import Expired
from neardup.window.newest_hour import check_hours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.window.lease import Lease

log = logging.getLogger("neardup")


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
    **changes: Any,
) -> ElasticWindow:
    """The window at `window` (`https://host:9200/PREFIX`), set up if it is not there.

    `settings`, `changes`, `remember` and `force` as in `neardup.open`. Without `credentials` those of the environment
    are used (NEARDUP_API_KEY, ...). `archive` names an index to be scored in place, instead of hourly ones.
    Nothing is loaded yet: the first ingest reads the window into memory, about 0.2 ms a document.

    Raises `ClusterError`, `RecipeMismatch`, `SettingsError`, `LexiconError`, and what `neardup setup` raises if there
    is nothing yet.
    """
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(_connected(window, credentials, patience))
        opened, left = _opened(
            cluster, settings, changes, readonly=readonly, archive=archive, remember=remember
        )
        if left is not None and not readonly and remember:
            changed = check_hours(str(cluster.address), left, opened.settings, opened.beyond, force=force)
            if changed:
                opened.apply_hours()
        stack.pop_all()
        return opened


def describe(window: str, *, credentials: Credentials | None = None) -> None:
    """Brings the state document up to what `neardup setup` has made, which only its role can see."""
    with _connected(window, credentials, None) as cluster:
        lease, about = scoring_lease(cluster), _template(cluster)
        content = lease.read()
        if about is None:
            return
        if content is None:
            hours = Settings(window_hours=about["window_hours"], keep_hours=about.get("keep_hours"))
            lease.create(StateDocument(about, hours.remembered))
        elif content.about != about:
            content, _ = lease.acquire()
            lease.commit(replace(content, about=about))


def remember_hours(
    window: str, hours: Mapping[str, int], *, credentials: Credentials | None = None, force: bool = False
) -> None:
    """Makes a window that is there remember `hours` (window_hours, keep_hours), as opening it with them does.

    Raises `SettingsError` if documents would go by it and there is no `force`.
    """
    with _connected(window, credentials, None) as cluster:
        lease = scoring_lease(cluster)
        content = lease.read()
        if content is None or not hours:
            return
        left = _left(cluster.address.prefix, content)
        chosen = left.with_changes(**hours)
        layout = Layout.of(cluster.address, window_config(content.about), content.archive)
        newest = content.commit.newest
        check_hours(
            str(cluster.address),
            left,
            chosen,
            lambda kept: _older(cluster, layout, newest - kept),
            force=force,
        )
        if chosen != left:
            content, _ = lease.acquire()
            lease.commit(replace(content, settings=merged(content.settings, chosen.remembered)))


def _older(cluster: Cluster, layout: Layout, hour: int) -> Expired:
    """The documents in the indices of hours before `hour`."""
    old = {name: own for name, (own, _) in layout.living(cluster).items() if own < hour}
    if not old:
        return Expired()
    documents = sum(count(cluster, name) for name in old)
    return Expired(sorted({hour_name(own) for own in old.values()}), documents)


def _connected(window: str, credentials: Credentials | None, patience: float | None) -> Cluster:
    own = credentials or Credentials.from_settings({}, os.environ)
    address = parse_address(window)
    return Cluster(address, own) if patience is None else Cluster(address, own, patience=patience)


def _opened(
    cluster: Cluster,
    settings: Settings | None,
    changes: Mapping[str, Any],
    *,
    readonly: bool,
    archive: str | None,
    remember: bool,
) -> tuple[ElasticWindow, Settings | None]:
    """The window, and the settings that its last writer left; None for a new one."""
    address, lease = cluster.address, scoring_lease(cluster)
    content = lease.read()
    left = None if content is None else _left(address.prefix, content)
    if content is None:
        if readonly:
            raise NotSetUp(str(address))
        content = _begun(cluster, lease, (settings or Settings()).with_changes(**changes), archive)
    if archive not in (None, content.archive):
        kept = f"the index {content.archive}" if content.archive else "indices of hours"
        raise SettingsError(
            "archive", archive, f"left out: this window is kept in {kept}; use another prefix"
        )
    chosen = (settings or left or _left(address.prefix, content)).with_changes(**changes)
    scheme = window_config(content.about)
    maker = _signer(str(address), scheme.recipe_text, scheme.lexicon, scheme.recipe, chosen)
    chosen = chosen.with_changes(recipe=maker.recipe)
    if content.archive is not None and chosen.window_hours:
        raise SettingsError(
            "window_hours", chosen.window_hours, "0 for an archive, which has no hours to expire"
        )
    if not readonly and content.archive is None:
        _tell_of_policy(address.policy, scheme, chosen)
    layout = Layout.of(address, scheme, content.archive)
    site = ElasticContext(cluster, layout, lease, maker)
    return ElasticWindow(site, content, chosen, readonly=readonly, remember=remember), left


def _tell_of_policy(name: str, scheme: WindowConfig, chosen: Settings) -> None:
    """Says that a window is to keep hours for longer than the policy that `neardup setup` made of it has them."""
    kept = chosen.kept_hours
    if scheme.kept_hours and (not kept or kept > scheme.kept_hours):
        log.warning(
            "the lifecycle policy %s, where the cluster has it, deletes indices %d h after they were made, although %s "
            "hours are to be kept: neardup setup --keep-hours %d changes it",
            name, deleted_after(scheme), kept or "all", kept,
        )  # fmt: skip


def _template(cluster: Cluster) -> dict[str, Any] | None:
    """What the window's index template says of it; None if it is not set up."""
    answer = get_object(cluster, f"/_index_template/{cluster.address.template}")
    if answer is None:
        return None
    template = answer["index_templates"][0]["index_template"].get("template", {})
    about: dict[str, Any] | None = template.get("mappings", {}).get("_meta", {}).get("neardup")
    return about


def _begun(
    cluster: Cluster, lease: Lease[StateDocument], chosen: Settings, archive: str | None
) -> StateDocument:
    """The content of a window that nobody has scored in yet; sets it up if need be."""
    about = _template(cluster) or set_up(cluster, settings=chosen).config.about()
    lease.create(StateDocument(about, chosen.remembered, archive=archive))
    content = lease.read()
    if content is None:
        raise WindowDamaged(str(cluster.address), "no state document", "the one that was just made")
    return content


def _signer(where: str, recipe_text: str, lexicon: str | None, recipe: Any, chosen: Settings) -> Signer:
    """The signer of the window's recipe. A lexicon of its own must be given as a file: nodes have theirs."""
    own = chosen.recipe
    if lexicon is not None and (own is None or own.lexicon is None):
        expected = f"the file of the lexicon {lexicon!r} that this window is signed with (--lexicon FILE)"
        raise SettingsError("lexicon", None, expected)
    maker = signer_for(own or recipe)
    if maker.text != recipe_text:
        raise RecipeMismatch(where, recipe_text, maker.text)
    return maker


def _left(name: str, content: StateDocument) -> Settings:
    """The settings that the last writer left."""
    try:
        return Settings(**settled(content.settings))
    except (TypeError, SettingsError) as error:
        raise WindowDamaged(f"the state of {name}", f"settings with {error}", "those of a writer") from error
