"""Where the Elasticsearch engine keeps documents: the hourly indices of a window. The store of `stores/base.py`.

Nothing is written before `commit`: then everything a batch changed goes out by bulk, one action a document, and
after it the state document (state_document.py), which makes it count. Texts are read back from the documents
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.elastic.http.admin_api import delete_index
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import Action, Op
from neardup.elastic.window.codec import OBJECT, first_fields, verdict_fields
from neardup.elastic.window.pending_writes import PendingWrites
from neardup.elastic.window.text_cache import TextCache
from neardup.elastic.window.undo_log import UndoLog
from neardup.kernels.bitmap_filter import WORDS as SIEVE_WORDS
from neardup.model.clock import now_ms
from neardup.model.document import Prepared, format_time
from neardup.model.field_path import put_field
from neardup.model.settings import HOUR_MS
from neardup.stores.base import DELETED, ROUTED, Additions, Commit, Hour, Rows, assign_offsets, key_counts
from neardup.stores.remembered_settings import merged

if TYPE_CHECKING:
    from neardup.elastic.window.site import ElasticContext
    from neardup.elastic.window.state_document import StateDocument


class ForeignDocument(NamedTuple):
    """Where a document that another client wrote was found, and in which version: what `Document.fields` is then.

    `fingerprint` is the one it bears; None if nobody has signed it.
    """

    place: DocumentRef
    seq_no: int
    primary_term: int
    fingerprint: str | None


class ClusterStore:
    """The store of one window in a cluster, as `content` has it; a commit leaves the settings `remembered`."""

    def __init__(self, site: ElasticContext, content: StateDocument, remembered: dict[str, Any]) -> None:
        self._cluster, self._layout, self._lease, self._signer = site
        self._remembered = remembered
        self._to_settle: dict[str, Any] | None = None
        self.content = content
        self._places: dict[int, DocumentRef] = {}
        self._handles: dict[int, list[int]] = {}
        self._next_handle = 0
        self._blobs: dict[int, bytearray] = {}
        text_field, undo_log = site.layout.text_field, UndoLog(site.cluster)
        self._texts = TextCache(site.cluster, text_field, site.signer)
        self._writes = PendingWrites(
            site.cluster, content.counts, text_field, self._fingerprint, undo_log, site.lease.renew
        )
        self.removes = False
        """Whether the batch at hand does more than add documents."""

    def _signature(self, text: bytes) -> dict[str, Any]:
        """The whole signature of a text, as the processor would write it."""
        return self._signer.signature(text.decode()).to_dict()

    def _fingerprint(self, text: str) -> str:
        """The fingerprint of a text."""
        return self._signer.sign([text.encode(errors="replace")]).fingerprint(0)

    # ---- what is there ----

    def hours(self) -> list[int]:
        """Hours that have an index, whoever wrote to it, or will have one at the end of the batch, ascending."""
        written = {hour for hour, _ in self._layout.living(self._cluster).values()}
        return sorted(written | (set() if self._layout.archive else self._blobs.keys()))

    def load(self, hour: int) -> Hour:
        raise NotImplementedError("documents of a cluster are loaded by their order (loading.py)")

    def adopt(self, rows: Rows, blobs: Sequence[bytes], places: Sequence[DocumentRef]) -> None:
        """Takes over documents that are stored already: sets where their texts and blobs are found."""
        hours: list[int] = (rows["time"] // HOUR_MS).tolist()
        for i, (hour, blob) in enumerate(zip(hours, blobs, strict=True)):
            rows["text_start"][i] = self._handle(hour, places[i])
            kept = self._blobs.setdefault(hour, bytearray())
            rows["blob_start"][i] = len(kept)
            kept += blob

    def _handle(self, hour: int, place: DocumentRef) -> int:
        """The number by which a row finds the place of its document."""
        handle = self._next_handle
        self._next_handle += 1
        self._places[handle] = place
        self._handles.setdefault(hour, []).append(handle)
        return handle

    def keep_lease(self) -> None:
        """Keeps the lease in an epoch that takes long: to be called wherever time passes."""
        if self._lease.held:
            self._lease.ensure_held()

    def place_of(self, row: Any) -> DocumentRef:
        """Where the document of a row lies."""
        return self._places[int(row["text_start"])]

    # ---- the store's contract (stores/base.py) ----

    def append(self, hour: int, additions: Additions) -> None:
        rows, blobs = additions.rows, self._blobs.setdefault(hour, bytearray())
        fresh = rows["text_start"] < 0
        assign_offsets(additions, 0, len(blobs), 0)
        blobs += additions.blobs
        if fresh.any():
            self._place(hour, additions)
        now = now_ms()
        starts = (rows["blob_start"] - (len(blobs) - len(additions.blobs))).tolist()
        for i, (row, start) in enumerate(zip(rows, starts, strict=True)):
            blob = additions.blobs[start : start + int(row["blob_bytes"])]
            place, identity = self._places[int(row["text_start"])], additions.ids[i]
            if row["flags"] & DELETED:
                self._delete(place, identity)
            elif fresh[i]:
                sieve = self._sieve(additions, i)
                self._add(place, row, blob, additions.documents[i], sieve)
            else:
                self._revise(place, row, verdict_fields(row, blob, now), hour, identity)

    def _place(self, hour: int, additions: Additions) -> None:
        """Gives new documents their places, and keeps their texts at hand."""
        apart = (additions.rows["flags"] & ROUTED) != 0
        for i, document in enumerate(additions.documents):
            found = document.fields
            place = DocumentRef(self._layout.index_for(hour, copies=bool(apart[i])), document.id)
            handle = self._handle(hour, found.place if isinstance(found, ForeignDocument) else place)
            additions.rows["text_start"][i] = handle
            self._texts.keep(handle, additions.texts[i])
        self._texts.trim()

    def _sieve(self, additions: Additions, i: int) -> Any:
        counts = key_counts(additions.rows[i : i + 1])[:, 0]
        start = int(additions.rows["keys_start"][i]) + int(counts[0])
        return additions.keys[start : start + SIEVE_WORDS] if counts[1] else np.empty(0, np.uint64)

    def _add(self, place: DocumentRef, row: Any, blob: bytes, document: Prepared, sieve: Any) -> None:
        found = document.fields
        by = "watch" if isinstance(found, ForeignDocument) else "ingest"
        ours = verdict_fields(row, blob, now_ms()) | first_fields(row, sieve, by)
        if isinstance(found, ForeignDocument):
            action = self._mark(document, ours)
        else:
            # An index action where the same id was there with another text: it replaces, however often it is sent.
            earlier = self._writes.action(place)
            op: Op = "index" if earlier is not None and earlier.op in ("delete", "index") else "create"
            action = Action(op, *place, self._source(document, ours))
        self._writes.put(place, action, document.id, int(row["order"]))

    def _mark(self, document: Prepared, ours: dict[str, Any]) -> Action:
        """The update that puts our fields on a document of another client, as long as it has not changed."""
        found: ForeignDocument = document.fields
        if found.fingerprint != ours.get("fingerprint", found.fingerprint):
            # Nobody has signed it, or its text was updated since.
            ours = self._signature(document.text) | ours
        return Action("update", *found.place, {OBJECT: ours}, found.seq_no, found.primary_term)

    def mark(self, document: Prepared, fields: dict[str, Any]) -> None:
        """Puts `fields` on a document of another client, whatever was to happen to it."""
        found: ForeignDocument = document.fields
        action = self._mark(document, fields)
        self._writes.put(found.place, action, document.id, _order_of(fields))

    def is_marked(self, place: DocumentRef) -> bool:
        """Whether a verdict on the document at `place` waits to be written."""
        waiting = self._writes.action(place)
        return waiting is not None and waiting.op != "delete"

    def _source(self, document: Prepared, ours: dict[str, Any]) -> dict[str, Any]:
        """The whole document as it is stored: the user's own fields, text and time by the window's names, ours."""
        layout, fields = self._layout, document.fields
        source: dict[str, Any] = {}
        if isinstance(fields, Mapping):
            source = {name: value for name, value in fields.items() if name != OBJECT}
        put_field(source, layout.text_field, document.text.decode())
        put_field(source, layout.time_field, format_time(document.time))
        if layout.client_signs:
            ours = self._signature(document.text) | ours
        # That partial copies were looked for and none found must be told from not looking.
        source[OBJECT] = {
            name: value
            for name, value in ours.items()
            if value is not None and (value != [] or name == "partial")
        }
        return source

    def _delete(self, place: DocumentRef, identity: str) -> None:
        self.removes = True
        self._writes.put(place, Action("delete", *place), identity)

    def _revise(self, place: DocumentRef, row: Any, fields: dict[str, Any], hour: int, identity: str) -> None:
        """A new verdict on a stored document, which moves to or from the copies of its hour if the policy has it."""
        self.removes = True
        wanted = self._layout.kept_in(place.index, hour, copies=bool(row["flags"] & ROUTED))
        if wanted != place.index:
            target = DocumentRef(wanted, place.id)
            self._writes.move(place, target, fields)
            self._places[int(row["text_start"])] = target
            return
        self._writes.put(place, Action("update", *place, {OBJECT: fields}), identity)

    def commit(self, commit: Commit) -> None:
        """Writes what waits, then the state document, which lets the lease go.

        Raises `DocumentsRefused` after taking back what was written of the batch; the epoch goes on then.
        """
        self._lease.ensure_held()
        self._writes.send(self._lease.document.epoch)
        changes = self.content.changes + self.removes
        self.removes = False
        settings = self._to_settle or merged(self.remembered, self._remembered)
        self.content = replace(self.content, commit=commit, changes=changes, settings=settings)
        self._lease.commit(self.content)
        self._writes.committed()
        self._to_settle = None

    @property
    def remembered(self) -> dict[str, Any]:
        """What the state document says that the verdicts which count were made by."""
        return self.content.settings if self.content.commit.next_order else self._remembered

    def settle(self, remembered: dict[str, Any]) -> None:
        self._to_settle = remembered

    def texts(self, hours: Sequence[int], rows: Rows) -> list[bytes]:  # noqa: ARG002 - a place knows its hour
        self.keep_lease()
        handles = rows["text_start"].tolist()
        return self._texts.read(handles, [self._places[handle] for handle in handles], rows)

    def blob(self, hour: int, start: int, size: int) -> bytes:
        return bytes(self._blobs[hour][start : start + size])

    def drop(self, hour: int) -> None:
        """Deletes the indices of an hour, by name."""
        self.forget(hour)
        gone = [name for name, (own, _) in self._layout.living(self._cluster).items() if own == hour]
        for name in gone:
            delete_index(self._cluster, name)

    def forget(self, hour: int) -> None:
        """Lets go of what is held in memory of an hour."""
        self._blobs.pop(hour, None)
        gone = self._handles.pop(hour, [])
        self._texts.forget(gone)
        for handle in gone:
            del self._places[handle]

    def forget_before(self, hour: int) -> None:
        """`forget` for all hours before `hour`."""
        for old in [old for old in self._handles if old < hour]:
            self.forget(old)

    def close(self) -> None:
        self._cluster.close()


def _order_of(fields: Mapping[str, Any]) -> int:
    """The order in the fields of a mark; -1 for a document that the window does not keep."""
    order = fields.get("order")
    return -1 if order is None else int(order)
