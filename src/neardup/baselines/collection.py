"""Document frequencies of the features of a collection: how common a q-gram or a shingle is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from neardup.baselines.tokens import Counts, Keys

_BUFFERED = 1 << 22
"""Keys that are held before they are counted: 32 MB."""


class FeatureFrequencies:
    """How many of `documents` documents hold each feature."""

    def __init__(self, keys: Keys, counts: Counts, documents: int) -> None:
        self.keys, self.counts, self.documents = keys, counts, documents

    @classmethod
    def of(cls, feature_sets: Iterable[Keys]) -> FeatureFrequencies:
        """Counted over the sets of features of a collection, each without repetitions."""
        keys, counts = np.empty(0, np.uint64), np.empty(0, np.int64)
        buffer: list[Keys] = []
        held = documents = 0
        for features in feature_sets:
            documents += 1
            buffer.append(features)
            held += len(features)
            if held >= _BUFFERED:
                keys, counts = _merged(keys, counts, buffer)
                buffer, held = [], 0
        return cls(*_merged(keys, counts, buffer), documents)

    def look_up(self, keys: Keys) -> Counts:
        """The frequency of each of `keys`; 0 for one that the collection does not hold."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[rows] == keys, self.counts[rows], 0)


def _merged(keys: Keys, counts: Counts, more: list[Keys]) -> tuple[Keys, Counts]:
    """`counts` of `keys`, with each of the sets in `more` counted once more."""
    everything = np.concatenate([keys, *more])
    weights = np.concatenate([counts, np.ones(len(everything) - len(keys), np.int64)])
    order = np.argsort(everything, kind="stable")
    ordered = everything[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else order[:0]
    return ordered[first], np.add.reduceat(weights[order], first) if len(first) else counts[:0]


class Counted(Protocol):
    """What has counted a collection: features here, words in `baselines/words.py`."""

    documents: int


C = TypeVar("C", bound=Counted)


def learned(frequencies: C | None, name: str) -> C:
    """`frequencies`, once `learn` was called with at least one text.

    Raises `ValueError` naming the method and the step that is missing.
    """
    if frequencies is None or not frequencies.documents:
        raise ValueError(
            f"{name} has no collection statistics: call learn(texts) with a text or more before sign"
        )
    return frequencies
