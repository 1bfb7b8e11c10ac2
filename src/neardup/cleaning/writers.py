"""Files of records that stay, or are removed: JSON Lines, JSON, CSV, Parquet, Arrow.

Records read as JSON Lines and written as JSON Lines stay the same to the byte, and so does CSV of one header. All
others are written from their values.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, Protocol

import orjson

from neardup.cleaning.dictionaries import Dictionaries
from neardup.cleaning.schemas import check_readable, in_zones, mixed_field, unified
from neardup.errors import NeardupError, SettingsError
from neardup.sources import optional_readers
from neardup.sources.arrow_tables import FineTime
from neardup.sources.files import COMPRESSED, ending
from neardup.sources.lines import BOM
from neardup.sources.spool import Spool

if TYPE_CHECKING:
    from neardup.sources.position import Record

OutputForm = Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow"]
FORMS: Final[dict[str, OutputForm]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
OWN: Final = "neardup"
"""The field of a removed record with the reason; in a table each of its fields is a column named `neardup_<field>`."""
_LONG_NUMBER_RE: Final = re.compile(rb"[0-9]{19}")
"""A run of digits that every integer beyond 64 bits has; orjson reads such integers as floating point."""
ROWS: Final = 10_000
"""How many rows of a table are in memory at once."""


def form_of_output(name: str, option: str) -> OutputForm:
    """The form of a file to write, by its name; raises `SettingsError` for the `option` if the name implies none."""
    form = FORMS.get(ending(name))
    if form is None:
        expected = f"a file whose name says what it is to hold: {', '.join(FORMS)}"
        if option == "--output" and Path(name).exists() and not Path(name).is_file():
            expected += f"; to write to something that is not a regular file, leave --output out: > {name}"
        raise SettingsError(option, name, expected)
    if form in ("parquet", "arrow") and name.lower().endswith(COMPRESSED):
        expected = (
            "a name without its last ending: Parquet and Arrow are not read if the whole file is compressed"
        )
        raise SettingsError(option, name, expected)
    if form in ("parquet", "arrow") and find_spec("pyarrow") is None:  # before hours of work, not after
        raise SettingsError(
            option, name, f"of another form, or pyarrow installed: {optional_readers.ARROW.how}"
        )
    return form


class Writer(Protocol):
    """Writes records, each with `extra` values about it."""

    def write(self, record: Record, extra: Mapping[str, Any] | None = None, where: str = "") -> None:
        """Writes one record; an error names it by `where` it was read."""
        ...

    def expect(self, record: Record, extra: Mapping[str, Any] | None = None) -> None:
        """To be called after all records: if there were none, the columns are those of `record` and of `extra`."""
        ...

    def finish(self) -> None:
        """Writes everything that is known only at the end."""
        ...


@contextmanager
def writing(
    form: OutputForm, file: BinaryIO, *, live: bool = False, delimiter: str | None = None
) -> Iterator[Writer]:
    """A context with the writer of records in this form to `file`, which stays open; each line is flushed if `live`.
    After an error, a table is not written at all. CSV gets this `delimiter`; if None, the one that all its records were
    read with, or commas.
    """
    if form in ("jsonl", "json"):
        writer: Writer = _JsonLines(file, live=live) if form == "jsonl" else _Json(file)
        yield writer
        writer.finish()
        return
    with Spool() as spool:
        writer = _Table(file, form, spool, "\t" if form == "tsv" else delimiter)
        yield writer
        writer.finish()


class _JsonLines:
    """A line a record."""

    def __init__(self, file: BinaryIO, *, live: bool) -> None:
        self._file, self._live = file, live

    def write(self, record: Record, extra: Mapping[str, Any] | None = None, where: str = "") -> None:  # noqa: ARG002
        self._file.write(as_line(record, extra) + b"\n")
        if self._live:
            self._file.flush()

    def expect(self, record: Record, extra: Mapping[str, Any] | None = None) -> None:
        pass

    def finish(self) -> None:
        pass


class _Json:
    """One array."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._separator = file, b"["

    def write(self, record: Record, extra: Mapping[str, Any] | None = None, where: str = "") -> None:  # noqa: ARG002
        self._file.write(self._separator + b"\n" + as_line(record, extra))
        self._separator = b","

    def expect(self, record: Record, extra: Mapping[str, Any] | None = None) -> None:
        pass

    def finish(self) -> None:
        self._file.write(b"[]\n" if self._separator == b"[" else b"\n]\n")


def as_line(record: Record, extra: Mapping[str, Any] | None = None) -> bytes:
    """The record as one line of JSON: unchanged, if it was one.

    >>> from neardup.sources.position import Record
    >>> as_line(Record(b'{"n": 1.50}', {"n": 1.5})), as_line(Record(b'{"n": 1.50}', {"n": 1.5}), {"score": 1})
    (b'{"n": 1.50}', b'{"n": 1.50,"neardup":{"score":1}}')
    """
    values = record.values
    if record.raw is None or record.header is not None or (extra and OWN in values):
        values = _exact(record)
        return _as_json({**values, OWN: dict(extra)} if extra else dict(values))
    # In a record of JSON, line feeds occur only between values, with the blanks of indentation.
    line = b"".join(part.strip() for part in record.raw.split(b"\n")) if b"\n" in record.raw else record.raw
    if not extra:
        return line
    comma = b"," if values else b""
    return line.rstrip()[:-1] + comma + b'"%s":' % OWN.encode() + orjson.dumps(extra) + b"}"


def _exact(record: Record) -> Mapping[str, Any]:
    """The values of the record, with every integer exact."""
    if record.raw is None or record.header is not None or not _LONG_NUMBER_RE.search(record.raw):
        return record.values
    exact: dict[str, Any] = json.loads(record.raw)
    return exact


def _as_json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=_plain)
    except orjson.JSONEncodeError:  # an integer beyond 64 bits
        return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":")).encode()


