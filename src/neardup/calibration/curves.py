"""The probability that a pair of a given doc_q is a copy: a family of curves, and how well each agrees with the
answers.

A curve is p(s) = low + (high - low) / (1 + exp((middle - s) / width)): few pairs below the middle are copies, most
above, and neither none nor all. Answers weigh the curves (Bayes, equal weights before the first answer), so that
uncertainty is expressed too, and no fit can fail where all answers are the same.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

STEPS: Final = 200
"""Scores and thresholds are counted in so many parts of 1."""
WIDTHS: Final = (0.004, 0.012, 0.035, 0.1)
HIGHS: Final = (0.9995, 0.995, 0.95, 0.85, 0.7, 0.5)
LOWS: Final = (0.0005, 0.005, 0.05, 0.15, 0.3)


def bin_of(scores: Floats) -> Counts:
    """The part of the scale that each score lies in: 140 from 0.7 on, below 0.705."""
    bins: Counts = np.floor(scores * STEPS + 1e-9).astype(np.int64)
    return bins


class Curves:
    """All curves over the bins from `first` to the last, one row each, and their weights: how likely each is by now."""

    def __init__(self, first: int) -> None:
        centres = (np.arange(first, STEPS + 1) + 0.5) / STEPS
        middles = np.arange(first / STEPS - 0.1, 1.06, 0.01)
        shape = np.array(
            [each for each in product(middles, WIDTHS, HIGHS, LOWS) if each[2] > each[3]], np.float64
        )
        middle, width, high, low = (column[:, None] for column in shape.T)
        rising = 1 / (1 + np.exp(np.clip((middle - centres) / width, -60, 60)))
        self.chances: Floats = low + (high - low) * rising
        self._for = np.log(self.chances)
        self._against = np.log(1 - self.chances)

    def weights(self, copies: Counts, others: Counts) -> Floats:
        """The weight of each curve, given how many answers in each bin were copies and how many were not; sum 1."""
        likelihood = self._for @ copies + self._against @ others
        weights: Floats = np.exp(likelihood - likelihood.max())
        weights /= weights.sum()
        return weights
