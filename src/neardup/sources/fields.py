"""From the fields of one record to a document: which field is what, and what is wrong with a record that has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from neardup.document import Document
from neardup.dotted import field_of, without_field

TIME_FIELDS: Final = ("time", "timestamp", "@timestamp")
"""Where the time is looked for when no field is named: our own word, the common one, and Logstash's."""


class RecordError(ValueError):
    """A record that makes no document, for the reason given; `id` where it has one."""

    def __init__(self, reason: str, id: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.id = reason, id


@dataclass(frozen=True)
class Fields:
    """The names of the fields of a record that make a document; of `time` the first that is there counts.

    A name may be dotted.

    >>> Fields(text="body").document({"id": 7, "body": "Rain.", "lang": "en"}, "news.jsonl:1")
    Document(id='7', text='Rain.', time=None, fields=None)
    """

    id: str = "id"
    text: str = "text"
    time: tuple[str, ...] = TIME_FIELDS

    def document(self, record: Mapping[str, Any], otherwise: str) -> Document:
        """The document that `record` stands for; its id is `otherwise` if it brings none.

        Raises `RecordError` if the text is missing or no string, or the id or the time is of a type that is neither.
        """
        id = record.get(self.id)
        if type(id) is not str:
            id = self._id(field_of(record, self.id), otherwise)
        text = record.get(self.text)
        if type(text) is not str:
            text = self._text(record, id)
        return Document(id or otherwise, text, self._time(record, id))

    def _id(self, value: object, otherwise: str) -> str:
        if value is None:
            return otherwise
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise RecordError(f"field {self.id!r} is {_kind(value)}, not a string or an integer")

    def _text(self, record: Mapping[str, Any], id: str) -> str:
        value = field_of(record, self.text)
        if isinstance(value, str):
            return value
        raise RecordError(self._no_text(record, value), id)

    def _no_text(self, record: Mapping[str, Any], value: object) -> str:
        if value is not None:
            return f"field {self.text!r} is {_kind(value)}, not a string"
        if self.text in record:
            return f"no text: field {self.text!r} is null"
        others = ", ".join(sorted(map(str, record))[:8])
        return f"no text: there is no field {self.text!r} (fields: {others or 'none'})"

    def _time(self, record: Mapping[str, Any], id: str) -> str | int | float | None:
        for name in self.time:
            value = field_of(record, name)
            if value is None or value == "":
                continue
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return value
            raise RecordError(f"field {name!r} is {_kind(value)}, not a time", id)
        return None


@dataclass(frozen=True)
class WholeFields(Fields):
    """The same for an engine that keeps whole documents: what else a record has goes along as `Document.fields`.

    >>> WholeFields().document({"id": 7, "text": "Rain.", "time": 0, "lang": "en"}, "news.jsonl:1").fields
    {'lang': 'en'}
    """

    @classmethod
    def of(cls, fields: Fields) -> WholeFields:
        """These names."""
        return cls(fields.id, fields.text, fields.time)

    def document(self, record: Mapping[str, Any], otherwise: str) -> Document:
        """See `Fields.document`."""
        found = super().document(record, otherwise)
        rest: Mapping[str, Any] = record
        for name in (self.id, self.text, self._used_time(record)):
            rest = without_field(rest, name) if name else rest
        return found._replace(fields=rest or None)

    def _used_time(self, record: Mapping[str, Any]) -> str | None:
        """The field that the time was taken from."""
        return next((name for name in self.time if field_of(record, name) not in (None, "")), None)


_KINDS = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), type(value).__name__)
