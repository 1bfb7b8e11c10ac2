"""A method by its name, measured in this process: what worker.py does, and what experiments do to save processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neardup.evaluation.measure import measure, warm_up
from neardup.evaluation.methods import PRODUCTS, make, product

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.evaluated_settings import EvaluatedSettings
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.results import Result
    from neardup.evaluation.truth import Truth


def measure_here(
    method: str,
    corpus: Corpus,
    truth: Truth,
    *,
    thresholds: Sequence[float] | None,
    seed: int,
    on_progress: OnProgress,
    tuning: EvaluatedSettings | None = None,
) -> Result:
    """The result of `method`; its memory is told rightly only if nothing was measured in this process before."""
    if method in PRODUCTS:
        return product(method, tuning).measure(method, corpus, truth, thresholds, on_progress)
    warm_up(make(method, seed=seed), corpus)
    return measure(make(method, seed=seed), method, corpus, truth, thresholds, on_progress)
