"""The store of an ad hoc query: only the documents of a window that its verdict may name or depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.elastic.window.held_documents import HeldDocuments
from neardup.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.loader import StoredPart
    from neardup.stores.base import Commit, Records, Shown
    from neardup.stores.records import Rows


class CandidateStore(MemoryStore):
    """A store in memory that begins with `candidates`, from the window as of `commit`."""

    keeps_text = None

    def __init__(self, context: ElasticContext, commit: Commit, candidates: StoredPart) -> None:
        super().__init__()
        self.committed, self._candidates = commit, candidates.records
        self._held = HeldDocuments(context)
        self._held.add(candidates.records.rows, candidates.refs, candidates.blobs)

    def records(self, since: Commit) -> Iterator[Records]:  # noqa: ARG002 - it is read once
        """All of it, at once."""
        yield self._candidates

    def texts(self, rows: Rows) -> list[bytes]:
        """As the cluster has them now."""
        return self._held.texts(rows)

    def shown(self, rows: Rows) -> list[Shown]:
        """As the cluster has them now."""
        return self._held.shown(rows)

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """As the cluster has them now."""
        return self._held.absent(rows)

    def original_texts(self, rows: Rows) -> list[bytes | None]:
        """As the cluster has them now."""
        return self._held.original_texts(rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        """As the cluster had them."""
        return self._held.blobs(rows)
