"""Who may write to a window's directory: one process, for as long as the directory is as it left it.

A lock is held by a file that is open. The files of a window are objects, which Python closes when nobody has them any
more, not the numbers of the system: one that an interruption kept from being noted would keep this process itself out.
A process that is forked off shares the open files, and so the locks: it closes its own at once.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from io import FileIO
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from neardup.errors import NeardupError, WindowDamaged, WindowLocked
from neardup.stores.window_directory import COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LOCK: Final = "lock"
_held_here: Final[WeakSet[FileIO]] = WeakSet()
"""Open files that are locked by this process."""


def locked(path: Path) -> FileIO:
    """The lock file of the window at `path`, locked for this process; `WindowLocked` names who holds it."""
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
            # Whoever shares it has not written who it is: what stands there is of a process that has ended.
            is_shared = _is_locked(path, file, fcntl.LOCK_SH)
            raise WindowLocked(path, None if is_shared else _holder(file))
        with naming(path / _LOCK):
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
    return file


def locked_commits(path: Path) -> FileIO:
    """The commit file of the window at `path`, open and locked as well.

    The lock file may be deleted by whoever takes it for a leftover, and another one be locked; this one may not.
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
    """Who says in the lock file that it holds it."""
    holder = os.pread(file.fileno(), 64, 0).decode(errors="replace").strip()
    return f"process {holder}" if holder else None


def _is_locked(path: Path, file: FileIO, how: int = fcntl.LOCK_EX) -> bool:
    """Whether an open `file` of the window at `path` is locked now; False: another holds it. Raises `NeardupError`
    where the file system has no locks.
    """
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        why = f"{path} cannot be locked ({error.strerror}), so nothing is written to it"
        raise NeardupError(f"{why}: put the window on a file system that has flock") from None
    _held_here.add(file)
    return True


def _let_go() -> None:
    """Closes the locked files in a process that was forked off: it holds no window, and would keep everybody out of
    those of the other one for as long as it lives.
    """
    for file in list(_held_here):
        file.close()


os.register_at_fork(after_in_child=_let_go)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """The window at `path` is this process's alone meanwhile: both its locks; raises `WindowLocked`."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(locked(path))
        if (path / COMMIT).exists():
            stack.enter_context(locked_commits(path))
        yield


@contextlib.contextmanager
def unwritten(path: Path) -> Iterator[None]:
    """Nobody writes to the window at `path` meanwhile, nor this process: it may lie where nothing can be written.
    Raises `WindowLocked`.
    """
    with contextlib.ExitStack() as stack:
        for name in (_LOCK, COMMIT):
            with contextlib.suppress(FileNotFoundError):
                file = stack.enter_context(FileIO(str(path / name), "r"))
                if not _is_locked(path, file, fcntl.LOCK_SH):
                    raise WindowLocked(path, _holder(file) if name == _LOCK else None)
        yield


def check_same(path: Path, file: FileIO) -> None:
    """Raises `replaced` if what lies at `path` is not the open `file` any more."""
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            return
    raise replaced(path)


def replaced(path: Path) -> WindowDamaged:
    """What is raised where the file at `path` is not as its only writer left it: who went on would acknowledge what
    nobody will find, or write into another one's files.
    """
    return WindowDamaged(
        path,
        "another file, an older copy or none: the window was deleted or replaced while this process wrote to it",
        "the file as it left it; what it has not acknowledged is not stored: open the window again "
        "(a server: start it again)",
    )


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of calls on an open file name it: the system knows no name."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_flushed(path: Path, data: bytes) -> None:
    """Makes `data` the content of the file at `path`, on the disk: whoever then renames it over another never finds an
    empty one there after a power cut.
    """
    with naming(path), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
