"""Where a run writes: verdicts to standard output or a file, rejects to a file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, Self

import typer

from neardup.cli.output_files import (
    check_outputs,
    check_unreplaced,
    holds_something,
    opened_output,
    told_if_cut_short,
)
from neardup.cli.streams import as_json, check_output, log_line, write_json
from neardup.cli.verdict_table import VerdictTable
from neardup.errors import OutputClosed
from neardup.model.document import Document, Flush, Reject
from neardup.sources.files import bytes_escaped
from neardup.sources.kind_counts import KindCounts

if TYPE_CHECKING:
    from neardup.cli.described import Read
    from neardup.cli.options import Format
    from neardup.cli.tally import Tally
    from neardup.model.verdict import Verdict

FLUSH_BYTES: Final = 1 << 16
"""Verdicts are written out when a batch is done, or when this many bytes of them are pending."""
SHOWN_KINDS: Final = 20
"""For how many kinds of rejects the first is shown on standard error; the summary counts all."""
_VARIABLE_RE: Final = re.compile(
    r"'(?:[^'\\]|\\.)*'|\([^()]*\)|0x[0-9a-f]+|U\+[0-9A-F]+|\d[\d,.]*|\"[^\"]*\""
)
"""The parts that differ between reasons of one kind: values, positions, lists of fields."""

_NO_ROW: Final = ", so no row is read: "
"""What the reason says of a header, of CSV in the first line, by which no row of its table can be read."""


class OutputOptions(NamedTuple):
    """Where a run writes: the format of standard output, a file for verdicts, a file for rejects.

    Files that exist are refused, unless lines may be added to them (`append`) or they may be replaced (`force`).
    `live`: the input may never end, so no output is kept back until its end. `metrics`: answers Prometheus as long as
    the run lasts.
    """

    format: Format
    output: Path | None
    rejects: Path | None
    append: bool = False
    force: bool = False
    live: bool = False
    metrics: Callable[[Tally, Rejects], AbstractContextManager[None]] | None = None

    def check(self, read: Iterable[str | os.PathLike[str]], *, window: str | None = None) -> None:
        """Raises `OutputRefused` if a file may not be written to, with these files `read` and this `window` written."""
        from neardup.elastic.http.address import is_address

        if self.append and self.force:
            raise typer.BadParameter("give --append or --force, not both", param_hint="--append")
        if self.append and self.output is None and self.rejects is None:
            raise typer.BadParameter(
                "name the file to add to by --output or --rejects", param_hint="--append"
            )
        outputs = [("--output", self.output), ("--rejects", self.rejects)]
        directory = None if window is None or is_address(window) else window
        ways = "--append adds to it, --force replaces it"
        replace = self.append or self.force
        check_outputs(outputs, read, window=directory, replace=replace, lines=True, ways=ways)

    def check_any_usable(self, tally: Tally, rejects: Rejects) -> None:
        """Raises `OutputRefused` at the end of a run with `rejects` only, if the file for verdicts has content that it
        would replace by nothing.
        """
        if self.force and rejects.count and not tally.count:
            check_unreplaced([("--output", self.output)])

    def told_if_cut_short(self, is_past: Callable[[], bool] = lambda: False) -> AbstractContextManager[None]:
        """A context that reports the state of the file for verdicts if the run ends within it, unless it is `live`, for
        such a file is never complete. `is_past`: whether a second run could not give all of its verdicts again.
        """
        return told_if_cut_short(None if self.live else self.output, force=self.force, is_past=is_past)


class Verdicts:
    """The verdicts of a run. JSON Lines go to `path` where there is one, else to standard output if `format` is
    jsonl; a table goes to standard output when the run ends, that of a `live` stream as it comes. With `force`, a file
    that has content is replaced by the first verdict, or at the end of a run without an error, unless it was stopped
    before its end (`is_stopped`).
    """

    def __init__(self, format: Format, path: Path | None, *, force: bool = False, live: bool = False) -> None:
        self._path, self._force = path, force
        self._to_stdout = format == "jsonl" and path is None
        self._table = VerdictTable(path, live=live) if format == "table" else None
        self._file: BinaryIO | None = None
        self._waiting: list[bytes] = []
        self._size = 0
        self._is_cut_short = self.is_stopped = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._table:
            check_output()
        if self._path and self._force and holds_something(self._path):
            with self._path.open("ab"):  # raises now, not at the first verdict, if it may not be written
                pass
        elif self._path:
            self._open()
        return self

    def _open(self) -> BinaryIO | None:
        """The open file for verdicts; None if none are written."""
        if self._file is None and self._path:
            self._file = self._stack.enter_context(opened_output(self._path, force=self._force))
        elif self._file is None and self._to_stdout:
            self._file = sys.stdout.buffer
        return self._file

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack:
            if kind is None or not issubclass(kind, BrokenPipeError | OutputClosed):
                self.flush()
            if kind is None and not self.is_stopped:
                self._open()

    def print_table(self) -> None:
        """Prints the rest of the table, once. Pending verdicts are written before, because the table says where they
        are.
        """
        table, self._table = self._table, None
        if table:
            try:
                self.flush()
            finally:
                table.has_all_in_file = not self._is_cut_short
                table.print()

    def note(self, document: Document, *, is_stored: bool = True) -> None:
        """Notes a document whose verdict will come, because a table shows the beginning of its text."""
        if self._table:
            self._table.descriptions.note(document, is_stored=is_stored)

    def forget_rejected(self, id: str | None) -> None:
        """Forgets a noted document that was rejected; None: its id is not known, and it was noted last."""
        if self._table:
            self._table.descriptions.forget_rejected(id)

    def look_up_in(self, read: Read) -> None:
        """Lets a table read its descriptions of other documents from the window, by `read`."""
        if self._table:
            self._table.descriptions.read = read

    def write(self, verdict: Verdict) -> None:
        """Writes one verdict, or keeps it until `flush`."""
        if self._path or self._to_stdout:
            line = verdict.to_json()
            self._waiting.append(line)
            self._size += len(line)
            if self._size > FLUSH_BYTES:
                self.flush()
        if self._table:
            self._table.add(verdict)

    def flush(self) -> None:
        """Writes out pending verdicts, so that the reader at the other end has them."""
        if self._waiting and (file := self._open()):
            lines, self._waiting, self._size = self._waiting, [], 0
            data = b"\n".join(lines) + b"\n"
            try:
                if self._to_stdout:
                    write_json(data)
                else:
                    file.write(data)
                    file.flush()
            except OSError:
                self._is_cut_short = True
                raise
        if self._table:
            self._table.flush()


class Rejects:
    """The rejected documents of a run: all as JSON Lines in the file, if there is one; on standard error the first of
    each kind when it comes, and at the end their number, with the hint that `--rejects` keeps all if the command
    `has_option`. Of the `count` of rejects, `files` are whole files of which no record was read.
    """

    def __init__(self, path: Path | None, *, force: bool = False, has_option: bool = True) -> None:
        self.path, self.count, self.files = path, 0, 0
        self._force, self._has_option = force, has_option
        self._shown: set[str] = set()
        self._kinds = KindCounts()
        self._stack = ExitStack()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.path:
            self._file = self._stack.enter_context(opened_output(self.path, force=self._force))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        rest = self.count - len(self._shown)
        for each in [each for each in self._kinds if each.count > 1 and each.name in self._shown]:
            log_line(f"{_more(each.count - 1)} rejected for the same reason as {each.first}")
            rest -= each.count - 1
        if rest:
            log_line(f"{_more(rest)} rejected for other reasons")
        if self.count > len(self._shown) and self._has_option and not self.path:
            log_line("--rejects FILE lists all rejected documents")

    def passing(self, items: Iterable[Document | Reject | Flush]) -> Iterator[Document]:
        """The documents among `items`; rejects are added."""
        for item in items:
            if isinstance(item, Reject):
                self.add(item)
            elif isinstance(item, Document):
                yield item

    def add(self, reject: Reject) -> None:
        """Writes a reject to the file, and shows it if it is the first of its kind."""
        self.count += 1
        self.files += reject.id is None and (reject.line is None or _NO_ROW in reject.reason)
        if self._file:
            self._file.write(as_json(reject._asdict()))
            self._file.flush()
        source = None if reject.source is None else bytes_escaped(reject.source)
        where = ":".join(str(part) for part in (source, reject.line) if part is not None) or str(reject.id)
        kind = _VARIABLE_RE.sub("_", reject.reason)
        first = self._kinds.add(kind, where)
        if first and len(self._shown) < SHOWN_KINDS:
            self._shown.add(kind)
            log_line(f"rejected {where}: {reject.reason}")


def _more(number: int) -> str:
    return f"{number:,} more {'was' if number == 1 else 'were'}"
