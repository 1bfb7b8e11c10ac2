"""Every experiment one after the other, as `make bench` does; speed/scale.py is called again until it has finished.

Question   all of README.md. Corpus, seed, excluded: see each experiment.
Takes      minutes without --tiny, except for scale.py, which takes half an hour or more; --without speed.scale
           leaves it out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.lib import harness

ORDER = (
    "speed.startup", "speed.throughput", "speed.durable", "quality.exactness", "quality.kinds",
    "quality.generator_check", "quality.judged", "quality.calibrate", "quality.boilerplate",
    "speed.scale", "speed.floods", "speed.log_lines", "speed.trust", "speed.kinds_cost", "speed.threads",
    "speed.posting_lists", "speed.serving",
    "elastic.cluster", "elastic.cost", "elastic.search", "elastic.query", "elastic.kill",
    "papers.experiments",
)  # fmt: skip


def run(name: str, arguments: list[str]) -> int:
    """Runs one experiment in a process of its own; its exit code."""
    print(f"\n## {name}\n", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    return subprocess.run(command, env=harness.one_thread(), cwd=harness.ROOT, check=False).returncode


def main(arguments: list[str] | None = None) -> None:
    """Runs what is asked for; exits with 1 if an experiment failed, after the others."""
    parser = harness.options(__doc__)
    parser.add_argument("--only", nargs="+", choices=ORDER, default=list(ORDER))
    parser.add_argument("--without", nargs="+", choices=ORDER, default=[])
    args = parser.parse_args(arguments)
    passed = ["--data", str(args.data.resolve()), "--results", str(harness.results_of(args).resolve())]
    if args.tiny:
        passed.append("--tiny")
    failed = []
    for name in args.only:
        if name in args.without:
            continue
        more = []
        if name == "speed.scale" and not args.tiny:  # to the end in one run: nobody waits for parts here
            more = ["--part-seconds", "1e9", "--fresh", "--work", str(Path(tempfile.mkdtemp()) / "scale")]
        if run(name, [*passed, *more]):
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
