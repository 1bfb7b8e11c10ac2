"""The schema of a table of Parquet or Arrow that is written from several files, what pyarrow does not check, and which
field keeps records out of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from neardup.sources.fields import JSON_KINDS

_KINDS: Final = {**JSON_KINDS, int: JSON_KINDS[float], date: "a date", datetime: "a date with a time"}
"""A column of numbers takes integers, too."""


def unified(headers: Sequence[Any]) -> Any:
    """One schema for records of files with these: each column of the type that holds the values of all, such as int64
    for int32 and int64, without those columns for which there is none; None if some files have no schema.
    """
    import pyarrow as pa  # noqa: PLC0415 - only those who write tables load it

    if not headers or not all(isinstance(header, pa.Schema) for header in headers):
        return None
    if len(headers) == 1:
        return headers[0]
    names = dict.fromkeys(name for header in headers for name in header.names)
    own = [[header.field(name) for header in headers if header.get_field_index(name) >= 0] for name in names]
    fields = [
        field.with_nullable(field.nullable or len(each) < len(headers))
        for each in own
        if (field := _unified(each)) is not None
    ]
    # Only what holds for all: with what pandas says of the columns of one file, it could not read those of several.
    metadata = set.intersection(*({*(header.metadata or {}).items()} for header in headers))
    return pa.schema(fields, dict(metadata))


def _unified(fields: Sequence[Any]) -> Any:
    """One field for the values of all `fields`, which have one name; None if there is none."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    types = [field.type for field in fields]
    moments = [kind for kind in types if pa.types.is_timestamp(kind)]
    if moments and any(map(pa.types.is_date, types)):
        # pyarrow refuses dates there, whereas it cuts moments for a column of dates.
        return pa.field(fields[0].name, moments[0])
    zone = next((kind.tz for kind in moments), None)
    if zone and all(kind.tz for kind in moments):
        fields = [
            field.with_type(pa.timestamp(field.type.unit, zone)) if field.type in moments else field
            for field in fields
        ]
    parts = [pa.schema([field]) for field in fields]
    try:
        field = pa.unify_schemas(parts, promote_options="permissive").field(0)
    except pa.ArrowException:
        return None
    # To pyarrow, a part of a struct that only some of them have stays one that is never null.
    is_strict = " not null" in str(field.type) and any(kind != field.type for kind in types)
    return None if is_strict else field


def in_zones(rows: list[dict[str, Any]], schema: Any) -> list[dict[str, Any]]:
    """The rows with numbers in place of numpy's moments in columns of a time zone, which pyarrow does not accept.
    Raises `ArrowInvalid` for a moment that the unit of its column cannot hold.
    """
    import pyarrow as pa  # noqa: PLC0415 - as above

    zoned = {field.name: pa.timestamp(field.type.unit) for field in schema if getattr(field.type, "tz", None)}
    for row in rows:
        row |= {
            name: pa.scalar(row[name]).cast(kind).value
            for name, kind in zoned.items()
            if hasattr(row[name], "view")
        }
    return rows


def check_readable(schema: Any) -> None:
    """Raises `ArrowInvalid` for columns nested so deep that Parquet can be written with them, but not read again."""
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.parquet  # noqa: PLC0415 - as above

    written = pa.BufferOutputStream()
    pa.parquet.write_table(schema.empty_table(), written)
    try:
        pa.parquet.read_schema(pa.BufferReader(written.getvalue()))
    except OSError as error:
        raise pa.ArrowInvalid(str(error)) from error


def mixed_field(records: Iterable[tuple[Mapping[str, Any], str]]) -> str | None:
    """Says which field has values of different kinds in `records`, each given with its place; None if no field has.

    >>> mixed_field([({"day": "Monday"}, "a.jsonl:1"), ({"day": 1.5}, "a.jsonl:2")])
    "field 'day' is a string in some records and a number in others, first at a.jsonl:2"
    """
    first: dict[str, str] = {}
    for values, where in records:
        for name, kind in _kinds(values):
            known = first.setdefault(name, kind)
            if known != kind:
                return f"field {name!r} is {known} in some records and {kind} in others, first at {where}"
    return None


def _kinds(values: Mapping[str, Any], outer: str = "") -> Iterator[tuple[str, str]]:
    """The kind of each value, by its dotted name; null is left out, and what JSON has not, except dates."""
    for name, value in values.items():
        if (kind := _KINDS.get(type(value))) is not None:
            yield f"{outer}{name}", kind
        if isinstance(value, dict):
            yield from _kinds(value, f"{outer}{name}.")
