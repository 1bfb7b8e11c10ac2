"""An epoch of the lease on a window's state: one scorer changes the window, completely or not at all."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from neardup.elastic.http.bulk import Action, bulk_done
from neardup.elastic.window.codec import OBJECT, UNSCORED, own_object
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.loader import BY_ARRIVAL, in_aborted_range, pages
from neardup.elastic.window.state_document import RemovalBegun
from neardup.elastic.window.undo_log import UndoLog
from neardup.elastic.window.window_state import check_signed, settings_left
from neardup.errors import ClusterUnreachable, WindowDamaged, WindowResigning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument

log = logging.getLogger("neardup")


@contextlib.contextmanager
def epoch(context: ElasticContext, *, sweep: bool = False, resigns: bool = False) -> Iterator[StateDocument]:
    """An epoch in which no other scorer changes the window; yields the state at its beginning.

    If the last holder of the lease died before it committed, its changes are undone first; with `sweep` also writes of
    dead holders that arrived later. An epoch that fails is undone by the next one; in one that succeeds the caller
    commits or releases the lease.

    Raises `WindowResigning` for a window that is being signed again, or has been, unless the caller does that
    (`resigns`), `RemovalBegun`, and `WindowDamaged` for settings that no writer can have left.
    """
    state = context.lease.acquire()
    try:
        if not resigns:
            _check(context, state)
    except (WindowResigning, RemovalBegun, WindowDamaged):
        context.lease.commit(state)  # with nothing done
        raise
    try:
        if state.undo or sweep:
            state = _undo(context, state)
        yield state
    except BaseException as error:
        context.lease.fail(state, at_once=not isinstance(error, ClusterUnreachable))
        raise


def _undo(context: ElasticContext, state: StateDocument) -> StateDocument:
    composer = Composer(context.layout, context.signer)
    undo_log = UndoLog(context.cluster, context.lease.ensure_held, composer)
    changed = undo_log.undo(state.undo)
    undone = roll_back(context, state)
    log.warning("%d documents that never counted were taken back, %d changes undone", undone, changed)
    return state.without_undo()


def roll_back(context: ElasticContext, state: StateDocument) -> int:
    """Undoes what scorers that died in their epochs wrote: all documents of the aborted ranges.

    Documents that they ingested are deleted (their senders never got a verdict, and send them again), and marks that
    they left on other clients' documents are removed. A document that has changed meanwhile stays. Returns how many
    were undone; raises `ClusterRejected` if one cannot be, for example in a closed index, and the errors of the lease.
    """
    cluster, layout = context.cluster, context.layout
    layout.refresh(cluster, state.commit.floor_hour)
    body = {
        "query": in_aborted_range(state),
        "sort": BY_ARRIVAL,
        "_source": [f"{OBJECT}.written_by"],
        "seq_no_primary_term": True,
    }
    undo = [_undoing(hit) for hits in pages(cluster, layout, body) for hit in hits]
    return sum(outcome.ok for outcome in bulk_done(cluster, undo, between=context.lease.ensure_held))


def _undoing(hit: Hit) -> Action:
    assert hit.version is not None, "it was asked for"
    if own_object(hit.source).get("written_by") == "ingest":
        return Action("delete", *hit.ref, None, *hit.version)
    return Action("update", *hit.ref, {OBJECT: UNSCORED}, *hit.version)


def committed_state(context: ElasticContext) -> StateDocument:
    """The state that is committed now. Raises `WindowResigning`, `RemovalBegun`, and `WindowDamaged` for settings that
    no writer has left.
    """
    state = context.lease.read_existing()
    _check(context, state)
    return state


def _check(context: ElasticContext, state: StateDocument) -> None:
    """Raises unless the window is signed by the signer of `context`, and its settings can be read."""
    check_signed(str(context.layout.address), state, context.signer)
    settings_left(context.layout.address.prefix, state)
