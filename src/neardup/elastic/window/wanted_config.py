"""The recipe by which a window in a cluster is to be signed again: what may change in it, and what cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.setup import changed_config
from neardup.elastic.window.reading_rights import readable
from neardup.elastic.window.window_state import settings_left
from neardup.errors import SettingsError
from neardup.model.settings import Recipe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.state_document import StateDocument

_KEPT: Final = ("q", "fold_case")
"""The parts of a recipe that cannot change: scores are shares of such q-grams."""


def wanted_config(
    cluster: Cluster, state: StateDocument, recipe: Recipe | None, changes: Mapping[str, Any]
) -> WindowConfig:
    """The config of the window of `state` with `recipe` and `changes`. `recipe` None: today's recipe that is nearest to
    the window's own and reaches its threshold, or the one that an earlier run has begun with.

    Raises `SettingsError` if the window's documents cannot be signed by that recipe, or one of the recipe's files is
    not on this machine, and `ClusterRefused` if the user may not read the documents.
    """
    address = cluster.address
    present, _ = readable(cluster, state)
    own = recipe or present.recipe
    if recipe is None and state.resigned_from is None:
        reach = Recipe().reaching(settings_left(address.prefix, state).threshold_fraction).reach
        own = replace(own, reach=min(reach, own.reach))
    own = replace(own, **changes)
    for name in _KEPT:
        was = getattr(present.recipe, name)
        if getattr(own, name) != was:
            remedy = "set up another prefix and copy the documents there (neardup ingest --from-index)"
            expected = f"{was!r}, as in this window, because its scores are of such q-grams: {remedy}"
            raise SettingsError(name, getattr(own, name), expected)
    for kind, named in (("lexicon", present.lexicon), ("salt", present.salt)):
        file = getattr(own, kind)
        if file is None and named is not None and recipe is None:
            expected = f"the file of the {kind} {named!r} that this window is signed with (--{kind} FILE)"
            raise SettingsError(kind, None, expected)
        if file is not None and not Path(file).is_file():
            raise SettingsError(
                kind, str(file), "a file on this machine, with the content of the nodes' file"
            )
    return changed_config(cluster, present, own, {})
