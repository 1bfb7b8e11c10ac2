"""The way in of `ingest`: documents go on to the engine, rejects to their file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

import orjson

from neardup.cli.exit_codes import say
from neardup.cli.output_files import opened_output
from neardup.model.document import Document, Reject
from neardup.sources.files import escaped
from neardup.sources.kind_counts import KindCounts

if TYPE_CHECKING:
    from neardup.cli.output import Verdicts
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader

SHOWN_KINDS: Final = 20
"""Kinds of rejects of which the first is told on standard error; the summary counts all."""
_VARIABLE_RE: Final = re.compile(
    r"'(?:[^'\\]|\\.)*'|\([^()]*\)|0x[0-9a-f]+|U\+[0-9A-F]+|\d[\d,.]*|\"[^\"]*\""
)
"""What differs between reasons of one kind: values, places, lists of fields."""


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
    """The rejected documents of a run: all as JSON Lines in the file, where there is one; on standard error the first
    of each kind when it comes, and in the end how many there were."""

    def __init__(self, path: Path | None, *, force: bool = False) -> None:
        self.path, self.count = path, 0
        self._force, self._told = force, 0
        self._kinds = KindCounts()
        self._stack = ExitStack()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.path:
            self._file = self._stack.enter_context(opened_output(self.path, force=self._force))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        rest = self.count - self._told
        for each in [each for each in self._kinds if each.count > 1][:SHOWN_KINDS]:
            say(f"{_more(each.count - 1)} rejected for the reason of {each.first}")
            rest -= each.count - 1
        if rest:
            say(f"{_more(rest)} rejected for other reasons")
        if self.count > self._told and not self.path:
            say("--rejects FILE keeps all that were rejected")

    def add(self, reject: Reject) -> None:
        """Tell this one."""
        self.count += 1
        if self._file:
            self._file.write(_as_json(reject) + b"\n")
            self._file.flush()
        source = None if reject.source is None else escaped(reject.source)
        where = ":".join(str(part) for part in (source, reject.line) if part is not None) or str(reject.id)
        is_first = self._kinds.add(_VARIABLE_RE.sub("_", reject.reason), where)
        if is_first and self._told < SHOWN_KINDS:
            self._told += 1
            say(f"rejected {where}: {reject.reason}")


def _more(number: int) -> str:
    return f"{number:,} more {'was' if number == 1 else 'were'}"


def _as_json(reject: Reject) -> bytes:
    """`reject` as JSON, which has no way to write the bytes of a file's name or the half of a character as they are."""
    fields = reject._asdict()
    try:
        return orjson.dumps(fields)
    except TypeError:
        plain = {
            name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
            for name, value in fields.items()
        }
        source = None if reject.source is None else escaped(reject.source)
        return orjson.dumps(plain | {"source": source})
