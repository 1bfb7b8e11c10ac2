"""Search: from signed documents to exact overlaps. Candidates by posting lists, every one of them verified.

Two levels (DESIGN.md, section 3). `sketch`: candidates share at least m q-grams of a rarity-weighted sample.
`complete`: candidates share at least k of the rarest |A| - ceil(t|A|) + k q-grams, which no pair with doc_q
>= t can fail to (prefix filter with k instead of one: Bayardo, Ma & Srikant 2007; Xiao et al. 2008). Routes
add candidates, never take any away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.engines.sentences import Among, Sentences, Shared
from neardup.kernels import sieve
from neardup.kernels.overlap import verify_pairs
from neardup.params import (
    COMPLETE_SHARED,
    DEFAULT_SKETCH_SIZE,
    LONG_FROM,
    MAX_BAND_HOLDERS,
    MAX_SENTENCE_HOLDERS,
    PartialRule,
    Settings,
    shared_for_threshold,
)
from neardup.postings import Found, PostingLists, Query
from neardup.signature import Keys, Offsets, SignedBatch, Signer, WordFeatures, concatenated, joined, part_of
from neardup.verdict import Overlap, Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.engines.table import DocumentTable

ReadTexts = Callable[[Sequence[int]], list[bytes]]
_HOLDERS = {"sentences": MAX_SENTENCE_HOLDERS, "simhash": MAX_BAND_HOLDERS}


class Features(NamedTuple):
    """A signed batch with what the settings' retrieval and routes need of it beside."""

    signed: SignedBatch
    prefixes: tuple[Keys, Offsets] | None
    words: WordFeatures | None

    def part(self, first: int, last: int) -> Features:
        """Documents `first` to `last` (excluded)."""
        prefixes = None if self.prefixes is None else part_of(*self.prefixes, first, last)
        words = None if self.words is None else self.words.part(first, last)
        return Features(self.signed.part(first, last), prefixes, words)


def joined_features(parts: Sequence[Features]) -> Features:
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
        return Features(whole, joined(prefixes) if prefixes else None, None)
    all_words = WordFeatures(
        *joined([(part.sentences, part.sentence_offsets) for part in words]),
        np.concatenate([part.simhashes for part in words]),
        np.concatenate([part.features for part in words]),
    )
    return Features(whole, joined(prefixes) if prefixes else None, all_words)


class Candidates(NamedTuple):
    """Pairs to verify: document `queries[i]` of the batch against document number `numbers[i]`, both ascending.

    `truncated[j]`: something was left out of the search for document j. `sentences[i]`: how many sentences they have
    in common, where partial copies are looked for.
    """

    queries: NDArray[np.int64]
    numbers: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    sentences: NDArray[np.int64] | None = None

    def chosen(self, keep: NDArray[np.bool_]) -> Candidates:
        """The pairs that are to be kept."""
        sentences = None if self.sentences is None else self.sentences[keep]
        return Candidates(self.queries[keep], self.numbers[keep], self.truncated, sentences)

    def with_sentences(self, shared: Shared) -> Candidates:
        """These and the pairs that have sentences in common, each once."""
        queries = np.concatenate([shared.queries, self.queries])
        numbers = np.concatenate([shared.numbers, self.numbers])
        sentences = np.concatenate([shared.counts, np.zeros(len(self.queries), np.int64)])
        order = np.lexsort((-sentences, numbers, queries))
        fresh = _fresh(queries[order], numbers[order])
        order = order[fresh]
        return Candidates(queries[order], numbers[order], self.truncated | shared.truncated, sentences[order])


class Verified(NamedTuple):
    """For every document of a batch, its exact overlaps at or above the threshold, and its parts below it."""

    overlaps: list[list[Overlap]]
    parts: list[list[Part]]


