"""Shared by all experiments: options, one thread per process, figures as Markdown, results with their origin."""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import importlib.metadata
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from neardup.evaluation.formatting import markdown_table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
DATA = Path(os.environ.get("NEARDUP_DATA", ROOT.parent / "shared" / "data"))
PACKAGES = (
    "neardup",
    "numpy",
    "numba",
    "xxhash",
    "orjson",
    "elasticsearch",
    "rensa",
    "gaoya",
    "datasketch",
    "snowballstemmer",
)
THREAD_POOLS = (
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)


def options(header: str | None) -> argparse.ArgumentParser:
    """A parser with the options that every experiment has; `header` is its module's docstring."""
    parser = argparse.ArgumentParser(
        description=header, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument(
        "--data", type=Path, default=DATA, help="directory of the corpora (default: $NEARDUP_DATA)"
    )
    parser.add_argument("--results", type=Path, help="where the JSON goes (default: benchmarks/results)")
    parser.add_argument("--tiny", action="store_true", help="seconds on generated data; no corpus needed")
    return parser


def results_of(args: argparse.Namespace) -> Path:
    """The directory for result files, made if missing; a tiny run never overwrites real figures."""
    chosen: Path | None = args.results
    if chosen is None:
        chosen = Path(tempfile.gettempdir()) / "neardup-bench-tiny" if args.tiny else RESULTS
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


def one_thread() -> dict[str, str]:
    """The environment of a measured process: every pool pinned to one thread, this project importable, and bytecode
    kept, so that modules are not compiled at every start, as with an installed package.
    """
    pinned = os.environ | dict.fromkeys(THREAD_POOLS, "1")
    pinned.pop("PYTHONDONTWRITEBYTECODE", None)
    pinned["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return pinned


def run_module(module: str, *arguments: str) -> Any:
    """The JSON that `python -m module arguments` prints as its last line, in a separate process.

    Its standard error is written to ours. Raises CalledProcessError if it fails, so that no figure is missing unseen.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, env=one_thread(), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


class Took(NamedTuple):
    """Seconds of wall time and of processor time: the latter is what the former would be on an idle machine."""

    wall: float
    cpu: float


class Clock:
    """Started when made; `took()` returns the time since then, in this process."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def took(self) -> Took:
        """Seconds since the clock was made."""
        return Took(time.perf_counter() - self._wall, time.process_time() - self._cpu)


def run_timed(command: list[str]) -> Took:
    """The time of one process from its start to its end; raises if it fails. Its standard output is discarded."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, env=one_thread(), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def compressed(path: Path) -> Path:
    """`path` gzip'd beside itself."""
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def peak_mb() -> float:
    """Largest resident memory of this process so far, in MB (10^6 bytes), pages of mapped files included."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def low_and_middle(values: Sequence[float]) -> str:
    """`min (median)`: compare the minimum; the median shows the noise."""
    return f"{min(values):,.2f} ({statistics.median(values):,.2f})"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table that ends its last line."""
    return markdown_table(header, rows, figures=False) + "\n"


def origin() -> dict[str, Any]:
    """Commit, machine and versions, which are needed to compare one figure with another."""
    return {
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "load": [round(load, 2) for load in os.getloadavg()],
        },
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def save(args: argparse.Namespace, name: str, figures: Any) -> Path:
    """Writes `<results>/<name>.json`: the figures to six digits, the options of the run, and their origin."""
    path = results_of(args) / f"{name}.json"
    # paths describe this machine, not what was measured
    options = {key: value for key, value in vars(args).items() if not isinstance(value, Path)}
    document = {"experiment": name, "options": options, "origin": origin(), "figures": _rounded(figures)}
    text = json.dumps(document, indent=1, default=str)
    # a list or object that contains no other is written on one line, such as a curve of numbers
    path.write_text(_INNERMOST.sub(lambda one: _BREAK.sub(" ", one[0]), text) + "\n", encoding="utf-8")
    return path


_INNERMOST = re.compile(r"\[[^][{}]*\]|\{[^][{}]*\}")
_BREAK = re.compile(r"\n *")


def figures_of(path: Path) -> Any:
    """The figures that `save` wrote, as plain values: keys that were numbers are now strings."""
    return json.loads(path.read_text(encoding="utf-8"))["figures"]


def show(tables: Callable[[Any], dict[str, str]], path: Path) -> None:
    """Prints the tables of the figures in a file, exactly as the documents contain them."""
    print("\n".join(tables(figures_of(path)).values()))


def _rounded(figures: Any) -> Any:
    if isinstance(figures, float):
        return float(f"{figures:.6g}")
    if isinstance(figures, dict):
        return {key: _rounded(value) for key, value in figures.items()}
    return [_rounded(value) for value in figures] if isinstance(figures, list | tuple) else figures


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "none"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor()
    wanted = ("model name", "cpu family", "model", "cache size")
    facts = dict(line.split(":", 1) for line in info.read_text().splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in facts.items()}
    return ", ".join(f"{key} {fields[key]}" for key in wanted if key in fields)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
