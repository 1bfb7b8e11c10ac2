# ruff: noqa: ARG002 - what is not for other owners' documents needs nothing of them
"""The common part of all stores but that of a cluster: nobody else writes documents to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.stores.base import Undecided
from neardup.stores.blobs import original_texts_of, shown_of

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
    """The methods of `Store` that concern other writers and other owners' documents, for stores without them."""

    keeps_text: bool | None = True
    is_durable: bool = True

    def refresh(self, *, follow: bool = False) -> None:
        """Does nothing: nobody else commits."""

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """`documents` unchanged: all keep their ids."""
        return documents

    def show_anew(self, row: Rows, document: Prepared) -> None:
        """Never called: what is to be shown is in the blob."""

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """False for all: nobody else deletes documents."""
        return np.zeros(len(rows), np.bool_)

    def make_others_reread(self) -> bool:
        """False: nobody else deletes documents."""
        return False

    def others_before(self, hour: int) -> int:
        """0: nobody else adds documents."""
        return 0

    def note_repeated(self, document: Prepared, row: Rows, bitmap: NDArray[np.uint64]) -> None:
        """Never called: there are no documents of other owners."""

    def note_not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Never called: there are no documents of other owners."""

    def count_undecided(self) -> Undecided:
        """None: there are no documents of other owners, and those that cannot be compared are not stored."""
        return Undecided()

    def find_abandoned(self) -> bool:
        """False: an unfinished change is undone when the store is opened."""
        return False

    def candidates(self, options: QueryOptions, window_hours: int) -> Store | None:
        """None: reading documents is cheap, and all are read when the window is opened."""
        return None

    def candidates_of_texts(self, texts: Sequence[bytes], threshold: Fraction) -> Store | None:
        """None: all documents are in memory already."""
        return None

    def holding(self, ids: Sequence[str]) -> Store | None:
        """None: all documents are in memory already."""
        return None

    def look_ahead(self, batch: SignedDocuments) -> None:
        """Does nothing: no other writer would have to wait."""

    def candidates_of_batch(self, batch: SignedDocuments) -> StoredCandidates | None:
        """None: candidates are searched only in memory."""
        return None

    def shown(self, rows: Rows) -> list[Shown]:
        """The text and fields kept to be shown, read from the blobs."""
        return [shown_of(row, blob) for row, blob in zip(rows, self.blobs(rows), strict=True)]

    def original_texts(self, rows: Rows) -> list[bytes | None]:
        """The original texts, read from the blobs; None for one that was not kept."""
        return original_texts_of(rows, self.blobs(rows))

    def blobs(self, rows: Rows) -> list[bytes]:
        """See `Store.blobs`."""
        raise NotImplementedError