class Search:
    """The posting lists of a window, one set for its retrieval and one a route."""

    def __init__(self, signer: Signer, settings: Settings) -> None:
        self._signer = signer
        self._settings = settings
        self.lists = PostingLists()
        # The lists by which partial copies are found are those of the route of that name.
        self.sentences = Sentences() if settings.partial else None
        own = {"sentences"} if settings.partial else set()
        self.routes = {route: PostingLists() for route in settings.routes if route not in own}
        self.reads = 0

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
        return self.lists.memory + sentences + sum(lists.memory for lists in self.routes.values())

    @property
    def reads_words(self) -> bool:
        """Whether candidates are found by more than q-grams."""
        return bool(self.routes) or self.sentences is not None

    def features(self, texts: Sequence[bytes], *, normal: bool = False) -> Features:
        """Signs `texts`. Of normal forms (`normal`) no words can be told: their routes find nothing."""
        signed = self._signer.sign(texts, normal=normal)
        prefixes = None
        if self._settings.retrieval == "complete":
            prefixes = self.prefixes(signed, self._settings.exact)
        words = self._signer.word_features(texts) if self.reads_words and not normal else None
        return Features(signed, prefixes, words)

    def prefixes(self, signed: SignedBatch, threshold: Fraction) -> tuple[Keys, Offsets]:
        """The keys that the complete search posts and looks up at `threshold`."""
        return self._signer.prefixes(signed, threshold.numerator, threshold.denominator)

    def serves(self, threshold: Fraction) -> bool:
        """Whether the lists can be searched at `threshold` without loss of what the retrieval promises."""
        return self._settings.retrieval == "sketch" or threshold >= self._settings.exact

    def minimums(self, counts: Offsets, threshold: Fraction) -> NDArray[np.int64]:
        """How many runs a candidate must be in: m or k, but never more than doc_q >= t itself asks for."""
        required = required_overlaps(threshold, counts)
        wanted: NDArray[np.int64] = np.full(len(counts), COMPLETE_SHARED)
        if self._settings.retrieval == "sketch":
            wanted[:] = self._shared(threshold)
            if self._settings.min_shared is None:
                wanted[counts >= LONG_FROM] -= 1
        minimums: NDArray[np.int64] = np.maximum(np.minimum(required, wanted), 1)
        return minimums

    def _shared(self, threshold: Fraction) -> int:
        """How many q-grams of a sketch to ask for (m): as set, or by threshold and size; never more than its size."""
        size = self._signer.recipe.sketch_size
        by_threshold = shared_for_threshold(threshold) * size // DEFAULT_SKETCH_SIZE
        return min(self._settings.min_shared or max(by_threshold, 1), size)

    def posting_keys(self, features: Features) -> tuple[Keys, Offsets]:
        """The keys of the retrieval; a text too short for a q-gram is posted under half its fingerprint."""
        signed = features.signed
        keys, offsets = features.prefixes or (signed.sketches, signed.sketch_offsets)
        short = (signed.counts == 0) & (np.diff(signed.text_offsets) > 0)
        return with_fingerprints(keys, offsets, short, signed.fingerprints[:, 0])

    def prefix_lengths(self, counts: NDArray[np.uint32]) -> NDArray[np.int64]:
        """How many keys the complete search posts for documents with `counts` q-grams."""
        sizes, threshold = counts.astype(np.int64), self._settings.exact
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
        features: Features,
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
        minimums = self.minimums(counts, threshold)
        found = [self.lists.search_and_add(keys, offsets, minimums, query, table.columns, table.hits)]
        if features.words is not None:
            ones = np.ones(len(counts), np.int64)
            for route, lists in self.routes.items():
                keys, offsets = self._route_keys(route, features.words)
                found.append(
                    lists.search_and_add(
                        keys, offsets, ones, query, table.columns, table.hits, _HOLDERS[route]
                    )
                )
        self.reads += sum(part.reads for part in found)
        candidates = self.with_sentences(_merged(found), features, query, table, among)
        return self._limited(self._sieved(candidates, features, table, threshold))

    def with_sentences(
        self,
        candidates: Candidates,
        features: Features,
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
        self, candidates: Candidates, features: Features, table: DocumentTable, threshold: Fraction
    ) -> Candidates:
        """Candidates without those whose bitmaps (kernels/sieve.py) speak against the threshold; all, if
        lossless is asked. What has sentences in common stays.
        """
        queries, numbers = candidates.queries, candidates.numbers
        if self._settings.retrieval == "complete" or not len(numbers):
            return candidates
        signed = features.signed
        counts = signed.counts[queries]
        needed = required_overlaps(threshold, np.maximum(counts, table.counts[numbers]))
        keep = counts == 0
        if candidates.sentences is not None:
            keep |= candidates.sentences > 0
        open_pairs = np.flatnonzero(~keep)
        passed = np.empty(len(open_pairs), np.bool_)
        sieve.passes(
            queries[open_pairs], numbers[open_pairs], needed[open_pairs], signed.counts,
            signed.sieves, signed.samples, table.counts, table.sieves, passed,
        )  # fmt: skip
        keep[open_pairs] = passed
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

    def verified(
        self,
        features: Features,
        candidates: Candidates,
        table: DocumentTable,
        threshold: Fraction,
        read_texts: ReadTexts,
        rule: PartialRule | None = None,
    ) -> Verified:
        """For every document of the batch, the exact overlaps with its candidates that reach `threshold`, and by `rule`
        the parts it has in common with others. A part has a sentence and a q-gram at least.

        `read_texts` gives the normal forms of document numbers. Equal fingerprints are equal normal forms: not
        read again.
        """
        signed = features.signed
        queries, numbers = candidates.queries, candidates.numbers
        size = len(signed.fingerprints)
        overlaps: list[list[Overlap]] = [[] for _ in range(size)]
        parts: list[list[Part]] = [[] for _ in range(size)]
        if not len(numbers):
            return Verified(overlaps, parts)
        counts = signed.counts[queries]
        equal = (table.rows["fingerprint"][numbers] == signed.fingerprints[queries]).all(axis=1)
        larger = np.maximum(counts, table.counts[numbers])
        needed = required_overlaps(threshold, larger)
        enough, smaller = needed, np.minimum(counts, table.counts[numbers])
        if rule is not None and candidates.sentences is not None:
            enough = np.minimum(needed, _enough_for_a_part(rule, candidates.sentences, smaller, needed))
        shared = np.where(equal, counts, 0)
        open_pairs = np.flatnonzero(~equal & (counts > 0))
        if len(open_pairs):
            shared[open_pairs] = self._counted(
                signed, queries[open_pairs], numbers[open_pairs], enough[open_pairs], read_texts
            )
        reached = equal | ((shared >= needed) & (counts > 0))
        for pair in np.flatnonzero(reached):
            number = int(numbers[pair])
            overlap = Overlap(
                number, table.ids[number], int(table.rows["time"][number]),
                int(shared[pair]), int(larger[pair]), bool(equal[pair]),
            )  # fmt: skip
            overlaps[queries[pair]].append(overlap)
        if enough is not needed and candidates.sentences is not None:
            for pair in np.flatnonzero(~reached & (shared >= enough) & (counts > 0)):
                number = int(numbers[pair])
                part = Part(
                    number, table.ids[number], int(table.rows["time"][number]), int(shared[pair]),
                    int(counts[pair]), int(smaller[pair]), int(candidates.sentences[pair]),
                )  # fmt: skip
                parts[queries[pair]].append(part)
        return Verified(overlaps, parts)

    def _counted(
        self,
        signed: SignedBatch,
        queries: NDArray[np.int64],
        numbers: NDArray[np.int64],
        needed: NDArray[np.int64],
        read_texts: ReadTexts,
    ) -> NDArray[np.int64]:
        """|A ∩ B| of every pair, or a smaller number where it is below `needed`."""
        unique, place = np.unique(numbers, return_inverse=True)
        data, offsets = concatenated(read_texts(unique.tolist()))
        longest = max(int(np.diff(each).max(initial=0)) for each in (offsets, signed.text_offsets))
        shared = np.zeros(len(numbers), np.int64)
        verify_pairs(
            queries, signed.texts, signed.text_offsets, data, offsets[:-1][place], offsets[1:][place],
            needed, self._signer.recipe.q, self._signer.scratch(longest), shared,
        )  # fmt: skip
        return shared

    def renumber(self, numbers: NDArray[np.int64]) -> None:
        """Follows the table's compaction."""
        self.lists = self.lists.renumbered(numbers)
        if self.sentences is not None:
            self.sentences = self.sentences.renumbered(numbers)
        self.routes = {route: lists.renumbered(numbers) for route, lists in self.routes.items()}


def _merged(found: Sequence[Found]) -> Candidates:
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


def _fresh(queries: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where sorted pairs begin that are equal."""
    fresh = np.ones(len(numbers), np.bool_)
    fresh[1:] = (numbers[1:] != numbers[:-1]) | (queries[1:] != queries[:-1])
    return fresh


def _enough_for_a_part(
    rule: PartialRule, sentences: NDArray[np.int64], smaller: NDArray[Any], needed: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many q-grams two documents with so many `sentences` in common must share to be parts of one another."""
    contained = np.where(sentences > 0, required_overlaps(rule.containment, smaller), needed)
    return np.maximum(np.where(sentences > rule.delta, 1, contained), 1)


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
