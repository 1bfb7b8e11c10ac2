"""The changes of a batch to a window in a cluster: one write for each document, which waits for the commit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from neardup.elastic.http.bulk import CHANGED_MEANWHILE, Action, Op, bulk
from neardup.elastic.http.exact_json import check_finite, dumps
from neardup.elastic.window.codec import OBJECT, first_fields, unstored_fields, verdict_fields
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.index_layout import lost_indices
from neardup.elastic.window.pending_writes import PendingWrites
from neardup.model.clock import now_ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from neardup.elastic.http.api import DocumentRef
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.model.document import Prepared
    from neardup.model.verdict import Verdict
    from neardup.stores.records import Rows


class BatchWrites:
    """The writes of one batch after another; `removes`: whether the current batch does more than add documents."""

    def __init__(self, context: ElasticContext) -> None:
        self._layout, self._composer = context.layout, Composer(context.layout, context.signer)
        self._pending = PendingWrites(context.cluster, self._composer, context.lease)
        self._cluster, self._lease = context.cluster, context.lease
        self._shown_anew: list[tuple[str, Action]] = []
        self.removes = False

    def add(
        self,
        refs: Sequence[DocumentRef],
        documents: Sequence[Prepared],
        rows: Rows,
        blobs: Sequence[bytes],
        bitmaps: Sequence[NDArray[np.uint64]],
    ) -> None:
        """Adds documents that the window keeps from now on: new ones are written whole, those of other clients get our
        fields. Replaces any earlier write on the same document.
        """
        written_by = ["ingest" if document.origin is None else "watch" for document in documents]
        verdicts, firsts = verdict_fields(rows, blobs, now_ms()), first_fields(rows, bitmaps, written_by)
        for ref, document, ours, first in zip(refs, documents, verdicts, firsts, strict=True):
            ours.update(first)
            if document.origin is None:
                self._create(ref, document, ours)
            else:
                self._pending.put(self._composer.mark(document, ours), document.id, ours["order"])

    def _create(self, ref: DocumentRef, document: Prepared, ours: dict[str, Any]) -> None:
        """Adds the write of a whole new document, or its refusal."""
        whole = self._composer.source(document, ours)
        if self._composer.leaves_unsigned(whole):
            self._pending.refuse(document.id, self._layout.too_long(document.text.decode()))
            return
        # "index" if the same id was there with another text: it replaces that, however often it is sent.
        earlier = self._pending.action(ref)
        op: Op = "index" if earlier is not None and earlier.op in ("delete", "index") else "create"
        source = self._encoded(document, whole)
        if source is not None:
            self._pending.put(Action(op, *ref, source), document.id, ours["order"])

    def _encoded(self, document: Prepared, source: dict[str, Any]) -> bytes | None:
        """`source` of `document` as JSON; None if it cannot be written so: then the document is refused."""
        try:
            encoded = dumps(source)
            if document.fields:
                check_finite(document.fields)
        except TypeError as error:
            self._pending.refuse(document.id, f"its fields cannot be written as JSON: {error}")
            return None
        return encoded

    def show_anew(self, ref: DocumentRef, document: Prepared) -> None:
        """Adds the update of a stored document, which keeps its time, by the text and fields of `document`."""
        source = self._encoded(document, self._composer.shown(document))
        if source is not None:
            self._shown_anew.append((document.id, Action("update", *ref, source)))

    def mark_not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Adds the mark with the verdict on a document of another client that came too late to be kept."""
        self._pending.put(self._composer.mark(document, unstored_fields(verdict, now_ms())), document.id)

    def revise(self, ref: DocumentRef, target: DocumentRef, id: str, row: Rows, blob: bytes) -> None:
        """Adds the write of a new verdict on a stored document, which moves to `target` if that differs from `ref`.
        `row` is an array of one row.
        """
        self.removes = True
        (fields,) = verdict_fields(row, [blob], now_ms())
        if target != ref:
            self._pending.move(ref, target, fields, id)
        else:
            self._pending.put(Action("update", *ref, {OBJECT: fields}), id)

    def delete(self, ref: DocumentRef, id: str) -> None:
        """Adds the deletion of a stored document."""
        self.removes = True
        self._pending.put(Action("delete", *ref), id)

    def send(self, epoch: int) -> Mapping[str, str]:
        """Sends all waiting writes, in an `epoch` of the lease; returns what `PendingWrites.send` returns. Texts shown
        anew are not taken back with the others: nothing that counts depends on them.
        """
        self._send_shown_anew()
        return self._pending.send(epoch)

    def _send_shown_anew(self) -> None:
        """Sends the updates of `show_anew`. What another client has deleted stays so: an update would make an index
        again, empty.
        """
        updated = Counter(action.index for _, action in self._shown_anew)
        what = "the texts of documents in it ({}) are not changed"
        lost = lost_indices(self._cluster, self._layout.target, updated, what)
        sent = [(id, action) for id, action in self._shown_anew if action.index not in lost]
        self._shown_anew.clear()
        outcomes = bulk(self._cluster, (action for _, action in sent), between=self._lease.ensure_held)
        for (id, _), outcome in zip(sent, outcomes, strict=True):
            if outcome.error is not None and outcome.status not in CHANGED_MEANWHILE:
                self._pending.refuse(id, f"Elasticsearch refuses it: {outcome.error}")

    def committed(self) -> None:
        """Notes that the epoch is committed: nothing of it needs to be undone any more."""
        self._pending.committed()
        self.removes = False


def begun(context: ElasticContext) -> tuple[HeldDocuments, BatchWrites]:
    """The beginning of a store: no document held, nothing to be written."""
    return HeldDocuments(context), BatchWrites(context)
