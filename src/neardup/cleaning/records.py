"""Records of files compared with one another: one after the other, or in an order of preference."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.cleaning.compared import Sourced, compared
from neardup.cleaning.preference import doubts, preferred, rank
from neardup.errors import DocumentError
from neardup.model.document import Document, Flush, Reject, prepare
from neardup.model.field_path import field_of
from neardup.sources.files import bytes_escaped
from neardup.sources.spool import Spool

if TYPE_CHECKING:
    from neardup.cleaning.compared import ComparedText
    from neardup.cleaning.kept_kinds import KindSample
    from neardup.cleaning.preference import Keep
    from neardup.model.settings import Settings
    from neardup.model.verdict import KindName, Status
    from neardup.sources.position import Record
    from neardup.sources.reader import Reader

log = logging.getLogger("neardup")

OnReject = Callable[[Reject], None]

DEEPEST: Final = 100
"""How deep lists and objects of a record may be nested: the writers, and pickling for a temporary file, fail at a few
hundred levels.
"""


class Entry(NamedTuple):
    """A record with its id and text, the file and line that it was read from, and its document's fields."""

    id: str
    text: str
    record: Record
    source: str
    line: int | None
    fields: Any = None
    time: Any = None

    @property
    def where(self) -> str:
        """File and line, as messages name them."""
        source = bytes_escaped(self.source)
        return f"{source}:{self.line}" if self.line else source


class Outcome(NamedTuple):
    """What becomes of a record. A removed one has the id of the record that stays for it, where that was read, and
    their exact doc_q and |A ∩ B|; these are None for a record that stays. `kind`: that of the two, where kinds were
    asked for; of a record that stays, the kind for which it stays although it is like another. `against`: whether the
    record that stays for it is one of those `Before`.
    """

    status: Status
    truncated: bool
    duplicate_of: str | None = None
    where: str | None = None
    score: float | None = None
    shared: int | None = None
    kind: KindName | None = None
    against: bool = False


class ByKind(NamedTuple):
    """The `kept` kinds, which stay; and the `sample` of the near copies that are removed."""

    kept: frozenset[KindName]
    sample: KindSample | None


class Before(NamedTuple):
    """Records before all others, which stay: their copies are removed. Unusable ones are passed to `on_reject`."""

    entries: Iterable[Entry | Flush]
    on_reject: OnReject


class KeptRecord(NamedTuple):
    """A record that stays: its id, where it was read, and whether it is one of those `Before`."""

    id: str
    where: str
    against: bool


Decided = tuple[Entry, Outcome]


def entries(reader: Reader, on_reject: OnReject) -> Iterator[Entry | Flush]:
    """The records of `reader`; its rejects are passed to `on_reject`."""
    for item in reader:
        if type(item) is Reject:
            on_reject(item)
        elif type(item) is Document and reader.record is not None:
            if _is_too_deep(reader.record):
                on_reject(
                    Reject(item.id, f"its fields are nested deeper than {DEEPEST} levels", *reader.where)
                )
                continue
            yield Entry(item.id, item.text, reader.record, *reader.where, item.fields, item.time)
        elif isinstance(item, Flush):
            yield item


def from_first_usable(
    entries: Iterator[Entry | Flush], max_length: int, on_reject: OnReject
) -> Iterator[Entry | Flush] | None:
    """The `entries` from the first on whose text can be used; those before it are passed to `on_reject`. None if no
    entry can be used.
    """
    for entry in entries:
        if isinstance(entry, Entry):
            try:
                prepare(Document("0", entry.text), lambda: 0, max_length)
            except DocumentError as error:
                on_reject(Reject(entry.id, error.reason, entry.source, entry.line))
            else:
                return chain([entry], entries)
    return None


def _is_too_deep(record: Record) -> bool:
    raw = record.raw
    if raw is not None and raw.count(b"[") + raw.count(b"{") <= DEEPEST:
        return False
    level: list[Any] = [record.values]
    for _ in range(DEEPEST):
        inner = (each.values() if isinstance(each, Mapping) else each for each in level)
        level = [value for values in inner for value in values if isinstance(value, list | tuple | Mapping)]
        if not level:
            return False
    return True


