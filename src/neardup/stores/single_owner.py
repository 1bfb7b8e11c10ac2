# ruff: noqa: ARG002 - what is not for other owners' documents needs nothing of them
"""What stores have in common whose documents nobody else writes: all but those in a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.model.settings import DEFAULT_BATCH_DOCUMENTS
from neardup.stores.blobs import came_of, shown_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.model.document import Prepared
    from neardup.model.query_options import QueryOptions
    from neardup.model.verdict import Verdict
    from neardup.stores.base import Shown, SignedDocuments, Store, StoredCandidates
    from neardup.stores.records import Rows


class SingleOwner:
    """The part of `Store` that is about documents of other owners, and about other writers: there are none."""

    documents_at_once: int = DEFAULT_BATCH_DOCUMENTS
    keeps_text: bool | None = True
    is_durable: bool = True

    def refresh(self, *, follow: bool = False) -> None:
        """Nobody else commits."""

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """All keep their ids."""
        return documents

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """Nobody else deletes."""
        return np.zeros(len(rows), np.bool_)

    def others_before(self, hour: int) -> int:
        """Nobody else puts any there."""
        return 0

    def repeated(self, document: Prepared, row: Rows, bitmap: NDArray[np.uint64]) -> None:
        """Nobody else's document ever comes."""

    def not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Nobody else's document ever comes."""

    def uncompared(self) -> int:
        """What cannot be compared is not stored."""
        return 0

    def is_abandoned(self) -> bool:
        """What a writer left half done is undone when the store is opened."""
        return False

    def candidates(self, options: QueryOptions, window_hours: int) -> Store | None:
        """To read a document costs little here: all are read when the window is opened."""
        return None

    def candidates_of_texts(self, texts: Sequence[bytes], threshold: Fraction) -> Store | None:
        """The same is true of many texts."""
        return None

    def holding(self, ids: Sequence[str]) -> Store | None:
        """The same is true of these."""
        return None

    def look_ahead(self, batch: SignedDocuments) -> None:
        """There is nobody who would have to wait."""

    def candidates_of_batch(self, batch: SignedDocuments) -> StoredCandidates | None:
        """Nor is anything searched for but in memory."""
        return None

    def shown(self, rows: Rows) -> list[Shown]:
        """They are in the blobs."""
        return [shown_of(row, blob) for row, blob in zip(rows, self.blobs(rows), strict=True)]

    def came(self, rows: Rows) -> list[bytes | None]:
        """They are in the blobs."""
        return came_of(rows, self.blobs(rows))

    def blobs(self, rows: Rows) -> list[bytes]:
        """See `Store.blobs`."""
        raise NotImplementedError
