"""SentenceIndex: which documents have sentences in common, by which partial copies are found.

Sentence fingerprints and the cut at 300 documents are Yoon et al. 2012's (docs/definitions.md, Partial copies); the
count is for each other document by itself, not for all of them together, so that every original is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neardup.index.posting_lists import PostingLists, Query
from neardup.kernels.counters import Counters
from neardup.model.settings import MAX_SENTENCE_DOCUMENTS
from neardup.signing.signature import WordFeatures

if TYPE_CHECKING:
    from neardup.index.document_table import DocumentTable
    from neardup.signing.signature import Keys, Offsets

Among = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Which pairs, of documents of a batch and docs, are compared."""

_AT_ONCE: Final = 1 << 18
"""Holders of sentences that are looked at before those of the next ones are, some 50 bytes each: without a limit a
sentence may be held by every document, and a batch has hundreds of such sentences.
"""
ENTRY_BYTES: Final = 100
"""What a doc's own list of sentences costs besides them: an object and an entry in a table of Python's."""


class SharedSentences(NamedTuple):
    """Document `queries[i]` of a batch has `counts[i]` >= 1 sentences in common with `docs[i]`; both ascending.

    `truncated[j]`: not all sentences of document j, or of those in its hours, could be looked up.
    """

    queries: NDArray[np.int64]
    docs: NDArray[np.int64]
    counts: NDArray[np.int64]
    truncated: NDArray[np.bool_]


class SentenceIndex:
    """Posting lists of sentence fingerprints, and the fingerprints of every doc.

    A sentence that more than `MAX_SENTENCE_DOCUMENTS` of the documents compared hold is left out, and so are those in
    `common`: whoever fills this with a part of a window knows which too many hold.
    """

    def __init__(self) -> None:
        self.lists = PostingLists()
        self.common: frozenset[int] = frozenset()
        self._of: dict[int, bytes] = {}
        self._bytes = 0
        self._unread: Counter[int] = Counter()  # documents without sentences, by hour
        self._counters = Counters.of(0, 1)

    @property
    def memory(self) -> int:
        """Bytes of lists and sentences."""
        return self.lists.memory + self._bytes + ENTRY_BYTES * len(self._of)

    def add(
        self, keys: Keys, offsets: Offsets, docs: NDArray[np.int64], unread_hours: NDArray[np.int32]
    ) -> None:
        """Adds stored documents by their fingerprints: those of `docs[i]` are `keys[offsets[i]:offsets[i + 1]]`.

        `unread_hours`: the hour of each document of which no fingerprints were made.
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

    def words_of(self, docs: Sequence[int]) -> WordFeatures:
        """The sentences of docs in the lists, as if their texts had been signed; no simhash."""
        of_each = [self._of.get(doc, b"") for doc in docs]
        offsets = np.cumsum([0, *(len(own) // 8 for own in of_each)])
        # A copy: kernels are compiled for arrays that can be written.
        sentences = np.frombuffer(b"".join(of_each), np.uint64).copy()
        none = np.zeros((len(docs), 1), np.uint64)
        return WordFeatures(sentences, offsets, none, none.astype(np.int64))

    def shared_and_add(
        self, words: WordFeatures, query: Query, table: DocumentTable, among: Among | None
    ) -> SharedSentences:
        """For each document of the batch in order: who of those added before it shares a sentence; then it is added.

        Where a sentence is left out because too many hold it, the document is truncated. `among`: only those, and no
        others count.
        """
        documents = np.repeat(np.arange(len(query.docs)), np.diff(words.sentence_offsets))
        if len(self._counters.hits) < len(table.counts):
            self._counters = Counters.of(len(table.counts), 1)
        truncated = self._unread_in_hours(query)
        pairs = [np.empty(0, np.int64)]
        first = 0
        while first < len(documents):
            rest = documents[first:]
            some, left_out = self._holders(words.sentences[first:], rest, query, table, among)
            truncated[rest[: len(left_out)][left_out]] = True
            pairs.append(some)
            first += len(left_out)
        self._remember(words.sentences, words.sentence_offsets, query.docs)
        each, counts = np.unique(np.concatenate(pairs), return_counts=True)
        return SharedSentences(each >> 32, each & 0xFFFFFFFF, counts, truncated)

    def _holders(
        self,
        sentences: Keys,
        documents: NDArray[np.int64],
        query: Query,
        table: DocumentTable,
        among: Among | None,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The pairs, document of the batch << 32 | doc, that the first of these `sentences` of `documents` make, each
        as often as they have one in common; and which of so many sentences were left out. They are added then.
        """
        # Every sentence is looked up, then added, as if it were a document: its candidates are who else has it.
        count = len(sentences)
        each = Query(
            query.docs[documents], np.zeros(count, np.int64), query.low_hours[documents],
            query.high_hours[documents], (0, 1),
        )  # fmt: skip
        others = self.lists.search_and_add(
            sentences, np.arange(count + 1), np.ones(count, np.int64), each, table.columns, self._counters,
            MAX_SENTENCE_DOCUMENTS if among is None else 0, at_once=_AT_ONCE,
        )  # fmt: skip
        left_out = others.left_out > 0
        count = len(left_out)
        which, docs = np.repeat(np.arange(count), np.diff(others.offsets)), others.docs.astype(np.int64)
        if among is not None:
            inside = among(documents[which], docs)
            which, docs = which[inside], docs[inside]
            left_out |= np.bincount(which, minlength=count) > MAX_SENTENCE_DOCUMENTS
        if self.common:
            left_out |= np.array([key in self.common for key in sentences[:count].tolist()], np.bool_)
        kept = ~left_out[which]
        return documents[which[kept]] << 32 | docs[kept], left_out

    def _unread_in_hours(self, query: Query) -> NDArray[np.bool_]:
        """Of each document, whether any of its hours holds a document whose sentences are not known."""
        hours = np.array(sorted(self._unread), np.int64)
        first = np.searchsorted(hours, query.low_hours)
        last = np.searchsorted(hours, query.high_hours, "right")
        unread: NDArray[np.bool_] = last > first
        return unread

    def forget_unread(self, hours: NDArray[np.int32]) -> None:
        """Documents of which no fingerprints were made have gone: `hours` has the hour of each."""
        self._unread -= Counter(hours.tolist())

    def renumbered(self, docs: NDArray[np.int64]) -> SentenceIndex:
        """A copy in which doc d is `docs[d]`; those with -1 are gone."""
        fresh = SentenceIndex()
        fresh.lists, fresh.common, fresh._unread = self.lists.renumbered(docs), self.common, self._unread
        fresh._of = {int(docs[old]): own for old, own in self._of.items() if docs[old] >= 0}
        fresh._bytes = sum(map(len, fresh._of.values()))
        return fresh
