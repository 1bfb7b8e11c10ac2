"""The way out of `ingest` and its like: verdicts as JSON Lines, as a table for people, or only to a file."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from neardup.cli.output_files import opened_output
from neardup.cli.streams import OutputClosed, check_output, write_json
from neardup.cli.verdict_table import VerdictTable

if TYPE_CHECKING:
    from neardup.cli.options import Format
    from neardup.model.document import Document
    from neardup.model.verdict import Verdict

FLUSH_BYTES: Final = 1 << 16
"""Verdicts are written out when a batch is done, or when so many bytes of them wait."""


class Verdicts:
    """Takes the verdicts of a run. JSON Lines go to `path` where there is one, else to standard output if `format` is
    jsonl; a table goes to standard output when the run ends, that of a `live` stream as it comes."""

    def __init__(self, format: Format, path: Path | None, *, force: bool = False, live: bool = False) -> None:
        self._path, self._force = path, force
        self._to_stdout = format == "jsonl" and path is None
        self._table = VerdictTable(path, live=live) if format == "table" else None
        self._file: BinaryIO | None = None
        self._waiting: list[bytes] = []
        self._size = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._table:
            check_output()
        if self._path:
            self._file = self._stack.enter_context(opened_output(self._path, force=self._force))
        elif self._to_stdout:
            self._file = sys.stdout.buffer
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        broken = kind is not None and issubclass(kind, BrokenPipeError | OutputClosed)
        with self._stack:
            if not broken:
                self.flush()
        if not broken:
            self.print_table()

    def print_table(self) -> None:
        """Print what of the table is still to be printed, which happens once."""
        table, self._table = self._table, None
        if table:
            table.print()

    def note(self, document: Document) -> None:
        """A document is on its way in; a table shows how its text begins."""
        if self._table:
            self._table.note(document)

    def write(self, verdict: Verdict) -> None:
        """Take one verdict."""
        if self._file:
            line = verdict.to_json()
            self._waiting.append(line)
            self._size += len(line)
            if self._size > FLUSH_BYTES:
                self.flush()
        if self._table:
            self._table.add(verdict)

    def flush(self) -> None:
        """Write out what waits, so that whoever reads the other end has it."""
        if self._waiting and self._file:
            lines, self._waiting, self._size = self._waiting, [], 0
            data = b"\n".join(lines) + b"\n"
            if self._to_stdout:
                write_json(data)
            else:
                self._file.write(data)
                self._file.flush()
        if self._table:
            self._table.flush()
