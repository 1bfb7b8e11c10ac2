"""The counts of a run, its progress bar, and the summary at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from neardup.cli.streams import log_line, write_error_line
from neardup.cli.tables import counted
from neardup.model.verdict import Counts
from neardup.window.base import Left

if TYPE_CHECKING:
    from neardup.cli.sinks import Rejects
    from neardup.elastic.watch.backlog import Backlog
    from neardup.model.verdict import Verdict

    Position = Callable[[], tuple[float, float | None]]
    """How much has been processed, and of how much; None if that is not known."""

EVERY: Final = 64
"""How many verdicts lie between two updates of the bar: an update costs about as much as a verdict."""
FIRST_LINE = 10.0
"""After how many seconds a long run first says how far it is, where no bar shows it."""
_NEXT_LINE: Final = 60.0


class Lines:
    """Lines on standard error from time to time, for a run that no bar shows: each call may write one. `count`: of how
    many documents `verb` holds so far; `position`: how much of the files has been read.
    """

    def __init__(self, verb: str, count: Callable[[], int], position: Position) -> None:
        self._verb, self._count, self._position = verb, count, position
        self._due = time.monotonic() + FIRST_LINE

    def __call__(self) -> None:
        """Writes a line if one is due."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _NEXT_LINE
        done, total = self._position()
        share = f" ({100 * done / total:.0f} % of the files read)" if total else ""
        log_line(f"{counted(self._count(), 'document')} {self._verb} so far{share}")


class Tally(Counts):
    """The counts of verdicts by status, and the time of the run."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.seconds_by_stage: dict[str, float] = {}
        self.backlog: Backlog | None = None
        """The documents that wait; None where no backlog is watched."""
        self.incomplete = 0
        """How many documents were not compared with all of their window: unscored, or with a truncated verdict."""
        self.too_late: Callable[[], int | None] = lambda: None
        """Returns how many documents came too late, and were not stored; None if that is not known."""
        self.left: Callable[[], Left] = Left
        """Returns what has left the window."""
        self.update: Callable[[], None] = lambda: None
        self.every = EVERY
        """How many documents lie between two calls of `update`."""
        self.waiting = ""
        """How far behind this is, in words."""
        self._begun = self._stage_began = time.perf_counter()

    def write_lines(self, verb: str, count: Callable[[], int], position: Position) -> None:
        """Reports progress by `Lines`, unless a bar that is made later shows it."""
        self.update = Lines(verb, count, position)
        self.every = 1  # it costs no more than a look at the clock

    def spent(self, stage: str) -> None:
        """Counts the time since the last call towards this stage."""
        now = time.perf_counter()
        self.seconds_by_stage[stage] = self.seconds_by_stage.get(stage, 0.0) + now - self._stage_began
        self._stage_began = now

    def add(self, verdict: Verdict) -> None:
        """Counts one verdict."""
        super().add(verdict)
        self.count_one(is_incomplete=verdict.truncated or verdict.status == "unscored")

    def count_one(self, *, is_incomplete: bool) -> None:
        """Counts one document that was compared, and moves the bar now and then."""
        self.count += 1
        self.incomplete += is_incomplete
        if self.count % self.every == 0:
            self.update()

    @property
    def duplicates(self) -> int:
        """Near and exact copies so far."""
        return self.statuses["near"] + self.statuses["exact"]

    @property
    def rate(self) -> float:
        """Documents a second so far."""
        return self.count / max(self.seconds, 1e-9)

    @property
    def seconds(self) -> float:
        """How long the run has taken so far."""
        return time.perf_counter() - self._begun

    def summary(self, rejects: Rejects) -> str:
        """The summary of the run."""
        statuses = ", ".join(f"{count:,} {status}" for status, count in self.statuses.items()) or "nothing"
        summary = (
            f"{counted(self.count, 'document')} in {self.seconds:.1f} s ({self.rate:,.0f}/s): {statuses}"
        )
        if self.incomplete:
            summary += f"; {self.incomplete:,} not compared with all of their window"
        if late := self.too_late():
            summary += f"; {late:,} came too late, and {'was' if late == 1 else 'were'} not stored"
        left = self.left()
        if left.documents:
            hours = left.first if left.first == left.last else f"{left.first} to {left.last}"
            dropped = f"{counted(left.documents, 'document')} of {counted(left.hours, 'hour')}"
            summary += f"; {dropped} left the window ({hours})"
        if rejects.count:
            summary += f"; {rejects.count:,} rejected" + (f" (see {rejects.path})" if rejects.path else "")
        return summary

    def advice(self) -> str:
        """The advice below the summary; "" if there is none."""
        return ""


@contextmanager
def progress(
    tally: Tally,
    position: Position,
    rejects: Rejects,
    *,
    shown: bool,
    finish: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """A context with a bar that `tally` moves, if it is `shown`. However the run ends, the bar is removed, `finish` is
    called, and a summary is printed.
    """
    try:
        with _bar(position, tally) if shown else nullcontext():
            yield
    finally:
        try:
            finish()
        finally:
            write_error_line(tally.summary(rejects))
            if advice := tally.advice():
                write_error_line(advice)


@contextmanager
def _bar(position: Position, tally: Tally) -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=position()[1])

        def update() -> None:
            description = f"{tally.count:,} documents, {tally.rate:,.0f}/s, {tally.duplicates:,} duplicates"
            if tally.waiting:
                description += f"; {tally.waiting}"
            done, total = position()
            bar.update(task, completed=done, total=total, description=description)

        tally.update, tally.every = update, EVERY
        yield
