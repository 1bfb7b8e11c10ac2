"""The doctor's check of the documents of a window that wait for a verdict. Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from neardup.elastic.watch.backlog import BacklogReader
from neardup.elastic.watch.leadership import scorer_at_work
from neardup.model.clock import now_ms
from neardup.model.counted import counted
from neardup.model.finding import Finding
from neardup.model.times import MAX_TIME_MS, MIN_TIME_MS, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout

_LONG_MS: Final = 10 * 60_000
"""A document that is older than this, and waits while no scorer is at work, has most likely been forgotten."""


def check_waiting(cluster: Cluster, layout: Layout) -> Iterator[Finding]:
    """How many documents wait for a verdict, if any do; a warning if the oldest has waited for long, by its own time,
    and no scorer is at work. Sees refreshed documents only.
    """
    backlog = BacklogReader(cluster, layout).measure()
    if not backlog.waiting:
        return
    what = f"documents of {cluster.address.prefix}"
    oldest = ""
    if backlog.oldest is not None:
        # No document of a time outside of these years is scored, but it waits until it is marked.
        oldest = f", the oldest of {format_time(min(max(backlog.oldest, MIN_TIME_MS), MAX_TIME_MS))}"
    text = f"{counted(backlog.waiting, 'document')} without a verdict{oldest}"
    scorer = scorer_at_work(cluster)
    if scorer is not None:
        yield Finding(what, "ok", f"{text}: {scorer} scores them")
    elif backlog.oldest is not None and now_ms() - backlog.oldest < _LONG_MS:
        yield Finding(what, "ok", f"{text}; no scorer is at work yet")
    else:
        remedy = f"run neardup watch --window {cluster.address}"
        yield Finding(what, "warning", f"{text}: no scorer is at work; {remedy}")
