"""People's judgements of pairs, in a file that `neardup evaluate --truth` reads."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, get_args

from neardup.errors import DocumentError, NeardupError, SettingsError, shown
from neardup.tables.atomic_write import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Judgement = Literal["copy", "form", "quote", "no"]
JUDGEMENTS: Final = get_args(Judgement)
_HEADER: Final = "id1\tid2\tlabel\n"


def is_listable(id: str) -> bool:
    """Whether an id can be written in a file of pairs, which has one pair a line and tabs between ids."""
    return "\t" not in id and id.splitlines() == [id]


class JudgedPairs:
    """The file at `path`: one line a pair, `id1 <tab> id2 <tab> judgement`; the last judgement of a pair counts.

    The file is made when the first pair is judged. When `judge` returns, the judgement is on the disk. Raises
    `SettingsError` for a file of another kind, and, unless it is `readonly` (so that nothing can be judged), for a
    directory that does not exist or cannot be written to.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._judged: dict[tuple[str, str], str] = {}
        if not readonly:
            _check_writable(path)
        if path.exists() and not path.is_file():
            raise SettingsError("judged", str(path), "a regular file, not a directory, a pipe or a device")
        if path.exists() and path.stat().st_size:  # an empty file: another process is about to judge
            self._judged = _read(path)

    def __len__(self) -> int:
        return len(self._judged)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs judged so far."""
        return list(self._judged)

    def of(self, first: str, second: str) -> str | None:
        """The judgement of a pair, in either order of its ids; None if it was not judged."""
        return self._judged.get(_ordered(first, second))

    def judge(self, first: str, second: str, judgement: Judgement) -> None:
        """Records a judgement. Raises `DocumentError` for ids that cannot be written in the file, or are the same, and
        `NeardupError` if another kind of file has taken the place of this one.
        """
        if first == second:
            raise DocumentError(first, "a pair is of two documents, and both ids are this one")
        for id in (first, second):
            if not is_listable(id):
                raise DocumentError(id, "an id with a tab or a line end cannot be written to a file of pairs")
        pair = _ordered(first, second)
        with self._lock, _held(self.path) as file:
            known = os.fstat(file.fileno())  # another process may have judged, too
            judged = (_read_again(self.path) if known.st_size else self._judged) | {pair: judgement}
            lines = (f"{one}\t{other}\t{label}\n" for (one, other), label in judged.items())
            write_whole(self.path, "".join([_HEADER, *lines]).encode(), mode=stat.S_IMODE(known.st_mode))
            self._judged = judged


def _check_writable(path: Path) -> None:
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        wanted = "a file in a directory that can be written to: --judged names another"
        raise SettingsError("judged", str(path), wanted)
    if path.exists() and not os.access(path, os.W_OK):
        raise SettingsError("judged", str(path), "a file that can be written to: --judged names another")


@contextmanager
def _held(path: Path) -> Iterator[BinaryIO]:
    """The file, made if it does not exist, locked against other writers. Because it is replaced whole, a process that
    has waited for the lock goes on only if its open file is still the one at `path`, and opens the new one otherwise.
    """
    while True:
        with open(path, "ab", opener=_open_at_once) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return


def _open_at_once(path: str, flags: int) -> int:
    """Opens without waiting: a pipe in place of the file is refused, instead of blocking until somebody reads it."""
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def _read(path: Path) -> dict[tuple[str, str], str]:
    """The pairs of a file made by `judge`; raises `SettingsError` for any other file, which would be overwritten."""
    said = f"two ids and one of {', '.join(JUDGEMENTS)} a line, with tabs between them"
    wanted = f"a file of neardup serve or calibrate ({{}}): {_HEADER.strip()!r}, then {said}"
    try:
        header, *lines = path.read_text("utf-8-sig").splitlines()  # editors put a mark before it
    except ValueError:
        raise SettingsError("judged", str(path), wanted.format("it is empty or not UTF-8")) from None
    if f"{header}\n" != _HEADER:
        raise SettingsError("judged", str(path), wanted.format("its first line is different"))
    judged = {}
    for number, line in enumerate(lines, 2):
        parts = line.split("\t")
        if len(parts) != 3 or parts[0] == parts[1] or parts[2] not in JUDGEMENTS:
            raise SettingsError("judged", str(path), wanted.format(f"line {number} is {shown(line)}"))
        judged[_ordered(parts[0], parts[1])] = parts[2]
    return judged


def _read_again(path: Path) -> dict[tuple[str, str], str]:
    try:
        return _read(path)
    except SettingsError as error:  # the fault is no longer in a setting
        raise NeardupError(str(error)) from None


def _ordered(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
