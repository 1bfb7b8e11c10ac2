"""Log lines: what does a line cost among very many of one template, or of one text?

Question   How long does a line take as a window fills with lines that share a template but are not copies of each
           other, or with one repeated line, compared with prose of the same length?
Corpus     Generated. `requests`: a template of request logs, two thirds of it long random numbers, so that no two are
           copies (a copy is an error); `words`: five of 3,000 names that differ in a number, a few dozen letters;
           `heartbeat`: one line; `prose`: words of nine random letters, as long as a request. All in one hour.
Seed       20261128: the numbers and words.
Measured   Processor time per line, in memory, for the last tenth before a size is reached; one window per kind.
Peer       rensa's matrix, which only estimates whether a line has been seen: the mean per line over all lines, in the
           same run.
Excluded   making the lines, loading kernels.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import neardup
from benchmarks.lib import engine, harness, peers

SEED = 20261128
SIZES = (10_000, 30_000, 100_000)
TINY_SIZES = (500, 1_000)
KINDS = ("prose", "requests", "words", "heartbeat")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def lines(kind: str) -> Iterator[str]:
    """Lines of a kind, without end."""
    numbers = random.Random(SEED)
    while True:
        if kind == "requests":
            bits = (numbers.getrandbits(64) for _ in range(2))
            request, session = (f"{each:016x}" for each in bits)
            yield (
                f"request id={request} session={session} user={numbers.randrange(10**7)} "
                f"path=/api/v1/items/{numbers.randrange(10**6)} status=200 time={numbers.randrange(9_999)}ms"
            )
        elif kind == "words":
            yield " ".join(f"word{numbers.randrange(3_000)}" for _ in range(5))
        elif kind == "heartbeat":
            yield "heartbeat of the database server, queue length zero, all workers idle and waiting for work"
        else:
            yield " ".join("".join(numbers.choices(LETTERS, k=9)) for _ in range(11))


def ours(kind: str, sizes: tuple[int, ...]) -> dict[str, float]:
    """Microseconds per line before each size is reached."""
    took, made = {}, lines(kind)
    with neardup.open(None, window_hours=0) as window:
        done = 0
        for size in sizes:
            last = size // 10
            for count in (size - last - done, last):
                stream = [
                    neardup.Document(f"{done + i}", text, engine.FIRST_MS)
                    for i, text in enumerate(islice(made, count))
                ]
                began = time.process_time()
                copies = sum(verdict.is_copy for verdict in window.ingest(stream))
                took[f"{size}"] = 1e6 * (time.process_time() - began) / count
                done += count
                if kind in {"prose", "requests"} and copies:
                    raise AssertionError(f"{copies} copies among lines that are none")
    return took


def rensas(kind: str, size: int) -> float:
    """Microseconds per line of the peer."""
    texts = list(islice(lines(kind), size))
    began = time.process_time()
    peers.rensa_flags(texts)
    return 1e6 * (time.process_time() - began) / size


def report(rows: dict[str, Any]) -> str:
    """A line a kind."""
    sizes = list(next(iter(rows.values()))["ours"])
    return harness.table(
        ["lines", *(f"us/line at {int(size):,}" for size in sizes), "rensa, us/line"],
        [
            [kind, *(f"{row['ours'][size]:.1f}" for size in sizes), f"{row['rensa']:.1f}"]
            for kind, row in rows.items()
        ],
    )


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes log-lines.json."""
    args = harness.options(__doc__).parse_args(arguments)
    sizes = TINY_SIZES if args.tiny else SIZES
    rows: dict[str, Any] = {}
    ours("prose", TINY_SIZES)  # kernels are loaded
    for kind in KINDS:
        print(kind, file=sys.stderr, flush=True)
        rows[kind] = {"ours": ours(kind, sizes), "rensa": rensas(kind, sizes[-1])}
        harness.save(args, "log-lines", rows)
    print(report(rows))


if __name__ == "__main__":
    main()
