"""Starts the process that measures one method, feeds it, and reads what it says.

Each method has a process of its own, so that its memory is its own and nothing that one method has loaded is ready for
the next. One thread each: every pool of threads is pinned. Nothing is written to disk.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Final

import orjson

from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.measure import Progress
from neardup.evaluation.results import Result

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.evaluated_settings import EvaluatedSettings
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.truth import Truth

THREAD_POOLS: Final = (
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
_PIECE: Final = 1 << 20


def measure_apart(
    method: str,
    corpus: Corpus,
    truth: Truth,
    *,
    thresholds: Sequence[float] | None,
    seed: int,
    on_progress: OnProgress,
    tuning: EvaluatedSettings | None = None,
) -> Result:
    """The result of `method`, from a process of its own; `MethodFailed` if that ends without one."""
    # -P: the working directory is the user's, and may hold files named as modules are.
    command = [sys.executable, "-P", "-m", "neardup.evaluation.worker"]
    environment = os.environ | dict.fromkeys(THREAD_POOLS, "1")
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _feed(process.stdin, _job(method, corpus, truth, thresholds, seed, tuning), corpus)
            said = _listen(process.stdout, on_progress)
        except BaseException:
            process.kill()  # interrupted: it would work on for nobody
            raise
        process.wait()
        if "result" not in said:
            raise MethodFailed(method, said.get("error") or _last_words(errors, process.returncode))
        return Result.from_dict(said["result"])


def _job(
    method: str,
    corpus: Corpus,
    truth: Truth,
    thresholds: Sequence[float] | None,
    seed: int,
    tuning: EvaluatedSettings | None,
) -> dict[str, Any]:
    return {
        "method": method,
        "seed": seed,
        "thresholds": thresholds,
        "tuning": tuning and tuning.to_dict(),
        "documents": len(corpus),
        "judged_only": truth.judged_only,
        **{kind: sorted(getattr(truth, kind)) for kind in ("copies", "others", "uncounted")},
    }


def _feed(stdin: IO[bytes], job: dict[str, Any], corpus: Corpus) -> None:
    """Write the job and the corpus. A process that has ended reads no more; why is in its last words."""
    try:
        waiting = [orjson.dumps(job) + b"\n"]
        size = 0
        for pair in zip(corpus.ids, corpus.texts, strict=True):
            waiting.append(orjson.dumps(pair) + b"\n")
            size += len(waiting[-1])
            if size > _PIECE:
                stdin.write(b"".join(waiting))
                waiting, size = [], 0
        stdin.write(b"".join(waiting))
    except BrokenPipeError:
        pass
    finally:
        with contextlib.suppress(BrokenPipeError):
            stdin.close()


def _listen(stdout: IO[bytes], on_progress: OnProgress) -> dict[str, Any]:
    """The last thing it says that is no progress; nothing if it ends before."""
    said: dict[str, Any] = {}
    for line in stdout:
        if line.endswith(b"\n"):
            said = orjson.loads(line)
            if "progress" in said:
                on_progress(Progress(*said["progress"]))
    return said


def _last_words(errors: IO[bytes], code: int) -> str:
    """Why a process that told nothing has ended, as far as it can be known."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    if code < 0:
        return f"its process was ended by signal {-code}" + (" (out of memory?)" if code == -9 else "")
    return lines[-1] if lines else f"its process ended with exit code {code} and said nothing"
