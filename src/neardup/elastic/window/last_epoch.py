"""The last epoch of a window that is taken away: no scorer changes it meanwhile, and its lease goes with its state."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.admin_api import delete_index
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import StateDocument, scoring_lease
from neardup.elastic.window.undo_log import UndoLog
from neardup.errors import ClusterError, WindowError, WindowLocked
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.lease import Lease


class LastEpoch:
    """The lease on a window while it is taken away; `lease` None for a window that has no state document any more."""

    def __init__(self, cluster: Cluster, lease: Lease[StateDocument] | None) -> None:
        self._cluster, self._lease = cluster, lease

    def keep(self) -> None:
        """Makes sure that the lease is still held; raises `LeaseLost` if another process took over."""
        if self._lease is not None:
            self._lease.ensure_held()

    def begin_removal(self) -> None:
        """Notes in the state document that the removal has begun, so that no scorer gives marks again after it was
        interrupted. Raises `LeaseLost` if another process took over.
        """
        if self._lease is not None:
            self._lease.renew(replace(self._lease.state, is_being_removed=True))

    def delete_state(self) -> None:
        """Deletes the state index, and with it the lease. If the cluster refuses that, the lease is still held."""
        try:
            delete_index(self._cluster, self._cluster.address.state)
        except ClusterError:
            raise
        except BaseException:
            self._abandon()
            raise
        self._abandon()

    def _abandon(self) -> None:
        # To release it would be a write, which could make the index again.
        if self._lease is not None:
            self._lease.abandon()


@contextmanager
def last_epoch(cluster: Cluster, seen: int | None) -> Iterator[LastEpoch]:
    """The epoch in which the window at the cluster's address is taken away. In an index that is scored in place,
    changes that a scorer made before it died are undone first: its undo log, which goes with the state, may hold the
    only copy of a document.

    If the window is not taken away to its end, the lease is released. Raises `WindowLocked` if a scorer is at work: it
    holds the lease, or has held it since its epoch was `seen` (None: not seen). Raises what `Lease.acquire` raises.
    """
    lease = scoring_lease(cluster)
    state = lease.read()
    if state is None:
        yield LastEpoch(cluster, None)
        return
    is_held = state.holder is not None and not state.has_dead_holder
    if is_held or state.epoch != (state.epoch if seen is None else seen):
        raise WindowLocked(str(cluster.address), state.holder)
    state = lease.acquire()
    try:
        if state.archive is not None and state.undo:
            _undo(cluster, lease, state)
        yield LastEpoch(cluster, lease)
    finally:
        with suppress(ClusterError, WindowError):
            lease.release()
        lease.abandon()


def _undo(cluster: Cluster, lease: Lease[StateDocument], state: StateDocument) -> None:
    config = window_config(state.about)
    composer = Composer(Layout.of(cluster.address, config, state.archive), signer_for(config.recipe))
    UndoLog(cluster, lease.ensure_held, composer).undo(state.undo)
