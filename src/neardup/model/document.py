"""Document: id, text, time; the checks that make one a reject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from neardup.errors import DocumentError, shown
from neardup.model.counted import some_of
from neardup.model.plain_values import is_missing, plain
from neardup.model.settings import HOUR_MS
from neardup.model.times import parse_time, plain_time, shown_value
from neardup.model.tuples import maker_of

TIME_FIELDS: Final = ("time", "timestamp", "@timestamp")
"""The fields in which the time is looked for when none is named: our own name, the common one, and Logstash's."""
MAX_ID_BYTES: Final = 512  # what Elasticsearch allows for an _id
_NO_DOCUMENT: Final = "{} is no document: it must be a mapping with id and text, or a tuple (id, text, time)"
_NOT_NAMED: Final = (
    "a named tuple is read by its field names, which must include id and text (they are {}): rename them, or pass "
    "tuple(row)"
)


class Flush:
    """The type of `FLUSH`."""

    def __repr__(self) -> str:
        return "FLUSH"


FLUSH: Final = Flush()
"""In an iterable given to `ingest` (live input): finish the current batch now, because no more documents are waiting.
"""


class Document(NamedTuple):
    """One document of a stream. `id`: a whole number becomes the text of its digits (for a type checker `str(number)`).
    `time`: aware datetime (naive = UTC), date, ISO 8601, RFC 2822, or seconds or milliseconds since 1970; None (or NaT)
    = time of arrival. `fields`: its other fields; a store that keeps whole documents (Elasticsearch) keeps them beside
    the text.
    """

    id: str
    text: str
    time: date | str | float | None = None
    fields: Any = None


@dataclass(frozen=True)
class Origin:
    """The place of a document that another client has written, and the version of it that was read.

    `fingerprint` is stored with the document; None if it is not signed by this window's recipe. `routing` is the value
    that it was written with. `unsigned` is the reason why the nodes did not sign it.
    """

    index: str
    id: str
    seq_no: int
    primary_term: int
    fingerprint: str | None
    routing: str | None = None
    unsigned: str | None = None

    @property
    def qualified_id(self) -> str:
        """The id of the document in a window that has its `_id` already from another index: `INDEX/_id`."""
        return f"{self.index}/{self.id}"


class ForeignDocument(NamedTuple):
    """A document that another client has written to the store of a window: it is scored in place. `time` as in a
    `Document`.
    """

    id: str
    text: str
    time: datetime | str | float | None
    origin: Origin


Item = Document | Mapping[Any, Any] | tuple[Any, ...] | ForeignDocument
"""What `ingest` takes: a document; a mapping with "id", "text", perhaps "time", and other fields; a tuple (id, text) or
(id, text, time); or a named tuple, whose fields are read by name.
"""


class Reject(NamedTuple):
    """A document that could not be used, and the reason; `source`, `line` and `raw` say where in a file it came from.
    The `source` of a `ForeignDocument` is the `qualified_id` of its origin.
    """

    id: str | None
    reason: str
    source: str | None = None
    line: int | None = None
    raw: str | None = None

    @property
    def where(self) -> str:
        """File and line, as messages name them; "" if they are not known.

        >>> Reject(None, "not JSON", "a.jsonl", 7).where, Reject(None, "no text", "a.eml").where
        ('a.jsonl:7', 'a.eml')
        """
        source = self.source or ""
        return f"{source}:{self.line}" if self.line else source


class AssumedTime(str):
    """The ISO 8601 time that a document without one was given: it confirms no other document's time."""

    __slots__ = ()


class FileTime(AssumedTime):
    """Such a time that is the one when the document's own file was last changed. It counts as a time that the document
    came with, unless it is of the present hour or the one before: that may be when the file was copied.
    """

    __slots__ = ()


class Prepared(NamedTuple):
    """A document that passed every check: text as UTF-8, time in milliseconds, and its hour.

    `fields`: its other fields; `dated`: whether it came with a time of its own; `origin`: its place if another client
    wrote it.
    """

    id: str
    text: bytes
    time: int
    hour: int
    fields: Any = None
    dated: bool = True
    origin: Origin | None = None

    def rejected(self, reason: str) -> Reject:
        """This document as a `Reject`."""
        return Reject(self.id, reason, None if self.origin is None else self.origin.qualified_id)


