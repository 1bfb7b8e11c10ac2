"""One contender over one corpus in this process; prints one JSON line. throughput.py starts it, once per round.

The corpus is loaded, kernels are compiled and a first part of the stream is run before the clock starts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.lib import corpora, harness

if TYPE_CHECKING:
    from benchmarks.lib.corpora import Corpus

OWN = {"sketch-own-1000": 1_000, "sketch-own-4000": 4_000}
ENGINE: dict[str, dict[str, Any]] = {
    "sketch": {},
    "sketch-own-1000": {},
    "sketch-own-4000": {},
    "sketch-routes": {"routes": ("sentences", "simhash")},
    "complete": {"retrieval": "complete"},
}
SIGNING = ("sign-decision", "sign-fields", "sign")
WARM_UP = 200
THRESHOLD = "0.7"


def scored(answers: set[tuple[int, int]], truth: set[tuple[int, int]]) -> dict[str, float]:
    """Precision, recall and F1 of a contender's own answer."""
    hits = len(answers & truth)
    precision = hits / len(answers) if answers else 1.0
    recall = hits / len(truth) if truth else 1.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def run_peer(name: str, corpus: Corpus, truth: set[tuple[int, int]]) -> dict[str, Any]:
    """Time and quality of a peer's loop."""
    from benchmarks.lib import peers

    loop = peers.LOOPS[name]
    loop(corpus.texts[:WARM_UP])
    before = harness.peak_mb()
    clock = harness.Clock()
    answers = loop(corpus.texts)
    seconds, cpu_seconds = clock.took()
    grown = harness.peak_mb() - before
    if name == "rensa-flags":  # it names no document: judged by whether documents have an earlier duplicate
        quality = scored({(later, -1) for later, _ in answers}, {(later, -1) for _, later in truth})
    else:
        quality = scored({(min(pair), max(pair)) for pair in answers}, truth)
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "grown_mb": grown, **quality}


def run_engine(
    name: str, corpus: Corpus, truth: set[tuple[int, int]], lexicon: Path | None
) -> dict[str, Any]:
    """Time and quality of the engine: sign, search, verify, insert, and list every match, of which no document of this
    corpus has more than are listed by default.
    """
    import neardup
    from benchmarks.lib import engine
    from neardup.model.settings import DEFAULT_MATCHES

    changes = ENGINE[name] | {"threshold": THRESHOLD, "matches": DEFAULT_MATCHES}
    if lexicon is not None:
        changes["recipe"] = neardup.Recipe(lexicon=lexicon)
    engine.ingest(corpus.head(WARM_UP), **changes)
    before = harness.peak_mb()
    run = engine.ingest(corpus, **changes)
    quality = scored(set(run.found), truth)
    more = {"candidates": run.candidates, "truncated": run.truncated, "rejected": run.rejected}
    spent = {"seconds": run.seconds, "cpu_seconds": run.cpu_seconds}
    return {**spent, "grown_mb": harness.peak_mb() - before, **quality, **more}


def measure(name: str, data: Path, lexicon: Path | None, *, tiny: bool) -> dict[str, Any]:
    """The figures of contender `name`, in this process; `tiny` for the generated corpus."""
    corpus = corpora.load(data, "passages20k", tiny=tiny)
    truth = corpora.at_least(corpora.true_pairs(data, corpus, tiny=tiny), THRESHOLD)
    if name in ENGINE:
        figures = run_engine(name, corpus, truth, lexicon)
    elif name in SIGNING:
        from benchmarks.lib import signing

        figures = signing.run(name, corpus)
    else:
        figures = run_peer(name, corpus, truth)
    characters = sum(map(len, corpus.texts))
    return {"name": name, "documents": len(corpus), "characters": characters, **figures}


def main(name: str, data: str, lexicon: str = "") -> None:
    """Runs contender `name`."""
    print(json.dumps(measure(name, Path(data), Path(lexicon) if lexicon else None, tiny=False)))


if __name__ == "__main__":
    main(*sys.argv[1:])
