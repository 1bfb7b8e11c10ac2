"""Floods: what do thousands of copies of one text or one template cost, and how do they slow down other documents?

Question   1. Ordinary documents: how much longer does one take while a flood is in the window? At most 1.2 times.
           2. Copies: how much longer does one of the flood take than an ordinary document? At most 5 times.
           3. How much memory, and how many bytes of verdicts and of window, does a flood need?
Corpus     N ordinary texts: stretches of passages20k.jsonl.gz (its originals) of --text-length characters; generated
           prose if that is not there. Floods of N (flood_texts.py), each separately: `copies`, one text N times;
           `numbers`, `names`, `mix`, one template filled N times, any two with doc_q >= 0.7 (the lowest of 300 drawn
           pairs is reported; below 0.7 is an error); `campaigns`, N / 4 templates filled 20 times each.
Seed       20261122: fillings, shuffle of flood among ordinary texts, pairs checked.
Measured   One process per kind of flood. Three streams, evenly over the 25 hours of a window: ordinary (O), ordinary
           and flood shuffled (OF), flood alone (F); seconds of each divided by its documents. Then, with both windows
           full, batches of 256 of one sort in the last hour, in turn: new ordinary documents into O, the same into OF,
           new copies into OF. `ordinary` = median batch of ordinary documents into OF / into O. `copy` = median batch
           of copies into OF / of ordinary documents into O. Documents are processed in batches, so only batches of one
           sort show the cost of a document. A flood also makes a window larger: `beside as many` = median batch of
           ordinary documents into OF / into a window of the ordinary texts and as many others as the flood has (words
           of two ordinary texts in random order). `copy by streams` = (OF - O) / copies against O / ordinary documents.
           Seconds are processor time of this process; with a cluster, whose node is another process, wall time.
Told       How many of the flood were marked as copies, how many verdicts are truncated. Peak: the most resident memory
           of O, and of OF, each in a separate process, above that of its texts and kernels; `held`: at its end; `own`:
           the part that the window reports as its own (not with a cluster). Verdicts: bytes of all JSON lines of OF;
           window: its directory or indices.
Excluded   Making the texts, loading kernels (a small window before), starting a node, making indices.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neardup
from benchmarks.lib import engine, harness
from benchmarks.speed import flood_texts
from benchmarks.speed.flood_texts import CAMPAIGN, KINDS, SEED, Flood
from neardup.evaluation import memory
from neardup.index import freed_memory
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from neardup.window.base import Window

HOURS = 25
LAST_MS = engine.FIRST_MS + HOURS * HOUR_MS - 1
BATCH = 256
STREAMS = ("without", "with")
ENGINES = ("memory", "directory", "elasticsearch")


@dataclass
class Spent:
    """The time and verdicts of some documents; `flood` counts only those of the flood."""

    documents: int = 0
    seconds: float = 0.0
    flood: int = 0
    flood_copies: int = 0
    truncated: int = 0
    verdict_bytes: int = 0

    @property
    def each(self) -> float:
        """Microseconds a document."""
        return 1e6 * self.seconds / max(self.documents, 1)


class Bench:
    """One flood against the ordinary texts, on one kind of engine."""

    def __init__(self, args: argparse.Namespace, kind: str) -> None:
        self.args, self.kind = args, kind
        self.seconds = time.perf_counter if _is_cluster(args.engine) else time.process_time
        count, probes = args.copies, args.rounds * BATCH
        texts = flood_texts.ordinary(args.data, args.text_length, tiny=args.tiny)
        bases = list(islice(texts, max(count // 4, 1) if kind == "campaigns" else 1))
        self.ordinary = list(islice(texts, count + probes))
        copies = CAMPAIGN * len(bases) if kind == "campaigns" else count
        self.flood = Flood(kind, bases)
        self.copies = [self.flood.text(number) for number in range(copies + probes)]
        self.ordinary, self.new = self.ordinary[: -probes or None], self.ordinary[-probes:]
        self.copies, self.new_copies = self.copies[:copies], self.copies[copies:]

    def figures(self) -> dict[str, Any]:
        """All figures of this flood."""
        lowest = self.flood.lowest(len(self.copies))
        if lowest < 0.7:
            msg = f"flood {self.kind}: two copies have doc_q {lowest:.3f}, below 0.7"
            raise AssertionError(msg)
        ordinary, copies, mixed = self._streams()
        with self._window("flood") as (window, _):
            alone = self._streamed(window, copies)
        with ExitStack() as both:
            without, _ = both.enter_context(self._window("without"))
            first = self._streamed(without, ordinary)
            filled, _ = both.enter_context(self._window("filled"))
            self._streamed(filled, ordinary + _named("x", self._fillers()))
            flooded, size = both.enter_context(self._window("with"))
            second = self._streamed(flooded, mixed)
            window_bytes = size()
            batches = self._batches(without, filled, flooded)
        return self._told(lowest, alone, first, second, batches) | {
            "window_mb": window_bytes / 1e6, "verdicts_mb": second.verdict_bytes / 1e6,
        }  # fmt: skip

    def _streams(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[str, str]]]:
        """The ordinary texts, the flood, and both shuffled."""
        ordinary, copies = _named("o", self.ordinary), _named("f", self.copies)
        mixed = ordinary + copies
        random.Random(SEED).shuffle(mixed)
        return ordinary, copies, mixed

    def memory(self, stream: str) -> dict[str, float]:
        """The memory of one stream in a process that has done nothing else, above that of its texts and kernels.

        The peak; the memory held once that of the last batch is free; and the part of it that the window reports for
        its posting lists, crowds and rows.
        """
        ordinary, _, mixed = self._streams()
        documents = _documents(ordinary if stream == "without" else mixed)
        _give_back()
        memory.forget_peak()
        before = memory.resident_bytes() or 0
        with self._window(stream) as (window, _):
            self._ingested(window, documents)
            peak = (memory.peak_bytes() or 0) - before
            _give_back()
            held, own = (memory.resident_bytes() or 0) - before, window.stats().memory_bytes
        told = {"peak_mb": peak, "held_mb": held, "own_mb": own}
        return {f"{name}_{stream}": value / 1e6 for name, value in told.items()}

    def _told(
        self, lowest: float, alone: Spent, first: Spent, second: Spent, batches: dict[str, list[float]]
    ) -> dict[str, Any]:
        middle = {name: statistics.median(each) for name, each in batches.items()}
        extra = 1e6 * (second.seconds - first.seconds) / len(self.copies)
        return {
            "kind": self.kind, "made_of": flood_texts.source(self.args.data, tiny=self.args.tiny),
            "ordinary_documents": len(self.ordinary), "copies": len(self.copies),
            "lowest_doc_q": lowest, "marked_as_copies": second.flood_copies, "truncated": second.truncated,
            "us_ordinary_stream": first.each, "us_mixed_stream": second.each, "us_flood_stream": alone.each,
            "us_copy_by_streams": extra, "copy_by_streams": extra / first.each,
            "us_batches": batches,
            "us_ordinary_without": middle["without"], "us_ordinary_with": middle["with"], "us_copy": middle["copies"],
            "us_ordinary_filled": middle["filled"], "beside_as_many": middle["with"] / middle["filled"],
            "ordinary": middle["with"] / middle["without"], "copy": middle["copies"] / middle["without"],
        }  # fmt: skip

    def _fillers(self) -> list[str]:
        """As many texts as the flood has, no two alike: words of two ordinary ones, in random order."""
        rng = random.Random(SEED)
        words = [text.split() for text in self.ordinary]
        pairs = ((rng.choice(words), rng.choice(words)) for _ in self.copies)
        return [" ".join(rng.sample(one + other, (len(one) + len(other)) // 2)) for one, other in pairs]

    def _batches(self, without: Window, filled: Window, flooded: Window) -> dict[str, list[float]]:
        """Microseconds a document of each batch of one sort, into the full windows in turn."""
        spent: dict[str, list[float]] = {"without": [], "filled": [], "with": [], "copies": []}
        for number in range(self.args.rounds):
            part = slice(number * BATCH, (number + 1) * BATCH)
            for name, window, texts in (
                ("without", without, self.new), ("filled", filled, self.new), ("with", flooded, self.new),
                ("copies", flooded, self.new_copies),
            ):  # fmt: skip
                named = _named(f"new-{name}-{number}-", texts[part])
                spent[name].append(self._streamed(window, named, at=LAST_MS).each)
        return spent

    def _streamed(self, window: Window, named: Sequence[tuple[str, str]], *, at: int | None = None) -> Spent:
        """Ingests texts, evenly over the hours unless all `at` one time."""
        return self._ingested(window, _documents(named, at=at))

    def _ingested(self, window: Window, documents: Sequence[neardup.Document]) -> Spent:
        spent = Spent(len(documents))
        begun = self.seconds()
        for verdict in window.ingest(documents):
            spent.truncated += verdict.truncated
            spent.verdict_bytes += len(verdict.to_json()) + 1
            if verdict.id.startswith("f"):
                spent.flood += 1
                spent.flood_copies += verdict.is_copy
        spent.seconds = self.seconds() - begun
        return spent

    @contextmanager
    def _window(self, name: str) -> Iterator[tuple[Window, Any]]:
        """A new window, and a function that returns how many bytes it has written."""
        settings = {"retrieval": self.args.level}
        if self.args.engine == "memory":
            with neardup.open(None, **settings) as window:
                yield window, lambda: 0
        elif self.args.engine == "directory":
            with (
                tempfile.TemporaryDirectory(prefix="neardup-floods-") as place,
                neardup.open(Path(place) / name, **settings) as window,
            ):
                yield window, lambda: _bytes_of(Path(place).rglob("*"))
        else:
            from benchmarks.elastic.bench_window import window_of

            with window_of(self.args.engine, f"bench-flood-{name}", **settings) as window:
                yield window, lambda: _index_bytes(window)


def _is_cluster(name: str) -> bool:
    return "://" in name


def _named(prefix: str, texts: Iterable[str]) -> list[tuple[str, str]]:
    return [(f"{prefix}{place}", text) for place, text in enumerate(texts)]


def _give_back() -> None:
    """Returns free memory to the system, if the C library can: memory taken later then counts as new."""
    gc.collect()
    freed_memory.give_back(freed_memory.LARGE)


def _documents(named: Sequence[tuple[str, str]], *, at: int | None = None) -> list[neardup.Document]:
    """Evenly over the hours unless all `at` one time."""
    span = HOURS * HOUR_MS
    return [
        neardup.Document(name, text, engine.FIRST_MS + number * span // len(named) if at is None else at)
        for number, (name, text) in enumerate(named)
    ]


def _bytes_of(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())


def _index_bytes(window: Any) -> int:
    cluster = window._session.store._cluster  # noqa: SLF001 - the size of its indices is no affair of a window's
    cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
    stats = cluster.request("GET", f"/{cluster.address.pattern}/_stats/store")
    return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])


def one(args: argparse.Namespace, kind: str) -> dict[str, Any]:
    """The figures of one flood, or the memory of one stream of it, in this process."""
    bench = Bench(args, kind)
    with bench._window("warm") as (window, _):  # noqa: SLF001 - ours
        warm = _named("w", [*bench.ordinary[:20], *bench.copies[:20]])
        bench._streamed(window, warm)  # noqa: SLF001 - ours
    return bench.memory(args.stream) if args.stream else bench.figures()


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The demanded figures and their components."""
    header = [
        "flood", "copies, lowest doc_q", "marked, truncated", "us ordinary without, with", "ratio (<= 1.2)",
        "beside as many",
        "us copy", "ratio (<= 5)", "by streams", "peak MB without, with", "MB verdicts, window",
    ]  # fmt: skip
    lines = [
        [
            row["kind"], f"{row['copies']:,}, {row['lowest_doc_q']:.2f}",
            f"{row['marked_as_copies']:,}, {row['truncated']:,}",
            f"{row['us_ordinary_without']:,.0f}, {row['us_ordinary_with']:,.0f}", f"{row['ordinary']:.2f}",
            f"{row['beside_as_many']:.2f}",
            f"{row['us_copy']:,.0f}", f"{row['copy']:.2f}", f"{row['copy_by_streams']:.2f}",
            f"{row.get('peak_mb_without', 0):,.0f}, {row.get('peak_mb_with', 0):,.0f}",
            f"{row['verdicts_mb']:,.1f}, {row['window_mb']:,.1f}",
        ]
        for row in rows
    ]  # fmt: skip
    return harness.table(header, lines)


