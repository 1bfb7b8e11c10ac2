"""The files that `neardup dedup` writes: which may be written, and the writers of records."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from neardup.cleaning.writers import OutputForm, Writer, form_of_output, writing
from neardup.cli import output_files
from neardup.cli.streams import check_output
from neardup.sources.files import ending

if TYPE_CHECKING:
    from neardup.sources.reader import Reader


class CleaningOutputs(NamedTuple):
    """Where a run writes records that stay (None: standard output), removed and rejected ones (None: nowhere)."""

    kept: Path | None
    removed: Path | None
    rejects: Path | None
    force: bool = False

    def check_forms(self) -> None:
        """Raises `SettingsError` for a file whose name implies no form, before anything is read."""
        for option, path in (("--output", self.kept), ("--removed", self.removed)):
            if path is not None:
                form_of_output(str(path), option)

    def check(self, read: Iterable[Any]) -> None:
        """Raises `OutputRefused` if a file may not be written to, with these files `read`."""
        files = [*self._of_records, ("--rejects", self.rejects)]
        by_name = ("--output", "--removed")
        output_files.check_outputs(files, read, replace=self.force, by_name=by_name, lines=True)

    @property
    def replaces(self) -> bool:
        """Whether a file of records that has content is to be replaced."""
        return self.force and any(
            path is not None and output_files.holds_something(path) for _, path in self._of_records
        )

    def check_unreplaced(self) -> None:
        """Raises `OutputRefused` for a file of records that has content, if no record that was read can be used."""
        output_files.check_unreplaced(self._of_records)

    @property
    def _of_records(self) -> list[tuple[str, Path | None]]:
        return [("--output", self.kept), ("--removed", self.removed)]


@contextmanager
def opened_writers(outputs: CleaningOutputs, reader: Reader) -> Iterator[tuple[Writer, Writer | None]]:
    """A context with the writer of the records of `reader` that stay, and the writer of removed ones, if they are
    written.

    Files of lines are finished before those that are written as a whole, so that all lines are there even if no table
    can be made of the records.
    """
    paths = [outputs.kept] if outputs.removed is None else [outputs.kept, outputs.removed]
    with ExitStack() as stack:
        writers = {
            path: stack.enter_context(_opened_writer(path, reader, force=outputs.force))
            for path in sorted(paths, key=_is_whole, reverse=True)
        }
        yield writers[outputs.kept], writers[outputs.removed] if outputs.removed else None


def _is_whole(path: Path | None) -> bool:
    """Whether a file is usable only when it is complete, unlike lines."""
    return path is not None and form_of_output(str(path), "--output") != "jsonl"


@contextmanager
def _opened_writer(path: Path | None, reader: Reader, *, force: bool) -> Iterator[Writer]:
    """A context with the writer of records to the file, in the form that its name implies, or to standard output."""
    live = reader.bytes_total is None
    delimiter = None
    with ExitStack() as stack:
        if path is None:
            check_output()
            # A live stream is written line by line.
            form: OutputForm = "csv" if reader.forms == {"csv"} and not live else "jsonl"
            file = sys.stdout.buffer
        else:
            form = form_of_output(str(path), "--output")
            if any(ending(name) == ".tsv" for name in reader.paths):
                delimiter = ","  # tabs become commas, as the names imply
            whole = _is_whole(path)
            if not live:
                stack.enter_context(output_files.told_if_cut_short(path, force=force, whole=whole))
            file = stack.enter_context(output_files.opened_output(path, force=force, whole=whole))
            file = stack.enter_context(_compressed(file, path))
        yield stack.enter_context(writing(form, file, live=live, delimiter=delimiter))


@contextmanager
def _compressed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """A context with `file`, or with a compressor into it if the name implies compression."""
    ending = path.suffix.lower()  # in small letters, as for forms
    if ending == ".gz":
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)
    elif ending in (".zst", ".zstd"):
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as compressed:
            yield cast("BinaryIO", compressed)
    else:
        yield file
