"""Candidates: the pairs of documents that a search leaves to be verified, few by few or a crowd at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.posting_lists import SharedCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.sentence_index import Among, SharedSentences

CROWD_FROM: Final = 64
"""A document with so many candidates is compared with all of them together: fewer are compared as fast one by one."""


class Crowd(NamedTuple):
    """The candidates of one document that has very many; `sentences` as in `Candidates`."""

    docs: NDArray[np.int32]
    sentences: NDArray[np.int64] | None

    def chosen(self, keep: NDArray[np.bool_]) -> Crowd:
        """The candidates that are to be kept."""
        return Crowd(self.docs[keep], None if self.sentences is None else self.sentences[keep])


class Candidates(NamedTuple):
    """Pairs to verify: document `queries[i]` of the batch against `docs[i]` of the table, both ascending.

    truncated   of each document of the batch, whether something was left out of its search
    sentences   of each pair, how many sentences they have in common; None where partial copies are not looked for
    crowds      the candidates of a document that has very many, by its place in the batch: they are in no order, and
                compared together (index/crowds.py)
    """

    queries: NDArray[np.int64]
    docs: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    sentences: NDArray[np.int64] | None = None
    crowds: Mapping[int, Crowd] = MappingProxyType({})

    def chosen(self, keep: NDArray[np.bool_]) -> Candidates:
        """The pairs that are to be kept, and all crowds."""
        sentences = None if self.sentences is None else self.sentences[keep]
        return self._replace(queries=self.queries[keep], docs=self.docs[keep], sentences=sentences)

    def among(self, documents: Among) -> Candidates:
        """Those candidates that are among `documents`."""
        crowds = {
            query: crowd.chosen(documents(crowd.docs.astype(np.int64)))
            for query, crowd in self.crowds.items()
        }
        return self.chosen(documents(self.docs))._replace(crowds=crowds)

    def with_sentences(self, shared: SharedSentences) -> Candidates:
        """These and the pairs that have sentences in common, each once."""
        queries = np.concatenate([shared.queries, self.queries])
        docs = np.concatenate([shared.docs, self.docs])
        sentences = np.concatenate([shared.counts, np.zeros(len(self.queries), np.int64)])
        order = np.lexsort((-sentences, docs, queries))
        order = order[_first_of_equals(queries[order], docs[order])]
        return Candidates(queries[order], docs[order], self.truncated | shared.truncated, sentences[order])

    def with_crowds(self) -> Candidates:
        """The same, where the candidates of every document that has very many are a crowd."""
        bounds = np.searchsorted(self.queries, np.arange(len(self.truncated) + 1))
        many = np.diff(bounds) >= CROWD_FROM
        if not many.any():
            return self
        crowds = {
            query: Crowd(
                self.docs[bounds[query] : bounds[query + 1]].astype(np.int32),
                None if self.sentences is None else self.sentences[bounds[query] : bounds[query + 1]],
            )
            for query in np.flatnonzero(many).tolist()
        }
        return self.chosen(~many[self.queries])._replace(crowds=crowds)


def merged(counts: Sequence[SharedCounts]) -> Candidates:
    """The candidates of all routes, sorted, each once; without crowds."""
    size = len(counts[0].left_out)
    truncated = np.sum([route.left_out for route in counts], axis=0) > 0
    queries = np.concatenate([np.repeat(np.arange(size), np.diff(route.offsets)) for route in counts])
    docs = np.concatenate([route.docs for route in counts]).astype(np.int64)
    order = np.lexsort((docs, queries))
    queries, docs = queries[order], docs[order]
    if len(counts) > 1 and len(docs):
        first = _first_of_equals(queries, docs)
        queries, docs = queries[first], docs[first]
    return Candidates(queries, docs, truncated)


def with_crowds(counts: SharedCounts) -> Candidates:
    """`merged([counts]).with_crowds()`, without a look at the candidates of crowds."""
    sizes = np.diff(counts.offsets)
    many = sizes >= CROWD_FROM
    if not many.any():
        return merged([counts])
    few = [counts.docs[counts.offsets[i] : counts.offsets[i + 1]] for i in np.flatnonzero(~many)]
    offsets = np.concatenate([[0], np.cumsum(np.where(many, 0, sizes))])
    rest = SharedCounts(np.concatenate([*few, np.empty(0, np.int32)]), offsets, counts.left_out)
    crowds = {
        i: Crowd(counts.docs[counts.offsets[i] : counts.offsets[i + 1]], None)
        for i in np.flatnonzero(many).tolist()
    }
    return merged([rest])._replace(crowds=crowds)


def _first_of_equals(queries: NDArray[np.int64], docs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of sorted pairs differ from the one before."""
    first = np.ones(len(docs), np.bool_)
    first[1:] = (docs[1:] != docs[:-1]) | (queries[1:] != queries[:-1])
    return first
