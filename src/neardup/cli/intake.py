"""The way in of `ingest`: documents go on to the engine, rejects to their file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

import orjson

from neardup.cli.door import say
from neardup.document import Document, Reject

if TYPE_CHECKING:
    from neardup.cli.output import Verdicts
    from neardup.sources import Reader
    from neardup.sources.position import Item

SHOWN_REJECTS: Final = 20
"""Rejects that are told on standard error when they go to no file; the summary counts all."""


def documents(reader: Iterable[Item], out: Verdicts, rejects: Rejects) -> Iterator[Document]:
    """What the engine is to ingest. Asked for more, it first writes out the verdicts so far: the batch is done."""
    for item in reader:
        if type(item) is Reject:
            rejects.add(item)
            continue
        if type(item) is Document:
            out.note(item)
        yield item  # type: ignore[misc] # FLUSH goes on as it is
        out.flush()


def texts(reader: Reader, rejects: Rejects) -> Iterator[str]:
    """The texts alone."""
    for item in reader:
        if type(item) is Document:
            yield item.text
        elif type(item) is Reject:
            rejects.add(item)


class Rejects:
    """The rejected documents of a run: as JSON Lines in the file, or as lines on standard error where there is none."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.count = path, 0
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self._file = self.path.open("wb") if self.path else None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()
        elif self.count > SHOWN_REJECTS:
            say(f"{self.count - SHOWN_REJECTS} more were rejected; --rejects FILE keeps them all")

    def add(self, reject: Reject) -> None:
        """Tell this one."""
        self.count += 1
        if self._file:
            self._file.write(orjson.dumps(reject._asdict()) + b"\n")
            self._file.flush()
        elif self.count <= SHOWN_REJECTS:
            where = ":".join(str(part) for part in (reject.source, reject.line) if part is not None)
            say(f"rejected {where or reject.id}: {reject.reason}")