_prepared_of = maker_of(Prepared)


def text_argument(name: str, value: Any) -> bytes:
    """A text argument of a call as UTF-8. Raises `TypeError` naming the argument `name` if it is not a text,
    `DocumentError` for an unpaired surrogate.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {_brief(value)}, not a text (str)")
    try:
        return encode_text(value, name)
    except ValueError as error:
        raise DocumentError(None, str(error)) from None


def encode_text(text: str, what: str = "text") -> bytes:
    """`text` as UTF-8. Raises `ValueError`, which names `what` and the first unpaired surrogate, if it has one."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        point = ord(text[error.start])
        raise ValueError(
            f"{what} has the unpaired surrogate U+{point:04X} at position {error.start}"
        ) from None


def _brief(value: object) -> str:
    """`value`, cut if it is long, and its type, for a message."""
    kind = type(value).__name__
    if value is None or not isinstance(value, str | bytes | int | float | list | tuple):
        return kind
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001 - it holds a number of thousands of digits, itself, or what raises anything
        return kind
    return f"{shown[:40]}… ({kind})" if len(shown) > 40 else f"{shown} ({kind})"


def check_documents(documents: Any) -> None:
    """Raises `TypeError` if `documents` is no iterable of documents: a single one, a data frame, a text."""
    first = documents[0] if isinstance(documents, tuple) and documents else None
    if isinstance(documents, Mapping | Document) or isinstance(first, str | int):  # an id: (id, text, time)
        remedy = "put a single one into a list: [document]; choose one of several splits, data['train']"
    elif isinstance(documents, str | bytes):
        remedy = "the documents of a file are read by `neardup ingest`"
    elif hasattr(documents, "collect") and hasattr(documents, "collect_schema"):
        # Asked before its columns: polars warns when these are asked for.
        remedy = "collect() it first, and pass frame.iter_rows(named=True)"
    elif hasattr(documents, "columns"):
        remedy = (
            "iterating over a frame gives columns: pass frame.to_dict('records') for pandas, "
            "frame.iter_rows(named=True) for polars, table.to_pylist() for Arrow; neardup.dedup takes the frame as it "
            "is"
        )
    elif isinstance(documents, Iterable):
        return
    elif hasattr(documents, "__aiter__"):
        remedy = "collect a batch of it, [document async for document in ...], and pass that (docs/python.md)"
    else:
        remedy = "such as a list"
    raise TypeError(f"ingest takes an iterable of documents, not {_brief(documents)}: {remedy}")


def texts_of(texts: Any) -> list[Any]:
    """The items of `texts`, values of Arrow as Python has them. Raises `TypeError`, which names the remedy, if it is no
    iterable of texts: a single one, a document, a data frame.
    """
    if isinstance(texts, str | bytes):
        remedy = "put a single one into a list, [text]"
    elif isinstance(texts, Mapping | Document):
        text = "document.text" if isinstance(texts, Document) else "document['text']"
        remedy = f"put the text of a single document into a list, [{text}]"
    elif hasattr(texts, "collect") and hasattr(texts, "collect_schema"):
        remedy = "collect() it first, and pass list(frame['text'])"
    elif hasattr(texts, "columns") or hasattr(texts, "column_names"):
        remedy = "pass one column of a frame, list(frame['text'])"
    elif isinstance(texts, Iterable):
        return items_of(texts)
    else:
        remedy = "such as a list"
    raise TypeError(f"check takes an iterable of texts, not {_brief(texts)}: {remedy}")


def items_of(values: Iterable[Any]) -> list[Any]:
    """The items of `values`; values of Arrow as Python has them."""
    return [
        value if isinstance(value, str) or not hasattr(value, "as_py") else value.as_py() for value in values
    ]


