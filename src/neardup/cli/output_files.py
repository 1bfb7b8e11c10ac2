"""The files that a command writes: none of them is ever one that it reads, and what is there is not lost unasked.

Files are told apart by what they are (device and inode), not by their names: links, other spellings and standard input
redirected from a file are all seen through.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

from neardup.cli.exit_codes import say
from neardup.errors import SettingsError

_Identity = tuple[int, int]


class OutputRefused(SettingsError):
    """The file `path`, named by `option`, is not written to, for `reason`."""

    def __init__(self, option: str, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(option, path, reason)
        self.args = (option, path, reason)
        self.option, self.path, self.reason = option, path, reason

    def __str__(self) -> str:
        return " ".join(filter(None, (self.option, str(self.path), self.reason)))


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
    lies in the directory of the `window`, is another of the outputs, or holds something that no option
    (`replace`) allows to touch; `ways` says which options would. What is made `whole` needs a file of its own.
    """
    wanted = [(option, path) for option, path in outputs if path is not None]
    known, directories = _known(read)
    _check_standard_output(known)
    for at, (option, path) in enumerate(wanted):
        _check_not_read(option, path, known, directories)
        if window is not None and _resolved(path).is_relative_to(_resolved(window)):
            raise OutputRefused(option, path, f"lies in the window {window}: write it elsewhere")
        for other, before in wanted[:at]:
            if _is_same(path, before):
                raise OutputRefused(option, path, f"is the file of {other} {before}: give each its own")
    for option, path in wanted:
        if str(path) == "-":
            raise OutputRefused(
                option, path, "is no file: leave the option out for standard output, or name ./-"
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
    return stat.S_ISREG(status.st_mode) and status.st_size > 0 and not _is_stream(path)


class _Named(io.FileIO):
    """A file that is written, whose errors name it: of an open file the system tells a full disk without a name."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = os.fspath(self.name)
            raise


@contextmanager
def opened_output(path: Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """The file to write lines to, made if it is not there; what it holds stays before them unless `force` is given.

    A last line that was cut off is ended first, so that no line of ours is lost in it.
    """
    mode = _mode(path, force=force)
    with io.BufferedWriter(_Named(path, mode)) as file:
        if mode == "ab" and not _is_stream(path) and _is_cut_off(path):
            say(f"{path}: the last line had been cut off; it is ended there, and lines are added below")
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
    return "wb" if force and not _is_stream(path) else "ab"


def _is_cut_off(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _known(read: Iterable[str | os.PathLike[str]]) -> tuple[dict[_Identity, str], list[Path]]:
    """The files that are read, by what they are, with their names; and the directories."""
    known: dict[_Identity, str] = {}
    directories = []
    for name in [os.fspath(one) for one in read]:
        if name != "-" and Path(name).is_dir():
            directories.append(Path(name))
        elif (identity := _identity(name)) is not None:
            known.setdefault(identity, "standard input" if name == "-" else name)
    return known, directories


def _check_not_read(
    option: str, path: Path, known: Mapping[_Identity, str], directories: Iterable[Path]
) -> None:
    from neardup.sources.files import form_of

    identity = _identity(path)
    if identity is not None and identity in known:
        raise OutputRefused(option, path, f"is {known[identity]}, which is read: write to another file")
    for directory in directories:
        if form_of(_resolved(path).name) and _resolved(path).is_relative_to(_resolved(directory)):
            raise OutputRefused(
                option,
                path,
                f"lies in {directory}, which is read: the next run would read it; write it elsewhere",
            )


def _check_standard_output(known: Mapping[_Identity, str]) -> None:
    """`neardup ingest a.jsonl >> a.jsonl` would read what it writes, for ever."""
    try:
        status = os.fstat(sys.__stdout__.fileno()) if sys.__stdout__ else None
    except (OSError, ValueError):
        return
    if status and stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) in known:
        name = known[status.st_dev, status.st_ino]
        raise OutputRefused("standard output", "", f"is {name}, which is read: write to another file")


def _identity(name: str | os.PathLike[str]) -> _Identity | None:
    """What a file is; None if it is not there, or is a device or a socket, which reading and writing do not mix up."""
    try:
        status = os.fstat(0) if os.fspath(name) == "-" else Path(name).stat()
    except OSError:
        return None
    if stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def _is_same(one: Path, other: Path) -> bool:
    identity = _identity(one)
    if identity is not None or _identity(other) is not None:
        return identity == _identity(other)
    return _resolved(one) == _resolved(other) and not one.exists()


def _is_stream(path: Path) -> bool:
    from neardup.sources.files import STREAMS

    return str(path).startswith(STREAMS)


def _resolved(path: str | os.PathLike[str]) -> Path:
    return Path(path).resolve()
