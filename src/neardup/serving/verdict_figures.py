"""Figures of verdicts for Prometheus, under the same names in `serve`, `ingest` and `watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neardup.model.verdict import Counts


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