def plain_id(id: Any) -> str:
    """`id` as text. Raises `DocumentError` unless it is a non-empty string or an integer of 64 bits."""
    known = id if isinstance(id, str | int) else plain(id)
    if isinstance(known, int) and not isinstance(known, bool) and known.bit_length() <= 64:
        return int.__repr__(known)  # not what a subclass prints, such as an Enum
    if not isinstance(known, str) or not known:
        raise DocumentError(
            None, f"id is {shown_value(id)}: it must be a non-empty string or an integer of 64 bits"
        )
    return str.__str__(known)


def prepare(item: Any, arrival: Callable[[], int], max_length: int) -> Prepared:
    """`item` checked and encoded; `arrival` gives the milliseconds that are used if it has no time.

    Raises `DocumentError` naming the fault: no id, no text, not a string, too long, an unpaired surrogate, a time that
    cannot be read.
    """
    fields: Any = None
    origin = None
    if type(item) is ForeignDocument:
        id, text, time, origin = item
    else:
        id, text, time, fields = item if type(item) is Document else _taken_apart(item)
    if type(id) is not str or not id:
        id = plain_id(id)
    if type(time) is not int:
        time = plain_time(time)
    if not isinstance(text, str):
        raise DocumentError(id, _no_text(item, text))
    if type(fields) is not dict and fields is not None:
        fields = _checked_fields(id, fields)
    if len(text) > max_length:
        over = f"text has {len(text):,} characters, the limit (max_length) is {max_length:,}"
        raise DocumentError(id, over)
    try:
        id_bytes = len(id) if id.isascii() else len(encode_text(id, "id"))
        if id_bytes > MAX_ID_BYTES:
            raise DocumentError(id, f"id is longer than {MAX_ID_BYTES} bytes")
        encoded = encode_text(text)
        when = arrival() if time is None else parse_time(time)
    except DocumentError:
        raise
    except ValueError as error:
        raise DocumentError(id, str(error)) from None
    dated = time is not None and (
        not isinstance(time, AssumedTime) or (isinstance(time, FileTime) and _is_past(when, arrival()))
    )
    return _prepared_of((id, encoded, when, when // HOUR_MS, fields, dated, origin))


def _is_past(time: int, now: int) -> bool:
    """Whether a time is of an hour before the last one."""
    return now // HOUR_MS - time // HOUR_MS > 1


def _checked_fields(id: str, fields: Any) -> Mapping[str, Any] | None:
    """The fields; None where pandas marks them as missing. Raises `DocumentError` if they are no mapping."""
    if isinstance(fields, Mapping):
        return fields
    if is_missing(fields):
        return None
    raise DocumentError(id, f"fields is {_brief(fields)}, not a mapping of names to values")


def _no_text(item: Any, value: object) -> str:
    if isinstance(item, Mapping) and "text" not in item:
        return f"no text: there is no field 'text' (fields: {some_of([shown(name) for name in item], 20)})"
    return f"text is {type(value).__name__}, not a string"


def _other_time(fields: dict[str, Any]) -> Any:
    """Takes the time out of the first other field in which one is looked for; None if there is none."""
    for name in TIME_FIELDS[1:]:
        if not is_missing(time := fields.get(name)) and plain_time(time) is not None:
            return fields.pop(name)
    return None


def _taken_apart(item: Any) -> tuple[Any, ...]:
    """The fields of a `Document`, unchecked, from a mapping, a tuple or a list."""
    # The type first: asking whether something is a Mapping takes much longer.
    if type(item) is dict or isinstance(item, Mapping):
        fields = dict(item)
        id, text, time = fields.pop("id", None), fields.pop("text", None), fields.pop("time", None)
        if type(time) is not int and plain_time(time) is None:
            time = _other_time(fields)
        return id, text, time, fields or None
    if isinstance(item, tuple | list):
        names = getattr(item, "_fields", Document._fields)
        if names != Document._fields:  # a named tuple, in an order of its own
            if not {"id", "text"} <= {*names}:
                raise DocumentError(None, _NOT_NAMED.format(some_of([shown(name) for name in names], 20)))
            return _taken_apart(dict(zip(names, item, strict=True)))
        if 2 <= len(item) <= len(Document._fields):
            return Document(*item)
    raise DocumentError(None, _NO_DOCUMENT.format(_brief(item)))
