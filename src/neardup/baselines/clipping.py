"""Frequency clipping: doc_q without the q-grams that are too frequent or too rare in a collection.

Montanari & Puglisi (2012), "Near duplicate document detection for large information flows", section 6, name it as
future work: "high and low frequencies clipping, to remove the very frequent and very rare q-grams from the
comparison functions". They give no numbers; the two limits are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from neardup.baselines import tokens
from neardup.baselines.collection import FeatureFrequencies, learned
from neardup.baselines.doc_q import THRESHOLDS
from neardup.baselines.sets import Measure, SetMethod

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.baselines.tokens import Keys


class Clipping(SetMethod):
    """doc_q over q-grams that lie in `least` documents or more, and in no more than the share `most` of all.

    `least` = 1 keeps what was never seen, too: nothing is clipped below; `most` = 1.0: nothing above. A text may lose
    every q-gram; then it is nobody's copy.
    """

    paper: ClassVar[str] = "Montanari & Puglisi 2012, section 6 (future work)"
    thresholds = THRESHOLDS
    measure = Measure.LARGER

    def __init__(self, q: int = 4, *, least: int = 1, most: float = 1.0) -> None:
        if least < 1 or not 0 < most <= 1:
            raise ValueError(
                f"least = {least} and most = {most}: use a whole number from 1 and a share up to 1.0"
            )
        self.name = f"clipped doc_q(q={q}, least={least}, most={most})"
        self.q, self.least, self.most = q, least, most
        self._frequencies: FeatureFrequencies | None = None

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each q-gram."""
        self._frequencies = FeatureFrequencies.of(tokens.qgrams(text, self.q) for text in texts)

    def sign(self, text: str) -> Keys:
        """The set of q-grams of the normal form, clipped."""
        frequencies = learned(self._frequencies, self.name)
        keys = tokens.qgrams(text, self.q)
        held = frequencies.look_up(keys)
        kept = (held <= self.most * frequencies.documents) & ((held >= self.least) | (self.least == 1))
        return tokens.distinct(keys[kept])
