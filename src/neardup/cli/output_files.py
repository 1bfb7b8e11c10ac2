"""Which files may be written, and how they are written.

A file that is read is never written, and existing content is not lost unless the user allows it. Files are identified
by device and inode, not by their names: so links, other spellings and standard input redirected from a file are all
recognised.
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
from typing import BinaryIO, Literal

from neardup.cli.streams import NamedFile, log_line
from neardup.errors import NeardupError, OutputRefused
from neardup.model.counted import some_of
from neardup.sources.files import COMPRESSED, PACKED, form_of, is_stream
from neardup.stores.window_directory import holds_window
from neardup.tables.atomic_write import draft_of, other_drafts

_FileId = tuple[int, int]


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
    lies in the directory of the `window` or of any other, is standard output or another of the outputs, or has content
    that no option (`replace`) allows to replace; `ways` names the options that would. An output made `whole` needs a
    file of its own. An output whose option is not in `by_name` is not written in the form of its name: so its name may
    not imply compression or a table, nor CSV where `lines` of JSON are written.
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
    """Whether there is a file with content that writing could destroy."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0 and not is_stream(path)


def check_unreplaced(outputs: Iterable[tuple[str, Path | None]]) -> None:
    """Raises `OutputRefused` for the first of the `outputs` (option, path) that has content, at the end of a run that
    has read only documents that cannot be used: nothing would take the place of this content.
    """
    for option, path in outputs:
        if path is not None and holds_something(path):
            raise OutputRefused(
                option, path, "is left as it was, because no document that was read can be used"
            )


