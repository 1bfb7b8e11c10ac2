"""Which files may be written, and how they are.

No file that is written is ever one that is read, and what is there is not lost unasked. Files are told apart by what
they are (device and inode), not by their names: links, other spellings and standard input redirected from a file are
all seen through.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal

from neardup.cli.streams import NamedFile, log_line
from neardup.errors import NeardupError, OutputRefused
from neardup.model.counted import some_of
from neardup.sources.files import COMPRESSED, PACKED, form_of, is_stream
from neardup.stores.window_directory import holds_window
from neardup.tables.atomic_write import draft_of, other_drafts

_FileId = tuple[int, int]
_SAME_COMMAND: Final = "the same command writes"


def check_outputs(
    outputs: Iterable[tuple[str, Path | None]],
    read: Iterable[str | os.PathLike[str]],
    *,
    window: str | None = None,
    replace: bool = False,
    whole: bool = False,
    by_name: Container[str] = (),
    lines: bool = False,
    ways: str = "--force replaces it",
) -> None:
    """Raises `OutputRefused` unless each of the `outputs` (option, path) may be written to. Nothing is opened.

    It may not if it is one of the files that are `read` ("-" is standard input) or would be read with its directory,
    lies in the directory of the `window` or of any other, is standard output or another of the outputs, or holds
    something that no option (`replace`) allows to touch; `ways` says which options would. What is made `whole` needs a
    file of its own; what no option of `by_name` writes, as its name says, needs one that is not called compressed, or a
    table: nor CSV where `lines` of JSON are written.
    """
    wanted = [(option, path) for option, path in outputs if path is not None]
    known, directories = _known(read)
    _check_standard_output(known)
    for at, (option, path) in enumerate(wanted):
        why = (
            _why_read(path, known, directories)
            or _why_in_a_window(path, window)
            or _why_shared(path, wanted[:at])
        )
        if why:
            raise OutputRefused(option, path, why)
    for option, path in wanted:
        why = _why_unusable(path, whole=whole)
        if not why and option not in by_name:
            why = _why_misnamed(path, lines=lines)
        if not why and not replace and holds_something(path):
            why = f"exists: {ways}"
        if why:
            raise OutputRefused(option, path, why)


def holds_something(path: Path) -> bool:
    """Whether there is a file with content, which writing could destroy; an empty one has nothing to lose."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0 and not is_stream(path)


