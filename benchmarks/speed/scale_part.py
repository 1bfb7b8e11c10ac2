"""One part of the long run of scale.py, in a process that holds the engine and nothing else.

Ingests the generated stream into a directory from where the last part stopped, until the end or until its time is over,
and records the time of every thousand documents. Its whole state is in `progress.json`: ending it at any moment spoils
at most the figures of one step.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neardup
from benchmarks.lib import bruteforce, engine, harness
from benchmarks.lib.generator import Batch, Generator

if TYPE_CHECKING:
    from neardup.model.settings import Retrieval

STEP = 1_000
DAY_MS = 86_400_000
THRESHOLD = "0.7"


def times(first: int, count: int, documents: int, hours: int) -> list[int]:
    """The times of `count` documents from `first` on, all `documents` spread evenly over `hours`."""
    span = hours * 3_600_000
    return [engine.FIRST_MS + number * span // documents for number in range(first, first + count)]


def resident_mb() -> dict[str, float]:
    """Current resident memory, split as in Linux: RssAnon is the process's own, RssFile pages of mapped files."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return {name: int(fields[name].split()[0]) * 1_024 / 1e6 for name in ("VmRSS", "RssAnon", "RssFile")}


def fresh_progress() -> dict[str, Any]:
    """The state before the first document."""
    return {"next": 0, "steps": [], "opened": [], "peak_mb": [], "copies": 0, "found": 0,
            "miscounted": 0, "matches": 0, "truncated": 0}  # fmt: skip


def settings(level: Retrieval, lexicon: str) -> neardup.Settings:
    """The settings of the run: the defaults except for the level; texts to be shown are not kept."""
    recipe = neardup.Recipe(lexicon=lexicon or None)
    return neardup.Settings(
        threshold=THRESHOLD, retrieval=level, window_hours=24, matches=None, recipe=recipe, keep_text=False
    )


def warm_up(level: Retrieval, lexicon: str) -> None:
    """Compiles or loads every kernel, in a window of its own."""
    words = ["warm", "up", "of", "some", "kernels"]
    texts = [" ".join([*words[at % 5 :], str(at), *words]) * 20 for at in range(130)]
    with neardup.open(None, settings=settings(level, lexicon)) as window:
        for _ in window.ingest(neardup.Document(str(at), text) for at, text in enumerate(texts)):
            pass


def step(window: Any, batch: Batch, stamps: list[int], progress: dict[str, Any]) -> None:
    """Ingests one batch under the clock, then records its time and results."""
    documents = [
        neardup.Document(str(number), text, stamp)
        for number, (text, stamp) in enumerate(zip(batch.texts, stamps, strict=True), batch.first)
    ]
    clock = harness.Clock()
    verdicts = list(window.ingest(documents))
    took = clock.took()
    candidates = sum(verdict.candidates for verdict in verdicts)
    progress["next"] = batch.first + len(documents)
    progress["steps"].append([progress["next"], took.wall, candidates, took.cpu])
    progress["truncated"] += sum(verdict.truncated for verdict in verdicts)
    progress["matches"] += sum(len(verdict.matches) for verdict in verdicts)
    for verdict, original, shared, larger in zip(
        verdicts, batch.originals, batch.shared, batch.larger, strict=True
    ):
        if original < 0 or not bruteforce.reaches(shared, larger, THRESHOLD):
            continue
        shared_by_id = {match.id: match.shared for match in verdict.matches}
        progress["copies"] += 1
        progress["found"] += str(original) in shared_by_id
        progress["miscounted"] += shared_by_id.get(str(original), shared) != shared


def ingest_part(plan: dict[str, Any]) -> None:
    """Continues the run that `plan` describes; see `scale.py` for its fields."""
    deadline = time.monotonic() + plan["part_seconds"]
    notes = Path(plan["progress"])
    progress = json.loads(notes.read_text()) if notes.exists() else fresh_progress()
    level, lexicon, documents = plan["level"], plan["lexicon"], plan["documents"]
    warm_up(level, lexicon)
    start = time.perf_counter()
    window = neardup.open(plan["window"], settings=settings(level, lexicon))
    progress["opened"].append([progress["next"], time.perf_counter() - start])
    with window, Generator(Path(plan["model"]), plan["seed"]) as generator:
        while progress["next"] < documents and time.monotonic() < deadline:
            first = progress["next"]
            batch = generator.batch(first, min(first + STEP, documents))
            step(window, batch, times(first, len(batch.texts), documents, plan["hours"]), progress)
            notes.write_text(json.dumps(progress))
    progress["peak_mb"].append([progress["next"], harness.peak_mb(), resident_mb()])
    notes.write_text(json.dumps(progress))
    print(json.dumps({"next": progress["next"]}))


def reopen(plan: dict[str, Any]) -> None:
    """Opens the window in this fresh process and queries it once; prints the seconds of both."""
    warm_up(plan["level"], plan["lexicon"])
    start = time.perf_counter()
    with neardup.open(plan["window"], settings=settings(plan["level"], plan["lexicon"])) as window:
        opened = time.perf_counter() - start
        window.query(id="0")
        queried = time.perf_counter() - start - opened
    print(json.dumps({"open_seconds": opened, "query_seconds": queried, "peak_mb": harness.peak_mb()}))


if __name__ == "__main__":
    {"ingest": ingest_part, "reopen": reopen}[sys.argv[1]](json.loads(Path(sys.argv[2]).read_text()))
