"""The source and line of the record being read, of which its id is made and which messages about it name."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import xxhash

from neardup.errors import shown
from neardup.model.counted import counted
from neardup.model.document import Document, Flush, Reject
from neardup.sources.kind_counts import KindCounts

Item = Document | Reject | Flush
"""What a reader yields: a document, a reject in its place, or `FLUSH`: nothing more is available now."""

REMEMBERED: Final = 20_000
"""How many documents' sources and lines are remembered: far more than the batches of a window hold."""

BLOCK: Final = 1_000_000
"""How many records without an id form a block, within which records of the same content are counted."""
ATTACHMENTS: Final = "attachments"
"""The field with the names of what a mail has besides its text, which is not compared."""


class Record(NamedTuple):
    """A record as it was read: its values, and if it was read from lines its `raw` bytes, in UTF-8 without the line
    end.

    `header`: for CSV the raw header, for Parquet and Arrow the schema; `columns`: the names in it. `delimiter`: what
    separates the columns of CSV; `is_marked`: whether a byte order mark precedes its header.
    """

    raw: bytes | None
    values: Mapping[str, Any]
    header: Any = None
    columns: Sequence[str] = ()
    delimiter: str = ","
    is_marked: bool = False

    @property
    def is_made(self) -> bool:
        """Whether this record was made of a mail, a page or a text."""
        return self.raw is None and self.header is None


@dataclass
class Position:
    """The source and line of the record being read.

    `source` is the name given by the user (for messages), `stem` the beginning of ids, `line` counts from 1, and `nth`
    is the number of the record among those that begin in that line; `record` is the one that was read last. With
    `by_content`, ids are made of the content of records, because line numbers mean nothing: another stream has other
    records there. `encoding` is that of the source, if not UTF-8. `tables`: for the header of each table, a record
    without values that stands for its rows. `notices`: what mails and pages have that is not read, or not as they say.
    """

    source: str = ""
    stem: str = ""
    line: int = 0
    nth: int = 1
    by_content: bool = False
    encoding: str | None = None
    record: Record | None = None
    tables: dict[Any, Record] = field(default_factory=dict)
    notices: KindCounts = field(default_factory=KindCounts)
    _same: Counter[str] = field(default_factory=Counter)
    _unnamed: int = 0
    _recent: deque[tuple[str, str, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def enter(self, source: str, stem: str, *, by_content: bool = False) -> None:
        """Goes to the beginning of the next source."""
        self.source, self.stem, self.by_content = source, stem, by_content
        self.line, self.nth, self.record = 0, 1, None
        self._same.clear()
        self._unnamed = 0

    def begin_table(
        self, header: Any, columns: Sequence[str], delimiter: str = ",", *, is_marked: bool = False
    ) -> Record:
        """Goes to the rows below this header; returns the record without values that stands for them."""
        table = Record(None, {}, header, columns, delimiter, is_marked)
        return self.tables.setdefault((header, is_marked), table)

    def name(self, content: bytes = b"") -> str:
        """The id of this record, if it has none of its own: the same whenever the same input is read again.

        All records of the same content get this name: to be used as an id, it must be made `distinct`.
        """
        if not self.by_content:
            return f"{self.stem}:{self.line}" if self.nth == 1 else f"{self.stem}:{self.line}-{self.nth}"
        return f"{self.stem}:{xxhash.xxh3_128_hexdigest(content)}"

    def named(self, content: bytes) -> str:
        """The id, as `name` gives it, of a source that is one document."""
        return self.name(content) if self.by_content else self.stem

    def distinct(self, name: str) -> str:
        """`name`, with a number where it was used before in this source.

        Records without an id are counted in blocks of `BLOCK`, and ids of later blocks contain the block's number: so
        memory has a bound, and equal records still have ids of their own.
        """
        if not self.by_content:
            return name
        block, at = divmod(self._unnamed, BLOCK)
        if not at:
            self._same.clear()
        self._unnamed += 1
        self._same[name] += 1
        again = f"-{self._same[name]}" if self._same[name] > 1 else ""
        return f"{name}{f'.{block}' if block else ''}{again}"

    def document(self, id: str, text: str, time: str | None, fields: Mapping[str, Any]) -> Document:
        """A document that was not read from a record; `record` becomes one made of its values."""
        own = {"id": id, "time": time, **fields, "text": text}
        self.record = Record(None, {name: value for name, value in own.items() if value is not None})
        return Document(id, text, time, fields or None)

    def reject(self, reason: str, *, id: str | None = None, raw: str | None = None) -> Reject:
        """The rejection of this record."""
        return Reject(id, reason, self.source, self.line or None, raw)

    def notice(self, what: str, value: str | None = None) -> None:
        """Counts one of which `what` is to be said ("mail has an odd Date"), such as a `value` that is not read."""
        where = self.reject(what).where
        self.notices.add(what, where if value is None else f"{shown(value)} at {where}")

    def noticed(self) -> Iterator[str]:
        """A message about each kind of `notices`."""
        for kind in self.notices:
            several = kind.name.replace(" has ", "s have ", 1)
            yield f"{counted(kind.count, kind.name, several)} (first: {kind.first})"

    def remember(self, id: str) -> None:
        """Remembers that the document `id` was read from this line."""
        self._recent.append((id, self.source, self.line))

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document, if it names none and they are still known."""
        if reject.source is not None:
            return reject
        for id, source, line in reversed(self._recent):
            if id == reject.id:
                return reject._replace(source=source, line=line or None)
        return reject
