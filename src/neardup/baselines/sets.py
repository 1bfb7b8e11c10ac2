"""Methods that compare sets of features by their overlap, and the index that counts it for all documents at once."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.baselines.base import Index, Method
from neardup.baselines.tokens import Counts, Keys
from neardup.index.posting_lists import PostingLists
from neardup.kernels.counting import count_all, shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Measure(Enum):
    """What an overlap |A ∩ B| is divided by.

    LARGER    max(|A|, |B|): doc_q (Montanari & Puglisi 2012, Definition 3.32)
    UNION     |A ∪ B|: resemblance (Broder 1997), the Jaccard coefficient
    SMALLER   min(|A|, |B|): the larger of the two containments (Broder 1997)
    ANY       itself: 1 if anything is shared
    """

    LARGER = "larger"
    UNION = "union"
    SMALLER = "smaller"
    ANY = "any"

    def of(self, overlap: Any, a: Any, b: Any) -> Any:
        """The similarity for |A ∩ B|, |A| and |B|; numbers, or arrays of them."""
        if self is Measure.ANY:
            return np.minimum(overlap, 1.0)
        if self is Measure.UNION:
            return overlap / (a + b - overlap)
        return overlap / (np.maximum(a, b) if self is Measure.LARGER else np.minimum(a, b))


def needed(size: int, threshold: float) -> int:
    """The least n >= 1 with n / size >= threshold, in the arithmetic of the scores themselves."""
    n = max(1, math.ceil(threshold * size))
    while n > 1 and (n - 1) / size >= threshold:
        n -= 1
    return n


class SetMethod(Method[Keys]):
    """A method whose signature is a set of features (ascending uint64) and whose score is a `Measure` of two.

    Its index is exact: it counts the shared features of a query and every document, about 1 ns each.
    """

    measure: Measure

    @abstractmethod
    def sign(self, text: str) -> Keys:
        """The features of `text`, ascending, each once."""

    def score(self, a: Keys, b: Keys) -> float:
        """The measure of the two sets; 0 where one is empty."""
        if not len(a) or not len(b):
            return 0.0
        return float(self.measure.of(shared(a, b), len(a), len(b)))

    def keys(self, signature: Keys, threshold: float) -> Iterable[int]:
        """The prefix of the set that two copies must share a member of (Chaudhuri, Ganti & Kaushik 2006).

        Of any order that all sets keep: here that of the hashes. By containment a copy may be as small as one feature,
        so every feature counts.
        """
        if self.measure in {Measure.SMALLER, Measure.ANY}:
            return map(int, signature)
        return map(int, signature[: len(signature) - needed(len(signature), threshold) + 1])

    def index(self, threshold: float) -> Index[Keys]:
        """Counts shared features."""
        return OverlapIndex(self.measure, threshold)

    def size(self, signature: Keys) -> int:
        """8 bytes a feature."""
        return int(signature.nbytes)


class OverlapIndex(Index[Keys]):
    """Sets by their features. Memory: 4 to 8 bytes a feature of every document."""

    def __init__(self, measure: Measure, threshold: float) -> None:
        self._measure, self._threshold = measure, threshold
        self._lists = PostingLists()
        self.compared = 0
        self._sizes = Column(np.int64)

    def add(self, signature: Keys) -> None:
        """Adds the next set."""
        self._lists.add(signature, np.array([0, len(signature)]), np.array([len(self._sizes)]))
        self._sizes.append(len(signature))

    def matches(self, signature: Keys) -> Iterator[tuple[int, float]]:
        """All sets at or above the threshold; those that share nothing are none, whatever the threshold."""
        sizes: Counts = self._sizes.values
        counts = np.zeros(len(sizes), np.int32)
        count_all(*self._lists.arrays[:2], signature, counts)
        docs = np.flatnonzero(counts)
        self.compared += len(docs)
        scores = self._measure.of(counts[docs], sizes[docs], len(signature))
        kept = scores >= self._threshold
        yield from zip(docs[kept].tolist(), scores[kept].tolist(), strict=True)


class Column:
    """One figure a document, in an array that grows."""

    def __init__(self, dtype: type[np.int64 | np.float64]) -> None:
        self._array = np.zeros(1_024, dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def append(self, value: float) -> None:
        """Adds the next document's."""
        if self._used == len(self._array):
            self._array = np.concatenate([self._array, np.zeros_like(self._array)])
        self._array[self._used] = value
        self._used += 1

    @property
    def values(self) -> NDArray[Any]:
        """Those of all documents; shares memory."""
        return self._array[: self._used]
