"""Copies by their kind: likeness of the own words, and no form, quote or frame.

Not of a paper: what `neardup.kinds` makes of a pair (docs/definitions.md, Kinds), as a method, to be measured beside
the others. At its own threshold, 0.72, a pair is a copy if its kind is; at another one that takes its place for what is
neither form nor quote nor frame.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from neardup.baselines.base import Index, Method
from neardup.baselines.sets import Column
from neardup.index.posting_lists import PostingLists
from neardup.kernels.counting import count_all
from neardup.kernels.gram_sets import LONG, SHORT
from neardup.kinds.kind import ALIKE, SPREAD_DOC_Q, kinds_of
from neardup.kinds.measures import marked, own_words
from neardup.model.document import encode_text
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.signing.signature import Keys

THRESHOLDS: Final = (0.6, 0.65, 0.7, ALIKE, 0.75, 0.8, 0.9)


class Side(NamedTuple):
    """A text, and the keys of the short and the long q-grams of its own words, ascending."""

    text: bytes
    short: Keys
    long: Keys


class ByKind(Method[Side]):
    """A score is the likeness of the own words, at least 0.72 for a copy; 0 for a form, quote or frame."""

    paper: ClassVar[str] = "docs/definitions.md, Kinds"
    thresholds = THRESHOLDS
    name = "copies by kind"

    def sign(self, text: str) -> Side:
        """The text, with what it is found by."""
        encoded = encode_text(text)
        own = own_words(encoded)
        short, long = (np.unique(signer_for(Recipe(q=q)).window_keys(own)) for q in (SHORT, LONG))
        return Side(encoded, short, long)

    def score(self, a: Side, b: Side) -> float:
        """From 0 to 1."""
        kind = kinds_of([(a.text, b.text)])[0]
        if kind.name == "copy":
            return max(kind.likeness, ALIKE)
        return kind.likeness if kind.name == "other" else 0.0

    def index(self, threshold: float) -> Index[Side]:
        """Counts shared q-grams of both lengths."""
        return KindIndex(self, threshold)

    def size(self, signature: Side) -> int:
        """Its bytes, and 8 bytes a q-gram."""
        return len(signature.text) + 8 * (len(signature.short) + len(signature.long))


def _form(side: Side) -> bytes:
    return marked(side.text).form.tobytes()


class KindIndex(Index[Side]):
    """Finds the kind of every pair that is alike enough by either length of q-grams, and of equal normal forms."""

    def __init__(self, method: ByKind, threshold: float) -> None:
        self._method, self._threshold = method, threshold
        self._sides: list[Side] = []
        self._same: defaultdict[bytes, list[int]] = defaultdict(list)
        self._long, self._short = Counted(), Counted()
        self.compared = 0

    def add(self, signature: Side) -> None:
        """Adds the next text."""
        self._same[_form(signature)].append(len(self._sides))
        self._sides.append(signature)
        self._long.add(signature.long)
        self._short.add(signature.short)

    def matches(self, signature: Side) -> Iterator[tuple[int, float]]:
        """All that reach the threshold."""
        least = min(self._threshold, SPREAD_DOC_Q)
        near = self._long.likeness(signature.long) >= least
        near |= self._short.likeness(signature.short) >= least
        near[self._same.get(_form(signature), [])] = True
        for doc in np.flatnonzero(near).tolist():
            self.compared += 1
            score = self._method.score(signature, self._sides[doc])
            if score >= self._threshold:
                yield doc, score


class Counted:
    """Sets, and how alike each is to another one: 2 |A ∩ B| / (|A| + |B|)."""

    def __init__(self) -> None:
        self._lists, self._sizes = PostingLists(), Column(np.int64)

    def add(self, keys: Keys) -> None:
        """Adds the next set."""
        self._lists.add(keys, np.array([0, len(keys)]), np.array([len(self._sizes)]))
        self._sizes.append(len(keys))

    def likeness(self, keys: Keys) -> NDArray[np.float64]:
        """To each set in turn; 0 for two empty ones."""
        sizes = self._sizes.values
        counts = np.zeros(len(sizes), np.int32)
        count_all(*self._lists.arrays[:2], keys, counts)
        alike: NDArray[np.float64] = 2 * counts / np.maximum(1, sizes + len(keys))
        return alike
