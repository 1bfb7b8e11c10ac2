"""Segment fingerprints: a text as its sentences, each hashed as it stands.

What Yoon, Jang, Kim & Park (2012), section 3.2, built again as "Wang09" to compare with theirs: no word filtered out,
none moved, so that a sentence is found only if it was copied word by word. (Wang & Chang 2009 themselves compare
sentence lengths: `sentence_lengths.py` has their method.)

Departure: words are lower-cased and punctuation is dropped, as for sentence fingerprints, so that the two differ in
filter and order alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from neardup.baselines.sentence_fingerprints import DELTA, SentenceFingerprints
from neardup.baselines.words import Frequencies, words


class SegmentFingerprints(SentenceFingerprints):
    """Sentence fingerprints without filter and order; learns nothing."""

    paper: ClassVar[str] = "Wang & Chang 2009 as built again by Yoon et al. 2012, section 3.2"

    def __init__(self, delta: int = DELTA) -> None:
        super().__init__(cutoff=1.0, delta=delta)
        self.name = f"segment fingerprints(delta={delta})"
        self.use(Frequencies(words, ()))

    def learn(self, texts: Iterable[str]) -> None:
        """Nothing: every word counts."""

    def sequence(self, sentence: list[str]) -> list[str]:
        """All its words as they stand."""
        return sentence
