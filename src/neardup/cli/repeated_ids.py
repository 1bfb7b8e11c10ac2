"""Watches the input of `ingest` for repeated ids, documents without a time, and fields to show that none has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from types import NoneType
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.cli.inputs import report_read
from neardup.cli.streams import log_line
from neardup.cli.tables import counted
from neardup.model.document import AssumedTime, Document, FileTime, Reject
from neardup.model.shown_fields import shown_fields
from neardup.sources.form_readers import OF_MAIL, OF_ONE_DOCUMENT

if TYPE_CHECKING:
    from neardup import Window
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader
    from neardup.sources.time_order import DatedReader, SortedReader

GENERATION: Final = 500_000
"""An id is looked for among this many ids before it, or up to twice as many: a live stream has no end."""
_UNDATED: Final[dict[type, str]] = {
    AssumedTime: "the time of the document before, or of the first with a time",
    FileTime: "the time when the file was last changed",
    NoneType: "the time of arrival",
}
"""The message about documents without a time, by the type of the time that `DatedReader` gives them."""


class IdCheckingReader:
    """Yields the `items`, the documents of `reader` in whatever order, and counts repeated ids and documents without a
    time.

    `named` as `named_fields` returns it; `shown`: the fields named by --show, which some document should have.
    """

    def __init__(
        self,
        items: DatedReader | SortedReader,
        reader: Reader,
        named: Collection[str],
        shown: Iterable[str] = (),
    ) -> None:
        self._items, self._reader, self._named = items, reader, named
        self._ids = RepeatedIds()
        self._last: Document | None = None
        self._undated: dict[type, int] = dict.fromkeys(_UNDATED, 0)
        self._has_times = False
        self._first_undated: dict[type, str] = {}
        self._not_seen = list(shown)

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            if type(item) is Document:
                self._last = item
                if self._not_seen and item.fields:
                    seen = shown_fields(item.fields, self._not_seen)
                    self._not_seen = [name for name in self._not_seen if name not in seen]
                if self._ids.is_first_other_text(item):
                    self._ids.example = f"{item.id!r} at {self._where(item)}"
                if (kind := type(item.time)) in self._undated:
                    self._undated[kind] += 1
                    self._first_undated.setdefault(kind, self._where(item))
                else:
                    self._has_times = True
            yield item

    def _where(self, document: Document) -> str:
        return self._items.located(Reject(document.id, "")).where

    def position(self) -> tuple[float, float | None]:
        """(How much has been read; of how much)."""
        return self._items.position()

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document, which no longer counts if it was the last one read."""
        if self._last is not None and self._last.id == reject.id:
            if (kind := type(self._last.time)) in self._undated:
                self._undated[kind] -= 1
                if not self._undated[kind]:
                    del self._first_undated[kind]
            self._last = None
            self._ids.forget_last(reject.id)
        return self._items.located(reject)

    def report_undated(self) -> None:
        """Reports the times that documents without one were given, and where a field may have been meant."""
        is_known = self._has_times or "time" in self._named
        why = None if is_known else self._reader.without_any_time()
        for kind, time in _UNDATED.items():
            if count := self._undated[kind]:
                have = counted(count, "document without a time has", "documents without a time have")
                log_line(f"{have} {time} (first: {self._first_undated[kind]}){f'; {why}' if why else ''}")

    def _remedy(self) -> tuple[str, str]:
        """(What to do about ids that repeat, what to know about mails besides)."""
        mails = "mails are told apart by their Message-ID"
        if self._reader.forms and self._reader.forms <= {*OF_MAIL}:
            own = "write JSON Lines with ids of your own if it repeats"
            return f"{mails}, which --id-field does not change: {own} (docs/input.md, Mail)", ""
        if self._reader.forms and self._reader.forms <= {*OF_ONE_DOCUMENT} - {*OF_MAIL}:
            return (
                "if these are other files, name the folder above, so that ids contain the names of folders",
                "",
            )
        remedy = "name the field that tells documents apart by --id-field"
        if "id" in self._named:
            remedy = "the field named by --id-field does not tell them apart: name another"
        return remedy, f"; {mails} (docs/input.md, Mail)"

    def report(self, target: Window) -> bool:
        """Reports on the documents read into `target`; returns whether the input was probably wrong: most documents are
        gone, or no record has a named field.
        """
        again, aside = came_again(self._ids, target), _aside(target)
        remedy, of_mails = self._remedy()
        if again.stored:
            were = counted(again.stored, "document was", "documents were")
            keep = "keeps its verdict" if again.stored == 1 else "keep their verdicts"
            log_line(f"{were} stored by earlier runs with the same text ({aside}), and {keep}")
        if again.earlier:
            log_line(
                f"{counted(again.earlier, 'document was', 'documents were')} stored by earlier runs, and replaced by "
                "another text with the same id: `neardup reconcile` makes the verdicts anew that name the earlier "
                f"text. If that is no new version: {remedy} (without an id, a record is named after its file), or "
                "another window by --window"
            )
        if again.same:
            are = "it is" if again.same == 1 else "they are"
            log_line(
                f"{counted(again.same, 'document')} came again with the same id and text: {are} counted above, but "
                "not stored twice"
            )
        if again.alike:
            are = "it is" if again.alike == 1 else "they are"
            first = "" if again.other else f" (first: {self._ids.example})"
            shown = "" if target.settings.keep_text is False else ", and the text that came last is shown"
            log_line(
                f"{counted(again.alike, 'document')} came again with the same id and, {aside}, the same text"
                f"{first}: {are} counted above; the verdict stays{shown}"
            )
        if again.other:
            log_line(
                f"{counted(again.other, 'document')} had the id of an earlier document of this run but another text, "
                f"and replaced it (first: {self._ids.example}): {remedy}{of_mails}"
            )
        if again.beside:
            log_line(
                f"{counted(again.beside, 'document')} had the id of an earlier document of this run but another text; "
                "the earlier one was no longer stored, or differs only in white space and punctuation"
            )
        for name in self._not_seen if self._ids.count else ():
            twice = ": give --show once for each field" if "," in name else ""
            log_line(f"no document has the field {name!r} named by --show{twice}")
        is_wrong = report_read(self._reader, self._named)
        return is_wrong or 2 * again.other > self._ids.count


