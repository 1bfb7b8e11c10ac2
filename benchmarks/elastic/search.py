"""In Elasticsearch: how fast is a scorer that holds no window, and two of them side by side?

Question   How many documents per second does `neardup ingest` score with its window in memory, and how many by
           searching the cluster for candidates? How many do one and two `neardup watch --candidates search` score that
           another client wrote? Over hours as they were written, and merged to one segment each. Are all verdicts those
           of a window in memory?
Corpus     made up: texts of about 800 characters from 120 words, three in ten being an earlier text with five words
           changed; 25 hours of 24,000, filled by a scorer in memory, then `--scored` more of the last hour per run.
Seed       20261121.
Excluded   starting the node and the scorers, opening, and the first batch of each scorer: the clock runs from the end
           of these to the last verdict. Node and scorers share this machine's cores.
"""

from __future__ import annotations

import itertools
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import IO, TYPE_CHECKING, Any

import orjson
from testing.node.node import Workshop

import neardup
from benchmarks.elastic.bench_window import FIRST_MS, HOURS, SEED, index_all, plain_actions, window_of
from benchmarks.lib import harness
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.client import Cluster
from neardup.model.settings import HOUR_MS, LARGE_BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.address import Address

NAME = "bench-search"
WORDS = 120
VOCABULARY = 60_000
COPIES = 0.3
WAYS = ("ingest, memory", "ingest", "watch", "two watches")
"""The measured ways; unless a name says otherwise, it searches for its candidates."""


def changed_copies() -> Iterator[str]:
    """Endless texts of about 800 characters, three in ten being an earlier text with five words changed."""
    chance = random.Random(SEED)
    names = [f"{chance.randrange(16**6):06x}" for _ in range(VOCABULARY)]
    earlier: list[list[str]] = []
    while True:
        copied = earlier and chance.random() < COPIES
        words = list(chance.choice(earlier)) if copied else chance.choices(names, k=WORDS)
        if copied:
            for place in chance.sample(range(WORDS), 5):
                words[place] = chance.choice(names)
        earlier.append(words)
        yield " ".join(words)


def documents_of(texts: Iterator[str], count: int, first: int) -> list[neardup.Document]:
    """The next `count` texts as documents of the last hour, named from `first` on in order."""
    time_ms = FIRST_MS + HOURS * HOUR_MS - 1
    return [
        neardup.Document(f"n{at:08d}", text, time_ms)
        for at, text in enumerate(itertools.islice(texts, count), first)
    ]


def by_ingest(address: Address, part: list[neardup.Document], candidates: Any) -> tuple[float, list[Any]]:
    """Documents per second, and the verdicts."""
    with neardup.open(str(address), candidates=candidates) as window:
        lines = [(time.perf_counter(), verdict.to_dict()) for verdict in window.ingest(part)]
    return rate([lines]), [verdict for _, verdict in lines]


def by_watch(address: Address, part: list[neardup.Document], scorers: int) -> tuple[float, list[Any]]:
    """The same for documents that another client wrote, with this many processes."""
    with Cluster(address) as cluster:
        index_all(cluster, plain_actions(address.prefix, part, cluster.url))
        cluster.request("POST", f"/{address.pattern}/_refresh")
    window = ["--window", str(address), "--candidates", "search", "--once"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "neardup", "watch", *window],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(scorers)
    ]

    def told(output: IO[bytes] | None) -> list[tuple[float, Any]]:
        return [(time.perf_counter(), line) for line in output or ()]

    with ThreadPoolExecutor(scorers) as pool:
        lines = list(pool.map(told, [process.stdout for process in processes]))
    codes = [process.wait() for process in processes]
    if any(codes):
        msg = f"a watch ended with {codes}"
        raise AssertionError(msg)
    verdicts = [orjson.loads(line) for each in lines for _, line in each]
    return rate(lines), verdicts


