"""I-Match: one digest of a document's words that are neither too common nor too rare.

Chowdhury, Frieder, Grossman & McCabe (2002), "Collection statistics for fast duplicate document detection":
tokens whose idf = log(N / n), normalised by log N, lies in a range; each once, in ascending Unicode order, into SHA-1;
equal digests are copies. Kołcz, Chowdhury & Alspector (2004), "Improved robustness of signature-based near-replica
detection via lexicon randomization": further lexicons, each the first without about a third of its words chosen at
random; documents are copies if the digests of any one lexicon are equal. Their best: ten.

Departures: a zero byte is put between two tokens, so that "ab c" and "a bc" differ. A word that the collection does
not hold belongs to no lexicon. A document without a word in a lexicon has no digest there; in none, it is nobody's
copy. The papers try several idf ranges and recommend none for all collections; the default is ours.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import ClassVar

from neardup.baselines.base import YES_NO, Method
from neardup.baselines.collection import learned
from neardup.baselines.words import MOST_LEXICONS, Frequencies, in_random_lexicon, words

IDF_RANGE = (0.2, 0.85)

Digests = tuple[bytes | None, ...]
"""One digest a lexicon; None where no word of the document is in it."""


class IMatch(Method[Digests]):
    """I-Match with words of normalised idf `low` to `high`, and `lexicons` random ones beside the whole."""

    paper: ClassVar[str] = "Chowdhury, Frieder, Grossman & McCabe 2002; Kołcz, Chowdhury & Alspector 2004"
    thresholds = YES_NO

    def __init__(
        self, low: float = IDF_RANGE[0], high: float = IDF_RANGE[1], *, lexicons: int = 0, seed: int = 0
    ) -> None:
        if not 0 <= low < high <= 1 or not 0 <= lexicons < MOST_LEXICONS:
            raise ValueError(
                f"low = {low}, high = {high}, lexicons = {lexicons}: "
                f"use 0 <= low < high <= 1 and fewer than {MOST_LEXICONS} lexicons"
            )
        self.name = f"I-Match(idf={low}..{high}" + (f", lexicons={lexicons})" if lexicons else ")")
        self.low, self.high, self.lexicons = low, high, lexicons
        self._seed = seed
        self._frequencies: Frequencies | None = None
        self._lexicon: dict[str, int] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each word, and draws the lexicons."""
        frequencies = self._frequencies = Frequencies(words, texts)
        self._lexicon = {
            word: self._membership(word)
            for word, held in frequencies.of.items()
            if self.low <= normalised_idf(held, frequencies.documents) <= self.high
        }

    def _membership(self, word: str) -> int:
        """Bit i: whether lexicon i holds the word; lexicon 0 holds all."""
        return sum(in_random_lexicon(word, i, self._seed) << i for i in range(self.lexicons + 1))

    def sign(self, text: str) -> Digests:
        """A digest for each lexicon."""
        learned(self._frequencies, self.name)
        known = sorted({word for word in words(text) if word in self._lexicon})
        members = [self._lexicon[word] for word in known]
        return tuple(
            self.digest([word for word, bits in zip(known, members, strict=True) if bits >> i & 1])
            for i in range(self.lexicons + 1)
        )

    def score(self, a: Digests, b: Digests) -> float:
        """1 if the digests of any lexicon are equal."""
        return float(any(x is not None and x == y for x, y in zip(a, b, strict=True)))

    def keys(self, signature: Digests, threshold: float) -> Iterable[tuple[int, bytes]]:  # noqa: ARG002 - one is enough
        """Each digest with its lexicon."""
        return ((i, digest) for i, digest in enumerate(signature) if digest is not None)

    def size(self, signature: Digests) -> int:
        """20 bytes a digest."""
        return sum(len(digest) for digest in signature if digest is not None)

    @staticmethod
    def digest(tokens: list[str]) -> bytes | None:
        """SHA-1 of `tokens`, which ascend by code point: the ascending Unicode order of the paper; None of none."""
        return hashlib.sha1("\0".join(tokens).encode(), usedforsecurity=False).digest() if tokens else None


def normalised_idf(held: int, documents: int) -> float:
    """log(N / n) / log N: 0 for a word of every document, 1 for a word of one; 0 in a collection of one."""
    return math.log(documents / held) / math.log(documents) if documents > 1 else 0.0
