"""Start-up: how long until the command answers, the library is there, the first kernel has run?

Question   Wall time of `neardup --help`, of `import neardup`, and of the first signature and verdict.
Corpus     none.
Seed       none.
Excluded   installing, which compiles the kernels. The time of an empty Python is shown, not subtracted.
"""

from __future__ import annotations

import sys

from benchmarks.lib import engine, harness

_ONE = "import neardup; w = neardup.open(None); print(list(w.ingest([neardup.Document('1', 'some text')])))"
CASES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "neardup --help": engine.command("--help"),
    "import neardup": [sys.executable, "-c", "import neardup"],
    "neardup.sign of one text": [sys.executable, "-c", "import neardup; neardup.sign('some text')"],
    "neardup.open and one verdict": [sys.executable, "-c", _ONE],
}


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes startup.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args(arguments)
    if args.tiny:
        args.rounds = 2
    for command in CASES.values():
        harness.run_timed(command)
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(args.rounds):
        for name, command in CASES.items():
            times[name].append(1_000 * harness.run_timed(command).wall)
    rows = [[name, harness.low_and_middle(found)] for name, found in times.items()]
    print(harness.table(["", "ms min (median)"], rows))
    harness.save(args, "startup", {"milliseconds": times})


if __name__ == "__main__":
    main()
