"""DDEBIT: a cheap comparison of bigrams decides which pairs are worth an accurate one.

Ferro, Giugno, Puglisi & Pulvirenti (2010), "An efficient duplicate record detection using q-grams array inverted
index", as Montanari & Puglisi (2012), section 3.3, describe it: the lightweight similarity of the bigram sets
(Definition 3.31) against a light threshold first, the accurate similarity of the pairs that pass afterwards.

Departures: the description does not say which function the accurate one is; here it is doc_q over longer q-grams, by
which its authors replaced it for documents. Strings are normal forms unless records are asked for. The index does
the two steps in the other order, with the same result: on documents of 4 KB nearly every pair shares enough bigrams,
so that counting the longer q-grams turns away more, sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from neardup.baselines import tokens
from neardup.baselines.base import Index, Method
from neardup.baselines.doc_q import THRESHOLDS, DocQ

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.baselines.tokens import Keys

LIGHT_THRESHOLD = 0.5


class TwoSets(NamedTuple):
    """The bigrams and the longer q-grams of one text."""

    bigrams: Keys
    qgrams: Keys


class Ddebit(Method[TwoSets]):
    """The accurate score of pairs whose bigrams reach `light`, 0 for all others.

    records   compare strings as they stand, as the first paper does, not their normal forms
    """

    paper: ClassVar[str] = "Ferro, Giugno, Puglisi & Pulvirenti 2010; Montanari & Puglisi 2012, section 3.3"
    thresholds = THRESHOLDS

    def __init__(self, light: float = LIGHT_THRESHOLD, q: int = 4, *, records: bool = False) -> None:
        self.name = f"DDEBIT(light={light}, q={q}{', records' if records else ''})"
        self.light, self.q, self.records = light, q, records
        self._light, self._accurate = DocQ(2), DocQ(q)

    def sign(self, text: str) -> TwoSets:
        """Both sets of the string."""
        return TwoSets(*(tokens.qgrams(text, q, as_it_stands=self.records) for q in (2, self.q)))

    def score(self, a: TwoSets, b: TwoSets) -> float:
        """The accurate similarity where the light one suffices."""
        if self._light.score(a.bigrams, b.bigrams) < self.light:
            return 0.0
        return self._accurate.score(a.qgrams, b.qgrams)

    def keys(self, signature: TwoSets, threshold: float) -> Iterable[int]:
        """Those of the accurate similarity."""
        return self._accurate.keys(signature.qgrams, threshold)

    def index(self, threshold: float) -> Index[TwoSets]:
        """Counts the longer q-grams of all documents, then compares bigrams."""
        return TwoStepIndex(self, self._accurate, threshold)

    def size(self, signature: TwoSets) -> int:
        """8 bytes a feature of either set."""
        return int(signature.bigrams.nbytes + signature.qgrams.nbytes)


class TwoStepIndex(Index[TwoSets]):
    """An index of the accurate similarity, filtered by the light one."""

    def __init__(self, method: Ddebit, accurate: DocQ, threshold: float) -> None:
        self._method, self._accurate = method, accurate.index(threshold)
        self._signatures: list[TwoSets] = []
        self.compared = 0

    def add(self, signature: TwoSets) -> None:
        """Adds the next signature."""
        self._accurate.add(signature.qgrams)
        self._signatures.append(signature)

    def matches(self, signature: TwoSets) -> Iterator[tuple[int, float]]:
        """Whatever reaches both thresholds."""
        for doc, score in self._accurate.matches(signature.qgrams):
            self.compared += 1
            if self._method.score(signature, self._signatures[doc]):
                yield doc, score
