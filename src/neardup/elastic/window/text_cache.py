"""Normal forms of documents, read back from the documents themselves; those of the last ones are kept."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from neardup.elastic.http.mget import mget
from neardup.model.field_path import field_of

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.pending_writes import DocumentRef
    from neardup.signing.signer import Signer
    from neardup.stores.base import Rows

log = logging.getLogger("neardup")

_CACHE_BYTES: Final = 64_000_000
"""Normal forms kept: copies follow their originals closely, so that most are still here when they are asked for."""
_FETCHED: Final = 256
"""Texts in memory at once before they are normal forms."""


class Texts:
    """Normal forms by handle, whatever number its owner gives a document."""

    def __init__(self, cluster: Cluster, text_field: str, signer: Signer) -> None:
        self._cluster, self._text_field, self._signer = cluster, text_field, signer
        self._recent: OrderedDict[int, bytes] = OrderedDict()
        self._bytes = 0

    def keep(self, handle: int, text: bytes) -> None:
        """Keeps a normal form that is known without reading it."""
        self._bytes += len(text) - len(self._recent.pop(handle, b""))
        self._recent[handle] = text

    def forget(self, handles: Iterable[int]) -> None:
        """Lets go of documents that are gone."""
        for handle in handles:
            self._bytes -= len(self._recent.pop(handle, b""))

    def read(self, handles: Sequence[int], places: Sequence[DocumentRef], rows: Rows) -> list[bytes]:
        """The normal forms of documents: b"" for one that is gone, or no longer what was scored (told in the log).

        One request for every 256 that are not kept.
        """
        missing = [i for i, handle in enumerate(handles) if handle not in self._recent]
        for at in range(0, len(missing), _FETCHED):
            part = missing[at : at + _FETCHED]
            self._fetch([handles[i] for i in part], [places[i] for i in part], rows[part])
        texts = [self._recent[handle] for handle in handles]
        self.trim()
        return texts

    def trim(self) -> None:
        """Lets go of the oldest, above a limit."""
        while self._bytes > _CACHE_BYTES:
            self._bytes -= len(self._recent.popitem(last=False)[1])

    def _fetch(self, handles: Sequence[int], places: Sequence[DocumentRef], rows: Rows) -> None:
        found = self._sources(places)
        signed = self._signer.sign([text or b"" for text in found])
        same = (signed.fingerprints == rows["fingerprint"]).all(axis=1)
        for i, (handle, place) in enumerate(zip(handles, places, strict=True)):
            if not same[i]:
                state = "is gone" if found[i] is None else "has another text than when it was scored"
                log.warning(
                    "%s in %s %s: it is not compared; index it again whole, or delete it here",
                    place.id, place.index, state,
                )  # fmt: skip
            self.keep(handle, signed.text(i) if same[i] else b"")

    def _sources(self, places: Sequence[DocumentRef]) -> list[bytes | None]:
        """The texts of documents as they stand in the cluster, refreshed or not."""
        answers = mget(self._cluster, places, _source_includes=self._text_field)
        texts = [field_of(found.get("_source", {}), self._text_field) for found in answers]
        return [text.encode(errors="replace") if isinstance(text, str) else None for text in texts]
