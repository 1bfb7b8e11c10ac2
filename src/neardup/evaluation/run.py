"""All methods over one corpus, one after another; a result of an earlier run is used again if nothing has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.evaluated_settings import DEFAULTS, EvaluatedSettings
from neardup.evaluation.methods import PRODUCTS
from neardup.evaluation.results import Result, ResultCache, key_of
from neardup.evaluation.subprocess_runner import measure_in_subprocess
from neardup.evaluation.worker import Job
from neardup.version import VERSION

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.measure import OnProgress, Progress
    from neardup.evaluation.truth import Truth

RESULTS: Final = "results"
"""The directory of kept results, within the directory of the evaluation."""

Runner = Callable[[Job, "OnProgress"], Result]
"""A function that measures a job: `measure_in_subprocess`, or `worker.measure_in_process`. Raises `MethodFailed`."""


@dataclass
class Evaluation:
    """The content of a report: facts of the corpus and the truth, the result of every method, and those that failed."""

    corpus: dict[str, Any]
    truth: dict[str, Any]
    seed: int
    results: list[Result] = field(default_factory=list)
    failed: list[MethodFailed] = field(default_factory=list)

    def add(self, outcome: Result | MethodFailed) -> None:
        """Adds an outcome that `evaluate` yields."""
        if isinstance(outcome, MethodFailed):
            self.failed.append(outcome)
        else:
            self.results.append(outcome)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the same for the same corpus, truth, methods and seed, except `cost`."""
        return {
            "neardup": VERSION,
            "seed": self.seed,
            "corpus": self.corpus,
            "truth": self.truth,
            "methods": [result.to_dict() for result in self.results],
            "failed": {failure.method: failure.reason for failure in self.failed},
        }


def evaluate(
    corpus: Corpus,
    truth: Truth,
    methods: Sequence[str],
    *,
    directory: Path | None = None,
    thresholds: Sequence[float] | None = None,
    seed: int = 0,
    settings: EvaluatedSettings = DEFAULTS,
    fresh: bool = False,
    on_progress: Callable[[str, Progress], None] = lambda _method, _progress: None,
    runner: Runner = measure_in_subprocess,
) -> Iterator[Result | MethodFailed]:
    """The result of each of the `methods` (names that `methods.make` knows), or the reason why there is none, in order.

    Every result is stored in `directory` at once, and read from there if nothing that it depends on has changed since:
    corpus, truth, method, thresholds, seed, the code and, for neardup itself, its `settings`; `fresh` measures all
    again. Without `thresholds`, each method is measured at its own. A method runs in a process of its own with one
    thread, unless another `runner` is given.
    """
    cache = ResultCache(directory / RESULTS) if directory else None
    wanted = None if thresholds is None else tuple(thresholds)
    for method in methods:
        job = Job(method, corpus, truth, wanted, seed, settings)
        key = _key(job)
        result = cache.find(method, key) if cache and not fresh else None
        if result is None:
            try:
                result = runner(job, partial(on_progress, method))
            except MethodFailed as failure:
                yield failure
                continue
            if cache:
                cache.keep(result, key)
        yield result


def _key(job: Job) -> str:
    """The key under which the result of `job` is kept: only neardup itself depends on settings, and on sources."""
    is_ours = job.method in PRODUCTS
    own = (job.settings.key, job.settings.sources_of(job.corpus)) if is_ours else None
    return key_of(job.method, job.corpus.digest, job.truth.digest, job.thresholds, job.seed, own)
