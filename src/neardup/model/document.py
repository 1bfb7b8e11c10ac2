"""Document: id, text, time; what makes one unusable; times as whole milliseconds UTC."""

from __future__ import annotations

import email.utils
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple

from neardup.errors import DocumentError, SettingsError, shown
from neardup.model.counted import some_of
from neardup.model.plain_values import is_missing, plain
from neardup.model.settings import HOUR_MS
from neardup.model.tuples import maker_of

MAX_ID_BYTES: Final = 512  # what Elasticsearch allows for an _id
_EPOCH_MS_FROM: Final = 100_000_000_000
"""A number at or above this is milliseconds since 1970 (from March 1973 on), below it seconds (up to the year
5138).
"""
MIN_TIME_MS: Final = -62_135_596_800_000  # 0001-01-01
MAX_TIME_MS: Final = 253_402_300_799_999  # 9999-12-31

_CLOCK_RE: Final = re.compile(r"\d{9,13}(\.\d*)?")
"""A number as text: 20261121 is read as a date, and so is anything longer than milliseconds are until 2286."""
_OVER_RE: Final = re.compile(
    r"(?P<day>.{8,10}[T ])(?:24(?=:?00(?::?00(?:[.,]0+)?)?(?:[Zz+-]|$))|(?P<clock>\d\d:?59:?)60(?!\d))"
)
"""What ISO 8601 allows and Python does not: the midnight at the end of a day, and a leap second."""
_MAIL_RE: Final = re.compile(
    r"(?:[a-z]{3,9}\.?,?\s+)?\d{1,2}[\s-]+[a-z]{3,9}[\s-]+(?:\d\d|\d{4})\s+\d{1,2}:\d\d(?::\d\d)?"
    r"(?:\s+(?:[+-]\d{4}|utc?|gmt|z|[ecmp][sd]t))?(?:\s+\([^()]*\))?",
    re.IGNORECASE,
)
"""RFC 2822, with the zones that it names: the letters of any other zone would be taken for UTC."""
TIME_FORMS: Final = (
    "ISO 8601 (2026-11-21T09:00:00Z), RFC 2822 (Sat, 21 Nov 2026 09:00:00 +0000), "
    "or seconds or milliseconds since 1970"
)

_NO_DOCUMENT: Final = "{} is no document: it must be a mapping with id and text, or a tuple (id, text, time)"


class Flush:
    """The type of `FLUSH`."""

    def __repr__(self) -> str:
        return "FLUSH"


FLUSH: Final = Flush()
"""Put into an ingested iterable, it says: finish the current batch now, nothing more is waiting (live input)."""


class Document(NamedTuple):
    """One document of a stream. `id`: a whole number is taken as its digits. `time`: aware datetime (naive = UTC),
    date, ISO 8601, RFC 2822, or seconds or milliseconds since 1970; None (or NaT) = time of arrival. `fields`: what
    else it has; an engine that keeps whole documents (Elasticsearch) keeps them beside the text.
    """

    id: str
    text: str
    time: date | str | float | None = None
    fields: Any = None


@dataclass(frozen=True)
class Origin:
    """Where a document that another client has written lies, and which version of it was read.

    `fingerprint` is the one it bears; None if nobody has signed it as this window does. `routing` is the one that it
    was written with. `unsigned` is why nodes have not signed it.
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
        """What a window calls the document if it knows its `_id` of another index."""
        return f"{self.index}/{self.id}"


class ForeignDocument(NamedTuple):
    """A document that is already in the store of a window, but was written there by another client: it is scored
    where it is. `time` as in a `Document`.
    """

    id: str
    text: str
    time: datetime | str | float | None
    origin: Origin


Item = Document | Mapping[str, Any] | tuple[Any, Any] | tuple[Any, Any, Any] | ForeignDocument
"""What `ingest` takes: a document, a mapping with "id", "text", perhaps "time", and fields of its own, or a tuple of
the first two or three of these.
"""


class Reject(NamedTuple):
    """A document that could not be used, and why; `source`, `line` and `raw` where it came from a file."""

    id: str | None
    reason: str
    source: str | None = None
    line: int | None = None
    raw: str | None = None


class AssumedTime(str):
    """The ISO 8601 time that was given to a document without one: it bears out no other document's time."""

    __slots__ = ()


class Prepared(NamedTuple):
    """A document that passed every check: text as UTF-8, time in milliseconds, and its hour.

    `fields`: what else came with it; `dated`: whether it came with a time; `origin`: where it lies if another client
    wrote it.
    """

    id: str
    text: bytes
    time: int
    hour: int
    fields: Any = None
    dated: bool = True
    origin: Origin | None = None


_prepared_of = maker_of(Prepared)


