"""Sentence fingerprints: a text as its sentences, each a hash of its significant words in alphabetical order.

Yoon, Jang, Kim & Park (2012), "Detecting partial and near duplication in the blogosphere", section 2: common words
(of a document frequency above a cut-off) are filtered out, the others sorted and hashed with MD5; a document is a copy
if more than delta of its hash values are found in the table of the comparable documents, from which sentences that
occur more than 300 times are struck out.

Departures: words and sentences are this project's (lower case; "U.S." before a space ends a sentence, and is two
words); the cut-off is a share of the documents learned from (the paper's 300,000 of 500,000 posts is 0.6).
The paper decides on one text against all others together. For a pair of texts, of which it does not speak, `score` is 1
if they share more than delta fingerprints, or all that the one with fewer has.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import ClassVar

from neardup.baselines.base import YES_NO, Index, Method
from neardup.baselines.words import Frequencies, sentences, words

SentenceHashes = tuple[bytes, ...]
"""MD5 of each sentence in text order, repeated ones too; none for a sentence of common words only."""

CUTOFF = 0.6
DELTA = 3
MOST_OCCURRENCES = 300
HASH_BYTES = 16


class SentenceFingerprints(Method[SentenceHashes]):
    """Yes if two texts share more than `delta` sentence fingerprints, or all that the smaller one has.

    `least_words`: a sentence with fewer significant words has no fingerprint (the paper: none at all; the product: 3).
    The index loses what is shared in sentences that occur more than 300 times in it, as the paper means it to.
    """

    paper: ClassVar[str] = "Yoon et al. 2012, section 2"

    def __init__(self, cutoff: float = CUTOFF, delta: int = DELTA, *, least_words: int = 1) -> None:
        if not 0 < cutoff <= 1 or delta < 0 or least_words < 1:
            raise ValueError(
                f"cutoff = {cutoff}, delta = {delta}, least_words = {least_words}: "
                "use a share above 0 and at most 1, a whole number of 0 or more, and 1 or more"
            )
        self.name = f"sentence fingerprints(cutoff={cutoff}, delta={delta})"
        self.thresholds = YES_NO
        self.cutoff, self.delta, self.least_words = cutoff, delta, least_words
        self._frequencies: Frequencies | None = None

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each word: those in more than `cutoff` of them are common."""
        self.use(Frequencies(words, texts))

    def use(self, frequencies: Frequencies) -> None:
        """Takes document frequencies counted elsewhere, as `learn` would count them."""
        self._frequencies = frequencies

    def is_common(self, word: str) -> bool:
        """Whether more than the cut-off of the documents learned from have the word."""
        frequencies = self._check_ready()
        return frequencies.of[word] > self.cutoff * frequencies.documents

    def sequence(self, sentence: list[str]) -> list[str]:
        """The words of a sentence that make its fingerprint, in the order in which they do."""
        return sorted(word for word in sentence if not self.is_common(word))

    def sign(self, text: str) -> SentenceHashes:
        """The fingerprints of the sentences of `text`, in order."""
        return self.sign_sentences(sentences(text))

    def sign_sentences(self, split: Iterable[list[str]]) -> SentenceHashes:
        """The fingerprints of sentences that are split already, each a list of words."""
        self._check_ready()
        sequences = map(self.sequence, split)
        return tuple(_hash_value(sequence) for sequence in sequences if len(sequence) >= self.least_words)

    def score(self, a: SentenceHashes, b: SentenceHashes) -> float:
        """1 or 0: more than delta fingerprints in common, or all of the smaller set."""
        one, other = set(a), set(b)
        return float(len(one & other) > _needed(self.delta, len(one), len(other)))

    def keys(self, signature: SentenceHashes, threshold: float) -> Iterable[Hashable]:  # noqa: ARG002
        """Its fingerprints."""
        return set(signature)

    def index(self, threshold: float) -> Index[SentenceHashes]:  # noqa: ARG002 - there is one threshold
        """An inverted index that does not look at sentences of more than 300 occurrences."""
        return _Holders(self.delta)

    def size(self, signature: SentenceHashes) -> int:
        """16 bytes a sentence."""
        return HASH_BYTES * len(signature)

    def _check_ready(self) -> Frequencies:
        if self._frequencies is None:
            raise ValueError(f"{self.name} needs document frequencies: call learn with some texts first")
        return self._frequencies


def _hash_value(sequence: list[str]) -> bytes:
    return hashlib.md5(" ".join(sequence).encode(), usedforsecurity=False).digest()


def _needed(delta: int, *sizes: int) -> int:
    """How many shared fingerprints are too few; a text without any shares none, which is too few."""
    return min(delta, max(0, min(sizes) - 1))


class _Holders(Index[SentenceHashes]):
    """Which documents have which fingerprint, and how often it occurs in all."""

    def __init__(self, delta: int) -> None:
        self._delta = delta
        self._sizes: list[int] = []
        self._holders: defaultdict[bytes, list[int]] = defaultdict(list)
        self._occurrences: Counter[bytes] = Counter()

    def add(self, signature: SentenceHashes) -> None:
        """Adds the next document under each of its fingerprints."""
        self._occurrences.update(signature)
        distinct = set(signature)
        for value in distinct:
            self._holders[value].append(len(self._sizes))
        self._sizes.append(len(distinct))

    def matches(self, signature: SentenceHashes) -> Iterator[tuple[int, float]]:
        """Counts the shared fingerprints of every holder of one; compares no pair."""
        distinct = set(signature)
        shared = Counter(
            doc
            for value in distinct
            if self._occurrences[value] <= MOST_OCCURRENCES
            for doc in self._holders.get(value, ())
        )
        for doc, count in shared.items():
            if count > _needed(self._delta, len(distinct), self._sizes[doc]):
                yield doc, 1.0
