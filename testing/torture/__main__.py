"""Repeatedly does things at random to windows that must not harm them, and reports the results.

    python -m testing.torture                                    both engines, 20 rounds a kind, at most 60 minutes
    python -m testing.torture --engine directory --kinds kill-writer,full-disk --rounds 100
    python -m testing.torture --results torture.jsonl --write-table    runs nothing, writes the tables of a run before

If both engines are tried, a separate process tries one of them at the same time. This needs a JDK and Maven; without
them only the directory is tried, and the last line says so. The exit code is 1 if there was a violation; the folder of
each round with a violation is kept.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from testing.node.java import Missing, distribution, find_jdk, find_maven
from testing.node.servers import chosen
from testing.torture.kinds import ENGINES
from testing.torture.nodes import new_nodes
from testing.torture.page import write_tables
from testing.torture.registry import ALL
from testing.torture.rounds import Result, run_rounds, totals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from testing.torture.kinds import Engine, Kind


SHOWN: Final = 700
"""Characters of the beginning and the end of a violation that are shown; the file of results has all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the chosen kinds; returns the exit code."""
    options = _parser().parse_args(arguments)
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # as for a background job: processes would not be interrupted
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.results:
        results = [Result.of_json(line) for line in options.results.read_bytes().splitlines()]
        left_out = None
    else:
        engines, left_out = _engines(options.engine)
        results = list(_run(_chosen(options.kinds, engines), options))
    _print_totals(results)
    if options.write_table:
        write_tables(results)
    if left_out is not None:
        print(f"Elasticsearch was NOT tried: {left_out}")
    return int(any(result.violations for result in results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--rounds", type=int, default=20, help="of every kind, at most")
    parser.add_argument("--minutes", type=float, default=60, help="in all, at most")
    parser.add_argument("--kinds", help="names with commas between them; default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="number of the first round")
    parser.add_argument("--out", type=Path, help="a line of JSON a round goes here")
    parser.add_argument("--results", type=Path, help="take what such a file says, and run nothing")
    parser.add_argument("--write-table", action="store_true", help="write the tables of docs/reliability.md")
    return parser


def _engines(name: str) -> tuple[list[Engine], str | None]:
    """The engines to try, and the reason if Elasticsearch is left out."""
    wanted = [engine for engine in ENGINES if name in (engine, "both")]
    if "elasticsearch" in wanted:
        try:
            find_maven()
            find_jdk()
            distribution(chosen())
        except Missing as missing:
            if name == "elasticsearch" or os.environ.get("NEARDUP_REQUIRE_NODE"):
                sys.exit(f"Elasticsearch cannot be tried: {missing}")
            return ["directory"], str(missing)
    return wanted, None


def _chosen(names: str | None, engines: list[Engine]) -> list[Kind]:
    kinds = [kind for kind in ALL if kind.engine in engines]
    if names is None:
        return kinds
    wanted = names.split(",")
    if unknown := set(wanted) - {kind.name for kind in kinds}:
        sys.exit(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(kind.name for kind in kinds)}")
    return [kind for kind in kinds if kind.name in wanted]


def _run(kinds: list[Kind], options: argparse.Namespace) -> Iterator[Result]:
    """The results, each printed and written as it arrives; those of one engine follow those of the other, although
    both are tried at the same time.
    """
    beside = [kind for kind in kinds if kind.engine == ENGINES[0]]
    if len(beside) in (0, len(kinds)):
        beside = []
    with ExitStack() as stack:
        out = stack.enter_context(options.out.open("wb")) if options.out else None
        other = stack.enter_context(_beside(beside, options)) if beside else iter(())
        for result in chain(_run_here([kind for kind in kinds if kind not in beside], options), other):
            if out is not None:
                out.write(result.to_json() + b"\n")
                out.flush()
            yield result


def _run_here(kinds: list[Kind], options: argparse.Namespace) -> Iterator[Result]:
    end = time.monotonic() + 60 * options.minutes
    room = Path(tempfile.mkdtemp(prefix="neardup-torture-"))
    numbers = range(options.first, options.first + options.rounds)
    with ExitStack() as stack:
        nodes = None
        if any(kind.engine == "elasticsearch" for kind in kinds):
            nodes = stack.enter_context(new_nodes())
        for result in run_rounds(kinds, numbers, options.seed, room, nodes, end):
            if result.violations:
                _tell(result)
            yield result
    if not any(room.iterdir()):
        room.rmdir()


@contextmanager
def _beside(kinds: list[Kind], options: argparse.Namespace) -> Iterator[Iterator[Result]]:
    """Another process tries these kinds meanwhile; returns their results when it has ended."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "results.jsonl"
        words = [
            "--engine",
            kinds[0].engine,
            "--kinds",
            ",".join(kind.name for kind in kinds),
            "--out",
            str(out),
        ]
        for name in ("rounds", "minutes", "seed", "first"):
            words += [f"--{name}", str(getattr(options, name))]
        process = subprocess.Popen(
            [sys.executable, "-m", "testing.torture", *words], stdout=subprocess.DEVNULL
        )

        def results() -> Iterator[Result]:
            if process.wait() not in (0, 1):
                raise RuntimeError(
                    f"the process that tries {kinds[0].engine} has ended with {process.returncode}"
                )
            yield from map(Result.of_json, out.read_bytes().splitlines())

        try:
            yield results()
        finally:
            process.terminate()
            process.wait()


def _tell(result: Result) -> None:
    print(f"VIOLATION in {result.kind}, round {result.number}; its folder: {result.place}", file=sys.stderr)
    for violation in result.violations:
        is_long = len(violation) > 2 * SHOWN
        shown = f"{violation[:SHOWN]} ... {violation[-SHOWN:]}" if is_long else violation
        print(f"    {shown}", file=sys.stderr)
    print(f"    repeat it: {result.repeat}", file=sys.stderr, flush=True)


def _print_totals(results: list[Result]) -> None:
    for (engine, kind), total in totals(results).items():
        seen = ", ".join(f"{what} {times:,}" for what, times in sorted(total.counts.items()))
        print(
            f"{engine:13}  {kind:28}  {total.rounds:4} rounds  {total.seconds:7.1f} s  "
            f"{total.violating} violated  {seen}"
        )
    violating = sum(bool(result.violations) for result in results)
    print(f"{len(results):,} rounds, {violating} with violations")


if __name__ == "__main__":
    logging.getLogger("neardup").setLevel(logging.ERROR)  # no warnings of budgets reached or low thresholds
    sys.exit(main())
