"""Parquet and Arrow (Feather, IPC): a row is a document. pyarrow is loaded when the first such file is read."""

from __future__ import annotations

import copyreg
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.model.plain_values import is_missing
from neardup.sources import optional_readers
from neardup.sources.fields import RecordError
from neardup.sources.files import STDIN
from neardup.sources.position import Record
from neardup.sources.streams import GZIP_MAGIC, ZSTD_MAGIC

if TYPE_CHECKING:
    from neardup.sources.fields import FieldUse
    from neardup.sources.position import Item, Position

MISSING: Final = f"this is {{form}}: reading it needs pyarrow: {optional_readers.ARROW.how}"
NAMES: Final = {"parquet": "Parquet", "arrow": "Arrow"}
ROWS: Final = 10
PARQUET_ROWS: Final = 50
"""Rows of a Parquet file that are unpacked at once; of these (and of Arrow's batches), `ROWS` at a time become Python
values. Both are few because a file of a few hundred bytes may hold a megabyte of text a thousand times. Fewer rows of
Parquet take longer, with many columns three times as long; more at once are hardly faster.
"""
_NOT_HELD: Final = (ValueError, OverflowError, LookupError, TypeError, NotImplementedError)
"""What pyarrow raises for a string that is not UTF-8, a time too far off or too fine, or an unknown time zone."""

_MOMENTS: Final = ("timestamp", "duration[ns")
"""How the names of types begin for which Python's own types may be too coarse or lack the time zone, unlike numpy's."""
_FINE_TIMES: Final = "time64[ns]"
"""The type that pyarrow silently cuts to the precision of Python's own, and that numpy has no type for."""


class FineTime:
    """A time of day that is finer than Python's own, in `nanoseconds` after midnight."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        self.nanoseconds = nanoseconds

    def __str__(self) -> str:
        """As ISO 8601 has it.

        >>> print(FineTime(3_723_000_000_789))
        01:02:03.000000789
        """
        seconds, rest = divmod(self.nanoseconds, 1_000_000_000)
        return f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:09}"

    def __repr__(self) -> str:
        return f"FineTime({self.nanoseconds})"

    def cut(self) -> time:
        """This time cut to microseconds."""
        return time.fromisoformat(str(self)[:-3])


class _DamagedTable(Exception):
    """The table cannot be read on, for the reason given."""


def documents(name: str, form: str, use: FieldUse, position: Position) -> Iterator[Item]:
    """A document or a `Reject` for every row of the file `name`; `position` has the number of the row."""
    if reason := _why_no_file(name, NAMES[form]):
        yield position.reject(reason)
        return
    try:
        import pyarrow as pa  # noqa: PLC0415 - only those who read such files have and load it
    except ImportError:
        yield position.reject(MISSING.format(form=NAMES[form]))
        return
    # Records may wait in a file, and pickle does not find the class by the name that it gives itself.
    copyreg.pickle(pa.MonthDayNano, lambda value: (_interval, tuple(value)))
    try:
        batches = _batches(name, form)
        schema = next(batches)
        reason = _why_no_row(schema.names, use.text)
        if reason is None:
            position.begin_table(schema, schema.names)
        for batch in batches:
            if reason:
                yield position.reject(reason)
                return
            for row in _rows(batch):
                position.line += 1
                if isinstance(row, str):
                    yield position.reject(row, id=position.name())
                else:
                    yield _item(row, schema, use, position)
    except _DamagedTable as error:
        yield position.reject(f"not {NAMES[form]}, or damaged: {error}")


def _why_no_file(name: str, form: str) -> str | None:
    """Why a table cannot be read from `name`; None if reading can be tried. Its reader seeks within the file."""
    only_files = f"{form} is read from files only: write it to a file first"
    if name == STDIN:
        return only_files
    try:
        if Path(name).is_fifo():
            return only_files
        with Path(name).open("rb") as file:
            head = file.read(4)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    if head.startswith((GZIP_MAGIC, *ZSTD_MAGIC)):
        return f"compressed {form} is not read: unpack it first; {form} compresses its own content"
    return None


def _why_no_row(names: Sequence[str], text: str) -> str | None:
    """Why no row of a table with columns of these names can be read; None if rows can be read."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        problem, remedy = f"more than one column {twice!r}", "give each column a name of its own"
    elif text not in names and text.partition(".")[0] not in names:
        problem, remedy = f"no column {text!r}", "--text-field names another"
    else:
        return None
    return f"{problem} (columns: {', '.join(names)}), so no row is read: {remedy}"


