"""How the experiments use neardup: only the public library, each document a millisecond after the one before."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

import neardup
from benchmarks.lib.harness import ROOT, Clock, one_thread

if TYPE_CHECKING:
    from benchmarks.lib.corpora import Corpus

FIRST_MS = 1_735_689_600_000  # 2025-01-01T00:00:00Z; a fixed clock makes runs repeatable
FoundPairs = dict[tuple[int, int], tuple[int, float]]


@dataclass
class Run:
    """The result of one pass over a corpus: pairs (i < j) with (shared, score), and the cost."""

    found: FoundPairs = field(default_factory=dict)
    candidates: int = 0
    truncated: int = 0
    rejected: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


def documents(ids: Iterable[str], texts: Iterable[str], first: int = 0) -> Iterator[neardup.Document]:
    """Documents one millisecond apart, the first at `first` milliseconds after FIRST_MS."""
    for place, (name, text) in enumerate(zip(ids, texts, strict=True), first):
        yield neardup.Document(name, text, FIRST_MS + place)


def settings(**changes: Any) -> neardup.Settings:
    """The default settings with every match listed and no limit of hours, and `changes`."""
    return neardup.Settings(**({"window_hours": 0, "matches": None} | changes))


def ingest(corpus: Corpus, **changes: Any) -> Run:
    """One pass over `corpus` into a fresh window in memory. Time covers everything from text to verdict."""
    stream = list(documents(corpus.ids, corpus.texts))  # made before the clock: a peer gets plain texts too
    run = Run()
    rejects: list[neardup.Reject] = []
    with neardup.open(None, settings=settings(**changes)) as window:
        clock = Clock()
        verdicts = list(window.ingest(stream, on_reject=rejects.append))
        run.seconds, run.cpu_seconds = clock.took()
    run.rejected = len(rejects)
    note(run, verdicts, {name: place for place, name in enumerate(corpus.ids)})
    return run


def note(run: Run, verdicts: Sequence[neardup.Verdict], places: dict[str, int]) -> None:
    """Adds the matches of `verdicts` to `run`, with positions instead of ids."""
    for verdict in verdicts:
        run.candidates += verdict.candidates
        run.truncated += verdict.truncated
        later = places[verdict.id]
        for match in verdict.matches:
            i, j = sorted((places[match.id], later))
            run.found[i, j] = (match.shared, match.score)


def command(*arguments: str) -> list[str]:
    """The command line of `neardup`, run by this Python."""
    script = Path(sys.executable).parent / "neardup"
    start = [str(script)] if script.exists() else [sys.executable, "-m", "neardup"]
    return [*start, *arguments]


def write_jsonl(path: Path, corpus: Corpus) -> Path:
    """`corpus` as JSON Lines with the fields id and text."""
    with path.open("wb") as file:
        for name, text in zip(corpus.ids, corpus.texts, strict=True):
            file.write(orjson.dumps({"id": name, "text": text}) + b"\n")
    return path


def own_lexicon(corpus: Corpus, count: int, path: Path) -> Path:
    """A lexicon from the first `count` documents of `corpus`, made by `neardup lexicon build`."""
    with tempfile.TemporaryDirectory() as scratch:
        sample = write_jsonl(Path(scratch) / "sample.jsonl", corpus.head(count))
        build = command("lexicon", "build", str(sample), "--output", str(path))
        subprocess.run(build, env=one_thread(), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return path
