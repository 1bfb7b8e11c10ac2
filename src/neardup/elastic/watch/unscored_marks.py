"""Marks of documents that get no verdict, so that they do not come again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.api import DocumentRef, Version, update_doc
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import BUSY
from neardup.elastic.window.codec import OBJECT
from neardup.errors import ClusterRejected
from neardup.model.clock import now_ms
from neardup.model.document import format_time

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.model.document import Origin

log = logging.getLogger("neardup")

_COMES_AGAIN: Final = (403, 404, 409, *BUSY)
"""The index takes no marks now; the document is gone; it has changed since; the cluster is busy."""


class UnscoredMarks:
    """The marks that wait to be written, and the documents that take none."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pending: list[tuple[Origin, str]] = []
        self._unmarkable: set[tuple[str, str, int]] = set()

    def add(self, document: Origin, reason: str) -> None:
        """Lets a mark wait for `document`, in this version, with the reason why it gets no verdict."""
        self._pending.append((document, reason))

    def is_unmarkable(self, document: Origin) -> bool:
        """Whether this version of a document has refused its mark."""
        return (document.index, document.id, document.seq_no) in self._unmarkable

    def write(self) -> int:
        """Writes the marks; returns how many documents got theirs. One that has changed since comes again."""
        pending, self._pending = self._pending, []
        now = format_time(now_ms())
        marks = [
            (document, {OBJECT: {"status": "unscored", "unsigned": reason, "scored_at": now}})
            for document, reason in pending
        ]
        plain = [each for each in marks if each[0].routing is None]
        actions = [
            Action("update", document.index, document.id, mark, document.seq_no, document.primary_term)
            for document, mark in plain
        ]
        marked = sum(
            self._is_done(document, outcome.status, outcome.error)
            for (document, _), outcome in zip(plain, bulk(self._cluster, actions), strict=True)
        )
        return marked + sum(
            self._mark_routed(document, mark, document.routing)
            for document, mark in marks
            if document.routing is not None
        )

    def _mark_routed(self, document: Origin, mark: dict[str, Any], routing: str) -> bool:
        """Whether a document takes its mark that nothing reaches without its routing."""
        ref, version = (
            DocumentRef(document.index, document.id),
            Version(document.seq_no, document.primary_term),
        )
        try:
            update_doc(self._cluster, ref, mark, version, routing=routing)
        except ClusterRejected as error:
            return self._is_done(document, error.status, f"{error.type}: {error.reason}")
        return True

    def _is_done(self, document: Origin, status: int, error: str | None) -> bool:
        """Whether a document has its mark. One that has refused it does not come again."""
        if error is not None and status not in _COMES_AGAIN:
            self._unmarkable.add((document.index, document.id, document.seq_no))
            log.warning("%s in %s cannot be marked: %s", document.id, document.index, error)
        return error is None
