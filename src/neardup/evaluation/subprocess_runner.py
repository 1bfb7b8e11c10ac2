"""Runs a job in a process of its own: starts worker.py, feeds it, and reads its progress and its result.

Each method has a process of its own, so that its memory is its own and no method profits from what another has loaded.
Each has one thread: every thread pool is limited to one. Nothing is written to disk.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from typing import IO, TYPE_CHECKING, Any, Final

import orjson

from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.measure import Progress
from neardup.evaluation.results import Result

if TYPE_CHECKING:
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.worker import Job

THREAD_POOLS: Final = (
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
_PIECE: Final = 1 << 20


def measure_in_subprocess(job: Job, on_progress: OnProgress) -> Result:
    """The result of `job`, from a process of its own; raises `MethodFailed` if the process ends without a result."""
    # -P: the working directory is the user's, and may have files named like modules.
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
            _feed(process.stdin, job)
            reply = _read_reply(process.stdout, on_progress)
        except BaseException:
            process.kill()  # otherwise it would go on working in vain
            raise
        process.wait()
        if "result" not in reply:
            reason = reply.get("error") or _reason_of_end(errors, process.returncode)
            raise MethodFailed(job.method, reason)
        return Result.from_dict(reply["result"])


def _feed(stdin: IO[bytes], job: Job) -> None:
    """Writes the job and its documents. Stops silently if the process has ended: `_reason_of_end` has the reason."""
    try:
        waiting = [orjson.dumps(job.to_dict()) + b"\n"]
        size = 0
        for row in job.corpus.rows():
            waiting.append(orjson.dumps(row) + b"\n")
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


def _read_reply(stdout: IO[bytes], on_progress: OnProgress) -> dict[str, Any]:
    """The last line that the process writes: a result or an error, or neither if it ends before that."""
    reply: dict[str, Any] = {}
    for line in stdout:
        if line.endswith(b"\n"):
            reply = orjson.loads(line)
            if "progress" in reply:
                on_progress(Progress(*reply["progress"]))
    return reply


def _reason_of_end(errors: IO[bytes], code: int) -> str:
    """Why a process has ended without a result or an error, as far as that can be known."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    if code < 0:
        return f"its process was ended by signal {-code}" + (" (out of memory?)" if code == -9 else "")
    return lines[-1] if lines else f"its process ended with exit code {code} and no message"
