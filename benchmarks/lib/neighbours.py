"""The cost of something: runs with it and without it alternate in one process, on a shared machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.lib import corpora, engine, harness

if TYPE_CHECKING:
    import argparse

    from neardup.model.document import Document

PLACES = ("memory", "directory")
"""The places of the windows whose documents are timed."""
HEADER = ("window", "CPU us/doc with", "without", "ratio, median of neighbours")


class Neighbours(NamedTuple):
    """`pairs` of figures, with and without, measured one right after the other; their median `ratio`."""

    pairs: list[tuple[float, float]]
    ratio: float

    def row(self, place: str) -> list[str]:
        """A row under `HEADER`, with the least of either."""
        with_it, without = (min(each) for each in zip(*self.pairs, strict=True))
        return [place, f"{with_it:.1f}", f"{without:.1f}", f"{self.ratio:.3f}"]


def prepared(doc: str | None, arguments: list[str] | None) -> tuple[argparse.Namespace, list[Document]]:
    """The options of an experiment described by `doc`, `rounds` among them, and the documents of passages20k."""
    parser = harness.options(doc)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(arguments)
    if args.tiny:
        args.rounds = 1
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    return args, list(engine.documents(corpus.ids, corpus.texts))


def measured(with_it: Callable[[], float], without: Callable[[], float], rounds: int) -> Neighbours:
    """Both in turns, `rounds` times; the caller has warmed them up."""
    pairs = [(with_it(), without()) for _ in range(rounds)]
    return Neighbours(pairs, statistics.median(one / other for one, other in pairs))
