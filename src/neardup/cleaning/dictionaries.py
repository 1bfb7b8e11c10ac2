"""Columns of Arrow that are dictionaries: every value is kept once, and a row has its number."""

from __future__ import annotations

from typing import Any


class Dictionaries:
    """The columns of `schema` that are dictionaries, made from plain columns: pyarrow itself makes dictionaries of few
    types only, and another one for each table. An Arrow file has one for each column: `learn` from all tables before
    any is `encoded`.

    `plain` is the schema with plain columns in their place, `own` the part of it that is about them. `schema` is the
    one that is written: `learn` gives a dictionary wider numbers when it has more values than they count, as that of
    several files may, each of which had a dictionary of its own.
    """

    def __init__(self, schema: Any) -> None:
        import pyarrow as pa  # noqa: PLC0415 - only those who have it read and write such files

        self.schema = schema
        self._fields = [field for field in schema if pa.types.is_dictionary(field.type)]
        own = {field.name: field.with_type(field.type.value_type) for field in self._fields}
        self.own = pa.schema([*own.values()])
        self.plain = pa.schema([own.get(field.name, field) for field in schema], schema.metadata)
        self._values = {name: pa.array([], field.type) for name, field in own.items()}

    def learn(self, table: Any) -> None:
        """Adds the values in the plain columns of a table."""
        import pyarrow as pa  # noqa: PLC0415 - as above

        for name, known in self._values.items():
            both = pa.chunked_array([known, table[name].unique()])
            self._values[name] = both.unique().drop_null()
        self._fields = [field.with_type(self._wide(field)) for field in self._fields]
        for field in self._fields:
            self.schema = self.schema.set(self.schema.get_field_index(field.name), field)

    def encoded(self, table: Any) -> Any:
        """A table of the schema `plain` as one of `schema`."""
        import pyarrow as pa  # noqa: PLC0415 - as above
        import pyarrow.compute  # noqa: PLC0415 - as above

        for field in self._fields:
            values = self._values[field.name]
            numbers = pa.compute.index_in(table[field.name].combine_chunks(), value_set=values)
            column = pa.DictionaryArray.from_arrays(
                numbers.cast(field.type.index_type), values, ordered=field.type.ordered
            )
            table = table.set_column(self.schema.get_field_index(field.name), field, column)
        return table

    def _wide(self, field: Any) -> Any:
        """The type of a dictionary, with numbers for all of its values."""
        import pyarrow as pa  # noqa: PLC0415 - as above

        last = len(self._values[field.name]) - 1
        try:
            pa.scalar(max(last, 0)).cast(field.type.index_type)
        except pa.ArrowInvalid:
            return pa.dictionary(pa.int32(), field.type.value_type, field.type.ordered)
        return field.type
