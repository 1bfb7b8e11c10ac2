"""The rivals of simhash in Fan & Huang (2011), section 4.2, on the data of fan_huang.py; and the product's own route.

Shingling "with the parameters of D. Fetterly et al." (megashingles), with the resemblance of shingles beside it;
I-Match with one lexicon and with ten further random ones. All use stems, as simhash does; the route simhash uses texts.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import neardup
from benchmarks.papers import fan_huang_data
from benchmarks.papers.fan_huang_curves import Rows, curve_of, split_by_query, summary
from neardup.baselines.imatch import IMatch
from neardup.baselines.megashingles import Megashingles
from neardup.baselines.shingling import Shingling

if TYPE_CHECKING:
    from benchmarks.papers.fan_huang_curves import Data
    from neardup.baselines.base import Method

STEPS = 100
VARIANTS = (1, 10)
"""Numbers of simhashes per document with which the route is tried."""


def rivals() -> list[Method[Any]]:
    """The methods of section 4.2."""
    return [
        Megashingles(), Shingling(5), Shingling(4), IMatch(0.2, 0.85), IMatch(0.2, 0.85, lexicons=10),
        IMatch(0.4, 0.5), IMatch(0.4, 0.5, lexicons=10),
    ]  # fmt: skip


def on_rivals(data: Data, stemmed: Sequence[str], copied: Sequence[str]) -> dict[str, Any]:
    """For each method the best F of the sets, and precision and recall there."""
    return {method.name: on_rival(method, data, stemmed, copied) for method in rivals()}


def on_rival(
    method: Method[Any], data: Data, stemmed: Sequence[str], copied: Sequence[str]
) -> dict[str, Any]:
    """The figures of one method: at each hundredth of its score, or for its yes."""
    method.learn(stemmed)
    clean, copies = ([method.sign(text) for text in texts] for texts in (stemmed, copied))
    yes_no = len(method.thresholds) == 1

    def distances(source: Any, others: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        scores = np.array([method.score(source, other) for other in others])
        return (STEPS - np.floor(STEPS * scores + 1e-9)).astype(np.int64)

    curves = []
    for number, some in enumerate(data.sources):
        own = copies[data.span(number)]
        rows: Rows = [(distances(clean[one], clean), distances(clean[one], own)) for one in some]
        curves.append(curve_of(*split_by_query(data, number, rows), 1 if yes_no else STEPS))
    print(f"{method.name}: done", file=sys.stderr, flush=True)
    at = [curve.best() for curve in curves]
    rates = {
        rate: float(np.mean([getattr(curve, rate)[best] for curve, best in zip(curves, at, strict=True)]))
        for rate in ("precision", "recall")
    }
    return {**summary(curves, whole=False), **rates, "yes_no": yes_no}


def on_route(data: Data) -> dict[str, dict[float, float]]:
    """For each share of edits, the share of copies with a band in common with their source, by the product."""
    found: dict[str, dict[float, float]] = {}
    for variants in VARIANTS:
        recipe = neardup.Recipe(simhash_variants=variants)
        sources = {
            one: {*neardup.sign(data.clean[one], recipe=recipe).simhash_bands}
            for some in data.sources
            for one in some
        }
        met: dict[float, list[bool]] = {share: [] for share in fan_huang_data.SHARES}
        for copy in (copy for made in data.copies for copy in made):
            bands = neardup.sign(copy.text, recipe=recipe).simhash_bands
            met[copy.share].append(not sources[copy.source].isdisjoint(bands))
        found[str(variants)] = {share: float(np.mean(each)) for share, each in met.items()}
    return found
