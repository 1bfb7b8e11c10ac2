"""Files of every kind that neardup reads, as one stream of documents."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from neardup.document import Document
from neardup.sources import jsonlines, plain, table
from neardup.sources.fields import Fields, WholeFields
from neardup.sources.lines import lines
from neardup.sources.position import Position
from neardup.sources.streams import StreamError, chunks, is_live

if TYPE_CHECKING:
    from neardup.document import Reject
    from neardup.sources.position import Item

Form = Literal["jsonl", "csv", "text"]

STDIN: Final = "-"
COMPRESSED: Final = (".gz", ".zst", ".zstd")
FORMS: Final[dict[str, Form]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
}
LONGEST: Final = 128 * 1024 * 1024
"""Bytes of a line or a text file: 10 million characters take at most 120 million bytes in JSON's longest escapes."""


class Reader:
    """The documents of `paths` in order: JSON Lines, CSV, text files, directories of those; "-" is standard input.

    Iterating yields a `Document` for every record, a `Reject` where there should be one and is not, and `FLUSH` where
    standard input has nothing more to give now. Nothing that a file contains stops it: a file that is cut short or
    cannot be opened is one `Reject`, and the next file follows. Gzip and zstd are told by their first bytes, the form
    by the name, or by `form` for all. A record without an id is called `<file name>:<line>`; a text file by its name,
    below a directory by its path from there. With `keep`, what else a record has goes along as `Document.fields`.

    `bytes_read` of `bytes_total` (None if a pipe is among the paths) are behind us, counted as they lie on the disk.

    >>> list(Reader(["examples/none.jsonl"]))[0].reason
    'cannot be read: No such file or directory'
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        fields: Fields | None = None,
        form: Form | None = None,
        delimiter: str | None = None,
        longest: int = LONGEST,
        stdin_name: str = "stdin",
        keep: bool = False,
    ) -> None:
        self._fields = fields or Fields()
        if keep:
            self._fields = WholeFields.of(self._fields)
        self._form = form
        self._delimiter = delimiter
        self._longest = longest
        self._stdin_name = stdin_name
        self._position = Position()
        self._sources = list(_sources([os.fspath(path) for path in paths]))
        self.bytes_read = 0
        self.bytes_total = _total(name for name, _ in self._sources)

    def __iter__(self) -> Iterator[Item]:
        remember = self._position.remember
        for name, stem in self._sources:
            self._position.enter(name, self._stdin_name if name == STDIN else stem)
            for item in self._items(name):
                if type(item) is Document:
                    remember(item.id)
                yield item

    def located(self, reject: Reject) -> Reject:
        """`reject` with the file and line its document was read at, if it names none: an engine knows ids only."""
        return self._position.located(reject)

    def _items(self, name: str) -> Iterator[Item]:
        if Path(name).is_dir():
            yield self._position.reject("the directory holds no .txt file")
            return
        try:
            with _opened(name) as descriptor:
                yield from self._records(name, descriptor)
        except StreamError as error:
            yield self._position.reject(str(error))
        except OSError as error:
            yield self._position.reject(f"cannot be read: {error.strerror or error}")

    def _records(self, name: str, descriptor: int) -> Iterator[Item]:
        found = chunks(descriptor, on_read=self._count)
        form = self._form or _form(name)
        if form == "text":
            yield plain.document(found, self._position, self._longest)
        elif form == "csv":
            batches = lines(found, self._longest)
            yield from table.documents(batches, self._fields, self._position, self._longest, self._delimiter)
        elif form == "jsonl":
            yield from jsonlines.documents(lines(found, self._longest), self._fields, self._position)
        else:
            known = ", ".join(FORMS)
            yield self._position.reject(
                f"the name does not tell what it holds (known: {known}): say which form it has"
            )

    def _count(self, read: int) -> None:
        self.bytes_read += read


def _sources(names: list[str]) -> Iterator[tuple[str, str]]:
    """The name to open and the stem of ids, for every file that is meant."""
    same = Counter(Path(name).name for name in names)
    for name in names:
        path = Path(name)
        if name != STDIN and path.is_dir():
            found = sorted(file for file in path.rglob("*") if _form(file.name) == "text" and file.is_file())
            yield from ((str(file), file.relative_to(path).as_posix()) for file in found)
            if not found:
                yield name, path.name  # told as a reject when its turn comes
        else:
            # Two files of one name in one run would give the same ids, and one would replace the other's documents.
            yield name, path.name if same[path.name] == 1 else path.as_posix()


def _form(name: str) -> Form | None:
    """The form that a file's name tells; standard input is JSON Lines unless someone says otherwise."""
    if name == STDIN:
        return "jsonl"
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return FORMS.get(suffixes[-1]) if suffixes else None


def _total(names: Iterator[str]) -> int | None:
    total = 0
    for name in names:
        try:
            status = os.fstat(sys.stdin.fileno()) if name == STDIN else Path(name).stat()
        except OSError:
            continue  # it will be rejected when its turn comes
        if is_live(status.st_mode):
            return None
        total += status.st_size
    return total


@contextmanager
def _opened(name: str) -> Iterator[int]:
    if name == STDIN:
        yield sys.stdin.fileno()
        return
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)
