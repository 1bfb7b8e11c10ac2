"""Figures for Prometheus of a run that makes verdicts, over HTTP as long as it lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from neardup.model.clock import now_ms
from neardup.serving.verdict_figures import verdict_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from wsgiref.simple_server import WSGIServer

    from prometheus_client.core import Metric

    from neardup.model.verdict import Counts


class Backlogged(NamedTuple):
    """Documents that wait for a verdict, the oldest of a time in milliseconds; `blocked` more take no marks."""

    documents: int
    oldest: int | None
    blocked: int


class RunState(NamedTuple):
    """How far a run is when it is asked; `waiting` is None where nobody knows."""

    counts: Counts
    rejects: int
    seconds: Mapping[str, float]
    waiting: Backlogged | None


class RunFigures(Collector):
    """The figures of a run, `call`, whose state is asked for whenever they are."""

    def __init__(self, call: str, state: Callable[[], RunState]) -> None:
        self._call, self._state = call, state

    def collect(self) -> Iterator[Metric]:
        """See docs/serve.md."""
        state = self._state()
        yield from verdict_figures({self._call: state.counts}, state.rejects)
        seconds = CounterMetricFamily("neardup_stage_seconds", "What the time went to", labels=["stage"])
        for stage, spent in list(state.seconds.items()):
            seconds.add_metric([stage], spent)
        yield seconds
        if state.waiting is not None:
            yield from _of_waiting(state.waiting)


def _of_waiting(waiting: Backlogged) -> Iterator[Metric]:
    lag = 0 if waiting.oldest is None else max(0, now_ms() - waiting.oldest)
    yield GaugeMetricFamily("neardup_waiting_documents", "Documents without a verdict", waiting.documents)
    yield GaugeMetricFamily(
        "neardup_blocked_documents", "Documents without one in indices that are read-only", waiting.blocked
    )
    yield GaugeMetricFamily("neardup_lag_seconds", "Age of the oldest document that waits", lag / 1_000)


def listen(host: str, port: int, figures: RunFigures) -> WSGIServer:
    """Answers at this address, from a thread of its own, until it is shut down. Raises `OSError` if it is taken."""
    registry = CollectorRegistry()
    registry.register(figures)
    server, _ = start_http_server(port, host, registry)
    return server
