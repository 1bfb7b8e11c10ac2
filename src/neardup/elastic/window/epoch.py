"""An epoch of the lease on a window's state: one scorer changes the window, as a whole or not at all."""

from __future__ import annotations

import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.elastic.window.loader import roll_back
from neardup.elastic.window.undo_log import UndoLog
from neardup.errors import ClusterUnreachable, WindowDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument

log = logging.getLogger("neardup")


@contextlib.contextmanager
def epoch(context: ElasticContext) -> Iterator[StateDocument]:
    """The state of the window at the beginning of an epoch, in which nobody else changes it.

    What the last holder of the lease did is undone if it died before it committed. An epoch that fails is undone by
    the next one; whoever succeeds commits or releases the lease.
    """
    document, lost = context.lease.acquire()
    try:
        if lost:
            document = _undo(context, document)
        yield document
    except BaseException as error:
        context.lease.fail(document, at_once=not isinstance(error, ClusterUnreachable))
        raise


def _undo(context: ElasticContext, document: StateDocument) -> StateDocument:
    changed = UndoLog(context.cluster).undo(document.undo)
    undone = roll_back(context.cluster, context.layout, document)
    log.warning("%d documents that never counted were taken back, %d changes undone", undone, changed)
    return replace(document, undo=())


def committed_state(context: ElasticContext) -> StateDocument:
    """What is committed now."""
    document = context.lease.read()
    if document is None:
        expected = "the one `neardup setup` makes"
        raise WindowDamaged(str(context.cluster.address), "no state document", expected)
    return document
