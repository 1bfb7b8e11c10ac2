"""Figures for Prometheus: of the window, of the queries, and of the documents ingested. Those of verdicts have the same
names in `serve`, `ingest` and `watch`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from neardup.errors import NeardupError
from neardup.model.hours import hour_named
from neardup.model.settings import HOUR_MS
from neardup.model.times import parse_time
from neardup.model.verdict import Counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from prometheus_client.core import Metric

    from neardup.model.verdict import Verdict
    from neardup.serving.questions import Questions

STORY_SECONDS: Final = 5
"""How old the list of groups may be in which the spreading story is looked for: reading all groups can take long."""
STORY_HOURS: Final = (1, 3, 24)
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics(Collector):
    """The figures of one server; each name begins with `neardup_`, and docs/serve.md lists them."""

    def __init__(self, questions: Questions) -> None:
        self.registry = CollectorRegistry()
        self._questions = questions
        self._counts: dict[str, Counts] = {}
        self._rejects = 0
        self._lock = threading.Lock()
        self.registry.register(_WindowFigures(questions))
        self.registry.register(self)
        self._seconds = Histogram(
            "neardup_request_seconds",
            "Time of requests",
            ["path", "status"],
            buckets=_SECONDS,
            registry=self.registry,
        )

    def count(self, call: str, verdicts: Iterable[Verdict], rejects: int = 0) -> None:
        """Counts the verdicts and rejects of a `call`."""
        with self._lock:
            counts = self._counts.setdefault(call, Counts())
            for verdict in verdicts:
                counts.add(verdict)
            self._rejects += rejects

    def collect(self) -> Iterator[Metric]:
        """The figures of verdicts."""
        with self._lock:
            yield from verdict_figures(self._counts, self._rejects, self._questions.too_late)

    def time(self, path: str, status: int, seconds: float) -> None:
        """Counts a request; `path` is the pattern of the route, not a path that a client made up."""
        self._seconds.labels(path, f"{status // 100}xx").observe(seconds)

    def text(self) -> bytes:
        """All figures in the text format of Prometheus."""
        return generate_latest(self.registry)


class _WindowFigures(Collector):
    """The figures of the window when they are collected."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    def collect(self) -> Iterator[GaugeMetricFamily]:
        stats = self._questions.stats()
        figures = {
            "documents": (stats.documents, "Documents in the window"),
            "copies": (stats.copies, "Documents that are copies of an earlier one"),
            "groups": (stats.groups, "Groups that have a member besides their head"),
            "truncated_documents": (stats.truncated, "Documents whose verdict left something out"),
            "unscored_documents": (stats.unscored, "Documents of other clients that were not compared"),
            "waiting_documents": (stats.waiting, "Documents of other clients that have no verdict yet"),
            "hours": (len(stats.hours), "Hours that hold documents"),
            "memory_bytes": (stats.memory_bytes, "Memory of the index, an estimate"),
        }
        for name, (value, what) in figures.items():
            yield GaugeMetricFamily(f"neardup_window_{name}", what, value)
        if self._questions.ingests:
            yield GaugeMetricFamily(
                "neardup_ingest_usable",
                "1, or 0 if documents are refused until the server is started again",
                self._is_usable(),
            )
        kinds = GaugeMetricFamily(
            "neardup_window_kinds", "Copies by their kind, where that is known", labels=["kind"]
        )
        for kind, count in stats.kinds.items():
            kinds.add_metric([kind], count)
        yield kinds
        story = GaugeMetricFamily(
            "neardup_story_copies",
            "Copies of the story with the most copies in the newest hours",
            labels=["hours"],
        )
        times = [
            [parse_time(member.time) for member in group.members]
            for group in self._questions.groups(STORY_SECONDS).values()
        ]
        last = max((time for own in times for time in own), default=0)
        newest = max(last, HOUR_MS * (hour_named(stats.newest or "") or 0))
        for hours in STORY_HOURS:
            story.add_metric([str(hours)], _most_copies(times, newest, hours))
        yield story

    def _is_usable(self) -> bool:
        try:
            self._questions.check_usable()
        except NeardupError:
            return False
        return True


def verdict_figures(
    counts: Mapping[str, Counts], rejects: int, too_late: int | None
) -> Iterator[CounterMetricFamily]:
    """The figures of verdicts by the call that made them, of rejected documents, and of those that came too late to be
    stored; `too_late` is None where that is not known.
    """
    verdicts = CounterMetricFamily("neardup_verdicts", "Verdicts that were made", labels=["call", "status"])
    copies = CounterMetricFamily("neardup_copies", "Copies by their kind", labels=["call", "kind"])
    candidates = CounterMetricFamily(
        "neardup_candidates", "Documents compared exactly for these verdicts", labels=["call"]
    )
    truncated = CounterMetricFamily(
        "neardup_truncated", "Verdicts for which something was left out", labels=["call"]
    )
    for call, own in list(counts.items()):
        for status, count in list(own.statuses.items()):
            verdicts.add_metric([call, status], count)
        for kind, count in list(own.kinds.items()):
            copies.add_metric([call, kind], count)
        candidates.add_metric([call], own.candidates)
        truncated.add_metric([call], own.truncated)
    yield from (verdicts, copies, candidates, truncated)
    yield CounterMetricFamily("neardup_rejects", "Documents that could not be used", rejects)
    if too_late is not None:
        yield CounterMetricFamily(
            "neardup_too_late", "Documents that came after their hour was dropped", too_late
        )


def _most_copies(times: Sequence[Sequence[int]], newest: int, hours: int) -> int:
    """The largest number of members of one group that came in the last `hours` before `newest`; `times` has the times
    of each group's members.
    """
    return max((sum(time > newest - hours * HOUR_MS for time in own) for own in times), default=0)
