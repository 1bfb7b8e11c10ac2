"""SCAM: overlap of word frequencies, of the words that occur about equally often in both documents.

Shivakumar & Garcia-Molina (1995), "SCAM: a copy detection mechanism for digital documents", section "Relative
frequency model": word i is in the closeness set if ε - (F_i(A)/F_i(B) + F_i(B)/F_i(A)) > 0; subset(A, B) is the sum of
α_i² F_i(A) F_i(B) over that set, divided by that of α_i² F_i(A)² over all words; sim is the larger of subset(A, B)
and subset(B, A), at most 1.

Departures: ε = 2.5 is the paper's usual value; the weights α it leaves open are 0 for function words of English and 1
for all others, or "the" and "of" would decide every comparison.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, ClassVar

import numpy as np

from neardup.baselines.tokens import STOPWORDS
from neardup.baselines.vectors import Vector, VectorMethod
from neardup.baselines.words import words

CLOSENESS = 2.5


class Scam(VectorMethod):
    """The relative frequency model; `closeness` is the paper's ε, from above 2 on."""

    paper: ClassVar[str] = "Shivakumar & Garcia-Molina 1995, relative frequency model (SCAM)"
    thresholds = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

    def __init__(self, closeness: float = CLOSENESS) -> None:
        if closeness <= 2:
            raise ValueError(f"closeness = {closeness}: equal frequencies give 2, so it must be above")
        self.name = f"SCAM(closeness={closeness})"
        self.closeness = closeness

    def sign(self, text: str) -> Vector:
        """The frequency of every word that is no function word."""
        counts = Counter(word for word in words(text) if word not in STOPWORDS)
        return Vector.of(counts, defaultdict(lambda: 1.0))

    def similarity(self, products: Any, a_square: Any, b_square: Any, a_common: Any, b_common: Any) -> Any:  # noqa: ARG002
        """max(subset(A, B), subset(B, A)), at most 1."""
        return np.minimum(1.0, products / np.minimum(a_square, b_square))