def rate(lines: list[list[tuple[float, Any]]]) -> float:
    """Verdicts per second of all scorers, from the time when each has done its first batch; `lines`: those of each."""
    first = LARGE_BATCH
    begun = max(each[min(first, len(each)) - 1][0] for each in lines if each)
    moments = sorted(moment for each in lines for moment, _ in each if moment > begun)
    return len(moments) / (moments[-1] - begun) if moments else 0.0


def measured(address: Address, args: Any) -> dict[str, Any]:
    """Documents per second of each way in each round, over hours as they are and merged; how many verdicts differ."""
    texts = changed_copies()
    step = HOURS * HOUR_MS // args.filled
    before = [neardup.Document(f"f{at}", next(texts), FIRST_MS + at * step) for at in range(args.filled)]
    wrong = scored = 0
    found: dict[str, Any] = {"filled": args.filled, "scored": args.scored}
    with neardup.open(None) as reference, neardup.open(str(address)) as window, Cluster(address) as cluster:
        for own in (reference, window):
            for _ in own.ingest(before):
                pass
        for state in ("as written", "merged"):
            if state == "merged":
                cluster.request("POST", f"/{address.pattern}/_forcemerge?max_num_segments=1")
            cluster.request("POST", f"/{address.pattern}/_refresh")
            segments = cluster.request("GET", f"/{address.pattern}/_stats/segments")["_all"]["primaries"]
            rates: dict[str, list[float]] = {way: [] for way in args.ways}
            for number in range(args.rounds):
                for way in args.ways:
                    part = documents_of(texts, args.scored, scored)
                    scored += len(part)
                    expected = {verdict.id: verdict.to_dict() for verdict in reference.ingest(part)}
                    if way.startswith("ingest"):
                        each, verdicts = by_ingest(address, part, "memory" if "memory" in way else "search")
                    else:
                        each, verdicts = by_watch(address, part, 2 if way.startswith("two") else 1)
                    # A repeated verdict counts as wrong the second time; a missing one is left in `expected`.
                    wrong += sum(expected.pop(verdict["id"], None) != verdict for verdict in verdicts)
                    wrong += len(expected)
                    rates[way].append(each)
                    print(
                        f"{state} {number} {way}: {each:.0f} a second, {wrong} wrong",
                        file=sys.stderr,
                        flush=True,
                    )
            found[state] = {"segments": segments["segments"]["count"], "rates": rates}
    return found | {"verdicts": scored, "wrong": wrong}


def in_window(url: str, args: Any) -> dict[str, Any]:
    """The result of `measured` in a separate window at the node."""
    with window_of(url, NAME):
        return measured(parse_address(f"{url}/{NAME}"), args)


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """Documents per second, and how much faster two watches are than one."""
    rows = []
    for state in ("as written", "merged"):
        middle = {way: statistics.median(rates) for way, rates in figures[state]["rates"].items()}
        one, two = middle.get("watch"), middle.get("two watches")
        times = f"{two / one:.2f}" if one and two else ""
        rows.append([state, figures[state]["segments"], *(f"{each:.0f}" for each in middle.values()), times])
    ways = figures["as written"]["rates"]
    return {"search": harness.table(["hours", "segments", *ways, "two to one"], rows)}


def main(arguments: list[str] | None = None) -> None:
    """Measures and prints; writes search.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--filled", type=int, default=HOURS * 24_000)
    parser.add_argument("--scored", type=int, default=16_384)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--url", help="a node that runs already; default: one is started")
    args = parser.parse_args(arguments)
    if args.tiny:
        args.filled, args.scored, args.rounds = 2_000, 3_000, 1
    if args.url:
        figures = in_window(args.url, args)
    else:
        with closing(Workshop(tested=False)) as workshop:
            figures = in_window(workshop.node("node", heap="2g").start().url, args)
    harness.show(tables, harness.save(args, "search", figures))


if __name__ == "__main__":
    main()
