"""Texts of documents, as they came and as normal forms, read back from the documents themselves; recently used texts
are kept in memory.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.elastic.http.admin_api import is_readable
from neardup.elastic.http.mget import mget
from neardup.elastic.window.codec import text_of
from neardup.elastic.window.parts import in_parts_of_texts
from neardup.model.escapes import escaped
from neardup.stores.records import arrivals_of, fingerprints_of

if TYPE_CHECKING:
    from neardup.elastic.http.api import DocumentRef, StoredDocument
    from neardup.elastic.http.client import Cluster
    from neardup.signing.signer import Signer
    from neardup.stores.records import Rows

log = logging.getLogger("neardup")

_CACHE_BYTES: Final = 128_000_000
"""The most bytes of texts kept, in both forms. Copies follow their originals closely, so most texts are here when they
are compared.
"""


class Text(NamedTuple):
    """A text: its normal form, and the text as it came; b"" and None if there is none to compare with."""

    form: bytes
    original: bytes | None

    @property
    def size(self) -> int:
        """The bytes of both forms together."""
        return len(self.form) + len(self.original or b"")


NO_TEXT: Final = Text(b"", None)


class TextCache:
    """Texts of documents by arrival."""

    def __init__(self, cluster: Cluster, text_field: str, signer: Signer) -> None:
        self._cluster, self._text_field, self._signer = cluster, text_field, signer
        self._recent: OrderedDict[int, Text] = OrderedDict()
        self._without = set[str]()  # indices that are gone
        self._bytes = 0

    def keep(self, arrival: int, text: Text) -> None:
        """Keeps a text that is known already, so that it need not be read."""
        self._bytes += text.size - self._recent.pop(arrival, NO_TEXT).size
        self._recent[arrival] = text

    def show_anew(self, arrival: int, text: bytes) -> None:
        """Replaces the text, as it came, of a document whose normal form stays."""
        if arrival in self._recent:
            self.keep(arrival, self._recent[arrival]._replace(original=text))

    def forget(self, arrivals: Iterable[int]) -> None:
        """Forgets the texts of documents that are no longer needed."""
        for arrival in arrivals:
            self._bytes -= self._recent.pop(arrival, NO_TEXT).size

    def read(self, refs: Sequence[DocumentRef], rows: Rows) -> list[Text]:
        """The texts of documents: `NO_TEXT` for one that was deleted, or whose text has changed since it was scored
        (logged).

        One request for every 256 texts that are not kept, or for every 32 MB of their normal forms.
        """
        arrivals = arrivals_of(rows).tolist()
        missing = [i for i, arrival in enumerate(arrivals) if arrival not in self._recent]
        for positions in in_parts_of_texts(rows[missing]):
            part = [missing[i] for i in positions]
            self._fetch([refs[i] for i in part], rows[part])
        texts = [self._recent[arrival] for arrival in arrivals]
        self.trim()
        return texts

    def trim(self) -> None:
        """Forgets the least recently added texts above the limit of bytes."""
        while self._bytes > _CACHE_BYTES:
            self._bytes -= self._recent.popitem(last=False)[1].size

    def _fetch(self, refs: Sequence[DocumentRef], rows: Rows) -> None:
        documents = mget(self._cluster, refs, _source_includes=self._text_field)
        texts = [None if document is None else self._text(document) for document in documents]
        signed = self._signer.sign([text or b"" for text in texts])
        same = (signed.fingerprints == fingerprints_of(rows)).all(axis=1)
        without = {ref.index for ref, document in zip(refs, documents, strict=True) if document is None}
        missing = set(filter(self._is_gone, sorted(without)))
        for i, (arrival, ref) in enumerate(zip(arrivals_of(rows).tolist(), refs, strict=True)):
            if not same[i] and ref.index not in missing:
                state = "has another text than when it was scored"
                if documents[i] is None:
                    state = "is gone"
                elif texts[i] is None:
                    state = f"has no text in its field {self._text_field} that this user may read (docs/security.md)"
                log.warning(
                    "%s in %s %s: it is not compared; index it again whole, or delete it here",
                    escaped(ref.id), ref.index, state,
                )  # fmt: skip
            self.keep(arrival, Text(signed.text(i), texts[i]) if same[i] else NO_TEXT)

    def _is_gone(self, index: str) -> bool:
        """Whether an index no longer exists, and with it all its documents; logged once."""
        if index not in self._without and not is_readable(self._cluster, index):
            self._without.add(index)
            log.warning(
                "%s is gone: its documents are not compared; restore it, or restart this process, which then no longer "
                "holds them", index,
            )  # fmt: skip
        return index in self._without

    def _text(self, document: StoredDocument) -> bytes | None:
        """The text of a document as stored in the cluster; None if another client has left none there."""
        text = text_of(document.source, self._text_field)
        return None if text is None else text.encode(errors="replace")