def parse_time(value: Any) -> int:
    """Milliseconds since 1970 UTC of a datetime, a number, or text: ISO 8601, RFC 2822 (mail, RSS), or such a number.

    `ValueError` says what it got.

    >>> parse_time("2026-11-21T09:00:00Z"), parse_time(1_795_251_600)
    (1795251600000, 1795251600000)
    >>> parse_time("Sat, 21 Nov 2026 10:00:00 +0100"), parse_time("1795251600")
    (1795251600000, 1795251600000)
    """
    if type(value) is int:  # as most clocks give it
        return _within_years(value if abs(value) >= _EPOCH_MS_FROM else value * 1_000, value)
    meant = _read_time(value) if isinstance(value, str) else plain(value)
    if isinstance(meant, datetime):
        try:
            aware = meant if meant.utcoffset() is not None else meant.replace(tzinfo=UTC)
            delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
        except Exception as error:  # noqa: BLE001 - the zone is another's, and so is what it raises
            raise ValueError(f"time is of a zone that gives no offset ({type(error).__name__})") from None
        exact = (delta.days * 86_400 + delta.seconds) * 1_000 + delta.microseconds // 1_000
        return _within_years(exact, value)
    # What `plain` leaves as it is: of attoseconds all of them.
    if type(meant).__name__ == "datetime64" and getattr(meant, "dtype", None) != "datetime64[as]":
        raise ValueError(_outside(value))
    is_nan = isinstance(meant, float) and math.isnan(meant)  # a very large int has no float to ask
    if isinstance(meant, bool) or not isinstance(meant, int | float) or is_nan:
        raise ValueError(f"time {_shown(value)} is neither a date, ISO 8601 text, nor a number of seconds")
    return _within_years(meant if abs(meant) >= _EPOCH_MS_FROM else meant * 1_000, value)


def _read_time(text: str) -> datetime | float:
    """The time or number that a text stands for."""
    written = text.strip()
    if _CLOCK_RE.fullmatch(written):  # first: Python takes 1695110160000 for a day of the year 1695
        return float(written) if "." in written else int(written)
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return _read_unusual(written, text)


def _read_unusual(written: str, text: str) -> datetime:
    try:
        if _MAIL_RE.fullmatch(written):
            return email.utils.parsedate_to_datetime(written)
        if over := _OVER_RE.match(written):
            within, more = (
                ("00", timedelta(days=1))
                if over["clock"] is None
                else (over["clock"] + "59", timedelta(seconds=1))
            )
            return datetime.fromisoformat(over["day"] + within + written[over.end() :]) + more
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"time {shown(text)} is not {TIME_FORMS}")


def _within_years(milliseconds: float, value: object) -> int:
    if not MIN_TIME_MS <= milliseconds <= MAX_TIME_MS:
        raise ValueError(_outside(value))
    return int(milliseconds)


def _outside(value: object) -> str:
    meant = "; a number is seconds or milliseconds since 1970" if isinstance(value, int | float) else ""
    return f"time {_shown(value)} is outside the years 1 to 9999 in UTC{meant}"


def time_argument(name: str, value: Any) -> int:
    """`parse_time` for an argument of a call; `SettingsError` names the argument."""
    try:
        return parse_time(value)
    except ValueError:
        shown = _shown(value) if isinstance(value, datetime) else value
        raise SettingsError(name, shown, "a date, ISO 8601 text, or a number of seconds") from None


def format_time(milliseconds: int) -> str:
    """ISO 8601 UTC, with milliseconds only if they are not 0.

    >>> format_time(1_795_251_600_000), format_time(1_795_251_600_250)
    ('2026-11-21T09:00:00Z', '2026-11-21T09:00:00.250Z')
    """
    second, thousandth = divmod(milliseconds, 1_000)
    return _format_second(second) + _ENDS[thousandth]


@functools.lru_cache(maxsize=4_096)
def _format_second(second: int) -> str:
    """A time up to its seconds, kept because many documents of a stream come within one second."""
    minute, second = divmod(second, 60)
    day, minute = divmod(minute, 1_440)
    return _format_day(day) + _MINUTES[minute] + _SECONDS[second]


_MINUTES: Final = tuple(f"T{minute // 60:02}:{minute % 60:02}:" for minute in range(1_440))
_SECONDS: Final = tuple(f"{second:02}" for second in range(60))
_ENDS: Final = ("Z", *(f".{thousandth:03}Z" for thousandth in range(1, 1_000)))


@functools.lru_cache(maxsize=4_096)
def _format_day(day: int) -> str:
    """The date of a day counted from 1970, kept because documents of one day come together."""
    # Not datetime.fromtimestamp: it fails for years before 1970 on some platforms.
    stamp = datetime.fromordinal(719_163 + day)
    return f"{stamp.year:04}-{stamp.month:02}-{stamp.day:02}"


