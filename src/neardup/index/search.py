"""Search: from signed documents to their candidates, by posting lists, routes and bitmaps.

Two levels (docs/definitions.md, Search). `sketch`: candidates share at least m of the grams that their sketches sample.
`complete`: candidates share at least k of the rarest |A| - ceil(t|A|) + k q-grams, as every pair with doc_q >= t does
(prefix filter with k instead of one: Bayardo, Ma & Srikant 2007; Xiao et al. 2008). Routes add candidates and never
remove any. Every candidate is verified (index/verification.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.candidates import Candidates, Passing, candidates_of_one_route, merged
from neardup.index.crowds import Crowds
from neardup.index.pair_overlaps import required_overlaps
from neardup.index.posting_lists import PostingLists, Query
from neardup.index.query_batch import SignedQueryBatch, posted, with_fingerprints
from neardup.index.template_filter import TemplateFilter, passing_of
from neardup.index.word_index import Among, WordIndex
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.settings import (
    COMPLETE_SHARED,
    DEFAULT_SKETCH_SIZE,
    MAX_BAND_DOCUMENTS,
    MAX_SENTENCE_DOCUMENTS,
    WIDE_ABOVE,
    Settings,
)
from neardup.signing.signature import WordFeatures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable
    from neardup.index.posting_lists import SharedCounts
    from neardup.index.word_index import SharedKeys
    from neardup.signing.signature import Keys, Offsets
    from neardup.signing.signer import Signer

_LIMITS: Final = {"sentences": MAX_SENTENCE_DOCUMENTS, "simhash": MAX_BAND_DOCUMENTS}
"""A posting list of a route is read only if it holds at most this many living documents."""
_SHARED_HIGH, _SHARED_LOW, _SHARED_WHOLE = 3, 2, 4
"""m of a sketch of 32 keys, for t >= 0.7 and below; m of a set that is its own sketch (docs/definitions.md, Search)."""
_AT_ONCE = 1 << 24
"""The most candidates that are collected before documents are compared with them, 4 bytes each: among a million copies
of a template a batch would have fifteen times as many.
"""
_PAIRS_AT_ONCE = 1 << 21
"""The most candidates if each is handled as a pair, for bitmaps and sentences, some 50 bytes each."""
_HIGH = Fraction(7, 10)
_FEW = 48
"""Sets of at most this many q-grams are searched as at a low threshold: a few edits change most of their grams."""


class Search:
    """The posting lists of a window: `lists` for its retrieval, `routes` by name, `sentences` for partial copies.

    `crowds`: the crowds of its documents.
    """

    def __init__(self, signer: Signer, settings: Settings) -> None:
        self._signer = signer
        self._settings = settings
        self.lists = PostingLists(packs=settings.retrieval == "sketch")
        self.crowds, self._templates = Crowds(), TemplateFilter()
        # The lists for partial copies also serve the route "sentences".
        self.sentences = WordIndex(_LIMITS["sentences"]) if settings.partial else None
        own = "sentences" if settings.partial else None
        self.routes = {route: WordIndex(_LIMITS[route]) for route in settings.routes if route != own}

    def decide_by(self, settings: Settings) -> None:
        """Searches by other `settings` from now on, which may differ only in policy and matches."""
        self._settings = settings

    @property
    def most_shared(self) -> int:
        """The largest number of shared keys that a search requires."""
        if self._settings.retrieval == "complete":
            return COMPLETE_SHARED
        return max(self._settings.min_shared or self._scaled(_SHARED_HIGH), _SHARED_WHOLE)

    @property
    def memory(self) -> int:
        """Bytes of all posting lists."""
        sentences = 0 if self.sentences is None else self.sentences.memory
        return (
            self.lists.memory
            + self.crowds.memory
            + self._templates.memory
            + sentences
            + sum(route.memory for route in self.routes.values())
        )

    @property
    def reads_words(self) -> bool:
        """Whether candidates are searched by sentences or simhashes too."""
        return bool(self.routes) or self.sentences is not None

    def query_batch(self, texts: Sequence[bytes], *, normal: bool = False) -> SignedQueryBatch:
        """Signs `texts` for a search. Normal forms (`normal`) have no words: routes find nothing for them."""
        complete = self._settings.retrieval == "complete"
        signed = self._signer.sign(texts, normal=normal)
        prefixes = self._signer.prefixes(signed, self._settings.threshold_fraction) if complete else None
        words = self._signer.word_features(texts) if self.reads_words and not normal else None
        return SignedQueryBatch(signed, prefixes, words)

    def serves(self, threshold: Fraction) -> bool:
        """Whether a search of the lists at `threshold` keeps the promise of the retrieval."""
        return self._settings.retrieval == "sketch" or threshold >= self._settings.threshold_fraction

    def min_shared(self, counts: Offsets, threshold: Fraction) -> NDArray[np.int64]:
        """For each document, how many of its keys a candidate must share: m or k, but no more than doc_q >= t requires.

        `counts`: |A|; for a sketch it may be UNCOUNTED.
        """
        if self._settings.retrieval == "sketch":
            wanted = self._shared_keys(counts, threshold)
        else:
            wanted = np.full(len(counts), COMPLETE_SHARED)
        required = required_overlaps(threshold, self.sizes(counts))
        min_shared: NDArray[np.int64] = np.maximum(np.minimum(required, wanted), 1)
        return min_shared

    def sizes(self, counts: Offsets) -> NDArray[np.int64]:
        """|A| as the search uses it: with a sketch, sets that are larger than `largest` or uncounted have size
        `largest`.
        """
        largest = self.largest
        return np.where((counts == UNCOUNTED) | (counts > largest), largest, counts) if largest else counts

    @property
    def largest(self) -> int:
        """The size that all larger or uncounted sets are treated as in a sketch search (`Query.largest`); 0:
        `complete`.
        """
        if self._settings.retrieval == "complete":
            return 0
        return self._signer.recipe.sketch_limits.largest_copy_of(WIDE_ABOVE) + 1

    def _shared_keys(self, counts: Offsets, threshold: Fraction) -> NDArray[np.int64]:
        """m, how many keys of its sketch each document must share: as set, or by threshold and size."""
        recipe, given = self._signer.recipe, self._settings.min_shared
        if given is not None:
            return np.full(len(counts), min(given, recipe.sketch_size))
        low = self._scaled(_SHARED_LOW)
        wanted = np.full(len(counts), self._scaled(_SHARED_HIGH) if threshold >= _HIGH else low)
        counted = counts != UNCOUNTED
        wanted[counted & (counts <= _FEW)] = low
        wanted[counted & (counts <= recipe.sketch_limits.whole)] = _SHARED_WHOLE
        return wanted

    def _scaled(self, shared: int) -> int:
        """`shared` of 32 keys, scaled to the sketch size of the recipe; at least 1."""
        return max(shared * self._signer.recipe.sketch_size // DEFAULT_SKETCH_SIZE, 1)

    def posting_keys(self, batch: SignedQueryBatch) -> tuple[Keys, Offsets]:
        """The keys for the retrieval; a text too short for a q-gram is posted under half of its fingerprint."""
        signed = batch.signed
        keys, offsets = batch.prefixes or (posted(signed.sketches), signed.sketch_offsets)
        short = (signed.counts == 0) & (np.diff(signed.text_offsets) > 0)
        return with_fingerprints(keys, offsets, short, signed.fingerprints[:, 0])

    def prefix_lengths(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many keys the complete search posts for documents with `counts` q-grams, none of them UNCOUNTED."""
        required = required_overlaps(self._settings.threshold_fraction, counts)
        lengths: NDArray[np.int64] = np.minimum(counts, counts - required + COMPLETE_SHARED)
        return lengths

    def candidates(
        self, batch: SignedQueryBatch, query: Query, table: DocumentTable, among: Among | None = None
    ) -> Candidates:
        """Candidates of every document of the batch among those added before it; then the document is added (see
        `Query`).

        If there are very many, only the first documents are searched and added: as many as `truncated` has values.
        `among`: decides which pairs may be candidates; None = all. Costs as `PostingLists.search_and_add`.
        """
        query = query._replace(largest=self.largest)
        if self.reads_words or self._settings.max_candidates:
            return self._candidates_as_pairs(batch, query, table, among)
        candidates = self._candidates_of_retrieval(batch, query, table)
        return candidates if among is None else candidates.among(among)

    def add(self, batch: SignedQueryBatch, docs: NDArray[np.int64], table: DocumentTable) -> None:
        """Adds the documents of a batch as `docs` (-1: not at all) without a search. Equal texts must be chained."""
        posted = np.where(table.first_of[docs] == docs, docs, -1)
        self.lists.add(*self.posting_keys(batch), posted)
        if (words := batch.words) is None:
            return
        none = np.empty(0, np.int32)
        for route, index in self.routes.items():
            index.add(*_route_keys(words, route), docs, none)
        if self.sentences is not None:
            self.sentences.add(*_route_keys(words, "sentences"), docs, none)

    def _candidates_of_retrieval(
        self, batch: SignedQueryBatch, query: Query, table: DocumentTable
    ) -> Candidates:
        """`candidates` if only the retrieval finds them, without limit: most candidates of a flood are not examined."""
        if query.many:
            query = query._replace(repeated=table.repeated.posted)
        counts = self._counts_of_retrieval(batch, query, table, _AT_ONCE)
        table.repeated.add(counts.met)
        passing = passing_of(self._settings, batch.signed, table, query.threshold)
        candidates = candidates_of_one_route(counts, passing, query, table.size)
        self._templates.note(len(candidates.truncated), len(counts.docs), candidates.size)
        return candidates

    def _candidates_as_pairs(
        self, batch: SignedQueryBatch, query: Query, table: DocumentTable, among: Among | None
    ) -> Candidates:
        """`candidates` if routes or sentences find candidates too, or if their number is limited."""
        counts = self._counts_of_retrieval(batch, query, table, _PAIRS_AT_ONCE)
        batch, query = batch.part(0, counts.searched), query.part(slice(counts.searched))
        pairs = merged(counts, self._shared_of_routes(batch, query, table, among))
        if among is not None:
            pairs = pairs.among(among)
        candidates = self.with_sentences(pairs, batch, query, table, among)
        if not self._settings.max_candidates:
            candidates = candidates.with_many()
        passing = passing_of(self._settings, batch.signed, table, query.threshold)
        return self._limited(_filtered(candidates, passing))

    def _counts_of_retrieval(
        self, batch: SignedQueryBatch, query: Query, table: DocumentTable, at_once: int
    ) -> SharedCounts:
        """The candidates in the posting lists of the retrieval; the searched documents are added to the lists."""
        min_shared = self.min_shared(query.counts, query.threshold)
        chained = query._replace(fingerprints=batch.signed.fingerprints)
        keys, alike = self.posting_keys(batch), self._templates.columns(batch.signed, table)
        return self.lists.search_and_add(
            *keys, min_shared, chained, table.columns, table.counters, at_once=at_once, columns=alike
        )

    def _shared_of_routes(
        self, batch: SignedQueryBatch, query: Query, table: DocumentTable, among: Among | None
    ) -> list[SharedKeys]:
        """The shared keys found by each route; the batch is added to the routes."""
        if (words := batch.words) is None:
            return []
        return [
            index.shared_and_add(*_route_keys(words, route), query, table, among)
            for route, index in self.routes.items()
        ]

    def words_of(self, docs: Sequence[int]) -> WordFeatures:
        """The words of `docs` that are searched by, as if their texts had been signed again."""
        none = np.empty(0, np.uint64), np.zeros(len(docs) + 1, np.int64)
        sentences = self.routes.get("sentences") if self.sentences is None else self.sentences
        bands = self.routes.get("simhash")
        return WordFeatures.of_keys(
            *(none if sentences is None else sentences.keys_of(docs)),
            *(none if bands is None else bands.keys_of(docs)),
            variants=self._signer.recipe.simhash_variants,
        )

    def leave_out(self, common: frozenset[int]) -> None:
        """Excludes these sentences and bands, which too many documents have, from all later searches."""
        for index in (*self.routes.values(), *([] if self.sentences is None else [self.sentences])):
            index.common |= common

    def told_of_routes(self, candidates: Candidates, batch: SignedQueryBatch) -> Candidates:
        """`candidates` that were not found by routes in memory: marks as truncated every document with a sentence or
        band that too many documents have.
        """
        for route, index in self.routes.items():
            if batch.words is not None and index.common:
                keys, offsets = _route_keys(batch.words, route)
                ends = pairwise(offsets.tolist())
                left_out = [not index.common.isdisjoint(keys[first:end].tolist()) for first, end in ends]
                candidates = candidates._replace(truncated=candidates.truncated | np.array(left_out))
        return candidates

    def with_sentences(
        self,
        candidates: Candidates,
        batch: SignedQueryBatch,
        query: Query,
        table: DocumentTable,
        among: Among | None,
    ) -> Candidates:
        """`candidates` and, if partial copies are looked for, the pairs with sentences in common; the arguments are
        those of `candidates`.

        If the sentences of the batch are not known, none are found, and all documents are truncated.
        """
        if self.sentences is None:
            return candidates
        if batch.words is None:
            return candidates._replace(truncated=np.ones_like(candidates.truncated))
        return candidates.with_sentences(
            self.sentences.shared_and_add(*_route_keys(batch.words, "sentences"), query, table, among)
        )

    def _limited(self, candidates: Candidates) -> Candidates:
        """The earliest `max_candidates` candidates of each document; documents that had more are truncated."""
        queries, docs, truncated = candidates[:3]
        limit = self._settings.max_candidates
        if self._settings.policy != "mark":
            limit = 0  # which copies are kept is not known yet: the limit is applied as they are decided
        if not limit or len(docs) <= limit:
            return candidates
        rank = np.arange(len(queries)) - np.searchsorted(queries, np.arange(len(truncated)))[queries]
        truncated[queries[rank >= limit]] = True
        return candidates.chosen(rank < limit)

    def renumber(self, docs: NDArray[np.int64], posted: NDArray[np.int64]) -> None:
        """Renumbers all docs after a compaction of the table; both arrays come from `DocumentTable.compacted`."""
        self.lists = self.lists.renumbered(posted)
        self.crowds, self._templates = Crowds(), TemplateFilter()  # made anew when they are needed
        if self.sentences is not None:
            self.sentences = self.sentences.renumbered(docs)
        self.routes = {route: index.renumbered(docs) for route, index in self.routes.items()}


def _route_keys(words: WordFeatures, route: str) -> tuple[Keys, Offsets]:
    """The keys by which a route looks up documents, one document after another, and n + 1 offsets."""
    return words.band_keys() if route == "simhash" else (words.sentences, words.sentence_offsets)


def _filtered(candidates: Candidates, passing: Passing) -> Candidates:
    """The candidates that are `passing`; pairs with sentences in common and candidates in `many` always stay."""
    keep = np.zeros(len(candidates.docs), np.bool_)
    if candidates.sentences is not None:
        keep |= candidates.sentences > 0
    open_pairs = np.flatnonzero(~keep)
    keep[open_pairs] = passing(candidates.queries[open_pairs], candidates.docs[open_pairs])
    return candidates.chosen(keep)
