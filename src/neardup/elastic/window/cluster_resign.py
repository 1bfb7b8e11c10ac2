"""Signs a window in a cluster again by another recipe, in place, while other clients go on writing to it.

First the state document says so, which stops scorers and readers. Then templates and pipeline change, so that new
documents are signed by the new recipe. Then every hour is signed, document by document, from the texts. At last the
state document admits scorers again. Verdicts, groups and arrivals stay as they are. Each document names its recipe, so
an interrupted run can be continued at any point.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.admin.recipe_change import checked_plan, describe_index
from neardup.elastic.admin.setup import apply
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.resigning_state import close_window, reopen_window
from neardup.elastic.window.signed_otherwise import SignedOtherwise
from neardup.elastic.window.state_document import read_state
from neardup.elastic.window.wanted_config import wanted_config
from neardup.elastic.window.window_state import connected
from neardup.errors import NotSetUp
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from neardup.elastic.http.address import Credentials
    from neardup.model.settings import Recipe

log = logging.getLogger("neardup")

_SECONDS_A_DOCUMENT: Final = 3e-3
"""Of 4 KB; one of 500 KB takes some 0.3 s."""


class ClusterResigning(NamedTuple):
    """What signing a window in a cluster again will do, or has done: how many `documents` in how many `indices` are not
    signed by `recipe`, and about how many `seconds` signing takes if each document has 4 KB. `is_begun`: an earlier run
    was interrupted.
    """

    documents: int
    indices: int
    old_recipe: str
    recipe: str
    seconds: float
    is_begun: bool

    @property
    def is_needed(self) -> bool:
        """Whether the window must be signed again at all."""
        return self.is_begun or self.old_recipe != self.recipe


def resign_cluster(
    window: str,
    recipe: Recipe | None,
    changes: Mapping[str, Any],
    *,
    dry_run: bool,
    credentials: Credentials | None = None,
    on_index: Callable[[str, int], object] = lambda _, __: None,
) -> ClusterResigning:
    """Signs the window at the address `window` again by `recipe` (None: today's recipe that is nearest to its own) with
    `changes`; a `dry_run` changes nothing. `on_index` is called with each index that is done, and how many of its
    documents were signed.

    Costs about 3 ms for a document of 4 KB; meanwhile scorers and readers are refused (`WindowResigning`) and other
    clients go on writing. Needs the roles `setup` and `scorer`. Raises `NotSetUp`, `SettingsError`, `SetupRefused` for
    an index that takes no writes, `WindowLocked`, `ClusterError`, and so does a `dry_run`; an error before the first
    change leaves the window as it was.
    """
    with connected(window, credentials, None) as cluster:
        state = read_state(cluster)
        if state is None:
            raise NotSetUp(str(cluster.address))
        config = wanted_config(cluster, state, recipe, changes)
        signer, layout = signer_for(config.recipe), Layout.of(cluster.address, config, state.archive)
        otherwise = SignedOtherwise(cluster, layout, signer)
        layout.refresh(cluster)  # a closed hour cannot be signed
        targets = layout.all_indices(cluster)
        documents, begun = otherwise.count(), state.resigned_from
        resigning = ClusterResigning(
            documents, len(targets), begun or str(state.about["recipe"]), config.recipe_text,
            _SECONDS_A_DOCUMENT * documents, begun is not None,
        )  # fmt: skip
        if not resigning.is_needed:
            return resigning
        made = checked_plan(cluster, config, state.archive)
        if dry_run:
            return resigning
        close_window(cluster, layout, signer, config)
        with _told_if_cut_off(str(cluster.address)):
            apply(cluster, made)
            for name in targets:
                on_index(name, otherwise.sign(name))
                if state.archive is None:
                    describe_index(cluster, name, config)
            # Writes that were on their way, changes during signing; hours made before the templates changed.
            while otherwise.sign(layout.target):
                pass
            for name in layout.existing_hours(cluster).keys() - set(targets):
                describe_index(cluster, name, config)
            reopen_window(cluster, config)
        return resigning


@contextmanager
def _told_if_cut_off(window: str) -> Iterator[None]:
    """Logs that the window stays closed, if an error or a signal ends the block."""
    try:
        yield
    except BaseException:
        log.warning(
            "%s stays closed to scorers and readers until it is signed: run the same command to go on", window
        )
        raise