def text_argument(name: str, value: Any) -> bytes:
    """A text that was given to a call, as UTF-8. `TypeError` names the argument if it is not a text; `DocumentError`
    says what `encode_text` does.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {_brief(value)}, not a text (str)")
    try:
        return encode_text(value, name)
    except ValueError as error:
        raise DocumentError(None, str(error)) from None


def encode_text(text: str, what: str = "text") -> bytes:
    """`text` as UTF-8; `ValueError` names the first unpaired surrogate, which no encoding has, and `what` has it."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        point = ord(text[error.start])
        raise ValueError(
            f"{what} has the unpaired surrogate U+{point:04X} at position {error.start}"
        ) from None


def _shown(value: object) -> str:
    """`value` for a message, a date as ISO 8601 has it."""
    try:
        return value.isoformat() if isinstance(value, datetime) else shown(value)
    except Exception:  # noqa: BLE001 - the zone is another's, and so is what it raises
        return f"a {type(value).__name__} that has no text"


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
    """Raises `TypeError` for what does not iterate into documents: a single one, a data frame, a text."""
    if isinstance(documents, Mapping | Document):
        remedy = "put a single one into a list: [document]; of several splits choose one, data['train']"
    elif isinstance(documents, str | bytes):
        remedy = "the documents of a file are read by `neardup ingest`"
    elif hasattr(documents, "collect") and hasattr(documents, "collect_schema"):
        # Asked before its columns: polars warns when these are asked for.
        remedy = "collect() it first, and pass frame.iter_rows(named=True)"
    elif hasattr(documents, "columns"):
        remedy = (
            "a frame gives columns; pass frame.to_dict('records'), of polars frame.iter_rows(named=True), of Arrow "
            "table.to_pylist(); neardup.dedup takes it as it is"
        )
    elif isinstance(documents, Iterable):
        return
    else:
        remedy = "such as a list"
    raise TypeError(f"ingest takes an iterable of documents, not {_brief(documents)}: {remedy}")


def plain_id(id: Any) -> str:
    """The id as text. Raises `DocumentError` for what is not an id."""
    known = id if isinstance(id, str | int) else plain(id)
    if isinstance(known, int) and not isinstance(known, bool) and known.bit_length() <= 64:
        return int.__repr__(known)  # not what a subclass prints, such as an Enum
    if not isinstance(known, str) or not known:
        raise DocumentError(
            None, f"id is {_shown(id)}: it must be a non-empty string or an integer of 64 bits"
        )
    return str.__str__(known)


def _plain_time(time: Any) -> Any:
    """The time as plain Python has it; None for a missing one (NaT). NaN as a number is a mistake."""
    if time is None or isinstance(time, str | int | float):
        return time
    return None if is_missing(time) else plain(time)


def prepare(item: Any, arrival: Callable[[], int], max_length: int) -> Prepared:
    """`item` checked and encoded; `arrival` gives the milliseconds that stand in for a missing time.

    Raises `DocumentError` naming what is wrong: no id, no text, not a string, too long, an unpaired surrogate, a time
    that cannot be read.
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
        time = _plain_time(time)
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
            raise DocumentError(id[:40], f"id is longer than {MAX_ID_BYTES} bytes")
        encoded = encode_text(text)
        when = arrival() if time is None else parse_time(time)
    except DocumentError:
        raise
    except ValueError as error:
        raise DocumentError(id, str(error)) from None
    dated = time is not None and type(time) is not AssumedTime
    return _prepared_of((id, encoded, when, when // HOUR_MS, fields, dated, origin))


def _checked_fields(id: str, fields: Any) -> Mapping[str, Any] | None:
    """The fields, None where pandas marks them as missing; raises `DocumentError` for what has no names."""
    if isinstance(fields, Mapping):
        return fields
    if is_missing(fields):
        return None
    raise DocumentError(id, f"fields is {_brief(fields)}, not a mapping of names to values")


def _no_text(item: Any, value: object) -> str:
    if isinstance(item, Mapping) and "text" not in item:
        return f"no text: there is no field 'text' (fields: {some_of([shown(name) for name in item], 20)})"
    return f"text is {type(value).__name__}, not a string"


def _taken_apart(item: Any) -> tuple[Any, ...]:
    """The fields of a `Document`, unchecked, from whatever else may be given as one."""
    # The type first: asking whether something is a Mapping takes much longer.
    if type(item) is dict or isinstance(item, Mapping):
        fields = dict(item)
        return fields.pop("id", None), fields.pop("text", None), fields.pop("time", None), fields or None
    if isinstance(item, tuple | list):
        names = getattr(item, "_fields", Document._fields)
        if names != Document._fields and {"id", "text"} <= {*names}:  # a named tuple, in an order of its own
            return _taken_apart(dict(zip(names, item, strict=True)))
        if 2 <= len(item) <= len(Document._fields):
            return Document(*item)
    raise DocumentError(None, _NO_DOCUMENT.format(_brief(item)))
