"""Values that wait in a temporary file until they are read again, in whatever order."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self


class Spool:
    """Values by number, from 0 on; only the place where each ends is in memory.

    Raises `OSError` naming the directory of temporary files, if that is full.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="neardup-")  # noqa: SIM115 - closed by `__exit__`
        self._ends = array("q", [0])  # before it, where the first value begins

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # data that could not be written is no longer needed
            self._file.close()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def add(self, value: Any) -> None:
        """Adds a value."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with _named():
            self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))

    def __getitem__(self, number: int) -> Any:
        start, end = self._ends[number : number + 2]
        with _named():  # buffered values may be written only now
            self._file.seek(start)
            data = self._file.read(end - start)  # `pickle.load` from the file takes several times as long
        return pickle.loads(data)  # noqa: S301 - written a moment ago by this process


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from error
