"""Candidates: what a search leaves to be verified. They have one of three forms:

pairs        of documents with few candidates, compared one by one, those of a whole batch in one call
many         all candidates of one document that has very many, compared together (index/crowd_comparison.py)
stand-ins    in `many`: docs that each represent all documents of a repeated text (index/repeated_texts.py)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.repeated_texts import stand_ins_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.posting_lists import Query, SharedCounts
    from neardup.index.repeated_texts import StandIns
    from neardup.index.word_index import Among, SharedKeys

MANY_FROM: Final = 64
"""From this many candidates on, a document is compared with all of them together; fewer are as fast one by one."""
_LOOKED_AT: Final = 32
"""How many candidates are tried to distinguish a flood, in which most candidates are copies, from common phrases, which
any document shares with thousands among millions. The answer changes no verdict, only the time it takes.
"""

Passing = Callable[["NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.bool_]"]
"""Which pairs (document of the batch, doc) may match, by their bitmaps."""


class ManyCandidates(NamedTuple):
    """The candidates of one document that has very many: docs, and stand-ins; `sentences` as in `Candidates`."""

    docs: NDArray[np.int32]
    sentences: NDArray[np.int64] | None
    stand_ins: StandIns | None = None

    def chosen(self, keep: NDArray[np.bool_]) -> ManyCandidates:
        """The candidates chosen by `keep`, and all stand-ins."""
        sentences = None if self.sentences is None else self.sentences[keep]
        return self._replace(docs=self.docs[keep], sentences=sentences)


class Candidates(NamedTuple):
    """Pairs to verify: document `queries[i]` of the batch against `docs[i]` of the table, both ascending.

    truncated   for each document of the batch, whether something was left out of its search
    sentences   for each pair, how many sentences both have; None if partial copies are not looked for
    many        by position in the batch, the candidates of each document that has very many: unordered, to be compared
                together (index/crowd_comparison.py)
    """

    queries: NDArray[np.int64]
    docs: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    sentences: NDArray[np.int64] | None = None
    many: Mapping[int, ManyCandidates] = MappingProxyType({})

    @property
    def size(self) -> int:
        """How many candidates there are, not counting stand-ins."""
        return len(self.docs) + sum(len(own.docs) for own in self.many.values())

    def chosen(self, keep: NDArray[np.bool_]) -> Candidates:
        """The pairs chosen by `keep`, and all candidates in `many`."""
        sentences = None if self.sentences is None else self.sentences[keep]
        return self._replace(queries=self.queries[keep], docs=self.docs[keep], sentences=sentences)

    def among(self, documents: Among) -> Candidates:
        """The candidates that the function `documents` accepts."""
        many = {
            query: own.chosen(documents(np.full(len(own.docs), query), own.docs.astype(np.int64)))
            for query, own in self.many.items()
        }
        return self.chosen(documents(self.queries, self.docs))._replace(many=many)

    def with_sentences(self, shared: SharedKeys) -> Candidates:
        """These pairs and those that have sentences in common, each once."""
        sharing = shared.queries << 32 | shared.docs
        pairs = _sorted_once(np.concatenate([self.queries << 32 | self.docs, sharing]))
        sentences = np.zeros(len(pairs), np.int64)
        sentences[np.searchsorted(pairs, sharing)] = shared.counts
        return Candidates(*_parted(pairs), self.truncated | shared.truncated, sentences)

    def with_many(self, stand_ins: Mapping[int, StandIns] = MappingProxyType({})) -> Candidates:
        """The same candidates, with those of every document that has very many, or any `stand_ins`, moved to `many`."""
        bounds = np.searchsorted(self.queries, np.arange(len(self.truncated) + 1))
        have_many = np.diff(bounds) >= MANY_FROM
        have_many[list(stand_ins)] = True
        if not have_many.any():
            return self
        many = {
            query: ManyCandidates(
                self.docs[bounds[query] : bounds[query + 1]].astype(np.int32),
                None if self.sentences is None else self.sentences[bounds[query] : bounds[query + 1]],
                stand_ins.get(query),
            )
            for query in np.flatnonzero(have_many).tolist()
        }
        return self.chosen(~have_many[self.queries])._replace(many=many)


def merged(counts: SharedCounts, routes: Sequence[SharedKeys]) -> Candidates:
    """The candidates of the retrieval and of all routes, sorted, each once; none in `many`."""
    queries = np.arange(counts.searched) << 32
    truncated = np.logical_or.reduce([counts.left_out > 0, *(route.truncated for route in routes)])
    of_routes = [route.queries << 32 | route.docs for route in routes]
    pairs = np.concatenate([np.repeat(queries, np.diff(counts.offsets)) | counts.docs, *of_routes])
    return Candidates(*_parted(_sorted_once(pairs)), truncated)


def candidates_of_one_route(counts: SharedCounts, passing: Passing, query: Query, size: int) -> Candidates:
    """The `passing` candidates of a single route: as `merged(counts, []).with_many()`, but most candidates of a flood
    are not looked at.

    `query` is the batch that was searched for, in a table of `size` documents, whose last ones are those of the batch.
    """
    sizes = np.diff(counts.offsets)
    are_floods = _are_floods(counts, np.flatnonzero(sizes >= MANY_FROM), passing)
    stand_ins = _stand_ins(counts, passing, query, size)
    few, floods = counts.docs, dict[int, ManyCandidates]()
    if are_floods.any():
        # As views: a flood has a million candidates in a batch, none of which is touched.
        parts = [counts.docs[begin:end] for begin, end in pairwise(counts.offsets.tolist())]
        for i in np.flatnonzero(are_floods).tolist():
            floods[i] = ManyCandidates(parts[i], None, stand_ins.pop(i, None))
        few = np.concatenate([few[:0], *(parts[i] for i in np.flatnonzero(~are_floods).tolist())])
    queries, docs = np.repeat(np.arange(len(sizes)), np.where(are_floods, 0, sizes)), few.astype(np.int64)
    keep = passing(queries, docs)
    queries, docs = queries[keep], docs[keep]
    order = np.lexsort((docs, queries))
    rest = Candidates(queries[order], docs[order], counts.left_out > 0).with_many(stand_ins)
    return rest._replace(many=floods | dict(rest.many))


def _stand_ins(counts: SharedCounts, passing: Passing, query: Query, size: int) -> dict[int, StandIns]:
    """The `passing` stand-ins of each document that has any."""
    offsets, docs = counts.stand_in_offsets, counts.stand_ins
    if not offsets[-1]:
        return {}
    which = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    docs = docs[: len(which)]
    keep = passing(which, docs.astype(np.int64))
    return stand_ins_of(query, size, which[keep], docs[keep])


def _are_floods(counts: SharedCounts, which: NDArray[np.int64], passing: Passing) -> NDArray[np.bool_]:
    """For each document of the batch, whether at least half of its candidates pass, judged by a sample; only those in
    `which` are tried, and false for the others.
    """
    are_floods = np.zeros(counts.searched, np.bool_)
    if not len(which):
        return are_floods
    steps = np.diff(counts.offsets)[which, None] / _LOOKED_AT
    tried = counts.offsets[which, None] + (steps * np.arange(_LOOKED_AT)).astype(np.int64)
    passed = passing(np.repeat(which, _LOOKED_AT), counts.docs[tried].ravel().astype(np.int64))
    are_floods[which] = 2 * passed.reshape(tried.shape).sum(axis=1) >= _LOOKED_AT
    return are_floods


def _sorted_once(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs sorted, each once. A pair is one number, query << 32 | doc: sorting by two numbers takes several times as
    long.
    """
    pairs.sort()  # numpy.unique hashes them, and takes many times as long
    first = np.ones(len(pairs), np.bool_)
    first[1:] = pairs[1:] != pairs[:-1]
    return pairs[first]


def _parted(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The queries and the docs of pairs in the form query << 32 | doc."""
    return pairs >> 32, pairs & 0xFFFFFFFF
