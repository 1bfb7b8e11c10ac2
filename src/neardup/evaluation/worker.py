"""One method measured: in this process, or in the process that subprocess_runner.py starts for it.

`python -m neardup.evaluation.worker` reads a line with the job, then a line for each document, from standard input. It
writes lines of JSON with the progress to standard output, and at the end one with the result, or with what went wrong.
It ends by itself when nothing reads its output any more.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import orjson

from neardup.evaluation.corpus import Corpus
from neardup.evaluation.evaluated_settings import DEFAULTS, EvaluatedSettings
from neardup.evaluation.measure import measure, warm_up
from neardup.evaluation.methods import PRODUCTS, make, product
from neardup.evaluation.truth import Truth

if TYPE_CHECKING:
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.results import Result

_PAIRS = ("copies", "others", "uncounted")


@dataclass(frozen=True)
class Job:
    """One method to be measured over one corpus.

    method       a name that `methods.make` or `methods.product` knows
    thresholds   None: the method's own
    seed         for the random numbers of the method
    settings     those of neardup itself
    """

    method: str
    corpus: Corpus
    truth: Truth
    thresholds: tuple[float, ...] | None = None
    seed: int = 0
    settings: EvaluatedSettings = DEFAULTS

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without the documents."""
        return {
            "method": self.method,
            "thresholds": self.thresholds,
            "seed": self.seed,
            "settings": self.settings.to_dict(),
            "documents": len(self.corpus),
            "judged_only": self.truth.judged_only,
            **{kind: sorted(getattr(self.truth, kind)) for kind in _PAIRS},
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any], corpus: Corpus) -> Self:
        """The job that `to_dict` wrote, over the documents that it left out."""
        copies, others, uncounted = (frozenset((i, j) for i, j in values[kind]) for kind in _PAIRS)
        thresholds = values["thresholds"]
        return cls(
            method=values["method"],
            corpus=corpus,
            truth=Truth(copies, others, uncounted, values["judged_only"]),
            thresholds=None if thresholds is None else tuple(thresholds),
            seed=values["seed"],
            settings=EvaluatedSettings.from_dict(values["settings"]),
        )


def measure_in_process(job: Job, on_progress: OnProgress) -> Result:
    """The result of `job`; its figures of memory are right only if this process has measured nothing before."""
    if job.method in PRODUCTS:
        engine = product(job.method, job.settings)
        return engine.measure(job.method, job.corpus, job.truth, job.thresholds, on_progress)
    warm_up(make(job.method, seed=job.seed), job.corpus)
    method = make(job.method, seed=job.seed)
    return measure(method, job.method, job.corpus, job.truth, job.thresholds, on_progress)


def main() -> None:
    """Measures the job that standard input names."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    sys.stdout = sys.stderr  # output of libraries must not mix with our lines

    def write(values: dict[str, Any]) -> None:
        try:
            out.write(orjson.dumps(values) + b"\n")
        except BrokenPipeError:
            os._exit(0)  # nothing reads the output any more

    try:
        job = _read_job(sys.stdin.buffer)
        result = measure_in_process(job, lambda progress: write({"progress": list(progress)}))
        write({"result": result.to_dict()})
    except Exception as error:  # noqa: BLE001 - reported to the parent process, which shows it
        frame = traceback.extract_tb(error.__traceback__)[-1]
        write(
            {"error": f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"}
        )
        sys.exit(1)


def _read_job(stdin: BinaryIO) -> Job:
    """The job and its documents; ends the process if they are incomplete, because the sender has gone."""
    head = stdin.readline()
    rows = [orjson.loads(line) for line in stdin if line.endswith(b"\n")]
    values: dict[str, Any] = orjson.loads(head) if head.endswith(b"\n") else {}
    if not values or len(rows) != values["documents"]:
        os._exit(0)
    return Job.from_dict(values, Corpus(*(tuple(row[at] for row in rows) for at in range(3))))


if __name__ == "__main__":
    main()
