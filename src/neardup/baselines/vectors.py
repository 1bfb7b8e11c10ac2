"""Methods that compare weighted bags of words by their inner product, and the index that sums it for all at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.baselines.base import Index, Method
from neardup.baselines.sets import Column
from neardup.baselines.tokens import Keys, keys_of
from neardup.index.posting_lists import PostingLists
from neardup.kernels.counting import FREQUENCY_BITS, FREQUENCY_MASK, product, sum_products

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_ROUNDING = 1e-9
"""By how much two sums of the same products may differ when added in another order."""


class Vector(NamedTuple):
    """A bag of words as a vector: `keys` ascending; how often each occurs and how much that weighs, as float64.

    square   the vector's inner product with itself, `common` included
    common   the part of it that belongs to words that are not listed, because every document is taken to hold them
    """

    keys: Keys
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    square: float
    common: float

    @classmethod
    def of(cls, counts: Mapping[str, int], weights: Mapping[str, float], common: float = 0.0) -> Vector:
        """The vector of words with their `counts` and what one occurrence of each weighs."""
        keys = keys_of(counts)
        order = np.argsort(keys)
        listed = np.fromiter(counts.values(), np.float64, len(counts))[order]
        weighed = listed * np.fromiter(map(weights.__getitem__, counts), np.float64, len(counts))[order]
        keys = keys[order]
        for array in (keys, listed, weighed):
            array.setflags(write=False)
        return cls(keys, listed, weighed, product(keys, weighed, keys, weighed, 0.0) + common, common)


class VectorMethod(Method[Vector]):
    """A method whose score is a function of two vectors' inner product and of their squares.

    closeness   words whose weights v and w differ so much that v/w + w/v >= closeness are not counted; 0: all are
    """

    closeness: float = 0.0

    @abstractmethod
    def similarity(self, products: Any, a_square: Any, b_square: Any, a_common: Any, b_common: Any) -> Any:
        """The score for the inner product of the words listed; of numbers, or of arrays of them."""

    def score(self, a: Vector, b: Vector) -> float:
        """The similarity of the two vectors; 0 where one is empty."""
        if not a.square or not b.square:
            return 0.0
        products = product(a.keys, a.weights, b.keys, b.weights, self.closeness)
        return float(self.similarity(products, a.square, b.square, a.common, b.common))

    def keys(self, signature: Vector, threshold: float) -> Iterable[int] | None:  # noqa: ARG002 - any word may do
        """The words; None where a document may be a copy without sharing any that is listed."""
        return None if signature.common else map(int, signature.keys)

    def index(self, threshold: float) -> Index[Vector]:
        """Sums products."""
        return ProductIndex(self, threshold)

    def size(self, signature: Vector) -> int:
        """12 bytes a word (key and count), and 16 a document."""
        return 12 * len(signature.keys) + 16


class ProductIndex(Index[Vector]):
    """Vectors by their words: sums all products, then compares what comes near the threshold pair by pair.

    A posting keeps a frequency in eight bits; the few documents that repeat a word more often are always compared.
    """

    def __init__(self, method: VectorMethod, threshold: float) -> None:
        self._method, self._threshold = method, threshold
        self._lists = PostingLists()
        self._vectors: list[Vector] = []
        self._squares, self._commons = Column(np.float64), Column(np.float64)
        self._repetitive: list[int] = []
        self.compared = 0

    def add(self, signature: Vector) -> None:
        """Adds the next vector."""
        doc = len(self._vectors)
        if (signature.counts > FREQUENCY_MASK).any():
            self._repetitive.append(doc)
        frequencies = np.minimum(signature.counts, FREQUENCY_MASK).astype(np.int64)
        offsets = np.arange(len(signature.keys) + 1)
        self._lists.add(signature.keys, offsets, doc << FREQUENCY_BITS | frequencies)
        self._squares.append(signature.square)
        self._commons.append(signature.common)
        self._vectors.append(signature)

    def matches(self, signature: Vector) -> Iterator[tuple[int, float]]:
        """All vectors at or above the threshold."""
        if not signature.square:
            return
        for doc in self._candidates(signature):
            self.compared += 1
            score = self._method.score(signature, self._vectors[doc])
            if score >= self._threshold:
                yield doc, score

    def _candidates(self, signature: Vector) -> list[int]:
        sums = self._sums(signature)
        squares = self._squares.values
        kept = squares > 0
        scores = self._method.similarity(
            sums[kept], squares[kept], signature.square, self._commons.values[kept], signature.common
        )
        near = np.flatnonzero(kept)[scores >= self._threshold - _ROUNDING]
        return sorted({*near.tolist(), *self._repetitive})

    def _sums(self, vector: Vector) -> NDArray[np.float64]:
        """The inner product of `vector` and each vector added."""
        sums = np.zeros(len(self._vectors), np.float64)
        squared = vector.weights * (vector.weights / vector.counts)
        sum_products(
            *self._lists.arrays[:2], vector.keys, vector.counts, squared, self._method.closeness, sums
        )
        return sums
