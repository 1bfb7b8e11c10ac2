"""Documents into an open window, verdicts and rejects out: what `ingest` and `watch` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import typer

from neardup.cli.exit_codes import DONE, REJECTED, say
from neardup.cli.options import Format
from neardup.cli.stopping import Stop
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.intake import Rejects
    from neardup.cli.output import Verdicts
    from neardup.cli.progress import Position, Tally
    from neardup.elastic.watch.backlog import Backlog
    from neardup.elastic.watch.watcher import Watch
    from neardup.model.document import Reject
    from neardup.sources.position import Item


MOST_INCOMPLETE: Final = 0.01
"""What part of the documents may be compared with less than their window before a run is no success."""


class OutputOptions(NamedTuple):
    """Where a run writes: what standard output gets, a file for verdicts, a file for rejects.

    Files that exist are refused, unless lines may be added to them (`append`) or they may be replaced (`force`).
    `live`: what is read may never end, so nothing is kept back until it does.
    """

    format: Format
    output: Path | None
    rejects: Path | None
    append: bool = False
    force: bool = False
    live: bool = False

    def check(self, read: Iterable[str | PathLike[str]], *, window: str | None = None) -> None:
        """Raises `OutputRefused` if a file may not be written to, with these files `read` and this `window` written."""
        from neardup.cli.output_files import check_outputs
        from neardup.elastic.http.address import is_address

        if self.append and self.force:
            raise typer.BadParameter("give --append or --force, not both", param_hint="--append")
        outputs = [("--output", self.output), ("--rejects", self.rejects)]
        place = None if window is None or is_address(window) else window
        check_outputs(outputs, read, window=place, replace=self.append or self.force)


class Sinks(NamedTuple):
    """Takers of what a run yields."""

    verdicts: Verdicts
    rejects: Rejects
    tally: Tally
    has_bar: bool


class Readable(Protocol):
    """A source of documents that knows where each was read."""

    def __iter__(self) -> Iterator[Item]: ...

    def position(self) -> tuple[float, float | None]:
        """How much is behind us, and of how much."""
        ...

    def located(self, reject: Reject) -> Reject:
        """`reject` with the place of its document."""
        ...


@contextmanager
def outlets(way: OutputOptions, position: Position) -> Iterator[Sinks]:
    """Open outlets, closed and told of when the run ends, however it does; a bar shows the `position` on a terminal."""
    from neardup.cli.intake import Rejects
    from neardup.cli.output import Verdicts
    from neardup.cli.progress import progress

    shown = sys.stderr.isatty() and not (sys.stdout.isatty() and way.format == "jsonl" and not way.output)
    with ExitStack() as stack:
        verdicts = stack.enter_context(Verdicts(way.format, way.output, force=way.force, live=way.live))
        rejects = stack.enter_context(Rejects(way.rejects, force=way.force))
        tally = stack.enter_context(progress(position, rejects, shown=shown))
        tally.before_summary = verdicts.print_table
        yield Sinks(verdicts, rejects, tally, shown)


def take_in(target: Window, reader: Readable, way: OutputOptions) -> int:
    """Ingests all that `reader` yields; the exit code."""
    from neardup.cli.intake import documents

    with Stop() as stop, outlets(way, reader.position) as out:
        stream = documents(stop.until_requested(reader), out.verdicts, out.rejects)
        out.tally.left = lambda: target.left
        for verdict in target.ingest(
            stream, on_reject=lambda reject: out.rejects.add(reader.located(reject))
        ):
            out.verdicts.write(verdict)
            out.tally.add(verdict)
    stop.raise_if_requested()
    return exit_code(out)


def exit_code(out: Sinks, *, blocked: int = 0) -> int:
    """The exit code of a run that has ended, after saying why if not all documents were compared as they should be."""
    tally = out.tally
    much = tally.incomplete > MOST_INCOMPLETE * tally.count
    if much:
        say(
            f"{tally.incomplete:,} of {counted(tally.count, 'document')} "
            f"({100 * tally.incomplete / tally.count:.1f} %) were not compared with all of their window: what is too "
            "late for it finds its hours gone. A new window with --window-hours 0 has no limit; --keep-hours keeps "
            "hours for what comes late; max_candidates, max_documents and max_memory are limits, too"
        )
    return REJECTED if much or blocked or out.rejects.count else DONE


def score_what_waits(
    watch: Watch, out: Sinks, *, on_lag: Callable[[Backlog], object] = lambda _: None
) -> None:
    """Takes the verdicts of `watch`, each as soon as it is there; a signal ends it after the batch at hand."""
    out.tally.left = lambda: watch.left
    with Stop() as stop:
        verdicts = watch.verdicts(
            on_reject=out.rejects.add,
            on_lag=on_lag,
            stopped=lambda: stop.requested is not None,
            sleep=stop.sleep,
        )
        for verdict in verdicts:
            out.verdicts.write(verdict)
            out.verdicts.flush()
            out.tally.add(verdict)
        stop.raise_if_requested()
    if watch.lag.blocked:
        indices = ", ".join(watch.lag.readonly)
        say(f"{counted(watch.lag.blocked, 'document')} wait in indices that are read-only: {indices}")