def _plain(value: Any) -> str:
    """The string in JSON for a value that Parquet can hold and JSON cannot."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


class _Table:
    """Rows under columns. All columns are known only with the last record: until then, rows wait in a file."""

    def __init__(self, file: BinaryIO, form: OutputForm, spool: Spool, delimiter: str | None) -> None:
        self._file, self._form, self._spool, self._delimiter = file, form, spool, delimiter
        self._columns: dict[str, None] = {}
        self._header: Any = ...  # of the record before
        self._headers: list[Any] = []
        self._delimiters: set[str] = set()  # of what was read
        self._is_marked = False  # by what was read: Excel reads no UTF-8 without a mark
        self._own: set[str] = set()  # the columns made from `extra`
        self._fine: set[str] = set()  # those with times of day that are finer than Python's
        self._expected: list[tuple[Record, dict[str, Any]]] = []

    def write(self, record: Record, extra: Mapping[str, Any] | None = None, where: str = "") -> None:
        own = _own(extra)
        values = {**_exact(record), **own}
        self._add_columns(record, values, own)
        self._fine.update(name for name, value in values.items() if _holds_fine(value))
        self._spool.add((values, record.raw, where))

    def expect(self, record: Record, extra: Mapping[str, Any] | None = None) -> None:
        if not self._spool:
            own = _own(extra)
            self._add_columns(record, own, own)
            self._expected.append((record, own))

    def _add_columns(self, record: Record, values: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        self._columns |= dict.fromkeys(record.columns)  # empty cells are not among the values
        self._columns |= dict.fromkeys(values)
        if record.header is not self._header:  # as that of the record before, nearly always
            self._header = record.header
            if self._header not in self._headers:
                self._headers.append(self._header)
        self._delimiters.add(record.delimiter)
        self._is_marked = self._is_marked or record.is_marked
        self._own |= own.keys()

    def finish(self) -> None:
        header = self._headers[0] if len(self._headers) == 1 else None
        if self._form in ("parquet", "arrow"):
            self._write_arrow(unified(self._headers))
            return
        if self._is_marked:
            self._file.write(BOM)
        if isinstance(header, bytes) and not self._own and self._is_delimited_as_read():
            self._file.write(header + b"\n")
            for _, raw, _ in self._spool:
                self._file.write(raw + b"\n")
        else:
            self._write_csv()

    def _is_delimited_as_read(self) -> bool:
        delimiter = self._delimiter
        if delimiter is None or self._delimiters == {delimiter}:
            return True
        # A single column needs no delimiter; but a cell that contains the new one needs quotes now.
        return len(self._columns) < 2 and not any(delimiter.encode() in raw for _, raw, _ in self._spool)

    def _write_csv(self) -> None:
        read = next(iter(self._delimiters)) if len(self._delimiters) == 1 else ","
        rows = csv.writer(_Lines(self._file), delimiter=self._delimiter or read)
        if self._columns:
            rows.writerow(self._columns)
        for values, _, _ in self._spool:
            rows.writerow([_cell(values.get(name)) for name in self._columns])

    def _write_arrow(self, read: Any) -> None:
        import pyarrow as pa  # noqa: PLC0415 - `form_of_output` has seen that it is there
        import pyarrow.parquet  # noqa: PLC0415 - as above

        make = pa.parquet.ParquetWriter if self._form == "parquet" else pa.ipc.new_file
        try:
            schema = self._schema(read)
            if self._form == "parquet":
                check_readable(schema)
            dictionaries = Dictionaries(schema)
            for rows in self._parts() if dictionaries.own else ():
                dictionaries.learn(self._table(rows, dictionaries.own))
            with make(self._file, dictionaries.schema) as writer:
                for rows in self._parts():
                    writer.write_table(dictionaries.encoded(self._table(rows, dictionaries.plain)))
        except (pa.ArrowException, OverflowError) as error:
            why = mixed_field((values, where) for values, _, where in self._spool) or error
            raise NeardupError(
                f"the records do not fit into columns of one type each ({why}): write JSON Lines"
            ) from error

    def _schema(self, read: Any) -> Any:
        """The schema: columns keep the types that they were `read` with; others, and ours, get those of their
        values.
        """
        import pyarrow as pa  # noqa: PLC0415 - as above

        kept = [field for field in read or () if field.name not in self._own]
        added = self._columns.keys() - {field.name for field in kept}
        if read and not added:
            return read
        if not self._spool:
            return self._expected_schema()
        parts = [
            pa.Table.from_pylist(
                [{name: _each_fine(row[name], FineTime.cut) for name in row if name in added} for row in rows]
            ).schema
            for rows in self._parts()
        ]
        inferred = pa.unify_schemas(parts, promote_options="permissive")
        is_fine = [field.name in self._fine and pa.types.is_time(field.type) for field in inferred]
        fine = [
            field.with_type(pa.time64("ns")) if so else field
            for field, so in zip(inferred, is_fine, strict=True)
        ]
        fields = {field.name: field for field in (*kept, *fine)}
        return pa.schema([fields[name] for name in self._columns])

    def _expected_schema(self) -> Any:
        """The schema without rows: the types that columns were read with; strings in CSV, or where types differ."""
        import pyarrow as pa  # noqa: PLC0415 - as above

        types: dict[str, Any] = {}
        for record, own in self._expected:
            is_csv = isinstance(record.header, bytes)
            read = pa.schema([(name, pa.string()) for name in record.columns]) if is_csv else record.header
            for field in (*read, *pa.Table.from_pylist([own]).schema):
                known = types.setdefault(field.name, field.type)
                types[field.name] = known if known == field.type else pa.string()
        return pa.schema(list(types.items()))

    def _table(self, rows: list[dict[str, Any]], schema: Any) -> Any:
        """The rows as a table, with numpy's moments in columns of a time zone, and fine times, as values that pyarrow
        accepts.
        """
        import pyarrow as pa  # noqa: PLC0415 - as above

        def scalar(time: FineTime) -> Any:
            return pa.scalar(time.nanoseconds, pa.time64("ns"))

        for row in rows:
            row |= {name: _each_fine(row[name], scalar) for name in self._fine}
        return pa.Table.from_pylist(in_zones(rows, schema), schema=schema)

    def _parts(self) -> Iterator[list[dict[str, Any]]]:
        rows = []
        for values, _, _ in self._spool:
            rows.append({name: values.get(name) for name in self._columns})
            if len(rows) == ROWS:
                yield rows
                rows = []
        if rows or not self._spool:
            yield rows


class _Lines:
    """Receives rows from the csv module, and ends them with line feeds. If the csv module itself did that, it would not
    quote a carriage return before Python 3.13, and the row could not be read again.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, row: str) -> None:
        self._file.write(row.removesuffix("\r\n").encode() + b"\n")


def _holds_fine(value: Any) -> bool:
    """Whether `value` is a fine time, or has one within. The values of a list with fine times are all times: a vector
    of numbers is not gone through.
    """
    if isinstance(value, dict):
        return any(map(_holds_fine, value.values()))
    if isinstance(value, list):
        first = next((each for each in value if each is not None), None)
        return not isinstance(first, int | float | str | bytes) and any(map(_holds_fine, value))
    return any(map(_holds_fine, value)) if isinstance(value, tuple) else type(value) is FineTime


def _each_fine(value: Any, made: Callable[[FineTime], Any]) -> Any:
    """`value` with what is `made` of each fine time in place of it, also within lists and the like."""
    if isinstance(value, dict):
        return {name: _each_fine(within, made) for name, within in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_each_fine(within, made) for within in value)
    return made(value) if type(value) is FineTime else value


def _own(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """The columns made from the `extra` of a record."""
    return {f"{OWN}_{name}": value for name, value in (extra or {}).items()}


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return _as_json(value).decode()
    return _plain(value) if isinstance(value, bytes) else value
