"""From the fields of a record to a document: the names of the fields, and why a record makes no document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Self

from neardup.model.counted import counted
from neardup.model.document import TIME_FIELDS, Document
from neardup.model.field_path import MOST_NAMED, field_of, listed, names_beside, without_field
from neardup.model.plain_values import plain
from neardup.model.settings import DEFAULT_SHOW
from neardup.model.shown_fields import shown_fields

if TYPE_CHECKING:
    from neardup.sources.position import Position

_EARLY_SECONDS: Final = 100_000_000
"""A number nearer to 0 than this would be seconds in the years 1966 to 1973. As a string, so few digits are no time; as
a number they most likely mean something else.
"""
_MINUTES_FROM: Final = 190_000_000_000
_MINUTES_TO: Final = 210_000_000_000
_MINUTE_DIGITS: Final = 12

_Odd = tuple[str, str]
_EARLY: Final[_Odd] = (
    "seconds in the years 1966 to 1973",
    "a year, a date such as 20261121 or a day of a spreadsheet",
)
_MINUTES: Final[_Odd] = ("milliseconds in the year 1976", "a date and time such as 202611210900")
"""What such numbers are taken for, and what they more likely are."""


class RecordError(ValueError):
    """A record that makes no document, for the reason given; `id` where it has one."""

    def __init__(self, reason: str, id: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.id = reason, id


@dataclass(frozen=True)
class Fields:
    """The names of the fields of a record that make a document; of those in `time`, the first that the record has
    counts.

    The document keeps the fields of `show` that the record has. A name may be dotted.

    >>> Fields(text="body").document({"id": 7, "body": "Rain.", "lang": "en"}, "news.jsonl:1")
    Document(id='7', text='Rain.', time=None, fields=None)
    """

    id: str = "id"
    text: str = "text"
    time: tuple[str, ...] = TIME_FIELDS
    show: tuple[str, ...] = DEFAULT_SHOW

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """These names, read as this class does."""
        return cls(fields.id, fields.text, fields.time, fields.show)

    def document(self, record: Mapping[str, Any], otherwise: str) -> Document:
        """The document that `record` stands for; its id is `otherwise` if the record has none.

        Raises `RecordError` if the text is missing or not a string, or if the id or the time is of a type that cannot
        be one.
        """
        id = record.get(self.id)
        if type(id) is not str:
            id = self._id(field_of(record, self.id), otherwise)
        text = record.get(self.text)
        if type(text) is not str:
            text = self._text(record, id)
        return Document(id or otherwise, text, self._time(record, id), self.rest(record))

    def _id(self, value: object, otherwise: str) -> str:
        if value is None:
            return otherwise
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self._other_id(value, otherwise)

    def _other_id(self, value: object, otherwise: str) -> str:  # noqa: ARG002 - for those that make one up
        raise RecordError(
            f"field {self.id!r} is {_kind(value)}, not a string or an integer of 64 bits: --id-field names another"
        )

    def _text(self, record: Mapping[str, Any], id: str) -> str:
        value = field_of(record, self.text)
        if isinstance(value, str):
            return value
        raise RecordError(self._no_text(record, value), id)

    def _no_text(self, record: Mapping[str, Any], value: object) -> str:
        if value is not None:
            remedy = ": cast the column, text.cast('string') of pyarrow" if isinstance(value, bytes) else ""
            if isinstance(value, Mapping):
                remedy = f" (fields: {listed(names_beside(record, self.text))}): --text-field names another"
            return f"field {self.text!r} is {_kind(value)}, not a string{remedy}"
        if self.text in record:
            return f"no text: field {self.text!r} is null"
        if (name := self._list_with_text(record)) is not None:
            return f"no text: the records are in the list {name!r}: `jq -c '.{name}[]' FILE` takes them out"
        fields = listed(names_beside(record, self.text))
        return f"no text: there is no field {self.text!r} (fields: {fields}): --text-field names another"

    def _list_with_text(self, record: Mapping[str, Any]) -> str | None:
        """The field of `record` that is a list of records with texts, as in an answer of a web service, if any."""
        for name, value in record.items():
            is_list = isinstance(value, list) and value and name.isidentifier() and len(name) <= MOST_NAMED
            first = value[0] if is_list else None
            text = self.text.removeprefix(f"{name}.")
            if isinstance(first, dict) and isinstance(field_of(first, text), str):
                return name
        return None

    def rest(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """The fields of the record that the document keeps; None if there are none."""
        return shown_fields(record, self.show) or None

    def _time(self, record: Mapping[str, Any], id: str) -> datetime | str | float | None:
        for name in self.time:
            value = field_of(record, name)
            if value is None or value == "":
                continue
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return value
            if isinstance(moment := plain(value), datetime):
                return moment
            return self._other_time(name, value, id)
        return None

    def _other_time(self, name: str, value: object, id: str) -> datetime | str | float:
        raise RecordError(f"field {name!r} is {_kind(value)}, not a time: --time-field names another", id)


@dataclass(frozen=True)
class FieldsOfTexts(Fields):
    """`Fields` where only texts are compared: no record is rejected for its id or time. An unusable id is replaced by a
    made-up one, an unusable time is kept as it is.

    >>> FieldsOfTexts().document({"id": 7.0, "text": "Rain."}, "news.jsonl:1").id
    'news.jsonl:1'
    """

    def _other_id(self, value: object, otherwise: str) -> str:  # noqa: ARG002 - see above
        return otherwise

    def _other_time(self, name: str, value: object, id: str) -> datetime | str | float:  # noqa: ARG002 - see above
        return value  # type: ignore[return-value]  # and is reported where times matter


@dataclass(frozen=True)
class FieldsKeepingRest(Fields):
    """`Fields` for a window that keeps whole documents: the other fields of a record become `Document.fields`.

    >>> FieldsKeepingRest().document({"id": 7, "text": "Rain.", "time": 0, "lang": "en"}, "news.jsonl:1").fields
    {'lang': 'en'}
    """

    def rest(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """All fields of the record but those that make the document; None if there are none."""
        rest = dict(record)
        for name in (self.id, self.text, self._used_time(record)):
            rest = without_field(rest, name) if name else rest
        return rest or None

    def _used_time(self, record: Mapping[str, Any]) -> str | None:
        """The field that the time was taken from."""
        return next((name for name in self.time if field_of(record, name) not in (None, "")), None)


def _odd_number(time: Any) -> _Odd | None:
    """What a time in digits is taken for, and what it most likely is instead; None for any other time."""
    if isinstance(time, str):
        return _MINUTES if time.isdecimal() and _is_minute(time) else None
    if isinstance(time, bool) or not isinstance(time, int | float):
        return None
    if abs(time) < _EARLY_SECONDS:
        return _EARLY
    return _MINUTES if _MINUTES_FROM <= time < _MINUTES_TO and _is_minute(f"{time:.0f}") else None


def _is_minute(digits: str) -> bool:
    """Whether these are twelve digits of a date and a time of the day, from 1900 to 2099."""
    if len(digits) != _MINUTE_DIGITS or not digits.startswith(("19", "20")):
        return False  # most are milliseconds of today
    try:
        return bool(datetime.strptime(digits, "%Y%m%d%H%M").replace(tzinfo=UTC))
    except ValueError:
        return False


class FieldUse:
    """Makes documents by `fields`, and counts how many of the `records` have an id and a time."""

    def __init__(self, fields: Fields, position: Position) -> None:
        self.text, self._fields, self._position = fields.text, fields, position
        self.records = 0
        self._odd: dict[_Odd, str] = {}  # the first of each
        self._odd_counts = Counter[_Odd]()
        self._having = {"id": 0, "time": 0}
        self._others: dict[tuple[str, bool], str] = {}
        """The fields of the first record that lacks one, among those that make a document and among all others."""
        self._may_have_time = False
        """Whether the first document without a time has fields besides its id and its text."""

    def document(self, record: Mapping[str, Any], otherwise: str) -> Document:
        """See `Fields.document`; an id that is made up is made `Position.distinct`."""
        self.records += 1
        try:
            document = self._fields.document(record, otherwise)
        except RecordError:
            names = (self._fields.id,), self._fields.time
            has_id, has_time = (
                any(field_of(record, name) not in (None, "") for name in each) for each in names
            )
            self._count(record, has_id=has_id, has_time=has_time, is_document=False)
            raise
        has_id = document.id is not otherwise
        self._count(record, has_id=has_id, has_time=document.time is not None)
        if (odd := _odd_number(document.time)) is not None:
            self._odd.setdefault(odd, f"{document.time} at {self._position.source}:{self._position.line}")
            self._odd_counts[odd] += 1
        return document if has_id else document._replace(id=self._position.distinct(otherwise))

    def rest(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """The fields of the record that its document keeps; None if there are none."""
        return self._fields.rest(record)

    def odd_times(self) -> Iterator[str]:
        """Messages about times that are numbers and most likely not meant as seconds or milliseconds."""
        for (units, dates), first in self._odd.items():
            times = counted(self._odd_counts[units, dates], "time is a number", "times are numbers")
            yield (
                f"{times} of {units} (first: {first}): write {dates} in ISO 8601; "
                "--time-field names another field"
            )

    def without_any_time(self) -> str | None:
        """A message about records none of which has a time, with the fields of the first that makes a document; None if
        one has a time, or if there is no field that may be meant.
        """
        if self._having["time"] or not self._may_have_time:
            return None
        names, fields = " or ".join(repr(name) for name in self._fields.time), self._others["time", True]
        return f"no record has one in the field {names} (fields: {fields}): --time-field names another"

    def missing(self, named: Collection[str]) -> Iterator[tuple[str, int]]:
        """For each of the fields `named` ("id", "time") that records lack: a message, and how many records have it."""
        names = {"id": (self._fields.id,), "time": self._fields.time}
        for what in named:
            having = self._having[what]
            if self.records > having:
                wanted = " or ".join(repr(name) for name in names[what])
                lacking = (
                    f"{self.records - having:,} of {self.records:,} records have no {what}"
                    if having
                    else f"no record has {'an id' if what == 'id' else 'a time'}"
                )
                so = "ids were made up" if what == "id" else "times are not known"
                fields = self._others.get((what, True)) or self._others[what, False]
                message = f"{lacking} in the field {wanted} (fields: {fields}), so their {so}"
                yield f"{message}: --{what}-field names another", having

    def _count(
        self, record: Mapping[str, Any], *, has_id: bool, has_time: bool, is_document: bool = True
    ) -> None:
        self._having["id"] += has_id
        self._having["time"] += has_time
        if not has_id and ("id", is_document) not in self._others:
            self._others["id", is_document] = listed(self._names(record))
        if not has_time and ("time", is_document) not in self._others:
            names = self._names(record)
            self._others["time", is_document] = listed(names)
            self._may_have_time |= is_document and not {*names} <= {self._fields.id, self._fields.text}

    def _names(self, record: Mapping[str, Any]) -> list[str]:
        """The names of the fields of the record that was read last: in a table also of those without a value."""
        read = self._position.record
        return [name for name in (read.columns if read else ()) if name] or [*record]


JSON_KINDS: Final[Mapping[type, str]] = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
"""The kinds of values that JSON has, in words."""
_NAMED_KINDS = {
    "date": "a date",
    "datetime": "a date and time",
    "datetime64": "a date and time",
    "Timestamp": "a date and time",
    "time": "a time of day",
    "FineTime": "a time of day",
    "timedelta": "a duration",
    "timedelta64": "a duration",
    "Timedelta": "a duration",
    "Decimal": "a number",
}
"""What tables hold besides, by the names of the types: some are of libraries that may not be there."""


def _kind(value: object) -> str:
    name = type(value).__name__
    return JSON_KINDS.get(type(value)) or _NAMED_KINDS.get(name, name)
