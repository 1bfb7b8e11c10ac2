"""A system that fails at a chosen call: the state that a killed process or a full disk leaves, at any moment."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any
from unittest import mock

CHANGING = ("open", "pwrite", "write", "truncate", "ftruncate", "fsync")


class Killed(BaseException):
    """Nothing after this call has happened."""


def killed() -> BaseException:
    return Killed()


def disk_full() -> BaseException:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Faults:
    """Stands in for `os` and `shutil` in the store: counts calls that change files, and fails in the chosen one.

    A failing write writes the first half of its data. `log`: what was called on which file.
    """

    def __init__(self, error: Callable[[], BaseException] = killed) -> None:
        self.error = error
        self.calls = self.fatal = 0
        self.log: list[tuple[str, str]] = []
        self._names: dict[int, str] = {}
        self._files: list[tuple[FileIO, str]] = []

    def arm(self, at: int) -> None:
        """The `at`-th call from now will fail."""
        self.fatal = self.calls + at

    def __getattr__(self, name: str) -> Any:
        function = getattr(os, name)
        if name == "close":
            return self._close
        if name not in CHANGING:
            return function

        def counted(*arguments: Any, **named: Any) -> Any:
            self._count(name, function, arguments)
            result = function(*arguments, **named)
            if name == "open":
                self._names[result] = str(arguments[0])
            return result

        return counted

    def _close(self, file: int) -> None:
        self._names.pop(file, None)
        os.close(file)

    def opened(self, path: str, mode: str = "r", **named: Any) -> FileIO:
        """`FileIO`, which may open by `open`."""
        if not named:
            self._count("open", FileIO, (path, mode))
        file = FileIO(path, mode, **named)
        self._names.pop(file.fileno(), None)
        self._files.append((file, path))
        return file

    def bury(self) -> None:
        """Closes files that the system would close for a killed process."""
        for opened, _ in self._files:
            opened.close()
        for file in list(self._names):
            self._close(file)

    def _count(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.calls += 1
        opened = {file.fileno(): path for file, path in self._files if not file.closed}
        self.log.append(
            (name, str(arguments[0]) if name == "open" else (self._names | opened).get(arguments[0], ""))
        )
        if self.calls == self.fatal:
            if name == "pwrite":
                file, data, place = arguments
                function(file, bytes(data)[: len(data) // 2], place)
            raise self.error()

    def rmtree(self, path: Path) -> None:
        """`shutil.rmtree`, one file after the other."""
        for file in sorted(path.iterdir()):
            self._count("unlink", os.unlink, (str(file),))
            file.unlink()
        path.rmdir()

    @contextlib.contextmanager
    def installed(self) -> Iterator[Faults]:
        """Passes the store's calls through here meanwhile."""
        with (
            mock.patch("neardup.stores.directory_writer.os", self),
            mock.patch("neardup.stores.hour_files.os", self),
            mock.patch("neardup.stores.hour_files.FileIO", self.opened),
            mock.patch("neardup.stores.lock.os", self),
            mock.patch("neardup.stores.lock.FileIO", self.opened),
            mock.patch("neardup.stores.commit_slots.os", self),
            mock.patch("neardup.stores.directory_writer.shutil", mock.Mock(wraps=shutil, rmtree=self.rmtree)),
        ):
            yield self
