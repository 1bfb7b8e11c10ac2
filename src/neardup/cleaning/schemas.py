"""The schema of a table of Parquet or Arrow that is written from several files, and what pyarrow does not check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


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
