"""Two threads against one: how much sooner are the verdicts there?

Question   How many times as fast is a stream decided if one thread decides, another signs the following documents, and
           the free thread compares pairs?
Corpus     passages20k in memory, and into a directory that keeps original texts (as `neardup ingest` does); and, in
           memory, corpora in which a document is like many others, so that comparing takes most of the time.
Seed       none: the corpus is fixed.
Excluded   loading, starting (a warm-up run of each), opening and closing the window.
Fairness   one and two in turns, in one process, wall time; the figure is the median of the ratios of neighbouring runs.
           Other work on the machine takes the processor of the second thread: only a quiet machine gives valid figures.
           Two processes of one thread each, at the same time and each with its own window, show the most that the
           second processor of this machine can add: if both are of one core, this is much less than a doubling.
"""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchmarks.lib import corpora, engine, harness, neighbours
from neardup.opening import open_window

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from neardup.model.document import Document

ALIKE = ("terms-contrib", "manpages-multi", "wikiversions")
"""Corpora with 2 to 18 candidates a document."""


def microseconds(documents: list[Document], place: str, threads: int) -> float:
    """Wall time per document of one run."""
    with tempfile.TemporaryDirectory() as room:
        path = None if place == "memory" else Path(room) / "window"
        with open_window(path, threads=threads) as window:
            began = time.perf_counter()
            for _ in window.ingest(documents):
                pass
            return 1e6 * (time.perf_counter() - began) / len(documents)


class Measured(NamedTuple):
    """`runs` of microseconds per document with one thread, with two, and in each of two processes of one thread.

    `ratio` is how many times as fast two threads are; `limit` how many times as many documents two processes do, which
    share only the machine. Both are medians over neighbouring runs.
    """

    runs: list[tuple[float, float, float]]
    ratio: float
    limit: float

    def row(self, name: str) -> list[str]:
        """A row under `HEADER`, with the least of each."""
        least = [f"{min(each):.1f}" for each in zip(*self.runs, strict=True)]
        return [name, *least, f"{self.ratio:.2f}", f"{self.limit:.2f}"]


HEADER = (
    "window",
    "us/doc by one thread",
    "by two",
    "in each of two processes",
    "times as fast",
    "two processes",
)


class Apart:
    """Two processes that do the same at the same time; they were forked with the documents, which are not sent."""

    def __init__(self, documents: list[Document], place: str) -> None:
        context = multiprocessing.get_context("fork")
        self._pool = ProcessPoolExecutor(
            2, context, initializer=Apart._share, initargs=(context.Barrier(2), documents, place)
        )

    _shared: ClassVar[tuple[Barrier, list[Document], str]]

    @classmethod
    def _share(cls, *shared: Any) -> None:
        cls._shared = shared

    @classmethod
    def _one(cls) -> float:
        barrier, documents, place = cls._shared
        barrier.wait()
        return microseconds(documents, place, 1)

    def microseconds(self) -> float:
        """The time per document, as the mean of both."""
        return statistics.mean(each.result() for each in [self._pool.submit(Apart._one) for _ in range(2)])

    def close(self) -> None:
        """Ends both processes."""
        self._pool.shutdown()


def measured(documents: list[Document], place: str, rounds: int) -> Measured:
    """One thread, two, and two processes in turns, after a round that does not count."""
    with closing(Apart(documents, place)) as apart:
        one, two = partial(microseconds, documents, place, 1), partial(microseconds, documents, place, 2)
        runs = [(one(), two(), apart.microseconds()) for _ in range(rounds + 1)][1:]
    ratio = statistics.median(one / two for one, two, _ in runs)
    return Measured(runs, ratio, statistics.median(2 * one / each for one, _, each in runs))


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes threads.json."""
    args, documents = neighbours.prepared(__doc__, arguments)
    rows, figures = [], {}
    streams = [(place, documents, place) for place in neighbours.PLACES]
    for name in ALIKE:
        corpus = corpora.load(args.data, name, tiny=args.tiny)
        streams.append((name, list(engine.documents(corpus.ids, corpus.texts)), "memory"))
    for name, stream, place in streams:
        speed = measured(stream, place, args.rounds)
        rows.append(speed.row(name))
        figures[name] = speed._asdict()
    print(harness.table(HEADER, rows))
    harness.save(args, "threads", figures)


if __name__ == "__main__":
    main()
