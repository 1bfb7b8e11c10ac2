"""Marks of documents that get no verdict, so that they are not read again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.window.codec import OBJECT
from neardup.model.clock import now_ms
from neardup.model.escapes import escaped
from neardup.model.times import format_time

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.document import Origin

log = logging.getLogger("neardup")

_COMES_AGAIN: Final = (403, 404, 409)
"""The index takes no marks now; the document was deleted; the document has changed since."""


class UnscoredMarks:
    """The marks that wait to be written, and the documents of the window that take none."""

    def __init__(self, cluster: Cluster, layout: Layout) -> None:
        self._cluster, self._layout = cluster, layout
        self._pending: list[tuple[Origin, str]] = []
        self._unmarkable: set[tuple[str, str, int]] = set()

    def add(self, document: Origin, reason: str) -> None:
        """Adds a mark to be written on this version of `document`, with the reason why it gets no verdict: the nodes'
        own reason if they left it unsigned.
        """
        self._pending.append((document, document.unsigned or reason))

    def is_unmarkable(self, document: Origin) -> bool:
        """Whether the cluster has refused a mark on this version of a document."""
        return (document.index, document.id, document.seq_no) in self._unmarkable

    def write(self) -> int:
        """Writes the marks; returns how many documents got theirs. A document that has changed since is read again."""
        if not self._pending:
            return 0
        # An update would recreate an index that has expired since its document was read.
        there = frozenset(self._layout.all_indices(self._cluster))
        pending = [mark for mark in self._pending if mark[0].index in there]
        self._pending.clear()
        now = format_time(now_ms())
        marks = [
            Action(
                "update", document.index, document.id,
                {OBJECT: {"status": "unscored", "unsigned": reason, "scored_at": now}},
                document.seq_no, document.primary_term, document.routing,
            )
            for document, reason in pending
        ]  # fmt: skip
        return sum(
            self._is_done(document, outcome.status, outcome.error)
            for (document, _), outcome in zip(pending, bulk(self._cluster, marks), strict=True)
        )

    def _is_done(self, document: Origin, status: int, error: str | None) -> bool:
        """Whether a document got its mark. Remembers one whose mark was refused, so that it is not tried again."""
        if error is not None and status not in _COMES_AGAIN:
            self._unmarkable.add((document.index, document.id, document.seq_no))
            log.warning("%s in %s cannot be marked: %s", escaped(document.id), document.index, error)
        return error is None
