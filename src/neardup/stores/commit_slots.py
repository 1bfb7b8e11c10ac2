"""The file `commit` of a window's directory: two slots, of which the newer valid one counts, and a copy of each.

A commit is written to the older slot, then to the copy of that slot. So a torn write, in a slot or in its copy, leaves
the other one of the two, and the commit before. If a slot and its copy are both damaged, they have rotted, and may have
held a commit that was acknowledged.
"""

from __future__ import annotations

import contextlib
import errno
import os
from io import FileIO
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from neardup.errors import WindowDamaged
from neardup.stores.base import Commit
from neardup.stores.lock import check_same, locked_commits, naming, release, replaced, write_flushed
from neardup.stores.stored_hour import file_size
from neardup.stores.window_directory import COMMIT, check_window, holds_window

if TYPE_CHECKING:
    from pathlib import Path

_VALUE: Final = np.dtype("<i8")
SLOT_BYTES: Final = 72
_SLOTS: Final = 2
_COPIES: Final = 2


class CommitSlots:
    """The commit slots of the window at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Commit:
        """The newest commit; raises `WindowDamaged` if a newer one may have been acknowledged and has rotted."""
        slots = read_slots(self._path)
        if not all(slots):
            actual = (
                f"{file_size(self._path / COMMIT)} bytes, in which a slot and its copy fail their checksums"
            )
            raise WindowDamaged(self._path / COMMIT, actual, "two commit slots", self._path)
        return newest(slots)


class WatchedSlots(CommitSlots):
    """The commit slots of a reader; another commit file may take the place of this one at any time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = _for_reading(path)

    def read(self) -> Commit:
        """As `CommitSlots.read`; raises `WindowMissing` if the window has been moved away or deleted."""
        try:
            return super().read()
        except WindowDamaged:
            check_window(self._path)
            raise

    def is_exchanged(self) -> bool:
        """Whether the commit file is another one than at the last call: that of another window, or of this one signed
        again.
        """
        newer = _for_reading(self._path)
        if newer is None:  # it may come back
            return False
        before, self._file = self._file, newer
        if before is None:
            return False
        with before:
            return not os.path.sameopenfile(before.fileno(), newer.fileno())

    def close(self) -> None:
        """Lets go of the file; slots can still be read."""
        if self._file is not None:
            self._file.close()


class LockedSlots(CommitSlots):
    """The commit slots of the writer: locked, and made if they do not exist."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = _opened(path)
        try:
            self._left = bytearray(_content(self._file))  # all slots, as they were read or written here
        except BaseException:
            self.close()
            raise

    def write(self, commit: Commit, *, flush: bool) -> None:
        """Writes `commit` over the older slot and its copy; with `flush` it is on disk when this returns."""
        slot = _encoded(commit)
        with naming(self._path / COMMIT):
            try:
                for at in range(commit.generation % _SLOTS, _COPIES * _SLOTS, _SLOTS):
                    if os.pwrite(self._file.fileno(), slot, SLOT_BYTES * at) != len(slot):
                        raise OSError(errno.ENOSPC, "the commit slot was not written whole")
                    self._left[SLOT_BYTES * at : SLOT_BYTES * (at + 1)] = slot
            except BaseException:
                self._left = bytearray(_content(self._file))  # an interrupt may come between the two lines
                raise
            if flush:
                os.fsync(self._file.fileno())

    def check_same(self) -> None:
        """Raises `WindowDamaged` if the window was deleted, or replaced by another one or an older copy of itself."""
        self.check_there()
        if _content(self._file) != self._left:
            raise replaced(self._path / COMMIT)

    def check_there(self) -> None:
        """Raises `WindowDamaged` if another commit file, or none, is where that of this writer was."""
        check_same(self._path / COMMIT, self._file)

    def close(self) -> None:
        """Lets go of the file and its lock; slots can still be read."""
        release(self._file)


def _for_reading(path: Path) -> FileIO | None:
    """The commit file, opened, so that its inode number cannot be used again; None if there is none."""
    with contextlib.suppress(FileNotFoundError):
        return FileIO(str(path / COMMIT))
    return None


def _opened(path: Path) -> FileIO:
    """The commit file, opened; a new one begins with valid slots, so that there is always one to fall back on."""
    file = path / COMMIT
    if not file.exists():
        if holds_window(path):
            raise WindowDamaged(file, "no such file", "the commit slots of this window", path)
        write_new(path, Commit())
    return locked_commits(path)


def _content(file: FileIO) -> bytes:
    """The bytes of all slots in the open commit file, with zeros beyond its end."""
    size = SLOT_BYTES * _SLOTS * _COPIES
    return os.pread(file.fileno(), size, 0).ljust(size, b"\0")


def write_new(path: Path, commit: Commit) -> None:
    """Makes a commit file, flushed to disk, whole or not at all. One slot holds `commit`, the other one the same with
    the generation before.
    """
    before = commit._replace(generation=max(commit.generation - 1, 0))
    slots = sorted((commit, before), key=lambda each: each.generation % _SLOTS)
    draft = path / "commit.new"
    write_flushed(draft, b"".join(map(_encoded, _COPIES * slots)))
    draft.replace(path / COMMIT)


def read_slots(path: Path) -> tuple[list[Commit], list[Commit]]:
    """The commits in the first slot and its copy, and in the second and its copy, as far as their checksums match."""
    file = path / COMMIT
    data = file.read_bytes() if file.exists() else b""
    commits: tuple[list[Commit], list[Commit]] = ([], [])
    for at in range(_COPIES * _SLOTS):
        commit = _decoded(data[at * SLOT_BYTES : (at + 1) * SLOT_BYTES])
        # All slots of a new window are equal; any other commit has its own slot.
        if commit is not None and (not commit.generation or commit.generation % _SLOTS == at % _SLOTS):
            commits[at % _SLOTS].append(commit)
    return commits


def are_slots_whole(path: Path) -> bool:
    """Whether both slots and both copies check: a rotten one should be replaced before its twin rots, too."""
    slots = read_slots(path)
    whole = len(slots[0]) == len(slots[1]) == _COPIES
    return whole and file_size(path / COMMIT) == SLOT_BYTES * _SLOTS * _COPIES


def newest(slots: tuple[list[Commit], list[Commit]]) -> Commit:
    """The last commit of both slots; that of a new window if none checks."""
    return max(chain(*slots), key=lambda commit: commit.generation, default=Commit())


def _encoded(commit: Commit) -> bytes:
    data = np.array(commit, _VALUE).tobytes()
    return data + xxhash.xxh64_intdigest(data).to_bytes(8, "little")


def _decoded(slot: bytes) -> Commit | None:
    """The commit in a slot; None if it was torn or never written."""
    data, check = slot[:-8], slot[-8:]
    if len(slot) != SLOT_BYTES or xxhash.xxh64_intdigest(data) != int.from_bytes(check, "little"):
        return None
    return Commit(*(int(value) for value in np.frombuffer(data, _VALUE)))
