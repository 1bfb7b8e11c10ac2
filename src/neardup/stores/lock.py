"""The locks of a window's directory: one process may write to it, for as long as the directory is as that process left
it.

An open file holds a lock. Files are kept as Python objects, which are closed when nothing refers to them, not as file
descriptors: a descriptor lost by an interruption would lock out this process itself. A forked process shares the open
files, and so the locks: it closes its own files at once.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from io import FileIO
from typing import TYPE_CHECKING, Final
from weakref import ref

from neardup.errors import NeardupError, WindowDamaged, WindowLocked
from neardup.stores.window_directory import COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LOCK: Final = "lock"
_held_here: Final[list[ref[FileIO]]] = []
"""Files that this process has locked, and some that exist no longer. (A `WeakSet` would be shorter, but an interrupt
while it forgets a file is lost: Python ignores what the callback of a reference raises.)
"""
_MOST_FORGOTTEN: Final = 64
"""About how many references to files that exist no longer are kept."""


def locked(path: Path) -> FileIO:
    """The lock file of the window at `path`, locked for this process. Raises `WindowLocked`, which names the holder."""
    try:
        file = FileIO(str(path / _LOCK), "a+")
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EROFS) and (path / COMMIT).exists():
            error.strerror = (
                f"{error.strerror}: the window can only be read (readonly=True; query, check and the like)"
            )
        raise
    with _closed_if_it_fails(file):
        if not _is_locked(path, file):
            # A holder of a shared lock does not write its name: the name in the file is of a process that has ended.
            is_shared = _is_locked(path, file, fcntl.LOCK_SH)
            raise WindowLocked(path, None if is_shared else _holder(file))
        with naming(path / _LOCK):
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
    return file


def locked_commits(path: Path) -> FileIO:
    """The commit file of the window at `path`, open and locked as well.

    Somebody may delete the lock file as a leftover, and then another one could be locked; nobody deletes the commit
    file.
    """
    file = FileIO(str(path / COMMIT), "r+")
    with _closed_if_it_fails(file):
        if not _is_locked(path, file):
            raise WindowLocked(path)
    return file


@contextlib.contextmanager
def _closed_if_it_fails(file: FileIO) -> Iterator[None]:
    try:
        yield
    except BaseException:
        file.close()
        raise


def _holder(file: FileIO) -> str | None:
    """The process that the lock file names as its holder; None if it names none."""
    holder = os.pread(file.fileno(), 64, 0).decode(errors="replace").strip()
    return f"process {holder}" if holder else None


def _is_locked(path: Path, file: FileIO, how: int = fcntl.LOCK_EX) -> bool:
    """Tries to lock an open `file` of the window at `path`; False: another process holds the lock. Raises
    `NeardupError` if the file system has no locks.
    """
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        why = f"{path} cannot be locked ({error.strerror}), so nothing is written to it"
        raise NeardupError(f"{why}: put the window on a file system that supports flock") from None
    _held_here.append(ref(file))
    if len(_held_here) > _MOST_FORGOTTEN:
        for each in [each for each in _held_here if each() is None]:
            with contextlib.suppress(ValueError):  # another thread has removed it
                _held_here.remove(each)
    return True


def release(file: FileIO) -> None:
    """Unlocks a locked file and closes it. Closing alone would leave it locked for as long as a process that was forked
    off has not closed its own, which takes it a moment.
    """
    if not file.closed:  # in a forked process it is, and unlocking would unlock that of the other process
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
    file.close()


def _let_go() -> None:
    """Closes the locked files in a forked process, which holds no window, and would keep everybody out of those of the
    other process for as long as it lives.
    """
    for each in _held_here:
        if (file := each()) is not None:
            file.close()


os.register_at_fork(after_in_child=_let_go)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Holds both locks of the window at `path` within the block. Raises `WindowLocked`."""
    with contextlib.ExitStack() as stack:
        stack.callback(release, locked(path))
        if (path / COMMIT).exists():
            stack.callback(release, locked_commits(path))
        yield


@contextlib.contextmanager
def unwritten(path: Path) -> Iterator[None]:
    """Keeps everybody from writing to the window at `path` within the block, by shared locks, which also work where
    nothing can be written. Raises `WindowLocked`.
    """
    with contextlib.ExitStack() as stack:
        for name in (_LOCK, COMMIT):
            with contextlib.suppress(FileNotFoundError):
                file = stack.enter_context(FileIO(str(path / name), "r"))
                if not _is_locked(path, file, fcntl.LOCK_SH):
                    raise WindowLocked(path, _holder(file) if name == _LOCK else None)
        yield


def check_same(path: Path, file: FileIO) -> None:
    """Raises `replaced` if the file at `path` is no longer the open `file`."""
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            return
    raise replaced(path)


def replaced(path: Path) -> WindowDamaged:
    """The error to raise if the file at `path` is not as its only writer left it: a writer that went on would
    acknowledge documents that nobody will find, or write into somebody else's files.
    """
    return WindowDamaged(
        path,
        "another file, an older copy or none: the window was deleted or replaced while this process wrote to it",
        "the file as this process left it; documents that it has not acknowledged are not stored: open the window "
        "again (a server must be restarted)",
    )


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Adds the name `path` to errors of calls on an open file, which the system reports without a name."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_flushed(path: Path, data: bytes) -> None:
    """Makes `data` the content of the file at `path`, flushed to disk, so that after renaming it over another file a
    power cut never leaves an empty file.
    """
    with naming(path), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
