"""Scale: how does the time of one document grow with the window, up to a million documents of 4 KB?

Question   Time per document at 24,000 to 1,000,000 documents in one window for `sketch`, and up to the size that fits
           for `complete`; recall on known copies; resident memory; reopening against ingesting.
Corpus     Generated (stream.py) from the word statistics of passages20k's first 4,000 originals: real q-gram
           frequencies without the text. A tenth are copies of any earlier document with 1 to 25 % of their words
           edited; the exact doc_q of each with its original is counted. generator_check.py compares it with real text.
Seed       20261121.
Excluded   generating (a separate process, which waits while the engine works), starting Python, compiling kernels.
           Included: everything that `ingest` does for a durable directory, verdicts with all matches.
Window     24 hours, the documents spread evenly over them: 25 hourly indices at the end, nothing expired.
Memory     The host of a virtual machine may give it memory page by page on first use (11 us for 4 KB where this was
           written, 0.7 us once it is there), and take free memory back. Then a document of a large window pays for the
           page of the system's cache to which it is written. `--fill 16` writes this many GB first, as if the machine
           had been at work for a while; the file stays until the end.
Parts      Stops after --part-seconds and continues when called again; `--work` keeps the state, 5 GB at the end.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.lib import corpora, harness, stream, wordmodel

SIZES = (24_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000)
TINY_SIZES = (1_000, 2_000)
LEVELS = ("sketch", "complete")
OTHER_ROWS = (
    "recall on known copies", "copies whose `shared` is wrong", "verdicts cut off", "peak resident MB",
    "of it the process's own at the end",
    "directory MB", "ingest s", "reopen s", "reopen / ingest",
)  # fmt: skip


def plan_of(args: argparse.Namespace, level: str) -> dict[str, Any]:
    """Everything that a part of the run of one level needs to know."""
    work = args.work / level
    work.mkdir(parents=True, exist_ok=True)
    documents = args.documents if level == "sketch" else args.complete_documents
    return {
        "level": level, "documents": documents, "hours": args.hours, "seed": args.seed,
        "part_seconds": args.part_seconds, "model": str(args.work / "model.npz"),
        "window": str(work / "stream.window"), "progress": str(work / "progress.json"),
        "lexicon": str(args.lexicon.resolve()) if args.lexicon else "",
    }  # fmt: skip


def build_model(args: argparse.Namespace) -> None:
    """Makes the model once per work directory."""
    path = args.work / "model.npz"
    if not path.exists():
        originals = corpora.load(args.data, "passages20k", tiny=args.tiny).originals()
        wordmodel.save(wordmodel.build(originals[: args.sample]), path)


def fill_memory(path: Path, gigabytes: int) -> None:
    """Writes a file of this many gigabytes, unless it is there: the system caches it while memory is free."""
    block = bytes(1 << 20)
    if not path.exists():
        with path.open("wb") as file:
            for _ in range(gigabytes << 10):
                file.write(block)


def run_level(args: argparse.Namespace, level: str) -> dict[str, Any] | None:
    """The figures of one level; None if there is more to ingest."""
    plan = plan_of(args, level)
    path = args.work / level / "plan.json"
    path.write_text(json.dumps(plan))
    notes = Path(plan["progress"])
    known = json.loads(notes.read_text())["next"] if notes.exists() else 0
    if known < plan["documents"]:
        known = harness.run_module("benchmarks.speed.scale_part", "ingest", str(path))["next"]
    if known < plan["documents"]:
        print(f"{level}: {known:,} of {plan['documents']:,} documents; call again to go on", file=sys.stderr)
        return None
    again = [
        harness.run_module("benchmarks.speed.scale_part", "reopen", str(path))
        for _ in range(1 if args.tiny else 3)
    ]
    size = sum(file.stat().st_size for file in Path(plan["window"]).rglob("*") if file.is_file())
    return figures_of(json.loads(notes.read_text()), again, size, TINY_SIZES if args.tiny else SIZES)


def figures_of(
    progress: dict[str, Any], again: list[dict[str, float]], size: int, sizes: tuple[int, ...]
) -> dict[str, Any]:
    """The figures of a finished run. Time per document at a size is that of the last 10,000 before it, for sizes above
    200,000 that of the last twentieth, for small sizes that of the second half: with fewer, a hiccup would decide.
    """
    steps = progress["steps"]
    at_size = {}
    for wanted in sizes:
        span = max(min(wanted // 20, 25_000), min(10_000, wanted // 2))
        near = [one for one in _rates(steps) if wanted - span < one[0] <= wanted]
        if wanted <= progress["next"] and near:
            speeds = [us for _, us, _, _ in near]
            at_size[wanted] = {
                "us_min": min(speeds), "us_median": statistics.median(speeds),
                "cpu_us_median": statistics.median(cpu for *_, cpu in near),
                "candidates": statistics.mean(candidates for _, _, candidates, _ in near),
            }  # fmt: skip
    seconds = sum(one[1] for one in steps)
    return {
        "documents": progress["next"], "at": at_size, "ingest_seconds": seconds, "steps": _joined(steps),
        "copies": progress["copies"], "found": progress["found"], "miscounted": progress["miscounted"],
        "recall": progress["found"] / progress["copies"] if progress["copies"] else None,
        "matches": progress["matches"], "truncated": progress["truncated"],
        "peak_mb": max(peak for _, peak, _ in progress["peak_mb"]), "resident_mb": progress["peak_mb"][-1][2],
        "parts": len(progress["opened"]),
        "reopen": again, "reopen_share": min(one["open_seconds"] for one in again) / seconds,
        "directory_mb": size / 1e6,
    }  # fmt: skip


def _joined(steps: list[list[float]]) -> list[list[float]]:
    """At most a thousand steps, each made of consecutive ones: enough for a chart."""
    each = -(-len(steps) // 1_000)
    parts = [steps[at : at + each] for at in range(0, len(steps), each)]
    return [[part[-1][0], *(sum(step[which] for step in part) for which in (1, 2, 3))] for part in parts]


def _rates(steps: list[list[float]]) -> list[tuple[int, float, float, float]]:
    """(window size, us, candidates, us of processor time), each per document, of every step."""
    rates = []
    before = 0.0
    for last, seconds, candidates, cpu_seconds in steps:
        count = last - before
        rates.append((int(last), 1e6 * seconds / count, candidates / count, 1e6 * cpu_seconds / count))
        before = last
    return rates


def report(levels: dict[str, dict[str, Any]]) -> str:
    """Time per document by size, then the other figures, one column per level."""
    sizes = sorted({size for one in levels.values() for size in one["at"]})
    rows: list[list[object]] = []
    for size in sizes:
        cells = [one["at"].get(size) for one in levels.values()]
        shown = [f"{cell['us_min']:.1f} ({cell['us_median']:.1f})" if cell else "" for cell in cells]
        rows.append([f"us/doc at {size:,}, min (median)", *shown])
        spent = [f"{cell['cpu_us_median']:.1f}" if cell else "" for cell in cells]
        rows.append([f"CPU us/doc at {size:,}, median", *spent])
    rows.append(["growth, first to last size (median)", *(_growth(one) for one in levels.values())])
    rows += [[name, *(_shown(one)[at] for one in levels.values())] for at, name in enumerate(OTHER_ROWS)]
    return harness.table(["", *levels], rows)


def _shown(one: dict[str, Any]) -> list[str]:
    """The cells of OTHER_ROWS for one level."""
    return [
        f"{one['found']} of {one['copies']}",
        f"{one['miscounted']}",
        f"{one['truncated']}",
        f"{one['peak_mb']:,.0f}",
        f"{one['resident_mb'].get('RssAnon', 0):,.0f}",
        f"{one['directory_mb']:,.0f}",
        f"{one['ingest_seconds']:,.1f}",
        f"{min(again['open_seconds'] for again in one['reopen']):.3f}",
        f"1/{1 / one['reopen_share']:,.0f}",
    ]


def _growth(one: dict[str, Any]) -> str:
    medians = [cell["us_median"] for _, cell in sorted(one["at"].items())]
    return f"{medians[-1] / medians[0]:.2f}" if medians else ""


def main(arguments: list[str] | None = None) -> None:
    """Runs one part of each level; when all are finished, prints the table, writes scale.json and the chart."""
    parser = harness.options(__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "neardup-scale")
    parser.add_argument("--fresh", action="store_true", help="begin anew: empty the work directory")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--complete-documents", type=int, default=100_000)
    parser.add_argument("--hours", type=int, default=24, help="hours that all documents are spread over")
    parser.add_argument("--part-seconds", type=float, default=480)
    parser.add_argument("--fill", type=int, default=0, help="GB of memory to be there before (see above)")
    parser.add_argument("--seed", type=int, default=stream.SEED)
    parser.add_argument(
        "--sample", type=int, default=wordmodel.SAMPLE, help="documents the model is built from"
    )
    parser.add_argument("--lexicon", type=Path, help="a lexicon other than the default one")
    args = parser.parse_args(arguments)
    if args.tiny:
        args.documents = args.complete_documents = TINY_SIZES[-1]
        args.work = Path(tempfile.mkdtemp(prefix="neardup-scale-tiny-"))
    if args.fresh or args.tiny:
        shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True, exist_ok=True)
    build_model(args)
    filled = args.work / "filled"
    fill_memory(filled, args.fill)
    levels = {level: run_level(args, level) for level in args.levels}
    done = {level: figures for level, figures in levels.items() if figures is not None}
    if len(done) == len(levels):
        filled.unlink()
        print(report(done))
        harness.save(args, "scale", done)
        draw(args, done)
    if args.tiny:
        shutil.rmtree(args.work)


def draw(args: argparse.Namespace, levels: dict[str, dict[str, Any]]) -> None:
    """Writes scale.svg, if matplotlib is there."""
    try:
        from benchmarks.lib import chart
    except ModuleNotFoundError as error:
        print(f"no chart: {error}", file=sys.stderr)
        return
    series = {level: [(size, us) for size, us, _, _ in _rates(one["steps"])] for level, one in levels.items()}
    chart.window_growth(series, harness.results_of(args) / "scale.svg")


if __name__ == "__main__":
    main()
