"""Takes texts out of Python's containers (lists, records, frames, columns), and adds columns to them.

Frames (pandas, polars, Arrow, `datasets`) are recognised by their methods, so none of their libraries need be
installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Any, Final, NamedTuple

from neardup.errors import SettingsError
from neardup.model.counted import some_of
from neardup.model.document import Document
from neardup.model.field_path import field_of
from neardup.model.plain_values import is_missing

SHOWN: Final = 20
"""How many columns a message names."""
PANDAS: Final = {int: "Int64", float: "Float64"}
ARROW: Final = {int: "int64", float: "float64"}


class Column(NamedTuple):
    """The `cells` of a column, all of one `kind`: whole numbers or others; None where a row has none."""

    kind: type[float]
    cells: Sequence[float | None]


Columns = Mapping[str, Column]


def rows_of(data: Any) -> Any:
    """`data` in a form that can be read more than once: an iterator becomes a list.

    Raises `TypeError`, which names the remedy, for data that is not a collection of texts.
    """
    if isinstance(data, str | bytes):
        remedy = "put a single text into a list; files are read by `neardup dedup`"
    elif isinstance(data, AbstractSet):
        remedy = "a set has no order, so no copy comes first: pass sorted(texts) or a list"
    elif isinstance(data, Document):
        remedy = "put a single document into a list"
    elif isinstance(data, Mapping):
        remedy = "choose one of several splits, data['train']; put a single record into a list"
    elif hasattr(data, "collect") and hasattr(data, "collect_schema"):
        remedy = "collect() it first"
    elif hasattr(data, "read_all"):
        remedy = "read_all() it first"
    elif hasattr(data, "to_arrow_table"):  # a relation of DuckDB, which is a sequence, but not of rows
        remedy = "pass the table that its to_arrow_table() returns"
    elif isinstance(data, Sequence) and len(data) and is_frame(data[0]):
        remedy = "combine several frames into one (concat), or clean each by itself"
    elif is_frame(data) or isinstance(data, Sequence) or _values_of_column(data) is not None:
        return data
    elif hasattr(data, "agg") and not hasattr(data, "columns"):
        remedy = "these are groups of rows: pass the frame that they come from, or each group by itself"
    elif _iterates(data):
        return rows_of(list(data))
    else:
        remedy = "such as a list of texts or records, a data frame, one column of it, or an Arrow table"
    raise TypeError(f"dedup takes many texts, not {type(data).__name__}: {remedy}")


def held(data: Any) -> Any:
    """What `rows_of` returned, as it is now: a later change of the caller's list, frame or column in place does not
    reach it. Texts and cells are not copied, and neither are containers that cannot change; nor are records in a list.
    """
    if hasattr(data, "clone"):  # polars
        return data.clone()
    if hasattr(data, "assign") or hasattr(data, "to_frame"):  # pandas
        return data.copy(deep=not _copies_on_write())
    if isinstance(data, Sequence):
        return list(data) if isinstance(data, MutableSequence) else data
    if is_frame(data) or hasattr(data, "to_pylist"):  # Arrow, `datasets`
        return data
    return _values_of_column(data)  # an array of numpy


def _copies_on_write() -> bool:
    """Whether a frame or column of pandas, whichever is installed, copies what it shares before it
    changes it: from pandas 3 on.
    """
    version = import_module("pandas").__version__
    return int(version.partition(".")[0]) >= 3


def _iterates(data: Any) -> bool:
    """Whether `data` can be iterated; `frame["text"].str` of pandas has an `__iter__` that only raises."""
    try:
        iter(data)
    except TypeError:
        return False
    return True


def is_frame(data: Any) -> bool:
    """Whether `data` has named columns and a length; a stream of records has no length."""
    return hasattr(data, "__len__") and (hasattr(data, "column_names") or hasattr(data, "columns"))


def names_of(data: Any) -> list[Any]:
    """The names of the columns of a frame."""
    return list(data.column_names if hasattr(data, "column_names") else data.columns)


def values(data: Any, field: str, setting: str = "text") -> list[Any]:
    """The values of `field`, perhaps dotted, of every row, None where a row has none; rows that are texts are their own
    `text`, and have no other field.

    Raises `SettingsError` for the `setting` that names the field if `field` is not a name, if a frame has no such
    column or two of them, or if no record has the field.
    """
    if is_frame(data):
        return _column(data, field, setting)
    if not isinstance(field, str):
        raise SettingsError(setting, field, "the name of a field, such as 'text'")
    own = _values_of_column(data)
    rows = data if own is None else own
    name = field.partition(".")[0]
    if rows and all(isinstance(row, Mapping) and name not in row and field not in row for row in rows):
        expected = f"a field that a record has (fields of the first: {_listed(rows[0])})"
        raise SettingsError(setting, field, expected)
    return [_value(row, field, setting) for row in rows]


def with_columns(data: Any, columns: Columns, text: str, prefix: str) -> Any:
    """`data` with more `columns`, in its own form; texts become records with the field `text`. `prefix` is put before
    the names of the columns.

    Raises `SettingsError` if it has one of them already.
    """
    columns = {prefix + name: column for name, column in columns.items()}
    frame = _as_frame(data, text)
    own = names_of(frame) if is_frame(frame) else {name for row in frame for name in row}
    for name in columns:
        if name in own:
            raise SettingsError(
                "prefix",
                prefix,
                f"one that makes new names, as in frame(prefix='neardup_'): the data has {name!r} already",
            )
    if not is_frame(frame):
        cells = zip(*(column.cells for column in columns.values()), strict=True)
        return [
            {**row, **dict(zip(columns, cell, strict=True))} for row, cell in zip(frame, cells, strict=True)
        ]
    return _with_columns(frame, columns)


def _with_columns(frame: Any, columns: Columns) -> Any:
    """The frame with more columns. A caller that passes a frame has its library installed."""
    if hasattr(frame, "assign"):
        import pandas as pd  # noqa: PLC0415

        own = {name: pd.array(list(cells), dtype=PANDAS[kind]) for name, (kind, cells) in columns.items()}
        return frame.assign(**own)
    if hasattr(frame, "with_columns"):
        import polars as pl  # noqa: PLC0415

        types = {int: pl.Int64, float: pl.Float64}
        return frame.with_columns(
            [pl.Series(name, cells, types[kind]) for name, (kind, cells) in columns.items()]
        )
    import pyarrow as pa  # noqa: PLC0415 - data sets are made of Arrow, too

    for name, (kind, cells) in columns.items():
        add = frame.append_column if hasattr(frame, "append_column") else frame.add_column
        frame = add(name, pa.array(cells, ARROW[kind]))
    return frame


def _as_frame(data: Any, text: str) -> Any:
    """A single column as a frame of one; texts as records."""
    if is_frame(data):
        return data
    if hasattr(data, "to_frame"):
        is_unnamed = getattr(data, "name", None) in (None, "")
        return data.to_frame(name=text) if is_unnamed else data.to_frame()
    if hasattr(data, "to_pylist"):
        import pyarrow as pa  # noqa: PLC0415 - whoever passes an Arrow array has it

        return pa.table({text: data})
    return [_as_record(row, text) for row in data]


def _as_record(row: Any, text: str) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if isinstance(row, Document):
        return {name: value for name, value in row._asdict().items() if value is not None}
    return {text: row}


def _listed(names: Iterable[Any]) -> str:
    return some_of(list(map(str, names)), SHOWN) or "none"


def _column(data: Any, field: Any, setting: str) -> list[Any]:
    names = names_of(data)
    head, _, rest = field.partition(".") if isinstance(field, str) else ("", "", "")
    if rest and field not in names and names.count(head) == 1:
        cells = _column(data, head, setting)
        if any(isinstance(cell, Mapping) for cell in cells) or all(map(is_missing, cells)):
            return [field_of(cell, rest) if isinstance(cell, Mapping) else None for cell in cells]
    if names.count(field) != 1:
        how = "one column of the frame" if field in names else "a column of the frame"
        raise SettingsError(setting, field, f"{how} (columns: {_listed(names)})")
    try:
        column = data[field]
        own = _values_of_column(column)
        return list(column) if own is None else own
    except KeyError:
        if not hasattr(data, "with_format"):
            raise
        # A data set of `datasets`, with a format of other columns.
        remedy = "a column that the format of the data set has: pass data.with_format(None)"
        raise SettingsError(setting, field, remedy) from None


def _values_of_column(column: Any) -> list[Any] | None:
    """The values of a column of a frame, or of an array, as plain Python values; None if `column` is neither."""
    if hasattr(column, "to_pylist"):
        return _values_of_arrow(column)
    for name in ("to_list", "tolist"):
        if hasattr(column, name):
            try:
                plain = getattr(column, name)()
            except (ValueError, OverflowError):  # a time beyond the years of Python's datetime
                plain = list(column.to_numpy())
            return plain if isinstance(plain, list) else [plain]
    return None


def _values_of_arrow(column: Any) -> list[Any]:
    from neardup.sources.arrow_tables import values_of  # noqa: PLC0415 - lists of texts need no reader of files

    try:
        return list(values_of(column))
    except UnicodeDecodeError:  # Arrow reads strings of Parquet without checking them
        return [_text_or_bytes(value) for value in column.cast("large_binary").to_pylist()]
    except OverflowError:  # as above
        return list(column.to_numpy(zero_copy_only=False))


def _text_or_bytes(value: bytes | None) -> str | bytes | None:
    """A string if `value` is UTF-8; other bytes stay bytes, and are rejected as no text."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return value


def _value(row: Any, field: str, setting: str) -> Any:
    if isinstance(row, Document):
        if field in Document._fields:
            return getattr(row, field)
        row = row.fields if isinstance(row.fields, Mapping) else {}
    if isinstance(row, Mapping):
        return field_of(row, field)
    return row if setting == "text" else None


def problem(data: Any, at: int, field: str, value: Any) -> str | None:
    """Why `value`, the text of row `at` of `data`, is not a text; None if it is one. A text that is neither in a column
    nor in a record has no name: `field` is then only the default, or that of `data` beside it.
    """
    if isinstance(value, str):
        return None
    is_row = isinstance(data, Sequence) and isinstance(data[at], Mapping | Document)
    name = repr(field) if is_row or is_frame(data) else "the value"
    if is_missing(value):
        return f"no text: {name} is missing"
    remedy = (
        ": decode it" if isinstance(value, bytes) else ": call as_py()" if hasattr(value, "as_py") else ""
    )
    if isinstance(value, tuple | list):
        remedy = ": pass a data frame as it is, other rows as mappings"
    return f"{name} is {type(value).__name__}, not a string{remedy}"
