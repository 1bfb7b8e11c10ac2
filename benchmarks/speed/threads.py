"""Two threads against one: how much sooner are the verdicts there?

Question   How many times as fast is a stream decided where one thread decides, another signs what follows, and pairs
           are compared by whoever is free?
Corpus     passages20k in memory, and into a directory that keeps texts as they came (as `neardup ingest` does); and in
           memory corpora in which a document is like many others, so that most of the time goes into comparing.
Seed       none: the corpus is fixed.
Excluded   loading, starting (a warm-up run of each), opening and closing the window.
Fairness   one and two in turns, in one process, on the wall; the ratio is of neighbours, of which the middle counts.
           What else runs on the machine takes the second thread's processor: only a quiet one tells.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import corpora, engine, harness, neighbours
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.model.document import Document

ALIKE = ("terms-contrib", "manpages-multi", "wikiversions")
"""Corpora with 2 to 18 candidates a document."""


def microseconds(documents: list[Document], place: str, threads: int) -> float:
    """A document of one run, on the wall."""
    with tempfile.TemporaryDirectory() as room:
        path = None if place == "memory" else Path(room) / "window"
        with open_window(path, threads=threads) as window:
            began = time.perf_counter()
            for _ in window.ingest(documents):
                pass
            return 1e6 * (time.perf_counter() - began) / len(documents)


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes threads.json."""
    args, documents = neighbours.prepared(__doc__, arguments)
    rows, figures = [], {}
    streams = [(place, documents, place) for place in neighbours.PLACES]
    for name in ALIKE:
        corpus = corpora.load(args.data, name, tiny=args.tiny)
        streams.append((name, list(engine.documents(corpus.ids, corpus.texts)), "memory"))
    for name, stream, place in streams:
        for threads in (1, 2):
            microseconds(stream, place, threads)
        speed = neighbours.measured(
            partial(microseconds, stream, place, 1),
            partial(microseconds, stream, place, 2),
            args.rounds,
        )
        rows.append(speed.row(name))
        figures[name] = speed._asdict()
    print(
        harness.table(
            ["window", "us/doc by one thread", "by two", "times as fast, median of neighbours"], rows
        )
    )
    harness.save(args, "threads", figures)


if __name__ == "__main__":
    main()
