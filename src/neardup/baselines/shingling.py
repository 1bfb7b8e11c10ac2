"""Shingling: the resemblance or the containment of two sets of word sequences.

Broder, Glassman, Manasse & Zweig (1997), "Syntactic clustering of the Web": sections "Defining similarity" (shingles,
resemblance, containment), "Estimating …" (only shingles whose fingerprint is 0 modulo 25 are kept), "Common
shingles" (those in more than 1,000 documents are dropped); DSC in Chowdhury et al. (2002).
Heintze (1996), "Scalable document fingerprinting" (KOALA): frequent fingerprints are dropped before comparing.

Departures: xxh64 in place of 40-bit Rabin fingerprints; KOALA's own choice of a fixed number of rarest character
strings a document is not taken over, only its dropping of the frequent ones. A document of fewer than `width` words
has no shingle, as in the paper, so it is nobody's copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from neardup.baselines import tokens
from neardup.baselines.collection import FeatureFrequencies, learned
from neardup.baselines.sets import Measure, SetMethod

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.baselines.tokens import Keys

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""0.5 is the one of the paper's clusters. One word changed is `width` shingles: useful thresholds reach far down."""


class Shingling(SetMethod):
    """Sets of shingles of `width` words, compared by `measure`.

    every            keep one shingle of so many, chosen by its fingerprint (1: all)
    most_documents   drop shingles that lie in more documents of the collection (None: drop none, learn nothing)
    """

    paper: ClassVar[str] = "Broder, Glassman, Manasse & Zweig 1997 (DSC); Heintze 1996 (KOALA)"
    thresholds = THRESHOLDS

    def __init__(
        self,
        width: int = 10,
        measure: Measure = Measure.UNION,
        *,
        every: int = 1,
        most_documents: int | None = None,
    ) -> None:
        if width < 1 or every < 1:
            raise ValueError(f"width = {width} and every = {every}: both must be 1 or more")
        kind = "containment" if measure is Measure.SMALLER else "resemblance"
        sampled = f", every={every}" if every > 1 else ""
        dropped = f", most={most_documents}" if most_documents is not None else ""
        self.name = f"shingling(w={width}, {kind}{sampled}{dropped})"
        self.width, self.measure, self.every, self.most_documents = width, measure, every, most_documents
        self._frequencies: FeatureFrequencies | None = None

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each shingle, if frequent ones are to be dropped."""
        if self.most_documents is not None:
            self._frequencies = FeatureFrequencies.of(map(self._sampled, texts))

    def sign(self, text: str) -> Keys:
        """The shingles that are kept."""
        keys = self._sampled(text)
        if self.most_documents is None:
            return keys
        held = learned(self._frequencies, self.name).look_up(keys)
        return tokens.distinct(keys[held <= self.most_documents])

    def _sampled(self, text: str) -> Keys:
        keys = tokens.distinct(tokens.shingles(text, self.width))
        return tokens.distinct(keys[keys % np.uint64(self.every) == 0]) if self.every > 1 else keys
