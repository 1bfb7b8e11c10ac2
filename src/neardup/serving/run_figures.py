"""Figures for Prometheus of a run that makes verdicts, served over HTTP as long as it lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from neardup.model.clock import now_ms
from neardup.serving.metrics import verdict_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from wsgiref.simple_server import WSGIServer

    from prometheus_client.core import Metric

    from neardup.model.verdict import Counts


class Backlogged(NamedTuple):
    """How many documents wait for a verdict, the oldest's time in ms; `blocked`: how many more take no marks."""

    documents: int
    oldest: int | None
    blocked: int


class RunState(NamedTuple):
    """The progress of a run when figures are collected; `waiting` is None where it is not known."""

    counts: Counts
    rejects: int
    seconds: Mapping[str, float]
    waiting: Backlogged | None
    too_late: int | None = None
    """How many documents were not stored because they came too late; None where it is not known."""


class RunFigures(Collector):
    """The figures of a run named `call`; `state` is called whenever they are collected."""

    def __init__(self, call: str, state: Callable[[], RunState]) -> None:
        self._call, self._state = call, state

    def collect(self) -> Iterator[Metric]:
        """See docs/serve.md."""
        state = self._state()
        yield from verdict_figures({self._call: state.counts}, state.rejects, state.too_late)
        seconds = CounterMetricFamily("neardup_stage_seconds", "Time spent in each stage", labels=["stage"])
        for stage, spent in list(state.seconds.items()):
            seconds.add_metric([stage], spent)
        yield seconds
        if state.waiting is not None:
            yield from _of_waiting(state.waiting)


def _of_waiting(waiting: Backlogged) -> Iterator[Metric]:
    lag = 0 if waiting.oldest is None else max(0, now_ms() - waiting.oldest)
    yield GaugeMetricFamily("neardup_waiting_documents", "Documents without a verdict", waiting.documents)
    yield GaugeMetricFamily(
        "neardup_blocked_documents",
        "Documents without a verdict in indices that are read-only",
        waiting.blocked,
    )
    yield GaugeMetricFamily("neardup_lag_seconds", "Age of the oldest document that waits", lag / 1_000)


def listen(host: str, port: int, figures: RunFigures) -> WSGIServer:
    """A server of the figures at this address, in a thread of its own. Raises `OSError` if the address is taken."""
    registry = CollectorRegistry()
    registry.register(figures)
    server, _ = start_http_server(port, host, registry)
    return server
