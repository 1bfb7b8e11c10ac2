"""A run of `neardup dedup`: records in, what stays and what goes out, and a summary."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from neardup.cleaning.compared import settings_for
from neardup.cleaning.records import cleaned, entries
from neardup.cleaning.writers import OutputForm, Writer, form_of_output, writing
from neardup.cli import inputs, sinks
from neardup.cli.exit_codes import DONE, REJECTED, Stop
from neardup.cli.pipeline import EVERY, Tally, progress
from neardup.cli.streams import check_output
from neardup.sources.files import form_of

if TYPE_CHECKING:
    from neardup.cleaning.preference import Keep
    from neardup.cleaning.records import Entry, Outcome
    from neardup.cli.config import Config
    from neardup.sources.reader import Reader


class CleaningOutputs(NamedTuple):
    """Where a run writes what stays (None: standard output), what goes and what is rejected (None: nowhere)."""

    kept: Path | None
    removed: Path | None
    rejects: Path | None
    force: bool = False

    def check_forms(self) -> None:
        """Raises `SettingsError` for a file whose name tells no form, before anything is read."""
        for option, path in (("--output", self.kept), ("--removed", self.removed)):
            if path is not None:
                form_of_output(path.name, option)

    def check(self, read: Iterable[Any]) -> None:
        """Raises `OutputRefused` if a file may not be written to, with these files `read`."""
        files = [("--output", self.kept), ("--removed", self.removed), ("--rejects", self.rejects)]
        sinks.check_outputs(files, read, replace=self.force, ways="--force replaces it")


def clean(
    reader: Reader, config: Config, keep: Keep, field: str, outputs: CleaningOutputs, *, has_id_field: bool
) -> int:
    """Writes what stays and what goes of all that `reader` yields; the exit code. `field` has the source.

    Raises `typer.BadParameter` where there is no file to read: nothing is written then.
    """
    inputs.report_passed_over(reader)
    inputs.check_any(reader)
    tally = CleaningTally()
    with Stop() as stop, ExitStack() as stack:
        opened = partial(_opened, force=outputs.force, live=reader.bytes_total is None)
        kept = stack.enter_context(opened(outputs.kept, _form(reader)))
        removed = stack.enter_context(opened(outputs.removed, "jsonl")) if outputs.removed else None
        rejects = stack.enter_context(sinks.Rejects(outputs.rejects, force=outputs.force))
        shown = sys.stderr.isatty() and not (sys.stdout.isatty() and outputs.kept is None)
        position = lambda: (reader.bytes_read, reader.bytes_total)  # noqa: E731 - as short as its name
        stack.enter_context(progress(position, rejects, shown=shown, tally=tally))
        # Where all is read before anything is written, a signal ends it at once: there is nothing to be finished.
        source = entries(reader, rejects.add)
        stream = stop.until_requested(source) if keep.rule == "first" else source
        settings = settings_for(config.settings, every_pair=False)
        for entry, outcome in cleaned(stream, keep, field, settings, rejects.add):
            tally.count_outcome(outcome)
            if outcome.where is None:
                kept.write(entry.record)
            elif removed:
                removed.write(entry.record, _why(entry, outcome))
    stop.raise_if_requested()
    is_wrong = inputs.report_read(reader, {"id"} if has_id_field else set())
    return REJECTED if rejects.count or is_wrong else DONE


def _why(entry: Entry, outcome: Outcome) -> dict[str, Any]:
    """What is written of a record that goes, beside it."""
    return {
        "id": entry.id,
        "status": outcome.status,
        "duplicate_of": outcome.duplicate_of,
        "score": outcome.score,
        "shared": outcome.shared,
        "where": entry.where,
        "duplicate_of_where": outcome.where,
    }


def _form(reader: Reader) -> OutputForm:
    """The form for standard output: CSV if all that is read is."""
    return "csv" if reader.paths and all(form_of(name) == "csv" for name in reader.paths) else "jsonl"


@contextmanager
def _opened(path: Path | None, form: OutputForm, *, force: bool, live: bool) -> Iterator[Writer]:
    """What writes records to the file, in the form that its name tells; or in `form` to standard output."""
    with ExitStack() as stack:
        if path is None:
            check_output()
            file = sys.stdout.buffer
        else:
            form = form_of_output(path.name, "--output")
            file = stack.enter_context(
                _compressed(stack.enter_context(sinks.opened_output(path, force=force)), path)
            )
        yield stack.enter_context(writing(form, file, live=live))


@contextmanager
def _compressed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """`file`, or what compresses into it, as the name says."""
    if path.suffix == ".gz":
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)
    elif path.suffix in (".zst", ".zstd"):
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as compressed:
            yield cast("BinaryIO", compressed)
    else:
        yield file


class CleaningTally(Tally):
    """How many records stay and go, and why."""

    def count_outcome(self, outcome: Outcome) -> None:
        """Count one record."""
        self.statuses[outcome.status] += 1
        self.count += 1
        self.incomplete += outcome.truncated
        if self.count % EVERY == 0:
            self.update()

    def summary(self, rejects: sinks.Rejects) -> str:
        """The summary of the run."""
        rejected = f"; {rejects.count:,} rejected" if rejects.count else ""
        removed = self.duplicates
        exact, near = self.statuses["exact"], self.statuses["near"]
        empty = f" ({self.statuses['empty']:,} without a letter or digit)" if self.statuses["empty"] else ""
        cut = f"; {self.incomplete:,} not compared with all" if self.incomplete else ""
        return (
            f"{self.count + rejects.count:,} read: {self.count - removed:,} kept{empty}, {removed:,} removed "
            f"({exact:,} exact, {near:,} near){cut}{rejected}; {self.seconds:.1f} s"
        )
