"""What this process holds of each document of a window in a cluster: its ref, its blob, and recently used texts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.elastic.http.mget import mget
from neardup.elastic.window.codec import text_of
from neardup.elastic.window.parts import in_parts_of_texts
from neardup.elastic.window.text_cache import Text, TextCache
from neardup.model.escapes import escaped
from neardup.model.shown_fields import shown_fields
from neardup.stores.base import Shown
from neardup.stores.records import arrivals_of, hours_of

if TYPE_CHECKING:
    from collections.abc import KeysView, Mapping, Sequence

    from numpy.typing import NDArray

    from neardup.elastic.http.api import DocumentRef
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.model.document import Prepared
    from neardup.stores.records import Rows

log = logging.getLogger("neardup")


class HeldDocuments:
    """Refs and blobs of documents by arrival; their texts are read back from the cluster (text_cache.py)."""

    def __init__(self, context: ElasticContext) -> None:
        self._context = context
        self._cluster, self._text_field = context.cluster, context.layout.text_field
        self._show = context.settings.show
        self._texts = TextCache(context.cluster, context.layout.text_field, context.signer)
        self._refs: dict[int, DocumentRef] = {}
        self._unmoved: dict[int, DocumentRef] = {}
        self._blobs: dict[int, bytes] = {}
        self._by_hour: dict[int, list[int]] = {}
        self._shown_anew: list[int] = []

    @property
    def hours(self) -> KeysView[int]:
        """The hours of all documents that are held."""
        return self._by_hour.keys()

    def emptied(self) -> HeldDocuments:
        """A new object for the same window that holds no documents."""
        return HeldDocuments(self._context)

    def add(self, rows: Rows, refs: Sequence[DocumentRef], blobs: Sequence[bytes]) -> None:
        """Holds documents that lie at `refs`."""
        arrivals, hours = arrivals_of(rows).tolist(), hours_of(rows).tolist()
        self._refs.update(zip(arrivals, refs, strict=True))
        self._blobs.update(zip(arrivals, blobs, strict=True))
        for hour, arrival in zip(hours, arrivals, strict=True):
            self._by_hour.setdefault(hour, []).append(arrival)

    def keep_texts(
        self, rows: Rows, forms: Sequence[bytes | memoryview], documents: Sequence[Prepared]
    ) -> None:
        """Keeps texts that are known already, so that they need not be read."""
        for arrival, form, document in zip(arrivals_of(rows).tolist(), forms, documents, strict=True):
            self._texts.keep(arrival, Text(bytes(form), document.text))
        self._texts.trim()

    def ref(self, arrival: int) -> DocumentRef:
        """Where the document of this arrival lies."""
        return self._refs[arrival]

    def revise(self, arrival: int, ref: DocumentRef, blob: bytes) -> None:
        """Notes where the document of this arrival will lie after the commit, and its new blob."""
        if ref != self._refs[arrival]:
            self._unmoved.setdefault(arrival, self._refs[arrival])
        self._refs[arrival], self._blobs[arrival] = ref, blob

    def show_anew(self, arrival: int, text: bytes) -> None:
        """Notes another text with the same normal form, which counts until the batch is sent."""
        self._texts.show_anew(arrival, text)
        self._shown_anew.append(arrival)

    def sent(self) -> None:
        """Notes that the batch was sent: texts that were to be shown anew are read again, as some may be refused."""
        self._texts.forget(self._shown_anew)
        self._shown_anew.clear()

    def committed(self) -> None:
        """Notes the commit: all documents now lie where `revise` said."""
        self._unmoved.clear()

    def texts(self, rows: Rows) -> list[bytes]:
        """The normal forms of documents; b"" for one that was deleted, or has another text than when it was scored."""
        return [text.form for text in self._read(rows)]

    def original_texts(self, rows: Rows) -> list[bytes | None]:
        """The texts of documents as they came; None for one that was deleted, or has another text than it had when
        scored.
        """
        return [text.original for text in self._read(rows)]

    def _read(self, rows: Rows) -> list[Text]:
        arrivals = arrivals_of(rows).tolist()
        return self._texts.read([self._unmoved.get(each, self._refs[each]) for each in arrivals], rows)

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """Which documents no longer exist in the cluster, as a mask over `rows`."""
        refs = [self.ref(arrival) for arrival in arrivals_of(rows).tolist()]
        return np.array(
            [document is None for document in mget(self._cluster, refs, _source="false")], np.bool_
        )

    def shown(self, rows: Rows) -> list[Shown]:
        """The texts and fields of documents to show, as stored now; empty for one that no longer exists."""
        refs = [self.ref(arrival) for arrival in arrivals_of(rows).tolist()]
        wanted = ",".join((self._text_field, *self._show))
        return [
            Shown() if document is None else self._shown_of(refs[i], document.source)
            for part in in_parts_of_texts(rows)
            for i, document in zip(
                part, mget(self._cluster, [refs[i] for i in part], _source_includes=wanted), strict=True
            )
        ]

    def _shown_of(self, ref: DocumentRef, source: Mapping[str, Any]) -> Shown:
        text = text_of(source, self._text_field)
        if text is None:
            log.warning(
                "%s in %s has no text in its field %s any more: it is shown without text; index it again whole, or "
                "delete it here", escaped(ref.id), ref.index, self._text_field,
            )  # fmt: skip
        return Shown(text or "", shown_fields(source, self._show))

    def blobs(self, rows: Rows) -> list[bytes]:
        """The blobs of documents."""
        return [self._blobs[arrival] for arrival in arrivals_of(rows).tolist()]

    def forget(self, hour: int) -> None:
        """Stops holding the documents of an hour."""
        arrivals = set(self._by_hour.pop(hour, ()))
        self._texts.forget(arrivals)
        for arrival in arrivals:
            del self._refs[arrival], self._blobs[arrival]

    def forget_before(self, hour: int) -> None:
        """`forget` for all hours before `hour`."""
        for old in [old for old in self._by_hour if old < hour]:
            self.forget(old)
