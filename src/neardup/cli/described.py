"""How tables and pages describe documents: by time, source, and the beginning of the text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.cli.tables import duration
from neardup.model.shown_fields import title_of, title_or_beginning
from neardup.model.times import parse_time

if TYPE_CHECKING:
    from neardup.model.document import Document
    from neardup.model.verdict import Verdict
    from neardup.window.base import ReadDocument

KNOWN: Final = 20_000
"""How many documents' descriptions are kept, so that a copy can be shown beside its original."""
SOURCE: Final = "source"
"""The field with the source of a document, where it is kept (setting `show`)."""
NOTHING_KEPT: Final = "(text not kept) "
"""The words before a normal form that is shown in place of a text."""

Read = Callable[[Iterable[str]], "list[ReadDocument | None]"]


class Described(NamedTuple):
    """The description of a document beside its id; `time` as it was written, "" if the document has none."""

    time: str = ""
    source: str = ""
    begins: str = ""


def described(document: ReadDocument) -> Described:
    """The description of a stored document."""
    begins = title_or_beginning(document.fields, document.text)
    if not document.is_original and not title_of(document.fields) and document.text:
        begins = NOTHING_KEPT + begins
    return Described(document.time, str(document.fields.get(SOURCE) or ""), begins)


class Row(NamedTuple):
    """A verdict, with the descriptions of its document and of its original as this run read them, if it did."""

    verdict: Verdict
    own: Described | None
    original: Described | None


class Descriptions:
    """Descriptions of documents that this run reads, and by id of those that `read` finds in a window.

    An id may come again with another text; so the first ones are known in the order in which the run reads them.
    """

    def __init__(self, read: Read | None = None) -> None:
        self.read = read
        self._pending: deque[tuple[str, Described, bool]] = deque(maxlen=KNOWN)
        self._stored: dict[str, Described] = {}
        self._known: dict[str, Described] = {}

    def note(self, document: Document, *, is_stored: bool) -> None:
        """Remembers a document whose verdict will come, and, if it is stored, perhaps copies of it."""
        fields = document.fields or {}
        shown = Described("", str(fields.get(SOURCE) or ""), title_or_beginning(fields, document.text))
        self._pending.append((document.id, shown, is_stored))

    def forget_rejected(self, id: str | None) -> None:
        """Forgets a noted document that gets no verdict: the last one, if it has this id or `id` is None."""
        if self._pending and id in (None, self._pending[-1][0]):
            self._pending.pop()
            return
        at = next((at for at, (pending, _, _) in enumerate(self._pending) if pending == id), None)
        if at is not None:
            del self._pending[at]

    def row(self, verdict: Verdict) -> Row:
        """The row of the next verdict. Verdicts come in the order of their documents; rejects have none."""
        original = self._stored.get(original_of(verdict) or "")
        for at, (id, own, is_stored) in enumerate(self._pending):
            if id == verdict.id:
                for _ in range(at + 1):
                    self._pending.popleft()
                if is_stored:
                    _keep(self._stored, id, own._replace(time=verdict.time))
                return Row(verdict, own, original)
        self._pending.clear()  # a cluster calls its documents by other ids
        return Row(verdict, None, original)

    def look_up(self, ids: Iterable[str | None]) -> None:
        """Reads the documents of those `ids` that are not known in full, in one call to the window."""
        missing = [id for id in dict.fromkeys(ids) if id and not self._known.get(id, Described()).time]
        if missing and self.read is not None:
            for document in self.read(missing):
                if document is not None:
                    _keep(self._known, document.id, described(document))

    def of(self, id: str | None) -> Described:
        """The description of a document; an empty one if nothing is known of it."""
        return self._known.get(id or "", Described())

    def beside(self, row: Row) -> list[str]:
        """The cells for a copy and its original: delay, both sources, the text, and the original's if it differs."""
        verdict = row.verdict
        own, other = row.own or self.of(verdict.id), self.of(original_of(verdict))
        if row.original is not None and row.original.begins != other.begins:
            other = row.original  # the window has another text by this id now, or none
        after = after_words(other.time, verdict.time) if other.time and verdict.time else ""
        return [
            after,
            own.source,
            other.source,
            own.begins,
            "" if other.begins in own.begins else other.begins,
        ]


def _keep(descriptions: dict[str, Described], id: str, shown: Described) -> None:
    descriptions.pop(id, None)
    descriptions[id] = shown
    if len(descriptions) > KNOWN:
        del descriptions[next(iter(descriptions))]


def original_of(verdict: Verdict) -> str | None:
    """The document that a verdict names first: the best match, or the largest part."""
    if verdict.duplicate_of is None and verdict.partial:
        return verdict.partial[0].id
    return verdict.duplicate_of


def after_words(earlier: str, later: str) -> str:
    """The time from `earlier` to `later`, in words."""
    seconds = (parse_time(later) - parse_time(earlier)) / 1_000
    return f"-{duration(-seconds)}" if seconds < 0 else duration(seconds)


def left_out_if_empty(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], optional: Iterable[str]
) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows without those `optional` columns in which no row has anything."""
    shown = [
        at
        for at, column in enumerate(columns)
        if column not in set(optional) or any(row[at] not in ("", None) for row in rows)
    ]
    return [columns[at] for at in shown], [[row[at] for at in shown] for row in rows]
