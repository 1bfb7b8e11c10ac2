"""COPS: the share of sentences that two documents have in common.

Brin, Davis & Garcia-Molina (1995), "Copy detection mechanisms for digital documents": documents are broken into
sentences, sentences are hashed, and a document violates another if it holds more than a share of its sentences (an
ordinary operational test, as the prototype COPS makes it).

Departures: the paper asks how much of the new document lies in a registered one; here the larger of both directions is
taken, so that the order of two documents does not matter. Sentences and words are the product's (case and
punctuation do not count); the prototype's unit is the sentence, and so is ours: no overlapping or longer chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from neardup.baselines import tokens
from neardup.baselines.sets import Measure, SetMethod

if TYPE_CHECKING:
    from neardup.baselines.tokens import Keys


class Cops(SetMethod):
    """Sets of sentences, compared by containment."""

    paper: ClassVar[str] = "Brin, Davis & Garcia-Molina 1995 (COPS)"
    name = "COPS"
    thresholds = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    measure = Measure.SMALLER

    def sign(self, text: str) -> Keys:
        """The different sentences."""
        return tokens.distinct(tokens.sentences(text))
