"""doc_q: the share of the larger set of character q-grams that two normal forms have in common.

Montanari & Puglisi (2012), "Near duplicate document detection for large information flows", Definitions 3.32 and
3.33; the index counts common q-grams as in their Fig. 2. q = 4 is their best value (section 4).

Departures: counters over contiguous posting lists, not bitmaps. Equal normal forms shorter than q are copies, as by
the product. One index for all hours: a window is the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from neardup.baselines import tokens
from neardup.baselines.sets import Measure, SetMethod

if TYPE_CHECKING:
    from neardup.baselines.tokens import Keys

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Those of the paper's Fig. 5."""


class DocQ(SetMethod):
    """Exact doc_q, every pair counted: what the product's `complete` retrieval must find."""

    paper: ClassVar[str] = "Montanari & Puglisi 2012, Definitions 3.32 and 3.33"
    thresholds = THRESHOLDS
    measure = Measure.LARGER

    def __init__(self, q: int = 4) -> None:
        self.name = f"doc_q(q={q})"
        self.q = q

    def sign(self, text: str) -> Keys:
        """The set of q-grams of the normal form."""
        return tokens.qgrams(text, self.q)
