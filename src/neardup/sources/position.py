"""The source and line of the record being read: what its id is made of, and what a message about it names."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import xxhash

from neardup.model.document import Document, Flush, Reject

Item = Document | Reject | Flush
"""What a reader yields: a document, why there is none, or `FLUSH`: nothing more is there now."""

REMEMBERED: Final = 20_000
"""Documents whose source and line are still known: far more than a window holds in its batches."""

BLOCK: Final = 1_000_000
"""Records without an id among which those of the same content are counted."""
ATTACHMENTS: Final = "attachments"
"""The field with the names of what a mail has besides its text, which is not compared."""


class Record(NamedTuple):
    """A record as it was read: its `raw` bytes, where it stood in lines, in UTF-8 without the line end; its values.

    `header`: of CSV the raw header, of Parquet and Arrow the schema; `columns` are their names. `delimiter`: what
    separates the columns of CSV.
    """

    raw: bytes | None
    values: Mapping[str, Any]
    header: Any = None
    columns: Sequence[str] = ()
    delimiter: str = ","

    @property
    def is_made(self) -> bool:
        """Whether it was no record, but made of a mail, a page or a text."""
        return self.raw is None and self.header is None


@dataclass
class Position:
    """The source and line of the record being read.

    `source` is how the person named it (for messages), `stem` what ids are made of, `line` counts from 1, and `nth`
    tells which of the records that begin in it; `record` is the one that was read last. Where `by_content`, ids are
    made of what records hold, because lines mean nothing: another stream has other ones there. `encoding` is what the
    source was in, if not UTF-8. `tables`: by header what rows of each table are like, a record of no values.
    """

    source: str = ""
    stem: str = ""
    line: int = 0
    nth: int = 1
    by_content: bool = False
    encoding: str | None = None
    record: Record | None = None
    tables: dict[Any, Record] = field(default_factory=dict)
    _same: Counter[str] = field(default_factory=Counter)
    _unnamed: int = 0
    _recent: deque[tuple[str, str, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def enter(self, source: str, stem: str, *, by_content: bool = False) -> None:
        """Go to the beginning of the next source."""
        self.source, self.stem, self.by_content = source, stem, by_content
        self.line, self.nth, self.record = 0, 1, None
        self._same.clear()
        self._unnamed = 0

    def begin_table(self, header: Any, columns: Sequence[str], delimiter: str = ",") -> Record:
        """Go to the rows below this header; returns what they are like."""
        return self.tables.setdefault(header, Record(None, {}, header, columns, delimiter))

    def name(self, content: bytes = b"") -> str:
        """The id of this record, if it brings none: the same whenever the same is read again.

        Of records of the same content each has this name: one that is used is to be made `distinct`.
        """
        if not self.by_content:
            return f"{self.stem}:{self.line}" if self.nth == 1 else f"{self.stem}:{self.line}-{self.nth}"
        return f"{self.stem}:{xxhash.xxh3_128_hexdigest(content)}"

    def named(self, content: bytes) -> str:
        """The same for a source that is one document."""
        return self.name(content) if self.by_content else self.stem

    def distinct(self, name: str) -> str:
        """`name`, with a number where it was used before in this source.

        Counted are `BLOCK` records without an id at a time, and ids of a later block say which: so memory has a bound,
        and records that are the same still have ids of their own.
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
        """A document that is no record of fields, and the record that it makes."""
        own = {"id": id, "time": time, **fields, "text": text}
        self.record = Record(None, {name: value for name, value in own.items() if value is not None})
        return Document(id, text, time, fields or None)

    def reject(self, reason: str, *, id: str | None = None, raw: str | None = None) -> Reject:
        """The rejection of this record."""
        return Reject(id, reason, self.source, self.line or None, raw)

    def remember(self, id: str) -> None:
        """Keep in mind that the document `id` was read from this line."""
        self._recent.append((id, self.source, self.line))

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document, if it names none and they are still known."""
        if reject.source is not None:
            return reject
        for id, source, line in reversed(self._recent):
            if id == reject.id:
                return reject._replace(source=source, line=line or None)
        return reject