def _parser() -> argparse.ArgumentParser:
    parser = harness.options(__doc__)
    parser.add_argument("--engine", default="directory", help=f"{', '.join(ENGINES)}, or the URL of a node")
    parser.add_argument("--copies", type=int, default=20_000, help="copies of a flood, and ordinary texts")
    parser.add_argument("--text-length", type=int, default=1_000, help="characters of a text")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--level", choices=("sketch", "complete"), default="sketch")
    parser.add_argument("--rounds", type=int, default=9, help="batches of each sort into the full windows")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--stream", choices=STREAMS, help=argparse.SUPPRESS)
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Measures each flood in a separate process, prints the table, writes floods-<engine>.json."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.engine not in ENGINES and not _is_cluster(args.engine):
        parser.error(f"--engine {args.engine}: {', '.join(ENGINES)} or a URL")
    if args.tiny:
        args.copies, args.rounds, args.text_length = min(args.copies, 40), 1, min(args.text_length, 400)
        args.kinds = list(dict.fromkeys((args.kinds[0], args.kinds[-1])))
    if args.one:
        print(json.dumps(one(args, args.one)))
        return
    name = "elasticsearch" if _is_cluster(args.engine) else args.engine
    workshop = None
    try:
        if args.engine == "elasticsearch":
            from testing.node.node import Workshop

            workshop = Workshop()
            args.engine = workshop.node("bench", heap="2g").start().url
        passed = ["--data", str(args.data.resolve()), "--engine", args.engine, "--level", args.level]
        for option in ("copies", "text_length", "rounds"):
            passed += [f"--{option.replace('_', '-')}", str(getattr(args, option))]
        rows = []
        for kind in args.kinds:
            tiny = ["--tiny"] if args.tiny else []
            wanted = [*passed, *tiny, "--one", kind]
            rows.append(harness.run_module("benchmarks.speed.floods", *wanted))
            for stream in () if _is_cluster(args.engine) else STREAMS:
                rows[-1] |= harness.run_module("benchmarks.speed.floods", *wanted, "--stream", stream)
            print(report(rows[-1:]), file=sys.stderr, flush=True)
    finally:
        if workshop is not None:
            workshop.close()
    args.engine = name
    print(report(rows))
    print(f"{rows[0]['made_of']}, {args.text_length:,} characters a text, {args.level} retrieval, {name}")
    harness.save(args, f"floods-{name}", rows)


if __name__ == "__main__":
    main()
