"""Megashingles: pairs of super shingles, each of 14 minima; one in common makes two documents copies.

Fetterly, Manasse & Najork (2003), "On the evolution of clusters of near-duplicate web pages": shingles of five words,
the minimum of each of 84 random functions of them, six super shingles of 14 minima each; two documents are copies if
two of the six are equal, that is, if one of the 15 pairs (megashingles) is. Of documents with a resemblance of 0.95
nine in ten are found, of 0.8 three in a hundred. Fan & Huang (2011), section 4.2, name it for what they compare with.

Departures: xxh64 and 64-bit linear functions in place of Rabin fingerprints. A document of fewer than five words has
no shingle and is nobody's copy.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import xxhash

from neardup.baselines import tokens
from neardup.baselines.base import YES_NO
from neardup.baselines.sets import Measure, SetMethod

if TYPE_CHECKING:
    from neardup.baselines.tokens import Keys

SUPER_SHINGLES = 6


class Megashingles(SetMethod):
    """Pairs among `SUPER_SHINGLES` super shingles of `minima` minima of the shingles of `width` words."""

    paper: ClassVar[str] = "Fetterly, Manasse & Najork 2003"
    thresholds = YES_NO
    measure = Measure.ANY

    def __init__(self, width: int = 5, minima: int = 14, *, seed: int = 0) -> None:
        if width < 1 or minima < 1:
            raise ValueError(f"width = {width} and minima = {minima}: both must be 1 or more")
        self.name = f"megashingles(w={width}, {SUPER_SHINGLES} x {minima})"
        self.width, self.minima = width, minima
        numbers = np.random.default_rng(seed)
        draws = numbers.integers(0, 1 << 63, (2, SUPER_SHINGLES * minima), dtype=np.uint64)
        self._factors, self._addends = 2 * draws[0] + np.uint64(1), 2 * draws[1]

    def super_shingles(self, text: str) -> list[int]:
        """The six super shingles of `text`, in order; none of fewer words than a shingle has."""
        keys = tokens.distinct(tokens.shingles(text, self.width))
        if not len(keys):
            return []
        least = (keys[:, None] * self._factors + self._addends).min(axis=0)
        return [
            xxhash.xxh64_intdigest(group.tobytes(), number)
            for number, group in enumerate(least.reshape(SUPER_SHINGLES, self.minima))
        ]

    def sign(self, text: str) -> Keys:
        """The megashingles, ascending."""
        pairs = combinations(self.super_shingles(text), 2)
        return tokens.distinct(
            np.array(
                [xxhash.xxh64_intdigest(np.array(pair, np.uint64).tobytes()) for pair in pairs], np.uint64
            )
        )
