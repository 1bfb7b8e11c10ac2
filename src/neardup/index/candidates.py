"""Search: from signed documents to exact overlaps. Candidates by posting lists, every one of them verified.

Two levels (docs/definitions.md, Search). `sketch`: candidates share at least m q-grams of a rarity-weighted sample.
`complete`: candidates share at least k of the rarest |A| - ceil(t|A|) + k q-grams, which no pair with doc_q
>= t can fail to (prefix filter with k instead of one: Bayardo, Ma & Srikant 2007; Xiao et al. 2008). Routes
add candidates, never take any away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.index.crowds import Crowds
from neardup.index.posting_lists import PostingLists, Query, SharedCounts
from neardup.index.sentence_index import Among, Sentences, Shared
from neardup.kernels import bitmap_filter as sieve
from neardup.model.settings import (
    COMPLETE_SHARED,
    DEFAULT_SKETCH_SIZE,
    LONG_FROM,
    MAX_BAND_HOLDERS,
    MAX_SENTENCE_HOLDERS,
    Settings,
    shared_for_threshold,
)
from neardup.signing.signature import Keys, Offsets, SignedBatch, Signer, WordFeatures, joined, part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable

CROWD_FROM: Final = 64
"""A document with so many candidates is compared with all of them together: fewer are compared as fast one by one."""
_HOLDERS = {"sentences": MAX_SENTENCE_HOLDERS, "simhash": MAX_BAND_HOLDERS}


class SignedQueryBatch(NamedTuple):
    """A signed batch with what the settings' retrieval and routes need of it beside."""

    signed: SignedBatch
    prefixes: tuple[Keys, Offsets] | None
    words: WordFeatures | None

    def part(self, first: int, last: int) -> SignedQueryBatch:
        """Documents `first` to `last` (excluded)."""
        prefixes = None if self.prefixes is None else part_of(*self.prefixes, first, last)
        words = None if self.words is None else self.words.part(first, last)
        return SignedQueryBatch(self.signed.part(first, last), prefixes, words)


def joined_batches(parts: Sequence[SignedQueryBatch]) -> SignedQueryBatch:
    """The features of one batch from those of its parts."""
    signed = [part.signed for part in parts]
    whole = SignedBatch(
        *joined([(part.texts, part.text_offsets) for part in signed]),
        np.concatenate([part.counts for part in signed]),
        *joined([(part.sketches, part.sketch_offsets) for part in signed]),
        np.concatenate([part.fingerprints for part in signed]),
        np.concatenate([part.sieves for part in signed]),
        np.concatenate([part.samples for part in signed]),
    )
    prefixes = [part.prefixes for part in parts if part.prefixes is not None]
    words = [part.words for part in parts if part.words is not None]
    if not words:
        return SignedQueryBatch(whole, joined(prefixes) if prefixes else None, None)
    all_words = WordFeatures(
        *joined([(part.sentences, part.sentence_offsets) for part in words]),
        np.concatenate([part.simhashes for part in words]),
        np.concatenate([part.features for part in words]),
    )
    return SignedQueryBatch(whole, joined(prefixes) if prefixes else None, all_words)


class Crowd(NamedTuple):
    """The candidates of one document that has very many; `sentences` as in `Candidates`."""

    numbers: NDArray[np.int64]
    sentences: NDArray[np.int64] | None

    def chosen(self, keep: NDArray[np.bool_]) -> Crowd:
        """The candidates that are to be kept."""
        return Crowd(self.numbers[keep], None if self.sentences is None else self.sentences[keep])


