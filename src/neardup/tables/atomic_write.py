"""Files written whole or not at all: under another name, then renamed, so that nobody ever reads half of one."""

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
"""What a draft is called that a killed process has left: the file, a dot, the process id, and this."""
_NOT_REPLACED: Final = (errno.EBUSY, errno.EPERM, errno.EACCES)
"""What the system says of a file that is mounted by itself, or is somebody else's in a directory like /tmp."""


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The name of a file beside the file `path` that takes its place in the end; not after an error, when it is
    removed. A link stays one, and its file is replaced; one that cannot be is overwritten. Raises `OSError` for a
    device or a pipe, in whose place a file would be left.
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
    """The drafts of the file `path` that are not this process's: a killed one has left them, or one is at work."""
    target = Path(os.path.realpath(path))
    draft_re = re.compile(rf"{re.escape(target.name)}\.(?!{os.getpid()}\.)[0-9]+{re.escape(DRAFT)}")
    try:
        return sorted(str(each) for each in target.parent.iterdir() if draft_re.fullmatch(each.name))
    except OSError:  # a directory may be written to and not be read
        return []


def write_whole(
    path: str | os.PathLike[str], data: bytes, *, private: bool = False, mode: int | None = None
) -> None:
    """Make `data` the content of the file `path`, on the disk, or leave it as it is; a link stays one, and its file is
    replaced; links that lead in a circle have none, and the first gives way.

    `private`: it is a secret, which nobody but the owner can read, from its first byte on. `mode`: who may do what.
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