def _rows(batch: Any) -> Iterator[Mapping[str, Any] | str]:
    """The rows of a batch; in place of a row with a value that Python cannot hold, or that lies outside the file, the
    reason why it is not read.
    """
    is_valid = True
    try:
        batch.validate(full=True)  # pyarrow believes the places that an Arrow file says its values have
    except _NOT_HELD:
        is_valid = False
    for start in range(0, batch.num_rows, ROWS):
        part = batch.slice(start, ROWS)
        try:
            rows = _with_fine_times(part.to_pylist(), part) if is_valid else None
        except _NOT_HELD:
            rows = None
        yield from rows or (_row(part.slice(at, 1)) for at in range(part.num_rows))


def _row(row: Any) -> Mapping[str, Any] | str:
    """The row of a batch of one row, or the reason why it is not read."""
    values = {}
    for name, column in zip(row.schema.names, row.columns, strict=True):
        try:
            column.validate(full=True)
            (values[name],) = values_of(column)
        except _NOT_HELD as error:
            reason = str(error).partition("\n")[0]
            return f"the value of column {name!r} cannot be read: {reason}"
    return _with_fine_times([values], row)[0]


def _with_fine_times(rows: list[dict[str, Any]], batch: Any) -> list[dict[str, Any]]:
    """The `rows` of a batch with times of day in full precision, also within lists and the like; pyarrow itself drops
    what is finer than Python's.
    """
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if _FINE_TIMES in str(column.type):
            for row, scalar in zip(rows, column, strict=True):
                row[name] = _with_fine_time(scalar)
    return rows


def _with_fine_time(scalar: Any) -> Any:
    """The value of a `scalar` of pyarrow, as its `as_py`, but with times of day in full precision."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    if not scalar.is_valid or _FINE_TIMES not in str(scalar.type):
        return scalar.as_py()
    if isinstance(scalar, pa.Time64Scalar):
        return FineTime(scalar.value) if scalar.value % 1_000 else scalar.as_py()
    if isinstance(scalar, pa.StructScalar):
        return {field.name: _with_fine_time(scalar[field.name]) for field in scalar.type}
    if isinstance(scalar, pa.ListScalar):  # a map is a list of pairs
        within = [_with_fine_time(each) for each in scalar.values]
        return [tuple(pair.values()) for pair in within] if isinstance(scalar, pa.MapScalar) else within
    if isinstance(scalar, pa.DictionaryScalar | pa.RunEndEncodedScalar):
        return _with_fine_time(scalar.value)
    return scalar.as_py()


def values_of(column: Any) -> Sequence[Any]:
    """The values of a column. Moments and durations too fine for Python, or in a time zone that Python does not know,
    come as numpy's values in UTC, because pyarrow's own conversion needs pandas. Raises `_NOT_HELD` for other values
    that Python cannot hold.
    """
    try:
        values: Sequence[Any] = column.to_pylist()
    except (ValueError, LookupError):
        if not str(column.type).startswith(_MOMENTS):
            raise
        values = column.to_numpy(zero_copy_only=False)
    return values


def _batches(name: str, form: str) -> Iterator[Any]:
    """The schema of the file, then its batches; raises `_DamagedTable` where the library cannot read on."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    try:
        parts = _read(name, form)
        schema = next(parts)
        schema.names  # noqa: B018 - names that are no UTF-8 are found out here
        yield schema
        yield from parts
    except (pa.ArrowException, OSError, *_NOT_HELD) as error:
        raise _DamagedTable(str(error).partition("\n")[0]) from error


def _read(name: str, form: str) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.parquet  # noqa: PLC0415 - as above

    if form == "parquet":
        with pa.parquet.ParquetFile(name) as file:
            yield file.schema_arrow
            yield from file.iter_batches(batch_size=PARQUET_ROWS)
        return
    with pa.OSFile(name) as source:  # memory that is mapped would change with the file, or end the process
        try:
            reader: Any = pa.ipc.open_file(source)
            batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
        except pa.ArrowInvalid:  # it is a stream of batches, without an index of them at the end
            source.seek(0)
            reader = batches = pa.ipc.open_stream(source)
        yield reader.schema
        yield from batches


def _interval(months: int, days: int, nanoseconds: int) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - as above

    return pa.MonthDayNano((months, days, nanoseconds))


def _item(row: Mapping[str, Any], schema: Any, use: FieldUse, position: Position) -> Item:
    position.record = Record(None, row, schema, schema.names)
    # A missing value counts as no field.
    record = {name: value for name, value in row.items() if not is_missing(value) or name == use.text}
    try:
        return use.document(record, position.name())
    except RecordError as error:
        return position.reject(error.reason, id=error.id)
