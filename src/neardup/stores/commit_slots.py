"""The file `commit` of a window's directory: two slots, of which the newer valid one counts."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from neardup.errors import WindowDamaged
from neardup.stores.base import Commit
from neardup.stores.lock import check_same, locked_commits, naming

if TYPE_CHECKING:
    from pathlib import Path

COMMIT: Final = np.dtype("<i8")
SLOT_BYTES: Final = 72


class CommitSlots:
    """The commit slots of the window at `path`; a writer's are locked, and made if they are not there."""

    def __init__(self, path: Path, *, readonly: bool) -> None:
        self._path = path
        self._file = None if readonly else _opened(path)

    def read(self) -> Commit:
        """The newer of the two commits that check: a write that was torn leaves the one before it."""
        file = self._path / "commit"
        data = file.read_bytes() if file.exists() else b""
        slots = (data[:SLOT_BYTES], data[SLOT_BYTES : 2 * SLOT_BYTES])
        valid = [commit for slot in slots if (commit := _decoded(slot))]
        if not valid:
            raise WindowDamaged(file, f"{len(data)} bytes that do not check", "two commit slots")
        return max(valid, key=lambda commit: commit.generation)

    def write(self, commit: Commit, *, flush: bool) -> None:
        """Writes `commit` over the older slot, and to the disk if it is to `flush`."""
        assert self._file is not None, "a readonly store does not commit"
        slot = _encoded(commit)
        with naming(self._path / "commit"):
            if os.pwrite(self._file, slot, SLOT_BYTES * (commit.generation % 2)) != len(slot):
                raise OSError(errno.ENOSPC, "the commit slot was not written whole")
            if flush:
                os.fsync(self._file)

    def check_same(self) -> None:
        """Raises `WindowDamaged` if another window, or none, has taken this one's place."""
        assert self._file is not None, "a readonly store does not commit"
        check_same(self._path, self._file)

    def close(self) -> None:
        """Lets go of the file and its lock; slots can still be read."""
        if self._file is not None:
            os.close(self._file)
        self._file = None


def _opened(path: Path) -> int:
    """The commit file, open; a new window's begins with two valid slots, so that there is always one to go back to."""
    file = path / "commit"
    if not file.exists():
        if (path / "hours").exists():
            raise WindowDamaged(file, "no such file", "the commit slots of the hours beside it")
        draft = path / "commit.new"
        draft.write_bytes(2 * _encoded(Commit()))
        draft.replace(file)
    return locked_commits(path)


def _encoded(commit: Commit) -> bytes:
    data = np.array(commit, COMMIT).tobytes()
    return data + xxhash.xxh64_intdigest(data).to_bytes(8, "little")


def _decoded(slot: bytes) -> Commit | None:
    """What a commit slot says; None if it was torn or never written."""
    data, check = slot[:-8], slot[-8:]
    if len(slot) != SLOT_BYTES or xxhash.xxh64_intdigest(data) != int.from_bytes(check, "little"):
        return None
    return Commit(*(int(value) for value in np.frombuffer(data, COMMIT)))
