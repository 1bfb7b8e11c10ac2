"""Documents into an open window, verdicts and rejects out: what `ingest` and `watch` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import typer

from neardup.cli.door import say
from neardup.cli.options import Format
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.intake import Rejects
    from neardup.cli.output import Verdicts
    from neardup.cli.progress import Position, Tally
    from neardup.document import Reject
    from neardup.sources.position import Item
    from neardup.watching.loop import Watch
    from neardup.watching.waiting import Lag


class WayOut(NamedTuple):
    """Where a run writes: what standard output gets, a file for verdicts, a file for rejects.

    Files that exist are refused, unless lines may be added to them (`append`) or they may be replaced (`force`).
    """

    format: Format
    output: Path | None
    rejects: Path | None
    append: bool = False
    force: bool = False

    def check(self, read: Iterable[str | PathLike[str]], *, window: str | None = None) -> None:
        """Raises `OutputRefused` if a file may not be written to, with these files `read` and this `window` written."""
        from neardup.cli.output_files import check_outputs
        from neardup.cluster.address import is_address

        if self.append and self.force:
            raise typer.BadParameter("give --append or --force, not both", param_hint="--append")
        outputs = [("--output", self.output), ("--rejects", self.rejects)]
        place = None if window is None or is_address(window) else window
        check_outputs(outputs, read, window=place, replace=self.append or self.force)


class Outlets(NamedTuple):
    """Takers of what a run yields."""

    verdicts: Verdicts
    rejects: Rejects
    tally: Tally
    has_bar: bool


class Readable(Protocol):
    """A source of documents that knows where each was read."""

    def __iter__(self) -> Iterator[Item]: ...

    def located(self, reject: Reject) -> Reject:
        """`reject` with the place of its document."""
        ...


@contextmanager
def outlets(way: WayOut, position: Position) -> Iterator[Outlets]:
    """Open outlets, closed and told of when the run ends, however it does; a bar shows the `position` on a terminal."""
    from neardup.cli.intake import Rejects
    from neardup.cli.output import Verdicts
    from neardup.cli.progress import progress

    shown = sys.stderr.isatty() and not (sys.stdout.isatty() and way.format == "jsonl" and not way.output)
    with ExitStack() as stack:
        verdicts = stack.enter_context(Verdicts(way.format, way.output, force=way.force))
        rejects = stack.enter_context(Rejects(way.rejects, force=way.force))
        tally = stack.enter_context(progress(position, rejects, shown=shown))
        yield Outlets(verdicts, rejects, tally, shown)


def take_in(target: Window, reader: Readable, way: WayOut, position: Position) -> int:
    """Ingests all that `reader` yields; how many documents were rejected."""
    from neardup.cli.intake import documents

    with outlets(way, position) as out:
        stream = documents(reader, out.verdicts, out.rejects)
        for verdict in target.ingest(
            stream, on_reject=lambda reject: out.rejects.add(reader.located(reject))
        ):
            out.verdicts.write(verdict)
            out.tally.add(verdict)
    return out.rejects.count


def score_what_waits(watch: Watch, out: Outlets, *, on_lag: Callable[[Lag], object] = lambda _: None) -> None:
    """Takes the verdicts of `watch`, each as soon as it is there."""
    for verdict in watch.verdicts(on_reject=out.rejects.add, on_lag=on_lag):
        out.verdicts.write(verdict)
        out.verdicts.flush()
        out.tally.add(verdict)
    if watch.lag.blocked:
        indices = ", ".join(watch.lag.readonly)
        say(f"{counted(watch.lag.blocked, 'document')} wait in indices that are read-only: {indices}")
