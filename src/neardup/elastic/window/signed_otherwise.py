"""Signs stored documents again from their texts, index by index, while other clients may write to them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.elastic.http import api
from neardup.elastic.http.bulk import Action, bulk_done
from neardup.elastic.http.scan import Entry, read
from neardup.elastic.window.codec import OBJECT, arrival_in, packed_bitmap, text_of
from neardup.elastic.window.composer import Composer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.signing.signer import Signer

    Part = Sequence[tuple[Entry, StoredDocument]]

_PAGE: Final = 1_000
_AT_ONCE: Final = 250


class SignedOtherwise:
    """The documents of a window that are signed by another recipe than that of `signer`; each names its own."""

    def __init__(self, cluster: Cluster, layout: Layout, signer: Signer) -> None:
        self._cluster, self._layout, self._signer = cluster, layout, signer
        self._composer = Composer(layout, signer)
        self._query: dict[str, Any] = {
            "bool": {
                "filter": [{"exists": {"field": f"{OBJECT}.fingerprint"}}],
                "must_not": [{"term": {f"{OBJECT}.recipe": signer.text}}],
            }
        }

    def count(self, target: str | None = None) -> int:
        """How many such documents there are in `target`, or in the whole window. A deleted hour has none."""
        target = target or self._layout.target
        api.refresh(self._cluster, target, {**api.WHAT_IS_THERE, **api.NO_INDEX_NEEDED})
        query = self._layout.without_others(self._cluster, self._query)
        return api.count(self._cluster, target, query, api.WHAT_IS_THERE)

    def sign(self, target: str) -> int:
        """Signs the documents in `target`; returns how many there were, including any that changed meanwhile. About 3
        ms each.

        Raises `ClusterRejected` if the cluster refuses one.
        """
        if not self.count(target):
            return 0  # OpenSearch opens no point in time on a deleted hour
        pages = api.snapshot_pages(
            self._cluster, target, {"query": self._query, "_source": False}, size=_PAGE, hidden=True
        )
        with closing(pages):
            hits = (hit for page in pages for hit in page if self._layout.owns(hit.index))
            entries = (Entry(None, hit.id, hit.index, hit.routing) for hit in hits)
            included = ",".join((self._layout.text_field, f"{OBJECT}.order"))
            parts = read(self._cluster, entries, most=_AT_ONCE, _source_includes=included)
            return sum(self._sign_part(part) for part in parts)

    def _sign_part(self, part: Part) -> int:
        bulk_done(self._cluster, list(self._actions(part)))
        return len(part)

    def _actions(self, part: Part) -> Iterator[Action]:
        """The updates that put the new signatures on documents, provided these have not changed."""
        texts = [text_of(stored.source, self._layout.text_field) or "" for _, stored in part]
        encoded = [text.encode(errors="replace") for text in texts]
        batch = self._signer.sign(encoded)
        sizes = np.diff(batch.text_offsets).tolist()
        for i, (entry, stored) in enumerate(part):
            ours = self._composer.replacing_signature(encoded[i])
            if arrival_in(stored.source) is not None:  # what a scorer keeps of it
                ours |= {"sieve": packed_bitmap(batch.bitmaps[i, 1]), "normal_bytes": sizes[i]}
            yield Action("update", entry.index, entry.id, {OBJECT: ours}, *stored.version, entry.routing)
