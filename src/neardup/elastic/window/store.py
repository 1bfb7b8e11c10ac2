"""The store of a window in a cluster: its documents in hourly indices, and the state document, which makes them count.

Any number of scorers write to it. Every change is an epoch of the lease (lease.py): acquire it, take over what others
have committed since, decide, write, commit. Nothing is written before `commit`: then everything a batch changed goes
out by bulk, one action a document, and after it the state document (state_document.py). Texts are read back from the
documents themselves.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import Action, Op
from neardup.elastic.window import loader
from neardup.elastic.window.ad_hoc_query import AdHocQuery
from neardup.elastic.window.codec import OBJECT, first_fields, unstored_fields, verdict_fields
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.pending_writes import DocumentsRefused, PendingWrites
from neardup.elastic.window.undo_log import UndoLog
from neardup.errors import ClusterUnreachable, WindowDamaged
from neardup.model.clock import now_ms
from neardup.stores.base import CommitResult
from neardup.stores.records import are_deleted, are_set_aside, arrivals_of, sieves_among
from neardup.stores.remembered_settings import merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.model.query_options import QueryOptions
    from neardup.model.settings import Settings
    from neardup.model.verdict import Verdict
    from neardup.stores.base import Commit, NewDocuments, Records, Store
    from neardup.stores.records import Rows

log = logging.getLogger("neardup")


class ClusterStore:
    """The store of one window in a cluster, beginning with its state as `document` has it.

    `settings` are those of this opening, which a commit leaves behind if they are to be remembered.
    """

    def __init__(
        self, context: ElasticContext, document: StateDocument, settings: Settings, *, remember: bool
    ) -> None:
        self._context, self._settings = context, settings
        self._cluster, self._layout, self._lease, signer = context
        self._document = document
        self._own_settings = settings.remembered if remember else None
        self._remember_next: dict[str, Any] | None = None
        self.revision = 0
        self._removes = False
        self._composer = Composer(context.layout, signer)
        self._forget_all()

    def _forget_all(self) -> None:
        """Lets go of all documents: what is held of them is outdated."""
        self.revision += 1
        self._removes = False
        self._held = HeldDocuments(self._context)
        self._writes = PendingWrites(
            self._cluster,
            self._counts,
            self._layout.text_field,
            self._composer.fingerprint,
            UndoLog(self._cluster),
            self._lease.renew,
        )

    def _counts(self, arrival: int) -> bool:
        """Whether a document of this arrival is one of the window's."""
        return self._document.counts(arrival)

    # ---- in step with others ----

    @property
    def committed(self) -> Commit:
        return self._document.commit

    def refresh(self) -> None:
        self._adopt(self._read())

    def _read(self) -> StateDocument:
        """What is committed now."""
        document = self._lease.read()
        if document is None:
            raise WindowDamaged(
                str(self._cluster.address), "no state document", "the one `neardup setup` makes"
            )
        return document

    def _adopt(self, document: StateDocument) -> None:
        """Takes over what the state document says: more documents, or that others than before are there."""
        known, self._document = self._document, document
        if (document.changes, document.aborted) != (known.changes, known.aborted):
            self._forget_all()
        else:
            self._held.forget_before(document.commit.floor_hour)

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        document, lost = self._lease.acquire()
        try:
            if lost:
                document = self._undo(document)
            self._adopt(document)
            yield
            self._lease.release(self._document)
        except BaseException as error:
            self._lease.fail(document, tell=not isinstance(error, ClusterUnreachable))
            self._forget_all()
            raise

    def _undo(self, document: StateDocument) -> StateDocument:
        """Undoes what the last holder of the lease did, which died before it committed."""
        changed = UndoLog(self._cluster).undo(document.undo)
        undone = loader.roll_back(self._cluster, self._layout, document)
        log.warning("%d documents that never counted were taken back, %d changes undone", undone, changed)
        return replace(document, undo=())

    def is_abandoned(self) -> bool:
        return self._lease.is_lost(self._read())

    def _keep_lease(self) -> None:
        """Keeps the lease in an epoch that takes long: to be called wherever time passes."""
        if self._lease.held:
            self._lease.ensure_held()

    # ---- what is there ----

    def records(self, since: Commit) -> Iterator[Records]:
        document = self._document
        if document.commit.next_order <= since.next_order:
            return
        fields = loader.restored_fields(self._settings)
        for part in loader.stored_parts(self._cluster, self._layout, document, since.next_order, fields):
            self._keep_lease()
            self._held.add(part.records.rows, part.refs, part.blobs)
            yield part.records
        self._held.forget_before(document.commit.floor_hour)

    def hours(self) -> list[int]:
        """Hours that have an index, whoever wrote to it, or will have one at the end of the batch, ascending."""
        written = {hour for hour, _ in self._layout.living(self._cluster).values()}
        return sorted(written | (set() if self._layout.archive else self._held.hours))

    def texts(self, rows: Rows) -> list[bytes]:
        self._keep_lease()
        return self._held.texts(rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        return self._held.blobs(rows)

    def uncompared(self) -> int:
        return loader.count_with_status(self._cluster, self._layout, "unscored")

    def candidates(self, options: QueryOptions, settings: Settings) -> Store | None:
        return AdHocQuery(self._context, self._document, settings).candidates_for(options)

    # ---- what is added ----

    def append(self, hour: int, new: NewDocuments) -> None:
        refs = [
            DocumentRef(self._layout.index_for(hour, copies=aside), document.id)
            if document.origin is None
            else DocumentRef(document.origin.index, document.origin.id)
            for document, aside in zip(new.documents, are_set_aside(new.rows).tolist(), strict=True)
        ]
        self._held.add(new.rows, refs, new.blobs)
        self._held.keep_texts(new.rows, new.texts)
        sieves, now = sieves_among(new.rows, new.keys), now_ms()
        for row, ref, document, blob, sieve in zip(
            new.rows, refs, new.documents, new.blobs, sieves, strict=True
        ):
            by = "ingest" if document.origin is None else "watch"
            self._add(ref, document, verdict_fields(row, blob, now) | first_fields(row, sieve, by))

    def _add(self, ref: DocumentRef, document: Prepared, ours: dict[str, Any]) -> None:
        if document.origin is not None:
            action = self._composer.mark(document, document.origin, ours)
        else:
            # An index action where the same id was there with another text: it replaces, however often it is sent.
            earlier = self._writes.action(ref)
            op: Op = "index" if earlier is not None and earlier.op in ("delete", "index") else "create"
            action = Action(op, *ref, self._composer.source(document, ours))
        self._writes.put(ref, action, document.id, ours["order"])

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        self._removes = True
        arrival = int(arrivals_of(row)[0])
        ref = self._held.ref(arrival)
        if are_deleted(row)[0]:
            self._writes.put(ref, Action("delete", *ref), id)
            return
        self._held.revise(arrival, blob)
        fields = verdict_fields(row[0], blob, now_ms())
        index = self._layout.kept_in(ref.index, hour, copies=bool(are_set_aside(row)[0]))
        if index != ref.index:  # it moves to or from the copies of its hour
            target = DocumentRef(index, ref.id)
            self._writes.move(ref, target, fields)
            self._held.move(arrival, target)
            return
        self._writes.put(ref, Action("update", *ref, {OBJECT: fields}), id)

    def commit(self, commit: Commit) -> CommitResult:
        """Writes what waits, then the state document, which lets the lease go; if something is refused, what was
        written of the batch is taken back, and the epoch goes on.
        """
        self._lease.ensure_held()
        try:
            self._writes.send(self._lease.document.epoch)
        except DocumentsRefused as refused:
            if self._removes:
                self._forget_all()
            return CommitResult(refused.reasons)
        changes, self._removes = self._document.changes + self._removes, False
        settings = self._remember_next or merged(
            self.remembered, self._own_settings or self._document.settings
        )
        self._document = replace(self._document, commit=commit, changes=changes, settings=settings)
        self._lease.commit(self._document)
        self._writes.committed()
        self._remember_next = None
        return CommitResult()

    def drop(self, hour: int) -> None:
        self._held.forget(hour)
        self._layout.delete_hour(self._cluster, hour)

    # ---- settings ----

    @property
    def previous(self) -> dict[str, Any]:
        return self._document.settings

    @property
    def remembered(self) -> dict[str, Any]:
        if self._document.commit.next_order:
            return self._document.settings
        return self._own_settings or self._document.settings

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self._remember_next = remembered

    # ---- documents of other clients ----

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """A document of another client goes by its `_id`, or as `index/_id` if the window knows that id elsewhere.

        Once given, a name stays. An `_id` is unique in its index only, and no other document may go for it.
        """

        def ref_of(id: str) -> DocumentRef | None:
            arrival = stored(id)
            return None if arrival is None else self._held.ref(arrival)

        def named(document: Prepared) -> Prepared:
            if document.origin is None:
                return document
            ref = DocumentRef(document.origin.index, document.origin.id)
            long = f"{ref.index}/{ref.id}"
            if ref_of(long) == ref or ref_of(document.id) not in (None, ref):
                return document._replace(id=long)
            return document

        return list(map(named, documents))

    def repeated(self, document: Prepared, row: Rows, sieve: NDArray[np.uint64]) -> None:
        """Gives a document that another client wrote anew its mark again."""
        (blob,) = self.blobs(row)
        fields = verdict_fields(row[0], blob, now_ms()) | first_fields(row[0], sieve, "watch")
        self._mark(document, fields, int(arrivals_of(row)[0]))

    def not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Marks a document of another client that came too late."""
        self._mark(document, unstored_fields(verdict, now_ms()), -1)

    def _mark(self, document: Prepared, fields: dict[str, Any], arrival: int) -> None:
        """Puts `fields` on a document of another client, whatever was to happen to it."""
        assert document.origin is not None, "another client wrote it"
        ref = DocumentRef(document.origin.index, document.origin.id)
        self._writes.put(ref, self._composer.mark(document, document.origin, fields), document.id, arrival)

    def close(self) -> None:
        self._cluster.close()
