"""A window in a cluster before it is opened: its connection, what was set up of it, what its last writer left."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from neardup.elastic.admin.managed_objects import deleted_after
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Credentials, parse_address
from neardup.elastic.http.admin_api import template_meta
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.scored_documents import first_state
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.settings import Settings
from neardup.signing.signer import Signer, signer_for
from neardup.stores.remembered_settings import without_earlier

if TYPE_CHECKING:
    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument

log = logging.getLogger("neardup")


def connected(window: str, credentials: Credentials | None, patience: float | None) -> Cluster:
    """A connection to the cluster of the window at `window`; the credentials of the environment if none are given."""
    own = credentials or Credentials.from_settings({}, os.environ)
    address = parse_address(window)
    return Cluster(address, own) if patience is None else Cluster(address, own, patience=patience)


def config_of_template(cluster: Cluster) -> dict[str, Any] | None:
    """What the window's index template says of it; None if it is not set up."""
    meta = template_meta(cluster, cluster.address.template)
    about: dict[str, Any] | None = (meta or {}).get("neardup")
    return about


def settings_left(name: str, state: StateDocument) -> Settings:
    """The settings that the last writer left."""
    try:
        return Settings(**without_earlier(state.settings))
    except (TypeError, SettingsError) as error:
        remedy = "`neardup setup` with the same --window puts those of its template there"
        raise WindowDamaged(
            f"the state of {name}", f"settings with {error}", "those of a writer", remedy=remedy
        ) from error


def begin_window(
    cluster: Cluster, lease: Lease[StateDocument], chosen: Settings, archive: str | None
) -> StateDocument:
    """The state of a window that nobody has scored in yet; sets it up if need be. Raises `WindowDamaged` if somebody
    has, and its state is gone.
    """
    about = config_of_template(cluster) or set_up(cluster, settings=chosen).config.about()
    try:
        lease.create(first_state(cluster, about, chosen.remembered, archive))
    except WindowDamaged:
        if lease.read() is None:  # else another scorer has begun meanwhile
            raise
    document = lease.read()
    if document is None:
        raise WindowDamaged(str(cluster.address), "no state document", "the one that was just made")
    return document


def checked_unused(cluster: Cluster, lease: Lease[StateDocument], document: StateDocument) -> StateDocument:
    """The state of a window that nobody has scored in, if `document` is right; see `first_state`. Who sets up may not
    have been allowed to look.
    """
    try:
        state = first_state(cluster, document.about, document.settings, document.archive)
    except WindowDamaged:
        now = lease.read()
        if now is None or now.is_unused:
            raise
        return now  # another scorer has begun meanwhile
    if not state.commit.next_order:
        return document
    lease.replace(state)
    return state


def checked_signer(where: str, config: WindowConfig, chosen: Settings) -> Signer:
    """The signer of the window's recipe. A lexicon or a salt of its own must be given as a file: nodes have theirs."""
    own = chosen.recipe
    given = (None, None) if own is None else (own.lexicon, own.salt)
    names = (("lexicon", config.lexicon), ("salt", config.salt))
    for (kind, name), file in zip(names, given, strict=True):
        if name is not None and file is None:
            expected = f"the file of the {kind} {name!r} that this window is signed with (--{kind} FILE)"
            raise SettingsError(kind, None, expected)
    signer = signer_for(own or config.recipe)
    if signer.text != config.recipe_text:
        raise RecipeMismatch(where, config.recipe_text, signer.text)
    return signer


def warn_of_policy(name: str, config: WindowConfig, chosen: Settings) -> None:
    """Logs that a window is to keep hours for longer than the policy that `neardup setup` made of it has them."""
    kept = chosen.kept_hours
    if config.kept_hours and (not kept or kept > config.kept_hours):
        log.warning(
            "the lifecycle policy %s, where the cluster has it, deletes indices %d h after they were made, although %s "
            "hours are to be kept: neardup setup --keep-hours %d changes it",
            name, deleted_after(config), kept or "all", kept,
        )  # fmt: skip
