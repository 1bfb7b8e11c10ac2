"""Durable and still fast: a whole process from a gzip'd file to a directory and a file of verdicts.

Question   How many documents per second does `neardup ingest` make durable, against reading the same file and running
           rensa or FastSketchLSH over it in memory?
Corpus     passages20k.jsonl.gz, all of it.
Seed       none.
Excluded   nothing: the clock runs from the start of the process to its end, and includes starting Python, loading the
           kernels, decompressing and parsing.
           The file was read before, so it comes from the page cache.
Fairness   Processes alternate, every pool pinned to one thread. A peer's process keeps and writes nothing; it is
           `python -m benchmarks.lib.peers FILE NAME` and imports only numpy, orjson and the peer.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import corpora, engine, harness

if TYPE_CHECKING:
    from benchmarks.lib.harness import Took

PEERS = ("rensa", "rensa-bytes", "fastsketch")


def run_ours(source: Path, scratch: Path, number: int) -> Took:
    """One durable ingest of `source` into a new directory; checks that every document has its verdict."""
    window, verdicts = scratch / f"{number}.window", scratch / f"{number}.jsonl"
    command = engine.command("ingest", str(source), "--window", str(window), "--output", str(verdicts))
    took = harness.run_timed(command)
    with verdicts.open("rb") as lines:
        statuses = [json.loads(line)["status"] for line in lines]
    if "unscored" in statuses:
        msg = f"{statuses.count('unscored')} verdicts of {source.name} are unscored"
        raise AssertionError(msg)
    return took


def the_file(args: argparse.Namespace, scratch: Path) -> tuple[Path, int]:
    """The gzip'd file to read and how many documents it has."""
    if not args.tiny:
        path = args.data / "passages20k.jsonl.gz"
        return path, len(corpora.load(args.data, "passages20k"))
    corpus = corpora.generated("passages20k")
    plain = engine.write_jsonl(scratch / "tiny.jsonl", corpus)
    return harness.compressed(plain), len(corpus)


def measure(args: argparse.Namespace) -> tuple[int, dict[str, list[Took]]]:
    """Seconds of each process and round."""
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place)
        source, documents = the_file(args, scratch)
        warm = engine.write_jsonl(scratch / "warm.jsonl", corpora.generated("warm"))
        run_ours(warm, scratch, -1)
        times: dict[str, list[Took]] = {name: [] for name in ("neardup ingest", *args.peers)}
        for number in range(args.rounds):
            times["neardup ingest"].append(run_ours(source, scratch, number))
            for name in args.peers:
                command = [sys.executable, "-m", "benchmarks.lib.peers", str(source), name]
                times[name].append(harness.run_timed(command))
            print(
                {name: round(found[-1].wall, 2) for name, found in times.items()}, file=sys.stderr, flush=True
            )
    return documents, times


def report(documents: int, times: dict[str, list[Took]]) -> str:
    """One row per process; ratios within the same round."""
    rows = []
    for name, found in times.items():
        ratios = [other.wall / own.wall for own, other in zip(times["neardup ingest"], found, strict=True)]
        walls = [took.wall for took in found]
        shown = "" if name == "neardup ingest" else f"{min(ratios):.2f} ({statistics.median(ratios):.2f})"
        cpu = min(took.cpu for took in found)
        rows.append(
            [name, harness.low_and_middle(walls), f"{cpu:.2f}", f"{documents / min(walls):,.0f}", shown]
        )
    header = ["process", "s min (median)", "CPU s min", "docs/s", "neardup is faster by, min (median)"]
    return harness.table(header, rows)


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes durable.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    args = parser.parse_args(arguments)
    if args.tiny:
        args.rounds = 1
    documents, times = measure(args)
    print(report(documents, times))
    harness.save(args, "durable", {"documents": documents, "seconds": times})


if __name__ == "__main__":
    main()