class Candidates(NamedTuple):
    """Pairs to verify: document `queries[i]` of the batch against document number `numbers[i]`, both ascending.

    `truncated[j]`: something was left out of the search for document j. `sentences[i]`: how many sentences they have in
    common, where partial copies are looked for. `crowds[j]`: the candidates of a document that has very many stand
    there, in no order, and are compared together (index/crowds.py).
    """

    queries: NDArray[np.int64]
    numbers: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    sentences: NDArray[np.int64] | None = None
    crowds: Mapping[int, Crowd] = MappingProxyType({})

    def chosen(self, keep: NDArray[np.bool_]) -> Candidates:
        """The pairs that are to be kept, and all crowds."""
        sentences = None if self.sentences is None else self.sentences[keep]
        return self._replace(queries=self.queries[keep], numbers=self.numbers[keep], sentences=sentences)

    def among(self, documents: Among) -> Candidates:
        """Those candidates that are among `documents`."""
        crowds = {place: crowd.chosen(documents(crowd.numbers)) for place, crowd in self.crowds.items()}
        return self.chosen(documents(self.numbers))._replace(crowds=crowds)

    def with_sentences(self, shared: Shared) -> Candidates:
        """These and the pairs that have sentences in common, each once."""
        queries = np.concatenate([shared.queries, self.queries])
        numbers = np.concatenate([shared.numbers, self.numbers])
        sentences = np.concatenate([shared.counts, np.zeros(len(self.queries), np.int64)])
        order = np.lexsort((-sentences, numbers, queries))
        fresh = _fresh(queries[order], numbers[order])
        order = order[fresh]
        return Candidates(queries[order], numbers[order], self.truncated | shared.truncated, sentences[order])

    def parted(self) -> Candidates:
        """The same with crowds for all that have as many candidates."""
        bounds = np.searchsorted(self.queries, np.arange(len(self.truncated) + 1))
        many = np.diff(bounds) >= CROWD_FROM
        if not many.any():
            return self
        crowds = {
            place: Crowd(
                self.numbers[bounds[place] : bounds[place + 1]],
                None if self.sentences is None else self.sentences[bounds[place] : bounds[place + 1]],
            )
            for place in np.flatnonzero(many).tolist()
        }
        return self.chosen(~many[self.queries])._replace(crowds=crowds)


