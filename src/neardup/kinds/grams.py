"""The q-grams of a text in its order, and what two texts share of them: as sets, and as passages.

Keys are those of a signature: nobody can make two texts that have many keys in common and are not alike.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.signing.signature import Keys


class Grams:
    """The q-grams of the code points `points`; of fewer than q, none."""

    def __init__(self, points: NDArray[np.uint32], q: int) -> None:
        self.q, self.length = q, len(points)
        self._keys = signer_for(Recipe(q=q)).window_keys(points.tobytes().decode("utf-32-le").encode())

    @functools.cached_property
    def distinct(self) -> Keys:
        """The keys of the set, ascending."""
        return np.unique(self._keys)

    def _shared(self, other: Grams) -> Keys:
        return np.intersect1d(self.distinct, other.distinct, assume_unique=True)

    def likeness(self, other: Grams) -> float:
        """2 |A ∩ B| / (|A| + |B|) (Dice 1945); 0 if both sets are empty."""
        sizes = len(self.distinct) + len(other.distinct)
        return 2 * len(self._shared(other)) / sizes if sizes else 0.0

    def doc_q(self, other: Grams) -> float:
        """|A ∩ B| / max(|A|, |B|); 0 if both sets are empty."""
        larger = max(len(self.distinct), len(other.distinct))
        return len(self._shared(other)) / larger if larger else 0.0

    def inside(self, other: Grams) -> NDArray[np.bool_]:
        """For each code point whether it lies in a q-gram that `other` has, too."""
        starts = np.isin(self._keys, self._shared(other))
        if not len(starts):
            return np.zeros(self.length, bool)
        steps = np.zeros(self.length + 1, np.int64)
        steps[: len(starts)] += starts
        steps[self.q : self.q + len(starts)] -= starts
        covered: NDArray[np.bool_] = np.cumsum(steps[:-1]) > 0
        return covered

    def longest_outside(self, other: Grams) -> int:
        """The most code points in a row of which none lies in a q-gram that `other` has, too."""
        edges = np.flatnonzero(np.concatenate(([True], self.inside(other), [True])))
        return int(np.diff(edges).max()) - 1
