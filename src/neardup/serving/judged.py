"""What people say of pairs, in a file that `neardup evaluate --truth` reads."""

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
    """Whether an id can stand in a file of pairs, which has tabs between ids and a pair a line."""
    return "\t" not in id and id.splitlines() == [id]


class JudgedPairs:
    """The file at `path`: a line a pair, `id1 <tab> id2 <tab> judgement`; the last one said of a pair counts.

    Made when the first pair is judged. A judgement that is returned from is on the disk. Raises `SettingsError`
    for a file that is something else, and unless it is `readonly`, so that nothing can be judged, for a directory that
    is not there or takes no file.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._judged: dict[tuple[str, str], str] = {}
        if not readonly:
            _check_writable(path)
        if path.exists() and not path.is_file():
            raise SettingsError("judged", str(path), "a file, and none that leads elsewhere")
        if path.exists() and path.stat().st_size:  # else somebody is about to judge
            self._judged = _read(path)

    def __len__(self) -> int:
        return len(self._judged)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that are judged."""
        return list(self._judged)

    def of(self, first: str, second: str) -> str | None:
        """What was said of a pair, in whichever order it was named."""
        return self._judged.get(_ordered(first, second))

    def judge(self, first: str, second: str, judgement: Judgement) -> None:
        """Writes down what a pair is. Raises `DocumentError` for ids that cannot stand in such a file, or are one, and
        `NeardupError` where another file has taken the place of this one.
        """
        if first == second:
            raise DocumentError(first, "a pair is of two documents, and both ids are this one")
        for id in (first, second):
            if not is_listable(id):
                raise DocumentError(id, "an id with a tab or a line end cannot stand in a file of pairs")
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
    """The file, made if it is not there, which nobody else writes meanwhile: it is replaced whole, so that of those who
    wait for it only one that still stands there may go on.
    """
    while True:
        with open(path, "ab", opener=_open_at_once) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return


def _open_at_once(path: str, flags: int) -> int:
    """A pipe that has taken the place of the file is refused; else it would be waited for until somebody reads it."""
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


def _read(path: Path) -> dict[tuple[str, str], str]:
    """The pairs of a file as `judge` writes it; raises `SettingsError` for any other, which would be written over."""
    said = f"two ids and one of {', '.join(JUDGEMENTS)} a line, with tabs between them"
    wanted = f"a file of neardup serve or calibrate ({{}}): {_HEADER.strip()!r}, then {said}"
    try:
        header, *lines = path.read_text("utf-8-sig").splitlines()  # editors put a mark before it
    except ValueError:
        raise SettingsError("judged", str(path), wanted.format("it is empty or not UTF-8")) from None
    if f"{header}\n" != _HEADER:
        raise SettingsError("judged", str(path), wanted.format("its first line is another"))
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
    except SettingsError as error:  # which is no more about what somebody has set
        raise NeardupError(str(error)) from None


def _ordered(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