class Search:
    """The posting lists of a window, one set for its retrieval and one a route."""

    def __init__(self, signer: Signer, settings: Settings) -> None:
        self._signer = signer
        self._settings = settings
        self.lists = PostingLists()
        self.crowds = Crowds()
        # The lists by which partial copies are found are those of the route of that name.
        self.sentences = Sentences() if settings.partial else None
        own = {"sentences"} if settings.partial else set()
        self.routes = {route: PostingLists() for route in settings.routes if route not in own}

    @property
    def most_shared(self) -> int:
        """The largest number of shared keys that a search asks for."""
        if self._settings.retrieval == "complete":
            return COMPLETE_SHARED
        return self._shared(Fraction(1))

    @property
    def memory(self) -> int:
        """Bytes of all posting lists."""
        sentences = 0 if self.sentences is None else self.sentences.memory
        return (
            self.lists.memory
            + self.crowds.memory
            + sentences
            + sum(lists.memory for lists in self.routes.values())
        )

    @property
    def reads_words(self) -> bool:
        """Whether candidates are found by more than q-grams."""
        return bool(self.routes) or self.sentences is not None

    def features(self, texts: Sequence[bytes], *, normal: bool = False) -> SignedQueryBatch:
        """Signs `texts`. Of normal forms (`normal`) no words can be told: their routes find nothing."""
        signed = self._signer.sign(texts, normal=normal)
        prefixes = None
        if self._settings.retrieval == "complete":
            prefixes = self.prefixes(signed, self._settings.threshold_fraction)
        words = self._signer.word_features(texts) if self.reads_words and not normal else None
        return SignedQueryBatch(signed, prefixes, words)

    def prefixes(self, signed: SignedBatch, threshold: Fraction) -> tuple[Keys, Offsets]:
        """The keys that the complete search posts and looks up at `threshold`."""
        return self._signer.prefixes(signed, threshold.numerator, threshold.denominator)

    def serves(self, threshold: Fraction) -> bool:
        """Whether the lists can be searched at `threshold` without loss of what the retrieval promises."""
        return self._settings.retrieval == "sketch" or threshold >= self._settings.threshold_fraction

    def min_shared(self, counts: Offsets, threshold: Fraction) -> NDArray[np.int64]:
        """How many runs a candidate must be in: m or k, but never more than doc_q >= t itself asks for."""
        required = required_overlaps(threshold, counts)
        wanted: NDArray[np.int64] = np.full(len(counts), COMPLETE_SHARED)
        if self._settings.retrieval == "sketch":
            wanted[:] = self._shared(threshold)
            if self._settings.min_shared is None:
                wanted[counts >= LONG_FROM] -= 1
        min_shared: NDArray[np.int64] = np.maximum(np.minimum(required, wanted), 1)
        return min_shared

    def _shared(self, threshold: Fraction) -> int:
        """How many q-grams of a sketch to ask for (m): as set, or by threshold and size; never more than its size."""
        size = self._signer.recipe.sketch_size
        by_threshold = shared_for_threshold(threshold) * size // DEFAULT_SKETCH_SIZE
        return min(self._settings.min_shared or max(by_threshold, 1), size)

    def posting_keys(self, features: SignedQueryBatch) -> tuple[Keys, Offsets]:
        """The keys of the retrieval; a text too short for a q-gram is posted under half its fingerprint."""
        signed = features.signed
        keys, offsets = features.prefixes or (signed.sketches, signed.sketch_offsets)
        short = (signed.counts == 0) & (np.diff(signed.text_offsets) > 0)
        return with_fingerprints(keys, offsets, short, signed.fingerprints[:, 0])

    def prefix_lengths(self, counts: NDArray[np.uint32]) -> NDArray[np.int64]:
        """How many keys the complete search posts for documents with `counts` q-grams."""
        sizes, threshold = counts.astype(np.int64), self._settings.threshold_fraction
        lengths: NDArray[np.int64] = np.minimum(
            sizes, sizes - required_overlaps(threshold, sizes) + COMPLETE_SHARED
        )
        return lengths

    def _route_keys(self, route: str, words: WordFeatures) -> tuple[Keys, Offsets]:
        if route == "sentences":
            return words.sentences, words.sentence_offsets
        return words.band_keys()

    def candidates(
        self,
        features: SignedQueryBatch,
        query: Query,
        table: DocumentTable,
        threshold: Fraction,
        among: Among | None = None,
    ) -> Candidates:
        """Candidates of every document of the batch among those added before it; then it is added (see `Query`).

        `among` which the sentences in common are looked for, if not among all of those.
        """
        counts = features.signed.counts
        keys, offsets = self.posting_keys(features)
        min_shared = self.min_shared(counts, threshold)
        posted = query._replace(fingerprints=features.signed.fingerprints)
        found = [self.lists.search_and_add(keys, offsets, min_shared, posted, table.columns, table.hits)]
        if features.words is not None:
            ones = np.ones(len(counts), np.int64)
            for route, lists in self.routes.items():
                keys, offsets = self._route_keys(route, features.words)
                found.append(
                    lists.search_and_add(
                        keys, offsets, ones, query, table.columns, table.hits, _HOLDERS[route]
                    )
                )
        plain = len(found) == 1 and self.sentences is None and not self._settings.max_candidates
        if plain:
            candidates = _parted(found[0])
        else:
            candidates = self.with_sentences(_merged(found), features, query, table, among)
            if not self._settings.max_candidates:
                candidates = candidates.parted()
        return self._limited(self._sieved(candidates, features, table, threshold))

    def with_sentences(
        self,
        candidates: Candidates,
        features: SignedQueryBatch,
        query: Query,
        table: DocumentTable,
        among: Among | None = None,
    ) -> Candidates:
        """`candidates` and, where partial copies are looked for, those that have sentences in common; see `candidates`.

        Documents whose sentences are not known find none, and are truncated.
        """
        if self.sentences is None:
            return candidates
        if features.words is None:
            return candidates._replace(truncated=np.ones_like(candidates.truncated))
        return candidates.with_sentences(self.sentences.shared_and_add(features.words, query, table, among))

    def _sieved(
        self, candidates: Candidates, features: SignedQueryBatch, table: DocumentTable, threshold: Fraction
    ) -> Candidates:
        """Candidates without those whose bitmaps (kernels/bitmap_filter.py) speak against the threshold; all, if
        lossless is asked. What has sentences in common stays, and so do crowds.
        """
        if self._settings.retrieval == "complete" or not len(candidates.numbers):
            return candidates
        keep = np.zeros(len(candidates.numbers), np.bool_)
        if candidates.sentences is not None:
            keep |= candidates.sentences > 0
        open_pairs = np.flatnonzero(~keep)
        queries, numbers = candidates.queries[open_pairs], candidates.numbers[open_pairs]
        keep[open_pairs] = passes_sieve(features.signed, queries, numbers, table, threshold)
        return candidates.chosen(keep)

    def _limited(self, candidates: Candidates) -> Candidates:
        """No more candidates a document than `max_candidates`: the earliest, and the verdict will say so."""
        queries, numbers, truncated = candidates[:3]
        limit = self._settings.max_candidates
        if self._settings.policy != "mark":
            limit = 0  # which copies are kept is not known yet: the limit is applied as they are decided
        if not limit or len(numbers) <= limit:
            return candidates
        rank = np.arange(len(queries)) - np.searchsorted(queries, queries)
        truncated[queries[rank >= limit]] = True
        return candidates.chosen(rank < limit)

    def renumber(self, numbers: NDArray[np.int64], posted: NDArray[np.int64]) -> None:
        """Follows the table's compaction (see there)."""
        self.lists, self.crowds = self.lists.renumbered(posted), Crowds()
        if self.sentences is not None:
            self.sentences = self.sentences.renumbered(numbers)
        self.routes = {route: lists.renumbered(numbers) for route, lists in self.routes.items()}