def cleaned(
    entries: Iterable[Entry | Flush],
    keep: Keep,
    source_field: str,
    settings: Settings,
    on_reject: OnReject,
    by_kind: ByKind,
    before: Before,
) -> Iterator[Decided]:
    """Every record, in order, with its outcome, after the records `before`; records whose text cannot be used are
    passed to `on_reject`.

    `settings` as `settings_for` makes them. If the rule keeps the first, each batch is passed on when it is done;
    otherwise all records are first read into a temporary file. `source_field` is for the rule that prefers by source.
    Raises `OSError` naming the directory of temporary files if that is full.
    """
    if keep.rule == "first":
        yield from (decided for _, decided in _numbered(entries, settings, on_reject, by_kind, before))
        return
    with Spool() as spool:
        ranks = array("q")
        for entry in entries:
            if isinstance(entry, Entry):
                spool.add(entry)
                ranks.append(rank(keep, len(ranks), len(entry.text), entry.time, _names(entry, source_field)))
        for doubt in doubts(keep, ranks, "record", lambda at: _time_of(spool[at])):
            log.warning(doubt)
        order = preferred(ranks)
        outcomes: dict[int, Outcome] = {}
        in_order = (spool[number] for number in order)
        for at, (_, outcome) in _numbered(in_order, settings, on_reject, by_kind, before):
            outcomes[order[at]] = outcome
        for number in range(len(order)):
            if number in outcomes:
                yield spool[number], outcomes[number]


def _time_of(entry: Entry) -> tuple[str, object, str]:
    """(Where the record is, its time, the remedy if it has none)."""
    no_field = "texts and mails without a Date have none; if no copy has a time, the first is kept"
    return entry.where, entry.time, no_field if entry.record.is_made else "--time-field names the field"


def _numbered(
    entries: Iterable[Entry | Flush], settings: Settings, on_reject: OnReject, by_kind: ByKind, before: Before
) -> Iterator[tuple[int, Decided]]:
    """Every entry by its number, with its outcome under the rule that the first stays."""
    numbers = count()  # of those before, and then of the entries
    waiting: dict[int, tuple[int, Entry]] = {}
    kept: dict[int, KeptRecord] = {}

    def earlier() -> Iterator[Sourced]:
        for entry in before.entries:
            if isinstance(entry, Entry):
                kept[number := next(numbers)] = KeptRecord(entry.id, entry.where, against=True)
                if by_kind.sample is not None:
                    by_kind.sample.stays(number, entry.text, entry.fields)
                yield Sourced(entry.text, entry.fields)

    def texts() -> Iterator[Sourced | Flush]:
        own_numbers = count()
        for entry in entries:
            if isinstance(entry, Flush):
                yield entry
                continue
            waiting[next(numbers)] = next(own_numbers), entry
            yield Sourced(entry.text, entry.fields)

    def reject(number: int, reason: str) -> None:
        if number in kept:
            before.on_reject(Reject(kept[number].id, reason, kept[number].where))
            return
        _, entry = waiting.pop(number)
        on_reject(Reject(entry.id, reason, entry.source, entry.line))

    for each in compared(texts(), settings, reject, earlier(), by_kind.kept):
        number, entry = waiting.pop(each.at)
        if not each.matches:
            kept[each.at] = KeptRecord(entry.id, entry.where, against=False)
        if by_kind.sample is not None:
            _note(by_kind.sample, each, entry)
        yield number, (entry, _outcome(each, kept))


def _note(sample: KindSample, each: ComparedText, entry: Entry) -> None:
    if not each.matches:
        sample.stays(each.at, entry.text, entry.fields)
    elif each.status == "near":
        sample.goes(entry.text, entry.fields, each.matches[0].at)


def _outcome(each: ComparedText, kept: dict[int, KeptRecord]) -> Outcome:
    if not each.matches:
        return Outcome(each.status, each.truncated, kind=each.kind)
    best = each.matches[0]
    id, where, against = kept[best.at]
    return Outcome(each.status, each.truncated, id, where, best.score, best.shared, each.kind, against)


def _names(entry: Entry, source_field: str) -> Iterator[object]:
    """The names that the source of an entry may have: the value of its field, its file with or without endings, and the
    directories that the file lies in.
    """
    yield field_of(entry.record.values, source_field)
    path = PurePath(entry.source)
    yield from (entry.source, path.name, path.name.partition(".")[0], *reversed(path.parts))
