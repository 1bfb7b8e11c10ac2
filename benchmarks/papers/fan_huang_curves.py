"""Precision, recall and F of queries against distances, for all measurements of fan_huang.py; and its data."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.papers import fan_huang_data
from benchmarks.papers.fan_huang_tables import RATES

if TYPE_CHECKING:
    from benchmarks.papers.fan_huang_data import Copy

Distances = npt.NDArray[np.int64]


class Curve(NamedTuple):
    """Macro-averaged precision, recall and F at each threshold, from the strictest to the loosest."""

    precision: list[float]
    recall: list[float]
    f: list[float]

    def best(self) -> int:
        """The first place of the highest F."""
        return int(np.argmax(self.f))


class Data(NamedTuple):
    """The collection: clean texts, and for each set its sources and their copies."""

    clean: list[str]
    sources: list[list[int]]
    copies: list[list[Copy]]

    def copied_texts(self) -> list[str]:
        """The texts of the copies of all sets, one after another."""
        return [copy.text for made in self.copies for copy in made]

    def span(self, number: int) -> slice:
        """The positions of a set's copies among those of all sets."""
        begin = sum(len(made) for made in self.copies[:number])
        return slice(begin, begin + len(self.copies[number]))


def curve_of(
    near: Sequence[Distances], others: Sequence[Distances], thresholds: int, strangers: float = 1.0
) -> Curve:
    """The curve of some queries, given how far each one's copies and all other texts are, in whole numbers."""
    precisions, recalls = np.zeros((2, len(near), thresholds))
    for query, (copies, rest) in enumerate(zip(near, others, strict=True)):
        found = np.cumsum(np.bincount(copies, minlength=thresholds))[:thresholds]
        false = strangers * np.cumsum(np.bincount(rest, minlength=thresholds))[:thresholds]
        precisions[query] = np.where(found + false, found / np.maximum(found + false, 1e-12), 1.0)
        recalls[query] = found / len(copies)
    precision, recall = precisions.mean(axis=0), recalls.mean(axis=0)
    f = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return Curve(precision.tolist(), recall.tolist(), f.tolist())


Rows = list[tuple[Distances, Distances]]
"""For each source of a set how far the clean texts and the set's copies are."""


def split_by_query(
    data: Data, number: int, rows: Rows, shares: Sequence[float] = fan_huang_data.SHARES
) -> tuple[list[Distances], list[Distances]]:
    """For each source of a set: the distances of its copies of these shares, and of everything else but itself."""
    owners = np.array([copy.source for copy in data.copies[number]])
    counted = np.array([copy.share in shares for copy in data.copies[number]])
    near, others = [], []
    for source, (to_clean, to_copies) in zip(data.sources[number], rows, strict=True):
        near.append(to_copies[(owners == source) & counted])
        others.append(np.concatenate([np.delete(to_clean, source), to_copies[owners != source]]))
    return near, others


def summary(curves: Sequence[Curve], *, whole: bool) -> dict[str, Any]:
    """The first set's best F and its threshold, the mean and spread of each set's own best; mean curves if `whole`."""
    bests = [curve.f[curve.best()] for curve in curves]
    return {
        "set_1": {"f": bests[0], "threshold": curves[0].best()},
        "best_f": {"mean": statistics.mean(bests), "spread": statistics.pstdev(bests), "each": bests},
        "best_thresholds": [curve.best() for curve in curves],
        **{
            name: np.mean([getattr(curve, name) for curve in curves], axis=0).round(4).tolist()
            for name in (RATES if whole else ())
        },
    }
