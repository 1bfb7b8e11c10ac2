"""Where a run writes: verdicts to standard output or a file, rejects to a file; and which files may be written.

No file that is written is ever one that is read, and what is there is not lost unasked. Files are told apart by what
they are (device and inode), not by their names: links, other spellings and standard input redirected from a file are
all seen through.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, Self

import typer

from neardup.cli.streams import as_json, check_output, log_line, write_json
from neardup.cli.verdict_table import VerdictTable
from neardup.errors import OutputClosed, OutputRefused
from neardup.sources.files import escaped, form_of, is_stream
from neardup.sources.kind_counts import KindCounts
from neardup.stores.window_directory import holds_window
from neardup.tables.atomic_write import draft_of

if TYPE_CHECKING:
    from neardup.cli.described import Read
    from neardup.cli.options import Format
    from neardup.cli.pipeline import Tally
    from neardup.model.document import Document, Reject
    from neardup.model.verdict import Verdict

FLUSH_BYTES: Final = 1 << 16
"""Verdicts are written out when a batch is done, or when so many bytes of them wait."""
SHOWN_KINDS: Final = 20
"""Kinds of rejects of which the first is shown on standard error; the summary counts all."""
_VARIABLE_RE: Final = re.compile(
    r"'(?:[^'\\]|\\.)*'|\([^()]*\)|0x[0-9a-f]+|U\+[0-9A-F]+|\d[\d,.]*|\"[^\"]*\""
)
"""What differs between reasons of one kind: values, positions, lists of fields."""

_FileId = tuple[int, int]


class OutputOptions(NamedTuple):
    """Where a run writes: what standard output gets, a file for verdicts, a file for rejects.

    Files that exist are refused, unless lines may be added to them (`append`) or they may be replaced (`force`).
    `live`: what is read may never end, so nothing is kept back until it does.
    `metrics`: answers Prometheus as long as the run lasts.
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
        outputs = [("--output", self.output), ("--rejects", self.rejects)]
        directory = None if window is None or is_address(window) else window
        check_outputs(outputs, read, window=directory, replace=self.append or self.force)


class Verdicts:
    """The verdicts of a run. JSON Lines go to `path` where there is one, else to standard output if `format` is
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

    def look_up_in(self, read: Read) -> None:
        """A table reads what it shows of other documents from the window."""
        if self._table:
            self._table.look_up_in(read)

    def write(self, verdict: Verdict) -> None:
        """Write one verdict, or keep it until `flush`."""
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


class Rejects:
    """The rejected documents of a run: all as JSON Lines in the file, where there is one; on standard error the first
    of each kind when it comes, and in the end how many there were."""

    def __init__(self, path: Path | None, *, force: bool = False) -> None:
        self.path, self.count = path, 0
        self._force, self._shown = force, 0
        self._kinds = KindCounts()
        self._stack = ExitStack()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.path:
            self._file = self._stack.enter_context(opened_output(self.path, force=self._force))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        rest = self.count - self._shown
        for each in [each for each in self._kinds if each.count > 1][:SHOWN_KINDS]:
            log_line(f"{_more(each.count - 1)} rejected for the reason of {each.first}")
            rest -= each.count - 1
        if rest:
            log_line(f"{_more(rest)} rejected for other reasons")
        if self.count > self._shown and not self.path:
            log_line("--rejects FILE keeps all that were rejected")

    def add(self, reject: Reject) -> None:
        """Write this one to the file, and show it if it is the first of its kind."""
        self.count += 1
        if self._file:
            self._file.write(as_json(reject._asdict()))
            self._file.flush()
        source = None if reject.source is None else escaped(reject.source)
        where = ":".join(str(part) for part in (source, reject.line) if part is not None) or str(reject.id)
        first = self._kinds.add(_VARIABLE_RE.sub("_", reject.reason), where)
        if first and self._shown < SHOWN_KINDS:
            self._shown += 1
            log_line(f"rejected {where}: {reject.reason}")


def _more(number: int) -> str:
    return f"{number:,} more {'was' if number == 1 else 'were'}"


def check_outputs(
    outputs: Iterable[tuple[str, Path | None]],
    read: Iterable[str | os.PathLike[str]],
    *,
    window: str | None = None,
    replace: bool = False,
    whole: bool = False,
    ways: str = "--append adds to it, --force replaces it",
) -> None:
    """Raises `OutputRefused` unless each of the `outputs` (option, path) may be written to. Nothing is opened.

    It may not if it is one of the files that are `read` ("-" is standard input) or would be read with its directory,
    lies in the directory of the `window` or of any other, is standard output or another of the outputs, or holds
    something that no option (`replace`) allows to touch; `ways` says which options would. What is made `whole` needs a
    file of its own.
    """
    wanted = [(option, path) for option, path in outputs if path is not None]
    known, directories = _known(read)
    _check_standard_output(known)
    for at, (option, path) in enumerate(wanted):
        _check_not_read(option, path, known, directories)
        around = _window_around(path)
        if window is not None and _resolved(path).is_relative_to(_resolved(window)):
            around = Path(window)
        if around is not None:
            raise OutputRefused(option, path, f"lies in the window {around}: write it elsewhere")
        if _is_standard_output(path):
            raise OutputRefused(
                option, path, "is standard output: leave the option out, or send that elsewhere"
            )
        for other, before in wanted[:at]:
            if _is_same(path, before):
                raise OutputRefused(option, path, f"is the file of {other} {before}: give each its own")
    for option, path in wanted:
        if str(path) == "-":
            raise OutputRefused(
                option, path, "is no file: leave the option out for standard output, or name ./-"
            )
        if not whole and not path.parent.is_dir():
            raise OutputRefused(
                option,
                path,
                f"cannot be made: there is no directory {path.parent} (mkdir -p {path.parent} makes it)",
            )
        if whole and path.exists() and not path.is_file():
            raise OutputRefused(option, path, "is no file: what is made whole is put in its place")
        if not replace and holds_something(path):
            raise OutputRefused(option, path, f"exists: {ways}")


def holds_something(path: Path) -> bool:
    """Whether there is a file with content, which writing could destroy; an empty one has nothing to lose."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0 and not is_stream(path)


