"""Work that is counted instead of timed: the same number on every machine, however busy it is.

A step is a call in Python, or a basic block of a kernel. A call of numpy or of a regular expression is one step,
however long it takes: growth within it is not seen here.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src/neardup"
LEVEL: Final = "1"
"""The level that every processor has: only with it are the numbers the same everywhere."""

_COUNTER: Final = """
static unsigned long steps;
void __sanitizer_cov_trace_pc(void) { steps++; }
unsigned long steps_taken(void) { return steps; }
"""

sys.path.insert(0, str(ROOT / "native"))
import compile_kernels  # noqa: E402 - it is beside the package, and pip runs it alone


class StepCounter:
    """Counts the steps of expressions in a separate process, with kernels compiled for counting."""

    def __init__(self, place: Path) -> None:
        """Compiles the kernels in the directory `place`, in about two seconds. Skips the test without a compiler."""
        command = compile_kernels.compiler()
        if command is None:
            pytest.skip("no C compiler is here, which kernels that are counted need")
        self._place = place
        libraries = place / "neardup/kernels/lib"
        shutil.copytree(PACKAGE, place / "neardup", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        libraries.mkdir(exist_ok=True)
        (place / "counter.c").write_text(_COUNTER)
        counter = [*command, "-shared", "-fPIC", str(place / "counter.c"), "-o", str(place / "counter.so")]
        subprocess.run(counter, check=True)
        flags = [flag for flag in compile_kernels.FLAGS if flag != "-O3"]
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(compile_kernels, "FLAGS", [*flags, "-O1", "-fsanitize-coverage=trace-pc"])
            compile_kernels.compile_level(command, int(LEVEL), libraries / f"kernels-{LEVEL}.so")

    def __call__(self, preparation: str, *expressions: str) -> list[int]:
        """How many steps each of the expressions takes, one after the other, after the statements."""
        environment = os.environ | {
            "NEARDUP_CPU_LEVEL": LEVEL,
            "PYTHONPATH": f"{self._place}{os.pathsep}{ROOT}",
        }
        command = [sys.executable, "-m", "testing.steps", str(self._place / "counter.so")]
        asked = orjson.dumps([preparation, *expressions])
        done = subprocess.run(command, input=asked, capture_output=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr.decode()
        steps: list[int] = orjson.loads(done.stdout)
        return steps


def _counted(counter: Any, expression: str, names: dict[str, Any]) -> int:
    calls = 0

    def count(_frame: object, event: str, _given: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    code = compile(expression, "<counted>", "eval")
    before = counter.steps_taken()
    sys.setprofile(count)
    try:
        eval(code, names)
    finally:
        sys.setprofile(None)
    return calls + int(counter.steps_taken() - before)


def main() -> None:
    """Reads statements and expressions from standard input, and writes the steps of the expressions."""
    preparation, *expressions = orjson.loads(sys.stdin.buffer.read())
    counter = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)  # the kernels find it when they are loaded
    counter.steps_taken.restype = ctypes.c_ulong
    names: dict[str, Any] = {}
    exec(preparation, names)
    sys.stdout.buffer.write(orjson.dumps([_counted(counter, each, names) for each in expressions]))


if __name__ == "__main__":
    main()