class CameAgain(NamedTuple):
    """How many documents of a run had an id that was known.

    same     the id came in this run, with the same text
    alike    the id came in this run, with a text that differs only in what is not compared: the verdict stays
    other    the id came in this run, with another text, which was replaced
    beside   the id came in this run, with another text, but nothing was replaced
    stored   the id came in an earlier run, with the same text
    earlier  the id came in an earlier run, with another text, which was replaced
    """

    same: int
    alike: int
    other: int
    beside: int
    stored: int
    earlier: int


def came_again(ids: RepeatedIds, target: Window) -> CameAgain:
    """Combines the counts of repeated `ids` in a run with the window's counts of replaced and unchanged documents,
    which include those stored by earlier runs.

    Replacements count as those of this run's documents, up to the number of ids that came again with another text. If
    nothing leaves the window, the remaining texts were not other texts for it: only white space and punctuation differ.
    """
    settings = target.settings
    other = min(ids.other, target.replaced)
    alike, beside = 0, ids.other - other
    limits = settings.kept_hours, settings.max_documents, settings.max_memory
    if settings.policy != "drop" and not any(limits):
        alike, beside = beside, 0
    stored = max(target.unchanged - ids.same - alike, 0)
    return CameAgain(ids.same, alike, other, beside, stored, target.replaced - other)


def _aside(target: Window) -> str:
    """In what texts may differ that are the same to a window, in words."""
    recipe = target.settings.recipe
    case = ", case" if recipe is not None and recipe.fold_case else ""
    return f"white space{case} and punctuation aside"


class RepeatedIds:
    """Counts documents whose id came before, with the `same` text or an`other` one; `example` is the first of the
    latter.

    Only hashes of 8 bytes are remembered, so one in millions of millions may be wrong.
    """

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._now: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self.count, self.same, self.other = 0, 0, 0
        self.example = ""
        self._last: tuple[str, int | None] | None = None

    def is_first_other_text(self, document: Document) -> bool:
        """Counts `document`; returns whether it is the first whose id came before with another text."""
        id, text = hash(document.id), hash(document.text)
        known = self._now.get(id, self._before.get(id))
        self.count += 1
        if len(self._now) >= self._generation:
            self._before, self._now = self._now, {}
        self._now[id] = text
        self._last = document.id, known
        if known is None:
            return False
        if known == text:
            self.same += 1
            return False
        self.other += 1
        return self.other == 1

    def forget_last(self, rejected: str | None) -> None:
        """Takes the last document out of the counts, if it has the id `rejected`."""
        if self._last is None or self._last[0] != rejected:
            return
        id, known = hash(rejected), self._last[1]
        text, self._last = self._now.pop(id), None
        self.count -= 1
        if known is not None:
            self._now[id] = known
            self.same -= known == text
            self.other -= known != text