class _Named(io.FileIO):
    """A file that is written, whose errors name it: for an open file the system reports a full disk without a name."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = os.fspath(self.name)
            raise


@contextmanager
def opened_output(path: Path, *, force: bool = False, whole: bool = False) -> Iterator[BinaryIO]:
    """The file to write lines to, made if it is not there; what it holds stays before them unless `force` is given.

    A last line that was cut off is ended first, so that no line of ours is lost in it. What is of use only `whole`
    replaces what the file holds when all of it is written, and not after an error.
    """
    if whole and force and holds_something(path):
        with draft_of(path) as beside, io.BufferedWriter(_Named(beside, "wb")) as file:
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        return
    mode = _mode(path, force=force)
    with io.BufferedWriter(_Named(path, mode)) as file:
        if mode == "ab" and not is_stream(path) and _is_cut_off(path):
            log_line(f"{path}: the last line had been cut off; it is ended there, and lines are added below")
            file.write(b"\n")
        yield file


def _mode(path: Path, *, force: bool) -> Literal["ab", "wb", "xb"]:
    try:
        status = path.stat()
    except FileNotFoundError:
        # Exclusive: what another program makes meanwhile is not ours. Of a link that leads nowhere that cannot be said.
        return "wb" if path.is_symlink() else "xb"
    if not stat.S_ISREG(status.st_mode):
        return "wb"
    return "wb" if force and not is_stream(path) else "ab"


def _is_cut_off(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _known(read: Iterable[str | os.PathLike[str]]) -> tuple[dict[_FileId, str], list[Path]]:
    """The files that are read, by what they are, with their names; and the directories."""
    known: dict[_FileId, str] = {}
    directories = []
    for name in [os.fspath(one) for one in read]:
        if name != "-" and Path(name).is_dir():
            directories.append(Path(name))
        elif (id := _file_id(name)) is not None:
            known.setdefault(id, "standard input" if name == "-" else name)
    return known, directories


def _check_not_read(
    option: str, path: Path, known: Mapping[_FileId, str], directories: Iterable[Path]
) -> None:
    id = _file_id(path)
    if id is not None and id in known:
        raise OutputRefused(option, path, f"is {known[id]}, which is read: write to another file")
    for directory in directories:
        if form_of(_resolved(path).name) and _resolved(path).is_relative_to(_resolved(directory)):
            raise OutputRefused(
                option,
                path,
                f"lies in {directory}, which is read: the next run would read it; write it elsewhere",
            )


def _window_around(path: Path) -> Path | None:
    """The directory of a window that a file lies in, by whatever name; None if it lies in none."""
    return next(filter(holds_window, _resolved(path).parents), None)


def _is_standard_output(path: Path) -> bool:
    """Whether a file is where standard output goes, by a name of its own: both would write over one another."""
    id = _standard_output()
    return id is not None and not is_stream(path) and _file_id(path) == id


def _standard_output() -> _FileId | None:
    """What the file is that standard output goes to; None if that is none."""
    try:
        status = os.fstat(sys.__stdout__.fileno()) if sys.__stdout__ else None
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if status and stat.S_ISREG(status.st_mode) else None


def _check_standard_output(known: Mapping[_FileId, str]) -> None:
    """`neardup ingest a.jsonl >> a.jsonl` would read what it writes, for ever."""
    id = _standard_output()
    if id is not None and id in known:
        raise OutputRefused("standard output", "", f"is {known[id]}, which is read: write to another file")


def _file_id(name: str | os.PathLike[str]) -> _FileId | None:
    """What a file is; None if it is not there, or is a device or a socket, which reading and writing do not mix up."""
    try:
        status = os.fstat(0) if os.fspath(name) == "-" else Path(name).stat()
    except OSError:
        return None
    if stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def _is_same(one: Path, other: Path) -> bool:
    id = _file_id(one)
    if id is not None or _file_id(other) is not None:
        return id == _file_id(other)
    return _resolved(one) == _resolved(other) and not one.exists()


def _resolved(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for links that lead in a circle
