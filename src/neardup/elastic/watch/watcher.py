"""The watcher: scores the backlog in pass after pass until it is stopped, and survives outages of the cluster."""

from __future__ import annotations

import logging
import time
from contextlib import closing, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from neardup.elastic.watch.backlog import Backlog, LayoutChanged
from neardup.elastic.watch.leadership import leadership
from neardup.elastic.watch.scoring_pass import BacklogScorer
from neardup.elastic.window.window_state import check_no_budget_of_archive
from neardup.errors import ClusterError, ClusterRejected, ClusterUnreachable, LeaseLost, WindowLocked
from neardup.model.clock import now_ms
from neardup.model.settings import DEFAULT_POLL_SECONDS
from neardup.window.base import Left, SettingsChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.verdict import Verdict
    from neardup.window.base import OnReject
    from neardup.window.engine import WindowEngine

log = logging.getLogger("neardup")

LONGEST_PAUSE: Final = 60.0
_MOST_DOUBLINGS: Final = 32
"""The most doublings of the pause after a failure, so that the number stays small however long a cluster is away."""


class Watcher:
    """Yields the verdicts on documents that other clients write, as they are made.

    `open_window` opens the window, and again after each failure that made its memory useless. `once`: ends when no
    document waits any more. `roll_over` is called with the time before each look at the backlog by a watcher that
    leads, and rolls over if that is due.
    """

    def __init__(
        self,
        open_window: Callable[[], WindowEngine],
        cluster: Cluster,
        layout: Layout,
        *,
        roll_over: Callable[[int], object] | None = None,
        once: bool,
        poll: float = DEFAULT_POLL_SECONDS,
    ) -> None:
        self._open_window, self._cluster, self._layout = open_window, cluster, layout
        self._roll_over, self._once, self._poll = roll_over, once, poll
        self._leadership = leadership(cluster)
        self._roll_after = 0
        self._standing_by = False
        self.backlog = Backlog()
        self.left = Left()
        """Documents that have left the window."""
        self.earlier_copies = 0
        """As `Window.earlier_copies`, of all openings."""
        self.handled = self.expected = 0
        """How many documents have been handled, and how many will have been with all that were last seen waiting."""

    def verdicts(
        self,
        *,
        on_reject: OnReject,
        on_backlog: Callable[[Backlog], object] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
        sleep: Callable[[float], object] = time.sleep,
    ) -> Iterator[Verdict]:
        """Yields each verdict once it is in its document. Ends only with `once`, or when `stopped`, which is checked
        after every batch.

        `on_reject` is called with each document that cannot be scored, `on_backlog` with the backlog after every look
        at it; `sleep` waits.

        Logs and survives failures that pass: the cluster is away (for longer than the patience), an index becomes
        read-only, another scorer took over, `neardup setup` changed the window's fields, another process changed
        settings that this watcher follows. Raises errors that will not go away by themselves, such as `ClusterRefused`,
        or `SettingsError` for a budget of an archive; at the first opening, and with `once`, also `ClusterUnreachable`.
        """
        failures, opened = 0, False
        try:
            while not stopped():
                try:
                    with self._open_window() as window:
                        opened = True
                        if self._layout.archive is not None:
                            check_no_budget_of_archive(window.settings)
                        before, earlier = self.left, self.earlier_copies
                        for verdict in self._passes(window, on_reject, on_backlog, stopped, sleep):
                            failures = 0
                            self.left = before.plus(window.left)
                            self._count_earlier(earlier + window.earlier_copies)
                            yield verdict
                    return
                except LayoutChanged as changed:
                    self._layout = changed.layout
                    log.warning(
                        "`neardup setup` has changed the fields or the max_length of this window: opening it again"
                    )
                except SettingsChanged as changed:
                    text = "another process has set %s for this window: opening it again with that"
                    log.warning(text, changed.settings)
                except (ClusterUnreachable, WindowLocked, ClusterRejected) as error:
                    if not opened or not self._survives(error, failures):
                        raise
                    failures += 1
                    pause = min(LONGEST_PAUSE, self._poll * 2 ** min(failures, _MOST_DOUBLINGS))
                    log.warning("%s; going on in %.0f s", error, pause)
                    sleep(pause)
        finally:
            with suppress(ClusterError, LeaseLost):
                self._leadership.release()
            self._leadership.abandon()

    def _count_earlier(self, copies: int) -> None:
        """Notes how many copies are earlier than their originals; the first is logged."""
        if copies and not self.earlier_copies:
            log.warning(
                "a copy is earlier than its original, which was scored first: it came late, or it was corrected or "
                "indexed again (reported for the first only). `neardup reconcile --window %s` marks all as if they had "
                "arrived in order of time",
                self._cluster.address,
            )
        self.earlier_copies = copies

    def _survives(self, error: Exception, failures: int) -> bool:
        """Whether to go on after `error`. An index that has just stopped taking marks is left out next time."""
        is_blocked = isinstance(error, ClusterRejected) and error.status == HTTPStatus.FORBIDDEN
        return not self._once or (is_blocked and failures < 3)

    def _passes(
        self,
        window: WindowEngine,
        on_reject: OnReject,
        on_backlog: Callable[[Backlog], object],
        stopped: Callable[[], bool],
        sleep: Callable[[float], object],
    ) -> Iterator[Verdict]:
        """The verdicts of pass after pass with one open window, until `stopped` or, with `once`, done. Watchers that do
        not lead score only where several can share the backlog.
        """
        scorer = BacklogScorer(window, self._cluster, self._layout, on_reject=on_reject, stopped=stopped)
        last: Backlog | None = None
        with closing(scorer):
            while not stopped():
                leads = self._leadership.try_acquire()
                scores = leads or scorer.claims is not None
                self._tell_standing_by(is_so=not scores)
                if leads:
                    self._keep_alias()
                if scores:
                    # Marks of a scorer that died before its commit would look like verdicts.
                    window.recover()
                self._look(scorer)
                on_backlog(self.backlog)
                before = self.handled
                if scores and self.backlog.waiting:
                    yield from self._one_pass(scorer, leads=leads)
                # If the backlog is as it was before the last pass, its verdicts may have reached no document: they are
                # made again, but not at once.
                is_progress = self.handled > before and self.backlog != last
                last = self.backlog
                if not is_progress:
                    # Documents that still wait take no mark, were deleted or scored just now; or others score them.
                    if self._once and (not self.backlog.waiting or (scores and scorer.is_alone())):
                        return
                    sleep(self._poll)

    def _one_pass(self, scorer: BacklogScorer, *, leads: bool) -> Iterator[Verdict]:
        """The verdicts of one pass; keeps the leadership if this watcher `leads`."""
        before = scorer.handled
        try:
            for verdict in scorer.one_pass():
                yield verdict
                if leads:
                    self._leadership.try_acquire()
        finally:
            self.handled += scorer.handled - before

    def _tell_standing_by(self, *, is_so: bool) -> None:
        """Logs when this watcher begins to stand by, and when it stops doing so."""
        if is_so and not self._standing_by:
            log.warning("another process (%s) scores this window: standing by", self._leadership.holder)
        elif self._standing_by and not is_so:
            log.warning("no other process scores this window any more: starting to score")
        self._standing_by = is_so

    def _look(self, scorer: BacklogScorer) -> None:
        """Measures the backlog as it is now, and logs, once each, the indices that take no marks or are closed."""
        scorer.backlog.refresh()
        before, now = self.backlog, scorer.backlog.measure()
        wait = "its documents wait until it takes marks again"
        for name in sorted(now.readonly.keys() - before.readonly.keys()):
            log.warning("%s is read-only: %s (%s)", name, wait, now.readonly[name])
        for name in sorted({*now.closed} - {*before.closed}):
            log.warning(
                "%s is closed: %s, and searches skip it (POST %s/_open, or delete it)", name, wait, name
            )
        self.backlog, self.expected = now, self.handled + now.waiting

    def _keep_alias(self) -> None:
        """Rolls over if that is due. If the cluster rejects that, as at its limit of shards, logs it and tries again
        later: what waits needs neither a coming hour nor the alias, and scoring it lets old hours go.
        """
        now = now_ms()
        if self._roll_over is None or now < self._roll_after:
            return
        try:
            self._roll_over(now)
        except ClusterRejected as error:
            self._roll_after = now + int(1_000 * LONGEST_PAUSE)
            text = "the alias is not moved, and scoring goes on"
            log.warning("%s; %s; next attempt in %.0f s", error, text, LONGEST_PAUSE)
