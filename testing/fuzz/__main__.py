"""Fuzzes every target, guided by coverage, one after the other:

    python -m testing.fuzz --minutes 60
    python -m testing.fuzz --minutes 5 csv mail

Interesting inputs are kept in `.fuzz/TARGET`, where the next run continues; an input that broke something is in
`.fuzz/found`. Needs atheris (`pip install '.[fuzz]'`). Prints a line per target, and exits with 1 if anything was
found.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from testing.fuzz.target import MOST_BYTES
from testing.fuzz.targets import ALL
from testing.memory import MEMORY

CORPUS = Path(__file__).parents[2] / ".fuzz"
LIMITS = ("-timeout=20", "-rss_limit_mb=2500", f"-max_len={MOST_BYTES}", "-print_final_stats=1")
_STAT_RE = re.compile(r"stat::(\w+):\s+(\d+)")


class Outcome(NamedTuple):
    """The result of one target; `found` is the end of its output when it broke."""

    executions: int
    seconds: float
    peak_megabytes: int
    found: str


def fuzz(name: str, seconds: int, corpus: Path) -> Outcome:
    """Runs one target for the given number of seconds, or until it finds something."""
    folder, found = corpus / name, corpus / "found"
    for each in (folder, found):
        each.mkdir(parents=True, exist_ok=True)
    for seed in ALL[name].seeds():
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    command = [sys.executable, "-m", "testing.fuzz.one", name, f"-max_total_time={seconds}", *LIMITS]
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as room,
        tempfile.TemporaryFile() as said,
    ):
        subprocess.run(
            [*command, f"-artifact_prefix={found}/{name}-", str(folder)],
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
            env={**os.environ, "TMPDIR": room},
        )
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    stats = {key: int(value) for key, value in _STAT_RE.findall(text)}
    broke = "" if "number_of_executed_units" in stats and "Test unit written" not in text else text[-4_000:]
    return Outcome(
        stats.get("number_of_executed_units", 0), time.monotonic() - begun, stats.get("peak_rss_mb", 0), broke
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(ALL))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    chosen = parser.parse_args()
    names = chosen.targets or list(ALL)
    outcomes: dict[str, Outcome] = {}
    for name in names:
        outcome = outcomes[name] = fuzz(name, max(1, round(60 * chosen.minutes / len(names))), chosen.corpus)
        print(
            f"{name:16} {outcome.executions:10,} executions {outcome.seconds:6.0f} s {outcome.peak_megabytes:5} MB"
            f"{'  FOUND' if outcome.found else ''}",
            flush=True,
        )
        if outcome.found:
            print(outcome.found, file=sys.stderr, flush=True)
    broken = [name for name, outcome in outcomes.items() if outcome.found]
    total = sum(outcome.executions for outcome in outcomes.values())
    minutes = sum(outcome.seconds for outcome in outcomes.values()) / 60
    print(
        f"{len(outcomes)} targets, {total:,} executions in {minutes:.0f} minutes; found: "
        f"{', '.join(broken) or 'nothing'}"
    )
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
