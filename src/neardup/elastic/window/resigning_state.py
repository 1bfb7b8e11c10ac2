"""Closes a window in a cluster to scorers and readers while it is signed again, and reopens it afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.elastic.window.epoch import epoch
from neardup.elastic.window.index_layout import ElasticContext
from neardup.elastic.window.setup_changes import change_state
from neardup.elastic.window.state_document import scoring_lease
from neardup.model.settings import Settings

if TYPE_CHECKING:
    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.signing.signer import Signer


def close_window(cluster: Cluster, layout: Layout, signer: Signer, config: WindowConfig) -> None:
    """Stops scorers and readers, at the end of the batch that is being scored: the state document says that the window
    is being signed again. Changes of a scorer that died are undone first, because they are of the old recipe.
    """
    lease = scoring_lease(cluster)
    with epoch(ElasticContext(cluster, layout, lease, signer, Settings()), resigns=True) as state:
        old = state.resigned_from or str(state.about["recipe"])
        lease.commit(replace(state, about=config.about(), resigned_from=old).changed())


def reopen_window(cluster: Cluster, config: WindowConfig) -> None:
    """Admits scorers and readers again, which load the window anew."""
    about = config.about()
    change_state(cluster, lambda state: replace(state, about=about, resigned_from=None).changed())