def passes_sieve(
    signed: SignedBatch,
    queries: NDArray[np.int64],
    numbers: NDArray[np.int64],
    table: DocumentTable,
    threshold: Fraction,
) -> NDArray[np.bool_]:
    """Which pairs can still be at the threshold, by their bitmaps (kernels/bitmap_filter.py) and sizes."""
    counts = signed.counts[queries]
    needed = required_overlaps(threshold, np.maximum(counts, table.counts[numbers]))
    passed = np.empty(len(queries), np.bool_)
    sieve.passes(
        queries,
        numbers,
        needed,
        signed.counts,
        signed.sieves,
        signed.samples,
        table.counts,
        table.sieves,
        passed,
    )
    passed |= counts == 0
    return passed


def _merged(found: Sequence[SharedCounts]) -> Candidates:
    """The candidates of all routes, sorted, each once."""
    size = len(found[0].skipped)
    truncated = np.sum([part.skipped for part in found], axis=0) > 0
    queries = np.concatenate([np.repeat(np.arange(size), np.diff(part.offsets)) for part in found])
    numbers = np.concatenate([part.numbers for part in found])
    order = np.lexsort((numbers, queries))
    queries, numbers = queries[order], numbers[order]
    if len(found) > 1 and len(numbers):
        fresh = _fresh(queries, numbers)
        queries, numbers = queries[fresh], numbers[fresh]
    return Candidates(queries, numbers, truncated)


def _parted(found: SharedCounts) -> Candidates:
    """`_merged([found]).parted()`, without a look at the candidates of crowds."""
    sizes = np.diff(found.offsets)
    many = sizes >= CROWD_FROM
    if not many.any():
        return _merged([found])
    few = [found.numbers[found.offsets[i] : found.offsets[i + 1]] for i in np.flatnonzero(~many)]
    offsets = np.concatenate([[0], np.cumsum(np.where(many, 0, sizes))])
    rest = SharedCounts(np.concatenate([*few, np.empty(0, np.int64)]), offsets, found.skipped, found.reads)
    crowds = {
        i: Crowd(found.numbers[found.offsets[i] : found.offsets[i + 1]], None)
        for i in np.flatnonzero(many).tolist()
    }
    return _merged([rest])._replace(crowds=crowds)


def _fresh(queries: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where sorted pairs begin that are equal."""
    fresh = np.ones(len(numbers), np.bool_)
    fresh[1:] = (numbers[1:] != numbers[:-1]) | (queries[1:] != queries[:-1])
    return fresh


def required_overlaps(threshold: Fraction, larger: NDArray[Any]) -> NDArray[np.int64]:
    """`required_overlap` of many: ceil(t · max(|A|, |B|))."""
    return -(-threshold.numerator * larger.astype(np.int64) // threshold.denominator)


def with_fingerprints(
    keys: Keys, offsets: Offsets, short: NDArray[np.bool_], fingerprints: Keys
) -> tuple[Keys, Offsets]:
    """`keys` with `fingerprints[i]` put in for every document i that is `short`: it has no key of its own."""
    if not short.any():
        return keys, offsets
    moved = offsets.copy()
    moved[1:] += np.cumsum(short)
    return np.insert(keys, offsets[:-1][short], fingerprints[short]), moved
