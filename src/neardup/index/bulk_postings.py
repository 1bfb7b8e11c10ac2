"""BulkPostings: collects postings and packs many at once, when a stored window is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.kernels.packing import unordered_postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.posting_lists import PostingLists


class BulkPostings:
    """Postings for packing `lists`, collected and packed `at_once` at a time, because each packing moves all packed
    postings. Memory: 16 bytes for each of `at_once`.
    """

    def __init__(self, lists: PostingLists, at_once: int) -> None:
        self._lists = lists
        self._values, self._spare = np.empty(at_once, np.uint64), np.empty(at_once, np.uint64)
        self._size = self._docs = 0

    def add(
        self,
        keys: NDArray[np.uint64],
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        docs: NDArray[np.int64],
    ) -> None:
        """Adds `docs[i]` under the low bits of `keys[starts[i]:starts[i] + sizes[i]]`; docs of -1 are left out."""
        wanted = int(sizes.sum())
        if self._size + wanted > len(self._values):
            self.pack()
        if wanted > len(self._values):
            self._values, self._spare = np.empty(wanted, np.uint64), np.empty(wanted, np.uint64)
        self._size += unordered_postings(keys, starts, sizes, docs, self._values[self._size :])
        self._docs = max(self._docs, int(docs.max(initial=-1)) + 1)

    def pack(self) -> None:
        """Packs the postings that were added and are not packed yet."""
        self._lists.add_unordered(self._values[: self._size], self._spare[: self._size], self._docs)
        self._size = 0