@contextmanager
def opened_output(path: Path, *, force: bool = False, whole: bool = False) -> Iterator[BinaryIO]:
    """The file to write lines to, made if it is not there; what it holds stays before them unless `force` is given.

    A last line that was cut off is ended first, so that no line of ours is lost in it; after somebody has emptied the
    file, lines go on from its beginning. What is of use only `whole` takes its place when all of it is written, and not
    after an error.
    """
    if whole and _is_replaceable(path):
        if left := other_drafts(path):
            log_line(
                f"{some_of(left)} can be removed, unless a run writes there now: one that was killed left it"
            )
        there = path.stat() if path.exists() else None
        opener = _private if there else None
        with draft_of(path) as beside, _draft(beside, opener) as file:
            if there:
                with suppress(OSError):
                    os.chown(beside, there.st_uid, there.st_gid)
                beside.chmod(stat.S_IMODE(there.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not force and holds_something(path):  # what another program has made meanwhile is not ours
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
        return
    mode = _mode(path, force=force)
    with io.BufferedWriter(NamedFile(path, mode, opener=_at_its_end)) as file:
        if mode == "ab" and not is_stream(path) and _is_cut_off(path):
            log_line(f"{path}: the last line had been cut off; it is ended there, and lines are added below")
            file.write(b"\n")
        yield file


@contextmanager
def told_if_cut_short(
    path: Path | None, *, force: bool, whole: bool = False, is_past: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Says what a file is that is written meanwhile, as `opened_output` does it, if an error or a signal ends this; not
    of one that may not be written, of which the error tells; as it does what helps where that is ours. Where another
    command goes on, that is a note of the error.

    `is_past`: whether what was written of documents that have left a window since could not be written again.
    """
    is_own = path is not None and (force or not holds_something(path))
    try:
        yield
    except BaseException as error:
        may_be_written = path is not None and os.access(path if path.exists() else path.parent, os.W_OK)
        if not may_be_written:
            raise
        if path is not None and whole:
            way = (
                ""
                if isinstance(error, NeardupError)
                else ", because not all of it is there: the same command writes it"
            )
            log_line(f"{path} was not written{way}")
        elif path is not None and not is_stream(path):
            way = _way_on(path, error, is_own=is_own, is_past=is_past())
            log_line(f"{path} was not written to its end: {way}")
            if not way.startswith(_SAME_COMMAND):
                error.add_note(way)
        raise


def _way_on(path: Path, error: BaseException, *, is_own: bool, is_past: bool) -> str:
    """What writes the rest of a file after an error; `is_past` as above, `is_own`: all that it holds is of this run."""
    first_counts = "and of an id that comes again its first line counts"
    if not is_own:
        # What could not be written has been read; after a signal nothing waits.
        return (
            f"{_SAME_COMMAND} the rest, {first_counts}"
            if isinstance(error, OSError)
            else "what is missing was not read"
        )
    if not holds_something(path):
        return f"{_SAME_COMMAND} all of it"
    if not is_past:
        return "the same command with --force writes all of it"
    return (
        f"the same command with --append writes the rest, {first_counts}; --force would lose the verdicts on documents "
        "that have left the window since"
    )


def _is_replaceable(path: Path) -> bool:
    """Whether another file can take the place of one, by all its names, or of none."""
    target = _resolved(path)
    is_alone = target.is_file() and target.stat().st_nlink == 1
    is_free = is_alone or not (target.exists() or target.is_symlink())
    return is_free and not is_stream(path) and os.access(target.parent, os.W_OK)


def _draft(beside: Path, opener: Callable[[str, int], int] | None) -> io.BufferedWriter:
    """The file `beside`, new: what is there a killed process of the same number has left."""
    beside.unlink(missing_ok=True)
    return io.BufferedWriter(NamedFile(beside, "xb", opener=opener))


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _at_its_end(name: str, flags: int) -> int:
    """Each write goes to where the file ends then: of one that `logrotate` has emptied to the beginning, not behind as
    many zero bytes as it had had.
    """
    return os.open(name, flags | os.O_APPEND, 0o666)


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
        if name != "-" and os.path.isdir(name):  # noqa: PTH112 - which of what nobody may ask about raises nothing
            directories.append(Path(name))
        elif (id := _file_id(name)) is not None:
            known.setdefault(id, "standard input" if name == "-" else name)
    return known, directories


def _why_read(path: Path, known: Mapping[_FileId, str], directories: Iterable[Path]) -> str | None:
    """Why a file would be read, now or the next time; None if it would not."""
    id = _file_id(path)
    if id is not None and id in known:
        return f"is {known[id]}, which is read: write to another file"
    for directory in directories:
        if form_of(_resolved(path).name) and _resolved(path).is_relative_to(_resolved(directory)):
            return f"lies in {directory}, which is read: the next run would read it; write it elsewhere"
    return None


def _why_in_a_window(path: Path, window: str | None) -> str | None:
    """Why a file lies in the directory of the `window`, or of another; None if it does not."""
    around = _window_around(path)
    if window is not None and _resolved(path).is_relative_to(_resolved(window)):
        around = Path(window)
    return None if around is None else f"lies in the window {around}: write it elsewhere"


def _why_shared(path: Path, before: Iterable[tuple[str, Path]]) -> str | None:
    """Why something else is written to a file: standard output, or what comes `before`; None if nothing is."""
    if _is_standard_output(path):
        return "is standard output: leave the option out, or send that elsewhere"
    same = next(((option, other) for option, other in before if _is_same(path, other)), None)
    return None if same is None else f"is the file of {same[0]} {same[1]}: give each its own"


def _why_unusable(path: Path, *, whole: bool) -> str | None:
    """Why no file of this name can be written; None if it can."""
    if str(path) == "-":
        return "is no file: name one (./- is a file of that name)"
    if not whole and not path.parent.is_dir():
        return f"cannot be made: there is no directory {path.parent} (mkdir -p {path.parent} makes it)"
    if path.is_dir():
        return "is a directory: name a file in it"
    if whole and path.exists() and not path.is_file():
        return "is no file: what is made whole is put in its place"
    folder = _resolved(path).parent
    if folder.is_dir() and not any(os.access(each, os.W_OK) for each in (folder, path)):
        return f"cannot be written: nothing in {folder} may be written here; write it elsewhere"
    return None


def _why_misnamed(path: Path, *, lines: bool) -> str | None:
    """Why text, or `lines` of JSON, is not what a file of this name holds; None if it may be."""
    ending, form = path.suffix.lower(), form_of(path.name)
    if ending in COMPRESSED or ending in PACKED or form in ("parquet", "arrow") or (lines and form == "csv"):
        what = "JSON Lines" if lines else "text"
        return f"is to hold {what}, not what {ending} says: give another ending"
    return None


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
