"""The process that measures one method: `python -m neardup.evaluation.worker`, started by process.py.

Standard input: a line with the job, then a line for each document. Standard output: lines of JSON with the progress,
and at the end one with the result, or with what went wrong. It ends by itself when nobody reads any more.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from neardup.evaluation.corpus import Corpus
from neardup.evaluation.evaluated_settings import EvaluatedSettings
from neardup.evaluation.here import measure_here
from neardup.evaluation.truth import Truth

if TYPE_CHECKING:
    from neardup.evaluation.measure import Progress
    from neardup.evaluation.results import Result

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Measure the method that standard input asks for."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    sys.stdout = sys.stderr  # a library that prints must not write among the lines that are read

    def say(values: dict[str, Any]) -> None:
        try:
            out.write(orjson.dumps(values) + b"\n")
        except BrokenPipeError:
            os._exit(0)  # whoever asked has gone; nobody is left to tell

    try:
        job, corpus = _asked(sys.stdin.buffer)
        say({"result": _result(job, corpus, say).to_dict()})
    except Exception as error:  # noqa: BLE001 - told to the one who asked, who tells the user
        frame = traceback.extract_tb(error.__traceback__)[-1]
        say({"error": f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"})
        sys.exit(1)


def _asked(stdin: BinaryIO) -> tuple[dict[str, Any], Corpus]:
    """The job and its corpus; ends the process if they do not come whole, because the sender has gone."""
    head = stdin.readline()
    rows = [orjson.loads(line) for line in stdin if line.endswith(b"\n")]
    job: dict[str, Any] = orjson.loads(head) if head.endswith(b"\n") else {}
    if not job or len(rows) != job["documents"]:
        os._exit(0)
    return job, Corpus(tuple(id for id, _ in rows), tuple(text for _, text in rows))


def _result(job: dict[str, Any], corpus: Corpus, say: Say) -> Result:
    def on_progress(progress: Progress) -> None:
        say({"progress": list(progress)})

    copies, others, uncounted = (
        frozenset((i, j) for i, j in job[kind]) for kind in ("copies", "others", "uncounted")
    )
    truth = Truth(copies, others, uncounted, job["judged_only"])
    return measure_here(
        job["method"],
        corpus,
        truth,
        thresholds=job["thresholds"],
        seed=job["seed"],
        on_progress=on_progress,
        tuning=job["tuning"] and EvaluatedSettings.from_dict(job["tuning"]),
    )


if __name__ == "__main__":
    main()
