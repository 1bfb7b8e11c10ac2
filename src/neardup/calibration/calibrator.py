"""Chooses the pair to ask about next, and estimates threshold, precision and recall from the answers, with intervals.

The first questions cover the whole scale, one pair in each part of it. Then each asks about a pair whose answer is
expected to say most about which threshold is best (the information gained; Lindley 1956, MacKay 1992). Every eighth
question is about a random pair, so that a curve that is wrong far from there is detected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from neardup.calibration.curves import STEPS, Counts, Curves, Flags, Floats, bin_of

PARTS: Final = 5
"""How many parts of the scale the first questions cover."""
ANY_EVERY: Final = 8
LIKELY: Final = 1_500
"""How many curves, those of the largest weight, a question is chosen by."""
DRAWN: Final = 1_000
SIDES: Final = (0.025, 0.975)
"""The quantiles at the ends of an interval of 95 %."""


class Interval(NamedTuple):
    """An expected value, and the ends of its interval of 95 %."""

    value: float
    low: float
    high: float


class Outcome(NamedTuple):
    """The effect of a threshold: F1, precision and recall among all pairs, and how many of them it reports."""

    threshold: float
    f1: Interval
    precision: Interval
    recall: Interval
    reported: int


class Calibrator:
    """The pairs by their scores, and the answers about them so far.

    `scores`: doc_q of each pair. Equal calls give equal questions. Costs about 50 ms a question, however many pairs.
    """

    def __init__(self, scores: Sequence[float], *, seed: int = 0) -> None:
        if not len(scores):
            raise ValueError("no pairs: choosing a threshold needs some")
        self._scores = np.asarray(scores, np.float64)
        self._bins = bin_of(self._scores)
        self._first = int(self._bins.min())
        self._bins -= self._first
        self._count = STEPS + 1 - self._first
        self._pool: Counts = np.bincount(self._bins, minlength=self._count)
        self._is_copy, self._is_judged, self._is_closed = np.zeros((3, len(self._scores)), np.bool_)
        self._curves = Curves(self._first)
        self._numbers = np.random.default_rng(seed)

    @property
    def answered(self) -> int:
        """How many pairs were judged."""
        return int(self._is_judged.sum())

    def answer(self, pair: int, *, copy: bool) -> None:
        """Records whether pair `pair` is a copy; raises `ValueError` for a pair that was judged, or skipped, before."""
        self.skip(pair)
        self._is_judged[pair], self._is_copy[pair] = True, copy

    def skip(self, pair: int) -> None:
        """Records not to ask about pair `pair`; raises `ValueError` for a pair that was judged, or skipped, before."""
        if self._is_closed[pair]:
            raise ValueError(f"pair {pair} was judged or skipped before")
        self._is_closed[pair] = True

    def question(self) -> int | None:
        """The pair whose answer says most; None when there is none left."""
        left = np.flatnonzero(~self._is_closed)
        if not len(left):
            return None
        answered = self.answered
        if answered < PARTS:
            return self._nearest(left, self._spread(answered))
        if answered % ANY_EVERY == 0:
            return int(self._numbers.choice(left))
        uncertainty = self._uncertainty()
        uncertainty[np.bincount(self._bins[left], minlength=self._count) == 0] = np.inf
        return int(self._numbers.choice(left[self._bins[left] == uncertainty.argmin()]))

    def _uncertainty(self) -> Floats:
        """For each bin, how uncertain the best threshold (the entropy, in nats) is expected to be after an answer
        there.
        """
        weights = self._weights()
        likely = np.argsort(-weights)[:LIKELY]
        weight = weights[likely] / weights[likely].sum()
        copy = weight[:, None] * self._curves.chances[likely]
        is_best = np.zeros((len(likely), self._count))
        is_best[np.arange(len(likely)), self._f1(likely).argmax(axis=1)] = weight > 0
        best_if_copy = copy.T @ is_best
        best_if_none = weight @ is_best - best_if_copy
        return _entropy(best_if_copy) + _entropy(best_if_none)

    def best(self) -> Outcome:
        """The outcome of the threshold with the highest expected F1."""
        return self.at(self._threshold_of(int((self._weights() @ self._f1(slice(None))).argmax())))

    def thresholds(self) -> tuple[float, float]:
        """The ends of the interval in which the best threshold lies with 95 %."""
        low, high = np.quantile(self._f1(self._drawn()).argmax(axis=1), SIDES)
        return self._threshold_of(int(low)), self._threshold_of(int(high))

    def at(self, threshold: float) -> Outcome:
        """The outcome of `threshold`: expected over the curves and, for the intervals, over pairs not judged yet."""
        is_reported = self._scores >= threshold
        chances, numbers = self._curves.chances[self._drawn()], np.random.default_rng(1)
        right, missed = (
            self._is_copy[which].sum()
            + numbers.binomial(self._counts(which & ~self._is_judged), chances).sum(axis=1)
            for which in (is_reported, ~is_reported)
        )
        wanted, reported = right + missed, int(is_reported.sum())
        precision = right / max(1, reported) if reported else np.ones(DRAWN)
        recall = np.where(wanted, right / np.maximum(wanted, 1), 1.0)
        f1 = 2 * right / np.maximum(reported + wanted, 1)
        return Outcome(threshold, _interval(f1), _interval(precision), _interval(recall), reported)

    def _drawn(self) -> Counts:
        """`DRAWN` curves, by their weight; the same ones whenever the answers are the same."""
        weights = self._weights()
        return np.random.default_rng(0).choice(len(weights), DRAWN, p=weights)

    def _weights(self) -> Floats:
        return self._curves.weights(
            self._counts(self._is_copy), self._counts(self._is_judged & ~self._is_copy)
        )

    def _counts(self, which: Flags) -> Counts:
        """How many of these pairs are in each bin."""
        return np.bincount(self._bins[which], minlength=self._count)

    def _f1(self, curves: slice | Counts) -> Floats:
        """F1 at each threshold, one row for each curve."""
        unknown = self._pool - self._counts(self._is_judged)
        copies = self._counts(self._is_copy) + unknown * self._curves.chances[curves]
        right = copies[:, ::-1].cumsum(axis=1)[:, ::-1]
        reported = self._pool[::-1].cumsum()[::-1]
        f1: Floats = 2 * right / np.maximum(reported + right[:, :1], 1e-9)
        return f1

    def _threshold_of(self, bin: int) -> float:
        return (bin + self._first) / STEPS

    def _spread(self, number: int) -> float:
        """The middle of a part of the scale, the uppermost and the lowest parts last."""
        parts = sorted(range(PARTS), key=lambda part: abs(part - PARTS / 2 + 0.5))
        lowest = float(self._scores.min())
        return lowest + (parts[number] + 0.5) * (1 - lowest) / PARTS

    def _nearest(self, left: Counts, score: float) -> int:
        """The pair nearest to `score`, of several one at random."""
        distances = np.abs(self._scores[left] - score)
        return int(self._numbers.choice(left[distances <= distances.min() + 1 / (2 * STEPS)]))


def _entropy(joint: Floats) -> Floats:
    """For each row, the joint probabilities of one answer and each threshold being best: the entropy of the thresholds
    given that answer, times the answer's probability.
    """
    answer = joint.sum(axis=1, keepdims=True)
    given = np.divide(joint, answer, out=np.ones_like(joint), where=joint > 0)
    entropy: Floats = -(joint * np.log(given)).sum(axis=1)
    return entropy


def _interval(values: Floats) -> Interval:
    low, high = np.quantile(values, SIDES)
    return Interval(float(values.mean()), float(low), float(high))
