"""Cosine of tf-idf vectors, and the shortcut by which frequent words need no postings.

Salton, Yang & Wong (1975), "A vector space model for automatic indexing": the cosine. Kołcz, Chowdhury & Alspector
(2004), "Improved robustness of signature-based near-replica detection via lexicon randomization", as told in the
Wikipedia article of 2008 on near-duplicate algorithms: terms in more than 5 % of the collection are assumed to occur in
each document.

Departures: weights are tf · idf with idf = log2((N + 1) / n). The article does not say with what weight the frequent
terms are assumed; here their part of the inner product is taken to be as large as it can be, the product of the two
vectors' lengths over those terms, so that the score is an upper bound of the cosine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from neardup.baselines.collection import learned
from neardup.baselines.vectors import Vector, VectorMethod
from neardup.baselines.words import Frequencies, words


class Cosine(VectorMethod):
    """The cosine; with `frequent`, words in more than that share of the collection are taken to be everywhere."""

    paper: ClassVar[str] = "Salton, Yang & Wong 1975; Kołcz, Chowdhury & Alspector 2004 (5 % shortcut)"
    thresholds = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

    def __init__(self, frequent: float | None = None) -> None:
        self.name = "cosine" if frequent is None else f"cosine(frequent={frequent})"
        self.frequent = frequent
        self._frequencies: Frequencies | None = None
        self._idf: dict[str, float] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each word."""
        frequencies = self._frequencies = Frequencies(words, texts)
        self._idf = {word: frequencies.idf(word) for word in frequencies.of}

    def sign(self, text: str) -> Vector:
        """Tf · idf of every word; of the frequent ones only the square of their part, where they are taken as given."""
        frequencies = learned(self._frequencies, self.name)
        counts = Counter(words(text))
        unseen = frequencies.idf("")
        idf = {word: self._idf.get(word, unseen) for word in counts}
        if self.frequent is None:
            return Vector.of(counts, idf)
        limit = self.frequent * frequencies.documents
        listed = {word: count for word, count in counts.items() if frequencies.of[word] <= limit}
        # Sorted, so that the same words in another order give the same sum.
        common = sum((counts[word] * idf[word]) ** 2 for word in sorted(counts.keys() - listed.keys()))
        return Vector.of(listed, idf, common)

    def similarity(self, products: Any, a_square: Any, b_square: Any, a_common: Any, b_common: Any) -> Any:
        """The inner product over the vectors' lengths."""
        return np.minimum(1.0, (products + np.sqrt(a_common * b_common)) / np.sqrt(a_square * b_square))
