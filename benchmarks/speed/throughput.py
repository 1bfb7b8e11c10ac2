"""Speed in process: sign + search + verify + insert, beside the fastest MinHash libraries.

Question   How many documents per second do neardup, rensa and gaoya decide, in the same run and on one thread? How good
           are their answers? What does a full signature cost beyond the parts that a decision needs?
Corpus     passages20k (23,954 passages of about 4 KB, every pair of doc_q >= 0.7 known), all of it, in memory.
Seed       none: the corpus is fixed; rensa's permutations have seed 42.
Excluded   loading, decompressing and parsing (durable.py has them), starting Python, compiling, a warm-up of 200
           documents in a separate index, building lexicons. Included: normal form (the peers get theirs from numpy).
Fairness   One process per contender and round, contenders alternate (A B C A B C), every pool pinned to one thread.
           "rensa" gets str 4-grams as in its README; "rensa-bytes" tokens cut by numpy, its fastest way that names the
           earlier document; "rensa-flags" hashes by numpy, for yes or no only.
Lexicons   "sketch" uses the default lexicon (books, manuals: nothing of this corpus). "sketch-own-N" uses one built
           from the first N documents of this corpus, copies included, as a user with an archive would.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.lib import corpora, harness, measured_process

PEERS = ("rensa", "rensa-bytes", "rensa-flags", "gaoya", "fastsketch")
ALL = (*PEERS, *measured_process.ENGINE, *measured_process.SIGNING)
Rounds = dict[str, list[dict[str, Any]]]


def measure(args: argparse.Namespace, names: list[str], lexicons: dict[str, Path]) -> Rounds:
    """`args.rounds` rounds of every contender, in alternation."""
    rounds: Rounds = {name: [] for name in names}
    for number in range(args.rounds):
        for name in names:
            got = _figures(args, name, lexicons.get(name))
            got["us"] = 1e6 * got["seconds"] / got["documents"]
            got["cpu_us"] = 1e6 * got["cpu_seconds"] / got["documents"]
            rounds[name].append(got)
            print(f"round {number + 1}: {name}: {got['us']:.1f} us/doc", flush=True)
    return rounds


def _figures(args: argparse.Namespace, name: str, lexicon: Path | None) -> dict[str, Any]:
    """One run of a contender, in a process of its own; of the tiny corpus in this one."""
    if args.tiny:
        return measured_process.measure(name, args.data, lexicon, tiny=True)
    figures: dict[str, Any]
    figures = harness.run_module("benchmarks.lib.measured_process", name, str(args.data), str(lexicon or ""))
    return figures


def build_lexicons(args: argparse.Namespace, names: list[str], scratch: Path) -> dict[str, Path]:
    """The own lexicons that the chosen contenders need."""
    from benchmarks.lib import engine

    needed = {name: size for name, size in measured_process.OWN.items() if name in names}
    if not needed:
        return {}
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    return {
        name: engine.own_lexicon(corpus, size, scratch / f"{name}.lexicon") for name, size in needed.items()
    }


def times_faster(rounds: Rounds, slow: str, fast: str) -> list[float]:
    """How many times faster `fast` was than `slow`, in each round."""
    return [one["us"] / other["us"] for one, other in zip(rounds[slow], rounds[fast], strict=True)]


def signature_ratios(rounds: Rounds) -> str:
    """How much more the whole signature costs than the part for the decision, in each round."""
    if not {"sign-decision", "sign-fields", "sign"} <= rounds.keys():
        return ""
    rows = []
    for name in ("sign-fields", "sign"):
        ratios = times_faster(rounds, name, "sign-decision")
        rows.append([name, f"{max(ratios):.2f} ({statistics.median(ratios):.2f})"])
    return "\n" + harness.table(["signature", "x sign-decision, max (median)"], rows)


def report(rounds: Rounds) -> str:
    """The contenders in one table; ratios are of the same round, smallest and middle."""
    rows = []
    for name, runs in rounds.items():
        speeds = [run["us"] for run in runs]
        cells = [name, harness.low_and_middle(speeds), f"{min(run['cpu_us'] for run in runs):.1f}"]
        cells.append(f"{1e6 / min(speeds):,.0f}")
        for peer in ("rensa", "gaoya"):
            if peer not in rounds or name == peer or name in measured_process.SIGNING:
                cells.append("")
            else:
                ratios = times_faster(rounds, peer, name)
                cells.append(f"{min(ratios):.2f} ({statistics.median(ratios):.2f})")
        if name in measured_process.SIGNING:
            cells += ["", "", "", ""]
        else:
            cells += [f"{runs[0][key]:.5f}" for key in ("precision", "recall", "f1")]
            cells.append(f"{max(run['grown_mb'] for run in runs):,.0f}")
        rows.append(cells)
    header = [
        "contender", "us/doc min (median)", "CPU us/doc min", "docs/s", "x rensa min (median)", "x gaoya min (median)",
        "precision", "recall", "F1", "MB grown",
    ]  # fmt: skip
    return harness.table(header, rows)


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes throughput.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--only", nargs="+", choices=ALL, default=list(ALL), metavar="NAME", help=", ".join(ALL)
    )
    args = parser.parse_args(arguments)
    if args.tiny:
        args.rounds = 1
    with tempfile.TemporaryDirectory() as scratch:
        rounds = measure(args, args.only, build_lexicons(args, args.only, Path(scratch)))
    print(report(rounds) + signature_ratios(rounds))
    harness.save(args, "throughput", rounds)


if __name__ == "__main__":
    main()
