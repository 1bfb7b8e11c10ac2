"""Where a reader stands: the source and the line of what it has just delivered."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from neardup.document import Document, Flush, Reject

Item = Document | Reject | Flush
"""What a reader yields: a document, why there is none, or the word that nothing more is there now."""

REMEMBERED: Final = 20_000
"""Documents whose place is still known: far more than any engine holds in its batches."""


@dataclass
class Position:
    """The place of the record being read.

    `source` is how the person named it (for messages), `stem` what ids are made of, `line` counts from 1.
    """

    source: str = ""
    stem: str = ""
    line: int = 0
    _places: deque[tuple[str, str, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def enter(self, source: str, stem: str) -> None:
        """Go to the beginning of the next source."""
        self.source, self.stem, self.line = source, stem, 0

    def name(self) -> str:
        """The id of the record here, if it brings none: the same whenever the same file is read."""
        return f"{self.stem}:{self.line}"

    def reject(self, reason: str, *, id: str | None = None, raw: str | None = None) -> Reject:
        """The rejection of the record here."""
        return Reject(id, reason, self.source, self.line or None, raw)

    def remember(self, id: str) -> None:
        """Keep in mind that the document `id` was read here."""
        self._places.append((id, self.source, self.line))

    def located(self, reject: Reject) -> Reject:
        """`reject` with the place its document was read at, if it names none and the place is still known."""
        if reject.source is not None:
            return reject
        for id, source, line in reversed(self._places):
            if id == reject.id:
                return reject._replace(source=source, line=line or None)
        return reject
