"""What a person sees while documents are scored: a bar on a terminal, nothing in a pipe, and one line at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from neardup.cli.streams import say_line
from neardup.cli.tables import counted
from neardup.window.base import Left

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.cli.intake import Rejects
    from neardup.model.verdict import Verdict

    Position = Callable[[], tuple[float, float | None]]
    """How much is behind us, and of how much; None where nobody knows."""

EVERY: Final = 64
"""Verdicts between two updates of the bar: an update costs about as much as a verdict."""


class Tally:
    """How many verdicts of which status, and since when."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.count = 0
        self.incomplete = 0
        """Documents that were not compared with all of their window: unscored, or with a verdict that is truncated."""
        self.left: Callable[[], Left] = Left
        """What has left the window."""
        self.update: Callable[[], None] = lambda: None
        self.before_summary: Callable[[], None] = lambda: None
        """What is to be printed when the bar is gone and the summary is still to come."""
        self.waiting = ""
        """How far behind this is, in words."""
        self._begun = time.perf_counter()

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.statuses[verdict.status] += 1
        self.count += 1
        self.incomplete += verdict.truncated or verdict.status == "unscored"
        if self.count % EVERY == 0:
            self.update()

    @property
    def duplicates(self) -> int:
        """Near and exact copies so far."""
        return self.statuses["near"] + self.statuses["exact"]

    @property
    def rate(self) -> float:
        """Documents a second so far."""
        return self.count / max(time.perf_counter() - self._begun, 1e-9)

    def sentence(self, rejects: Rejects) -> str:
        """The summary of the run."""
        seconds = time.perf_counter() - self._begun
        found = ", ".join(f"{count:,} {status}" for status, count in self.statuses.items()) or "nothing"
        told = f"{counted(self.count, 'document')} in {seconds:.1f} s ({self.rate:,.0f}/s): {found}"
        if self.incomplete:
            told += f"; {self.incomplete:,} not compared with all of their window"
        left = self.left()
        if left.documents:
            told += (
                f"; {counted(left.documents, 'document')} of {counted(left.hours, 'hour')} left the window ("
            )
            told += f"{left.first})" if left.first == left.last else f"{left.first} to {left.last})"
        if rejects.count:
            told += f"; {rejects.count:,} rejected" + (f" (see {rejects.path})" if rejects.path else "")
        return told


@contextmanager
def progress(position: Position, rejects: Rejects, *, shown: bool) -> Iterator[Tally]:
    """A tally that moves the bar if it is `shown`, and is told on standard error when the run ends, however it does."""
    tally = Tally()
    try:
        if shown:
            with _bar(position, tally):
                yield tally
        else:
            yield tally
    finally:
        try:
            tally.before_summary()
        finally:
            say_line(tally.sentence(rejects))


@contextmanager
def _bar(position: Position, tally: Tally) -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=position()[1])

        def update() -> None:
            found = f"{tally.count:,} documents, {tally.rate:,.0f}/s, {tally.duplicates:,} duplicates"
            if tally.waiting:
                found += f"; {tally.waiting}"
            done, total = position()
            bar.update(task, completed=done, total=total, description=found)

        tally.update = update
        yield
