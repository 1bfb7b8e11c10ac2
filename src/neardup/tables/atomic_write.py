"""Files written whole or not at all: under another name, then renamed, so that nobody ever reads half a file."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

DRAFT: Final = ".tmp"
"""The end of the name of a draft: the name of the file, a dot, the process id, and this. A killed process leaves one.
"""
_NOT_REPLACED: Final = (errno.EBUSY, errno.EPERM, errno.EACCES)
"""Errors of renaming onto a file that is a mount by itself, or somebody else's in a directory like /tmp."""


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of a draft beside the file `path`, which replaces the file at the end of the `with` block; after an
    error the draft is removed instead. If `path` is a symbolic link, the file it points to is replaced. A file that
    cannot be replaced is overwritten. Raises `OSError` for a device or a pipe, because a file would take its place.
    """
    target = Path(os.path.realpath(path))  # Path.resolve raises for links that lead in a circle
    if target.exists() and not target.is_file() and not target.is_dir():  # of a directory the system says it
        raise OSError(errno.EINVAL, "it is no file", os.fspath(path))
    beside = target.with_name(f"{target.name}.{os.getpid()}{DRAFT}")
    try:
        yield beside
        try:
            beside.replace(target)
        except OSError as error:
            if error.errno not in _NOT_REPLACED:
                raise
            shutil.copyfile(beside, target)
            beside.unlink()
    except BaseException:
        # Only then: once it has replaced the file, a draft of this name is another writer's.
        beside.unlink(missing_ok=True)
        raise


def other_drafts(path: str | os.PathLike[str]) -> list[str]:
    """The drafts of the file `path` by other processes, which were killed or are still writing."""
    target = Path(os.path.realpath(path))
    draft_re = re.compile(rf"{re.escape(target.name)}\.(?!{os.getpid()}\.)[0-9]+{re.escape(DRAFT)}")
    try:
        return sorted(str(each) for each in target.parent.iterdir() if draft_re.fullmatch(each.name))
    except OSError:  # a directory may be written to and not be read
        return []


def write_whole(
    path: str | os.PathLike[str], data: bytes, *, private: bool = False, mode: int | None = None
) -> None:
    """Make `data` the content of the file `path`, flushed to disk, or leave the file as it is. If `path` is a symbolic
    link, the file it points to is replaced; of links in a circle the first is replaced.

    `private`: nobody but the owner can read the file, from its first byte on. `mode`: its permissions.
    """
    with draft_of(path) as beside:
        if private:
            beside.unlink(missing_ok=True)
            beside.touch(0o600, exist_ok=False)
        try:
            with beside.open("wb") as file:
                file.write(data)
                if mode is not None:
                    beside.chmod(mode)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:  # for an open file the system reports a full disk without a name
            error.filename = error.filename or os.fspath(path)
            raise
