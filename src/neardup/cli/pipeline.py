"""The common part of runs: documents into an open window, verdicts and rejects out, and the exit code."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.cli.exit_codes import DONE, REJECTED, Stop
from neardup.cli.sinks import Rejects, Verdicts
from neardup.cli.streams import log_line
from neardup.cli.tables import counted, duration
from neardup.cli.tally import Tally, progress
from neardup.model.clock import now_ms
from neardup.model.document import Document, Reject

if TYPE_CHECKING:
    from neardup.cli.inputs import Readable
    from neardup.cli.sinks import OutputOptions
    from neardup.cli.tally import Position
    from neardup.elastic.watch.backlog import Backlog
    from neardup.elastic.watch.watcher import Watcher
    from neardup.sources.position import Item
    from neardup.window.base import Window

MOST_INCOMPLETE: Final = 0.01
"""The share of documents that may be compared with less than their window in a run that counts as a success."""


class Sinks(NamedTuple):
    """Where a run writes, and its count."""

    verdicts: Verdicts
    rejects: Rejects
    tally: Tally
    has_bar: bool


@contextmanager
def opened_sinks(options: OutputOptions, position: Position) -> Iterator[Sinks]:
    """A context with open sinks, closed with a summary however the run ends; a bar on a terminal shows `position`."""
    shown = sys.stderr.isatty() and not (
        sys.stdout.isatty() and options.format == "jsonl" and not options.output
    )
    with ExitStack() as stack:
        verdicts = Verdicts(options.format, options.output, force=options.force, live=options.live)
        stack.enter_context(verdicts)
        rejects = stack.enter_context(Rejects(options.rejects, force=options.force))
        tally = Tally()
        stack.enter_context(progress(tally, position, rejects, shown=shown, finish=verdicts.print_table))
        if options.metrics is not None:
            stack.enter_context(options.metrics(tally, rejects))
        yield Sinks(verdicts, rejects, tally, shown)


def ingest_all(target: Window, reader: Readable, options: OutputOptions) -> int:
    """Ingests all documents of `reader`; returns the exit code."""
    with Stop(waits=True) as stop, opened_sinks(options, reader.position) as sinks, _told_at_end():
        stream = _documents(stop.until_requested(reader), sinks)
        sinks.tally.left, sinks.tally.too_late = lambda: target.left, lambda: target.too_late
        sinks.verdicts.look_up_in(target.read)

        def refuse(reject: Reject) -> None:
            sinks.verdicts.forget_rejected(reject.id)
            sinks.rejects.add(reader.located(reject))

        for verdict in target.ingest(stream, on_reject=refuse):
            sinks.tally.spent("score")
            sinks.verdicts.write(verdict)
            sinks.tally.add(verdict)
            sinks.tally.spent("write")
        sinks.verdicts.is_stopped = stop.requested is not None
        if not sinks.verdicts.is_stopped:
            options.check_any_usable(sinks.tally, sinks.rejects)
    stop.raise_if_requested()
    return code_of_run(sinks)


@contextmanager
def _told_at_end() -> Iterator[None]:
    """A context in which the library does not log that ids repeat: the report of the run says so, with a remedy."""
    log, is_other = logging.getLogger("neardup"), lambda record: not hasattr(record, "is_of_ids")
    log.addFilter(is_other)
    try:
        yield
    finally:
        log.removeFilter(is_other)


def _documents(items: Iterable[Item], sinks: Sinks) -> Iterator[Document]:
    """The documents that the window is to ingest. Verdicts so far are written out before another one is read."""
    tally = sinks.tally
    tally.spent("score")
    for item in items:
        tally.spent("read")
        if type(item) is Reject:
            sinks.rejects.add(item)
            continue
        if type(item) is Document:
            sinks.verdicts.note(item)
        yield item  # type: ignore[misc] # FLUSH goes on as it is
        tally.spent("score")
        sinks.verdicts.flush()
        tally.spent("write")


def code_of_run(sinks: Sinks, *, blocked: int = 0, causes: Iterable[str] | None = None) -> int:
    """The exit code of a run that has ended; reports the `causes` (None: all that a run may have) if not all documents
    were compared as they should be.
    """
    tally = sinks.tally
    much = tally.incomplete > MOST_INCOMPLETE * tally.count
    if much:
        log_line(
            f"{tally.incomplete:,} of {counted(tally.count, 'document')} "
            f"({100 * tally.incomplete / tally.count:.1f} %) were not compared with all of their window"
            + "".join(f". {cause}" for cause in (_causes(tally) if causes is None else causes))
        )
    return REJECTED if much or blocked or sinks.rejects.count else DONE


def _causes(tally: Tally) -> Iterator[str]:
    """Why documents may not have been compared with all of their window, and what helps."""
    late = tally.too_late()
    if late != 0:
        yield (
            "For late documents, and those read again, the hours to compare with may be dropped already: by the limit "
            "of hours (a new window with --window-hours 0 has none, and --keep-hours keeps hours for late documents), "
            "or by max_documents or max_memory"
        )
    if late != tally.incomplete:
        yield (
            "max_candidates, max_documents and max_memory are limits; --partial and --route skip documents stored "
            "without them, and sentences that hundreds of documents have"
        )


def score_backlog(
    watch: Watcher, sinks: Sinks, *, on_backlog: Callable[[Backlog], object] = lambda _: None
) -> None:
    """Writes the verdicts of `watch`, each as soon as it is made; a signal ends the run after the batch at hand."""
    sinks.tally.left = lambda: watch.left
    with Stop() as stop:

        def look(backlog: Backlog) -> None:
            sinks.tally.backlog = backlog
            on_backlog(backlog)

        def sleep(seconds: float) -> None:
            sinks.tally.spent("score")
            stop.sleep(seconds)
            sinks.tally.spent("idle")

        verdicts = watch.verdicts(
            on_reject=sinks.rejects.add,
            on_backlog=look,
            stopped=lambda: stop.requested is not None,
            sleep=sleep,
        )
        for verdict in verdicts:
            sinks.tally.spent("score")
            sinks.verdicts.write(verdict)
            sinks.verdicts.flush()
            sinks.tally.add(verdict)
            sinks.tally.spent("write")
        stop.raise_if_requested()
    if watch.backlog.blocked:
        indices = ", ".join(watch.backlog.readonly)
        log_line(
            f"{counted(watch.backlog.blocked, 'document')} wait in indices that are read-only: {indices}"
        )


class BacklogReport:
    """Shows how many documents wait: in the bar if there is one, else from time to time as a line on standard error."""

    def __init__(self, sinks: Sinks, every: float) -> None:
        self._sinks, self._every, self._last = sinks, every, float("-inf")

    def __call__(self, backlog: Backlog) -> None:
        """Show `backlog`."""
        tally = self._sinks.tally
        tally.waiting = in_words(backlog, now_ms() / 1_000)
        tally.update()
        now = time.monotonic()
        if not self._sinks.has_bar and now - self._last >= self._every:
            self._last = now
            log_line(f"{counted(tally.count, 'document')} scored; {tally.waiting}")


def in_words(backlog: Backlog, now: float) -> str:
    """How far scoring is behind at `now` (in seconds), in words.

    >>> from neardup.elastic.watch.backlog import Backlog
    >>> in_words(Backlog(1200, 1_795_251_600_000), 1_795_251_690), in_words(Backlog(), 0)
    ('1,200 wait, the oldest of 1.5 min ago', 'none waits')
    """
    words = f"{backlog.waiting:,} wait" if backlog.waiting else "none waits"
    if backlog.oldest is not None:
        words += f", the oldest of {duration(max(0.0, now - backlog.oldest / 1_000))} ago"
    if backlog.blocked:
        words += f"; {backlog.blocked:,} more in indices that are read-only"
    return words
