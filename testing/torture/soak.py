"""A week of a stream, written into a window in a directory by one long-running process, with a reader beside it:

    NEARDUP_DATA=FOLDER python -m testing.torture.soak --documents 500000 --days 7

Measures time per document, processor time, resident memory and disk for each tenth of the stream. Hours that have
expired must be gone from the disk; the reader must find acknowledged documents; some verdicts are compared with brute
force over everything that the window held. Exits with 1 if the last tenth takes more than 1.1 times the memory, disk or
processor time of the second tenth, or if anything else is wrong.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.lib import bruteforce, corpora, wordmodel
from benchmarks.lib.generator import Generator
from benchmarks.lib.harness import DATA

from neardup.errors import NeardupError
from neardup.evaluation.memory import resident_bytes
from neardup.model.document import Document
from neardup.model.hours import hour_named
from neardup.opening import open_window

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from numpy.typing import NDArray

    from neardup.model.verdict import Verdict
    from neardup.window.engine import WindowEngine

WINDOW_HOURS = 24
START = 1_763_337_600
"""2025-11-17T00:00:00Z, in seconds."""
HOUR = 3_600
STEP = 2_000
TENTHS = 10
MOST_GROWTH = 1.1
COMPARED = ("cpu_us_low", "resident_mb", "disk_mb")
THRESHOLD = "0.7"
FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64
)
OPENED_ANEW = 10
SPREAD = 3
"""The number of moments at which verdicts are checked."""


class Plan(NamedTuple):
    """The size of the run, and the number of seconds between documents."""

    documents: int
    days: int
    checked: int

    @property
    def seconds(self) -> float:
        return self.days * 24 * HOUR / self.documents

    def time(self, number: int) -> float:
        return START + number * self.seconds

    def hour(self, number: int) -> int:
        return int(self.time(number) // HOUR)

    def checked_parts(self) -> list[tuple[int, int]]:
        """The documents whose verdicts are compared with brute force, in a few runs, the last at the end."""
        each = max(1, self.checked // SPREAD)
        ends = [self.documents * (at + 1) // SPREAD for at in range(SPREAD)]
        return [(max(0, end - each), end) for end in ends]


@dataclass
class Tenth:
    """The cost of a tenth of the stream; times in seconds; sizes in bytes, of the window's directory at its end.

    `steps`: processor time per document in each step. The lower quartile is compared, because other processes of the
    machine make steps slower, but never faster.
    """

    documents: int = 0
    wall: float = 0.0
    processor: float = 0.0
    resident: int = 0
    disk: int = 0
    hours: int = 0
    steps: list[float] = field(default_factory=list)

    def row(self) -> dict[str, float]:
        return {
            "us": round(1e6 * self.wall / self.documents, 1),
            "cpu_us": round(1e6 * self.processor / self.documents, 1),
            "cpu_us_low": round(1e6 * statistics.quantiles(self.steps)[0], 1),
            "resident_mb": round(self.resident / 1e6, 1),
            "disk_mb": round(self.disk / 1e6, 1),
            "hours": self.hours,
        }


@dataclass
class Report:
    """The results, and what is wrong with them."""

    tenths: list[Tenth] = field(default_factory=lambda: [Tenth() for _ in range(TENTHS)])
    reader: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    missed: int = 0
    compared: int = 0
    copies: int = 0

    def growth(self, name: str) -> float:
        """The last tenth divided by the second, in which the window is full for the first time."""
        second, last = self.tenths[1].row(), self.tenths[-1].row()
        return round(last[name] / second[name], 3)


# ---- the writer ----


def run(window: WindowEngine, path: Path, plan: Plan, generator: Generator, reader: Connection) -> Report:
    """The whole stream; only neardup's own work is timed."""
    report = Report()
    kept = {number: None for first, last in plan.checked_parts() for number in range(first, last)}
    verdicts: dict[int, Verdict] = {}
    step = max(1, min(STEP, plan.documents // (4 * TENTHS)))
    for first in range(0, plan.documents, step):
        last = min(first + step, plan.documents)
        texts = generator.batch(first, last).texts
        stream = [
            Document(f"d{number}", text, plan.time(number))
            for number, text in zip(range(first, last), texts, strict=True)
        ]
        tenth = report.tenths[first * TENTHS // plan.documents]
        wall, processor = time.perf_counter(), time.process_time()
        given = list(window.ingest(stream))
        tenth.wall += time.perf_counter() - wall
        taken = time.process_time() - processor
        tenth.processor += taken
        tenth.steps.append(taken / len(stream))
        tenth.documents += len(given)
        verdicts |= {int(verdict.id[1:]): verdict for verdict in given if int(verdict.id[1:]) in kept}
        report.copies += sum(verdict.duplicate_of is not None for verdict in given)
        _look(path, plan, last - 1, tenth, report, given=len(given), sent=len(stream))
        reader.send((f"d{last - 1}", texts[-1], plan.hour(last - 1)))
    reader.send(None)
    print(json.dumps([tenth.row() for tenth in report.tenths]), file=sys.stderr)
    _compare(plan, generator, verdicts, report)
    return report


def _look(
    path: Path, plan: Plan, newest: int, tenth: Tenth, report: Report, *, given: int, sent: int
) -> None:
    """The current content of the directory, and the memory of this process."""
    hours = [each for each in (path / "hours").iterdir() if each.is_dir()]
    tenth.resident, tenth.hours = resident_bytes() or 0, len(hours)
    tenth.disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    expected = min(plan.hour(newest) - plan.hour(0), WINDOW_HOURS) + 1
    if len(hours) != expected:
        report.wrong.append(f"after document {newest}: {len(hours)} hours on the disk, not {expected}")
    if given != sent:
        report.wrong.append(f"after document {newest}: {given} verdicts on {sent} documents")


# ---- the reader beside it ----


def read_beside(path: Path, asked: Connection) -> None:
    """Stays open all the time and queries each text that it is given, so it has to read the window again whenever an
    hour that it knew is dropped. Sometimes another reader is opened, which must find what was acknowledged.
    """
    answers: list[tuple[str, float, int]] = []
    with open_window(path, readonly=True) as window:
        while (told := asked.recv()) is not None:
            id, text, hour = told
            begun = time.perf_counter()
            wrong = ""
            try:
                window.query(text)
            except NeardupError as error:
                wrong = f"{id}: {type(error).__name__}: {error}"
            answers.append((wrong, time.perf_counter() - begun, resident_bytes() or 0))
            if len(answers) % OPENED_ANEW == 0:
                with open_window(path, readonly=True) as other:
                    if other.get(id) is None and not _has_expired(other, hour):
                        answers.append(
                            (f"{id} was acknowledged, and is not found", 0.0, resident_bytes() or 0)
                        )
    asked.send(answers)


def _has_expired(window: WindowEngine, hour: int) -> bool:
    """Whether the writer was so fast that an hour had been dropped by the time this window was opened."""
    newest = window.stats().newest
    return newest is not None and (hour_named(newest) or 0) - hour > WINDOW_HOURS


# ---- brute force ----


def _compare(plan: Plan, generator: Generator, verdicts: dict[int, Verdict], report: Report) -> None:
    """The checked verdicts against the exact doc_q with everything of the hours before."""
    for first, last in plan.checked_parts():
        low = next(
            number for number in range(first + 1) if plan.hour(number) >= plan.hour(first) - WINDOW_HOURS
        )
        shared = _shared(generator, low, first, last)
        for number in range(first, last):
            _compare_one(plan, number, shared[number - first], verdicts[number], report, low)


class Overlaps(NamedTuple):
    """The other documents of which one document is a copy at the threshold, with the exact doc_q."""

    copies: dict[int, float]


def _shared(generator: Generator, low: int, first: int, last: int) -> list[Overlaps]:
    chosen = _gram_sets(generator, first, last)
    grams, owners = np.concatenate(chosen), np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])
    order = np.argsort(grams, kind="stable")
    grams, owners = grams[order], owners[order]
    sizes = np.array([len(each) for each in chosen])
    found: list[dict[int, float]] = [{} for _ in chosen]
    for start in range(low, last, STEP):
        for number, other in enumerate(_gram_sets(generator, start, min(start + STEP, last)), start):
            left, right = np.searchsorted(grams, other, "left"), np.searchsorted(grams, other, "right")
            counts = right - left
            hits = (
                np.repeat(left, counts)
                + np.arange(counts.sum())
                - np.repeat(np.cumsum(counts) - counts, counts)
            )
            shared = np.bincount(owners[hits], minlength=len(chosen))
            larger = np.maximum(sizes, len(other))
            for which in np.flatnonzero(10 * shared >= 7 * larger).tolist():
                found[which][number] = int(shared[which]) / int(larger[which])
    return [Overlaps(each) for each in found]


def _gram_sets(generator: Generator, first: int, last: int) -> list[NDArray[np.uint64]]:
    return [_grams(text) for text in generator.batch(first, last).texts]


def _grams(text: str) -> NDArray[np.uint64]:
    """The distinct q-grams of a text as numbers: a random linear hash of their four code points."""
    points = bruteforce.normal_form(text).astype(np.uint64)
    count = max(0, len(points) - len(FACTORS) + 1)
    terms = (factor * points[at : at + count] for at, factor in enumerate(FACTORS))
    return np.unique(np.sum(list(terms), axis=0, dtype=np.uint64))


def _compare_one(
    plan: Plan, number: int, overlaps: Overlaps, verdict: Verdict, report: Report, low: int
) -> None:
    oldest = plan.hour(number) - WINDOW_HOURS
    true = {
        f"d{other}": score
        for other, score in overlaps.copies.items()
        if low <= other < number and plan.hour(other) >= oldest
    }
    listed = {match.id: match.score for match in verdict.matches}
    report.compared += 1
    for id, score in listed.items():
        if true.get(id) != score:
            report.wrong.append(f"{verdict.id}: {id} is listed with {score}, brute force says {true.get(id)}")
    if verdict.matches_total < len(true):
        report.missed += len(true) - verdict.matches_total  # the sketch may miss; nothing else may


# ---- the whole ----


def soak(plan: Plan, room: Path, model: Path) -> Report:
    path = room / "soak.window"
    context = multiprocessing.get_context("spawn")
    with open_window(path, window_hours=WINDOW_HOURS, fsync=True, threshold=THRESHOLD) as window:
        ours, theirs = context.Pipe()
        reader = context.Process(target=read_beside, args=(path, theirs), daemon=True)
        reader.start()
        with Generator(model, stream_seed()) as generator:
            report = run(window, path, plan, generator, ours)
        answers = ours.recv()
        reader.join()
    report.wrong += [found for found, _, _ in answers if found]
    for part in _tenths(answers):
        seconds = [each for _, each, _ in part]
        report.reader.append(
            {
                "median_ms": round(1e3 * statistics.median(seconds), 2),
                "worst_ms": round(1e3 * max(seconds), 1),
                "resident_mb": round(part[-1][2] / 1e6, 1),
            }
        )
    for name in COMPARED:
        if report.growth(name) > MOST_GROWTH:
            report.wrong.append(f"{name}: the last tenth is {report.growth(name)} times the second")
    return report


def stream_seed() -> int:
    from benchmarks.lib.stream import SEED

    return SEED


def _tenths(answers: list[Any]) -> Iterator[list[Any]]:
    for at in range(TENTHS):
        part = answers[len(answers) * at // TENTHS : len(answers) * (at + 1) // TENTHS]
        if part:
            yield part


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--checked", type=int, default=500)
    parser.add_argument(
        "--tiny", action="store_true", help="with a made-up corpus, where there is no NEARDUP_DATA"
    )
    parser.add_argument("--room", type=Path, default=None, help="where the window is made")
    chosen = parser.parse_args()
    plan = Plan(chosen.documents, chosen.days, chosen.checked)
    with tempfile.TemporaryDirectory(dir=chosen.room) as room:
        model = Path(room) / "model.npz"
        corpus = corpora.load(DATA, "passages20k", tiny=chosen.tiny)
        wordmodel.save(wordmodel.build(corpus.texts), model)
        report = soak(plan, Path(room), model)
    figures = {
        "tenths": [tenth.row() for tenth in report.tenths],
        "growth": {name: report.growth(name) for name in ("us", "cpu_us", *COMPARED)},
        "reader": report.reader,
        "copies": report.copies,
        "compared": report.compared,
        "missed": report.missed,
        "wrong": report.wrong,
    }
    print(json.dumps(figures, indent=1))
    return int(bool(report.wrong))


if __name__ == "__main__":
    sys.exit(main())
