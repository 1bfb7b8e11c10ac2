"""WordIndex: finds documents with common sentences, or common bands of simhashes, for the routes.

Partial copies are found by sentences, too. Sentence fingerprints and the cut at 300 documents are those of Yoon et al.
2012 (docs/definitions.md, Partial copies); but common sentences are counted with each other document separately, not
with all together, so that every original is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neardup.index.posting_lists import PostingLists, Query
from neardup.kernels.counters import Counters

if TYPE_CHECKING:
    from neardup.index.document_table import DocumentTable
    from neardup.signing.signature import Keys, Offsets

Among = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Which pairs (document of the batch, doc) are compared."""

_AT_ONCE: Final = 1 << 18
"""The most postings that are handled at once, some 50 bytes each: without a limit every document may have a key, and a
batch may have hundreds of such keys.
"""
ENTRY_BYTES: Final = 100
"""The memory of a doc's own list of keys besides the keys: an object, and an entry in a Python dict."""


class SharedKeys(NamedTuple):
    """Document `queries[i]` of a batch has `counts[i]` >= 1 keys in common with `docs[i]`; both ascending.

    `truncated[j]`: some keys of document j were left out, or the keys of some document in its hours are not known.
    """

    queries: NDArray[np.int64]
    docs: NDArray[np.int64]
    counts: NDArray[np.int64]
    truncated: NDArray[np.bool_]


class WordIndex:
    """Posting lists of one kind of keys, fingerprints of sentences or bands of simhashes; and the keys of every doc,
    because they cannot be made from its normal form.

    A key that more than `most` of the compared documents have is left out, and so are the keys in `common`: an index of
    only a part of a window is given the keys that too many documents of the whole window have.
    """

    def __init__(self, most: int) -> None:
        self.lists = PostingLists()
        self._most = most
        self.common: frozenset[int] = frozenset()
        self._of: dict[int, bytes] = {}
        self._bytes = 0
        self._unread: Counter[int] = Counter()  # documents without keys, by hour
        self._counters = Counters.of(0, 1)

    @property
    def memory(self) -> int:
        """Bytes of lists and keys."""
        return self.lists.memory + self._bytes + ENTRY_BYTES * len(self._of)

    def add(
        self, keys: Keys, offsets: Offsets, docs: NDArray[np.int64], unread_hours: NDArray[np.int32]
    ) -> None:
        """Adds stored documents: the keys of `docs[i]` are `keys[offsets[i]:offsets[i + 1]]`.

        `unread_hours`: the hours of the documents for which no keys were made, one for each.
        """
        self.lists.add(keys, offsets, docs)
        self._unread.update(unread_hours.tolist())
        self._remember(keys, offsets, docs)

    def _remember(self, keys: Keys, offsets: Offsets, docs: NDArray[np.int64]) -> None:
        for i, doc in enumerate(docs.tolist()):
            own = keys[offsets[i] : offsets[i + 1]]
            if doc >= 0 and len(own):
                self._of[doc] = own.tobytes()
                self._bytes += own.nbytes

    def keys_of(self, docs: Sequence[int]) -> tuple[Keys, Offsets]:
        """The keys of docs in the lists, one doc after another, and n + 1 offsets."""
        of_each = [self._of.get(doc, b"") for doc in docs]
        # A copy: kernels are compiled for arrays that can be written.
        keys = np.frombuffer(b"".join(of_each), np.uint64).copy()
        return keys, np.cumsum([0, *(len(own) // 8 for own in of_each)])

    def shared_and_add(
        self, keys: Keys, offsets: Offsets, query: Query, table: DocumentTable, among: Among | None
    ) -> SharedKeys:
        """For each document of the batch in order, finds the documents added before it that share any of its keys,
        `keys[offsets[i]:offsets[i + 1]]`; then adds the document.

        If a key is left out because too many documents have it, the document is truncated. `among`: decides which pairs
        are compared; others do not count.
        """
        documents = np.repeat(np.arange(len(query.docs)), np.diff(offsets))
        if len(self._counters.hits) < len(table.counts):
            self._counters = Counters.of(len(table.counts), 1)
        truncated = self._unread_in_hours(query)
        pairs = [np.empty(0, np.int64)]
        first = 0
        while first < len(documents):
            rest = documents[first:]
            some, left_out = self._holders(keys[first:], rest, query, table, among)
            truncated[rest[: len(left_out)][left_out]] = True
            pairs.append(some)
            first += len(left_out)
        self._remember(keys, offsets, query.docs)
        each, counts = np.unique(np.concatenate(pairs), return_counts=True)
        return SharedKeys(each >> 32, each & 0xFFFFFFFF, counts, truncated)

    def _holders(
        self,
        keys: Keys,
        documents: NDArray[np.int64],
        query: Query,
        table: DocumentTable,
        among: Among | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Looks up and adds the first of `keys`, as many as can be handled at once; `documents[i]` of the batch has
        `keys[i]`. Returns the pairs that share a key, as document << 32 | doc, once for each common key; and for each
        key that was looked up, whether it was left out.
        """
        # Every key is looked up, then added, as if it were a document: its candidates are the other docs with this key.
        count = len(keys)
        each = Query(
            query.docs[documents], np.zeros(count, np.int64), query.low_hours[documents],
            query.high_hours[documents], (0, 1),
        )  # fmt: skip
        others = self.lists.search_and_add(
            keys, np.arange(count + 1), np.ones(count, np.int64), each, table.columns, self._counters,
            self._most if among is None else 0, at_once=_AT_ONCE,
        )  # fmt: skip
        left_out = others.left_out > 0
        count = len(left_out)
        which, docs = np.repeat(np.arange(count), np.diff(others.offsets)), others.docs.astype(np.int64)
        if among is not None:
            inside = among(documents[which], docs)
            which, docs = which[inside], docs[inside]
            left_out |= np.bincount(which, minlength=count) > self._most
        if self.common:
            left_out |= np.array([key in self.common for key in keys[:count].tolist()], np.bool_)
        kept = ~left_out[which]
        return documents[which[kept]] << 32 | docs[kept], left_out

    def _unread_in_hours(self, query: Query) -> NDArray[np.bool_]:
        """For each document, whether any of its hours holds a document whose keys are not known."""
        hours = np.array(sorted(self._unread), np.int64)
        first = np.searchsorted(hours, query.low_hours)
        last = np.searchsorted(hours, query.high_hours, "right")
        unread: NDArray[np.bool_] = last > first
        return unread

    def forget_unread(self, hours: NDArray[np.int32]) -> None:
        """Notes that documents without keys have gone; `hours`: the hour of each."""
        self._unread -= Counter(hours.tolist())

    def renumbered(self, docs: NDArray[np.int64]) -> WordIndex:
        """A copy with each doc d replaced by `docs[d]`; docs that become -1 are left out."""
        fresh = WordIndex(self._most)
        fresh.lists, fresh.common, fresh._unread = self.lists.renumbered(docs), self.common, self._unread
        fresh._of = {int(docs[old]): own for old, own in self._of.items() if docs[old] >= 0}
        fresh._bytes = sum(map(len, fresh._of.values()))
        return fresh