@contextmanager
def opened_output(path: Path, *, force: bool = False, whole: bool = False) -> Iterator[BinaryIO]:
    """A context with the file to write lines to, made if it does not exist; its content stays before them unless
    `force` is given.

    A last line that was cut off is ended first, so that no line of ours is lost in it; if another program empties the
    file, lines continue at its beginning. A file that is usable only `whole` is put in place when all of it is written,
    and not after an error.
    """
    if whole and _is_replaceable(path):
        if left := other_drafts(path):
            log_line(
                f"a run that was killed left {some_of(left)}, which can be removed unless another run is writing there "
                "now"
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
            if not force and holds_something(path):  # another program may have made the file meanwhile
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
        return
    mode = _mode(path, force=force)
    with io.BufferedWriter(NamedFile(path, mode, opener=_at_its_end)) as file:
        if mode == "ab" and not is_stream(path) and _is_cut_off(path):
            log_line(
                f"{path}: the last line was cut off; it is ended with a line feed, and new lines are added below"
            )
            file.write(b"\n")
        yield file


@contextmanager
def told_if_cut_short(
    path: Path | None, *, force: bool, whole: bool = False, is_past: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """A context that reports the state of the file `path`, written within it by `opened_output`, if an error or a
    signal ends it. It reports nothing about a file that may not be written, which the error is about, and no remedy
    where a `NeardupError` names it. If another command writes the rest, the error gets a note that says so.

    `is_past`: whether documents have left the window since, so that their output could not be written again.
    """
    is_own = path is not None and (force or not holds_something(path))
    try:
        yield
    except OutputRefused:
        raise
    except BaseException as error:
        may_be_written = path is not None and os.access(path if path.exists() else path.parent, os.W_OK)
        if not may_be_written:
            raise
        if path is not None and whole:
            way = (
                ""
                if isinstance(error, NeardupError)
                else ", because its content is not complete: the same command writes it"
            )
            log_line(f"{path} was not written{way}")
        elif path is not None and not is_stream(path):
            way, is_same_command = _way_on(path, error, is_own=is_own, is_past=is_past())
            log_line(f"{path} was not written to its end: {way}")
            if not is_same_command:
                error.add_note(way)
        raise


def _way_on(path: Path, error: BaseException, *, is_own: bool, is_past: bool) -> tuple[str, bool]:
    """How to get the rest of a file after an error, and whether the same command does it; `is_past` as above, `is_own`:
    the whole file is this run's.
    """
    first_counts = "and if an id occurs twice, its first line counts"
    if not is_own:
        # After a failed write, input has been read that is not written; after a signal, nothing is pending.
        if isinstance(error, OSError):
            return f"the same command writes the rest, {first_counts}", True
        return "the documents missing in it were not read", False
    if not holds_something(path):
        return "the same command writes all of it", True
    if not is_past:
        return "the same command with --force writes all of it", False
    append = f"the same command with --append writes the rest, {first_counts}"
    return f"{append}; --force would lose the verdicts on documents that have left the window since", False


def _is_replaceable(path: Path) -> bool:
    """Whether a new file can take the place of `path`: nothing is there, or a file without other names."""
    target = _resolved(path)
    is_alone = target.is_file() and target.stat().st_nlink == 1
    is_free = is_alone or not (target.exists() or target.is_symlink())
    return is_free and not is_stream(path) and os.access(target.parent, os.W_OK)


def _draft(beside: Path, opener: Callable[[str, int], int] | None) -> io.BufferedWriter:
    """The new file `beside`; an existing one was left by a killed process with the same number."""
    beside.unlink(missing_ok=True)
    return io.BufferedWriter(NamedFile(beside, "xb", opener=opener))


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _at_its_end(name: str, flags: int) -> int:
    """Opens a file so that each write goes to its present end: after `logrotate` has emptied it, to the beginning,
    without zero bytes in place of the old content.
    """
    return os.open(name, flags | os.O_APPEND, 0o666)


def _mode(path: Path, *, force: bool) -> Literal["ab", "wb", "xb"]:
    try:
        status = path.stat()
    except FileNotFoundError:
        # Exclusive, in case another program makes the file meanwhile; that is impossible for a dangling link.
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
    """(The names of the files that are read, by device and inode; the directories)."""
    known: dict[_FileId, str] = {}
    directories = []
    for name in [os.fspath(one) for one in read]:
        if name != "-" and os.path.isdir(name):  # noqa: PTH112 - it raises nothing if access is denied
            directories.append(Path(name))
        elif (id := _file_id(name)) is not None:
            known.setdefault(id, "standard input" if name == "-" else name)
    return known, directories


def _why_read(path: Path, known: Mapping[_FileId, str], directories: Iterable[Path]) -> str | None:
    """Why a file would be read, now or the next time; None if it would not."""
    id = _file_id(path)
    if id is not None and id in known:
        return f"is {known[id]}, which is an input: write to another file"
    for directory in directories:
        if form_of(_resolved(path).name) and _resolved(path).is_relative_to(_resolved(directory)):
            return f"lies in the input directory {directory}: the next run would read it; write it elsewhere"
    return None


def _why_in_a_window(path: Path, window: str | None) -> str | None:
    """Why a file lies in the directory of the `window`, or of another; None if it does not."""
    around = _window_around(path)
    if window is not None and _resolved(path).is_relative_to(_resolved(window)):
        around = Path(window)
    return None if around is None else f"lies in the window {around}: write it elsewhere"


def _why_shared(path: Path, before: Iterable[tuple[str, Path]]) -> str | None:
    """Why a file is also another output: standard output, or one of those `before`; None if it is not."""
    if _is_standard_output(path):
        return "is standard output: leave the option out, or redirect standard output elsewhere"
    same = next(((option, other) for option, other in before if _is_same(path, other)), None)
    return None if same is None else f"is also the file of {same[0]} {same[1]}: give each option its own file"


def _why_unusable(path: Path, *, whole: bool) -> str | None:
    """Why no file of this name can be written; None if it can."""
    if str(path) == "-":
        return "is not the name of a file: name one (./- is a file called -)"
    if not whole and not path.parent.is_dir():
        return f"cannot be made: there is no directory {path.parent} (mkdir -p {path.parent} makes it)"
    if path.is_dir():
        return "is a directory: name a file in it"
    if whole and path.exists() and not path.is_file():
        return "is not a regular file: the finished output would replace it"
    folder = _resolved(path).parent
    if folder.is_dir() and not any(os.access(each, os.W_OK) for each in (folder, path)):
        return f"cannot be written: {folder} is not writable; write it elsewhere"
    return None


def _why_misnamed(path: Path, *, lines: bool) -> str | None:
    """Why a file of this name should not hold text, or `lines` of JSON; None if it may."""
    ending, form = path.suffix.lower(), form_of(path.name)
    if ending in COMPRESSED or ending in PACKED or form in ("parquet", "arrow") or (lines and form == "csv"):
        what = "JSON Lines" if lines else "text"
        return f"would hold {what}, not what its ending {ending} means: give another ending"
    return None


def _window_around(path: Path) -> Path | None:
    """The directory of a window that a file lies in, by whatever name; None if it lies in none."""
    return next(filter(holds_window, _resolved(path).parents), None)


def _is_standard_output(path: Path) -> bool:
    """Whether a file, under its own name, is where standard output goes: both would overwrite each other."""
    id = _standard_output()
    return id is not None and not is_stream(path) and _file_id(path) == id


def _standard_output() -> _FileId | None:
    """The device and inode of the file that standard output goes to; None if it is not a regular file."""
    try:
        status = os.fstat(sys.__stdout__.fileno()) if sys.__stdout__ else None
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if status and stat.S_ISREG(status.st_mode) else None


def _check_standard_output(known: Mapping[_FileId, str]) -> None:
    """Refuses standard output into a file that is read: `neardup ingest a.jsonl >> a.jsonl` would never end."""
    id = _standard_output()
    if id is not None and id in known:
        raise OutputRefused(
            "standard output", "", f"is {known[id]}, which is an input: write to another file"
        )


def _file_id(name: str | os.PathLike[str]) -> _FileId | None:
    """The device and inode of a file; None for no file, a device or a socket, which may be both read and written."""
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
