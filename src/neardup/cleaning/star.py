"""The star rule: from pairs to the texts that stay and those that are removed. Every removed text has doc_q >= t with
one that stays; no two texts that stay have it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from neardup.cleaning.kept_kinds import MOST_MATCHES, Goes


class Original(NamedTuple):
    """The text that another one is removed for, by its number, and their exact doc_q."""

    at: int
    score: float


class Pairs:
    """Pairs of texts by number, in order of the later one's number, each with its doc_q: 16 bytes a pair."""

    def __init__(self) -> None:
        self._later, self._earlier, self._scores = array("I"), array("I"), array("d")

    def add(self, later: int, earlier: int, score: float) -> None:
        """Adds one pair; the pairs of one later text must be added best first."""
        self._later.append(later)
        self._earlier.append(earlier)
        self._scores.append(score)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return zip(self._later, self._earlier, self._scores, strict=True)

    def __len__(self) -> int:
        return len(self._later)

    def at_least(self, threshold: Fraction) -> Pairs:
        """The pairs with doc_q >= `threshold`."""
        # Different fractions of numbers of q-grams, and a threshold of six decimals, never lie so near one another that
        # they would be the same float.
        chosen, least = Pairs(), float(threshold)
        for later, earlier, score in self:
            if score >= least:
                chosen.add(later, earlier, score)
        return chosen


def removed(pairs: Pairs, always_kept: int = 0, goes: Goes | None = None) -> dict[int, Original]:
    """The removed texts by number, each with the best text that stays before it.

    The texts are numbered in order of preference. A text stays unless it makes a pair with an earlier one that stays;
    the first `always_kept` stay in any case. With `goes`, a pair counts only if that function returns true; it is asked
    about the `MOST_MATCHES` best pairs of a text.

    >>> pairs = Pairs()
    >>> pairs.add(1, 0, 0.8), pairs.add(2, 1, 0.9)
    (None, None)
    >>> removed(pairs)  # 2 is like 1 only, which does not stay
    {1: Original(at=0, score=0.8)}
    """
    removals: dict[int, Original] = {}
    last, looked_at = -1, 0
    for later, earlier, score in pairs:
        if later < always_kept or later in removals or earlier in removals:
            continue
        last, looked_at = later, looked_at + 1 if later == last else 1
        if goes is None or (looked_at <= MOST_MATCHES and goes(later, earlier)):
            removals[later] = Original(earlier, score)
    return removals
