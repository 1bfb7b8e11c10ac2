"""The types of columns that `neardup dedup` writes from Parquet and Arrow files whose schemas differ."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from testing.cli.arrow_files import dedup

if TYPE_CHECKING:
    from pathlib import Path

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
TEXTS = "Rain in the north.", "Fog on the hills of the south."


def of_text(text: str, columns: dict[str, Any]) -> Any:
    """A table of one row."""
    return arrow.table({"text": [text], **columns})


def cleaned(directory: Path, *tables: Any) -> Any:
    """The table that is made of files of these tables, in this order."""
    paths = [directory / f"{number}.parquet" for number in range(len(tables))]
    for path, table in zip(paths, tables, strict=True):
        parquet.write_table(table, path)
    dedup("--force", *paths, "--output", directory / "out.parquet")
    return parquet.read_table(directory / "out.parquet")


def test_a_column_without_a_common_type_leaves_the_others_theirs(tmp_path):
    """Its own type is that of its values. Guessed types cut the nanoseconds of the others."""
    others = {
        "fine": arrow.array([1_577_836_800_000_000_001], "timestamp[ns]"), "small": arrow.array([1], "int32")
    }  # fmt: skip
    table = cleaned(
        tmp_path,
        of_text(TEXTS[0], {"kind": arrow.array(["a"]).dictionary_encode(), **others}),
        of_text(TEXTS[1], {"kind": ["b"], **others}),
    )
    assert table.schema.names == ["text", "kind", *others]
    assert table["kind"].to_pylist() == ["a", "b"]
    assert table["small"].type == arrow.int32()
    assert table["fine"].cast(arrow.int64()).to_pylist() == [1_577_836_800_000_000_001] * 2


def test_a_column_that_may_not_be_empty_may_be_where_some_files_lack_it(tmp_path):
    def strict(*names: str) -> list[Any]:
        return [arrow.field(name, arrow.int8(), nullable=False) for name in names]

    first = arrow.schema([("text", arrow.string()), *strict("size"), ("place", arrow.struct(strict("x")))])
    second = arrow.schema([("text", arrow.string()), ("place", arrow.struct(strict("x", "y")))])
    rows: tuple[dict[str, Any], ...] = {"size": 3, "place": {"x": 1}}, {"place": {"x": 2, "y": 4}}
    tables = [
        arrow.Table.from_pylist([{"text": text, **row}], schema=schema)
        for text, row, schema in zip(TEXTS, rows, (first, second), strict=True)
    ]
    assert cleaned(tmp_path, *tables).select(["size", "place"]).to_pylist() == [
        {"size": 3, "place": {"x": 1, "y": None}},
        {"size": None, "place": {"x": 2, "y": 4}},
    ]


def test_what_pandas_says_of_one_file_does_not_hold_for_several(tmp_path):
    pandas = pytest.importorskip("pandas")
    first = pandas.DataFrame({"text": [TEXTS[0]], "share": pandas.array([1], "Int64")})
    second = pandas.DataFrame({"text": [TEXTS[1]], "share": [0.5]})
    table = cleaned(tmp_path, *map(arrow.Table.from_pandas, (first, second)))
    assert table.to_pandas()["share"].to_list() == [1, 0.5]
    both = [
        of_text(text, {"share": arrow.array([1], kind)}).replace_schema_metadata({"of": "us", "file": text})
        for text, kind in zip(TEXTS, ("int8", "int16"), strict=True)
    ]
    assert cleaned(tmp_path, *both).schema.metadata == {b"of": b"us"}


def test_moments_of_several_units_and_zones_stay_the_same(tmp_path):
    """Python knows no such zone, so the moments are numpy's, in the units of their files."""
    numbers = {"us": 1_577_836_800_000_001, "ns": 1_577_836_800_000_002_003}
    tables = [
        of_text(text, {"seen": arrow.array([number], arrow.timestamp(unit, "Mars/Base"))})
        for text, (unit, number) in zip(TEXTS, numbers.items(), strict=True)
    ]
    seen = cleaned(tmp_path, *tables)["seen"]
    assert seen.type == arrow.timestamp("ns", "Mars/Base")
    assert seen.cast(arrow.int64()).to_pylist() == [numbers["us"] * 1_000, numbers["ns"]]


def test_moments_of_several_zones_keep_their_precision(tmp_path):
    numbers = [1_577_836_800_000_000_001, 1_577_836_800_000_000_002]
    tables = [
        of_text(text, {"seen": arrow.array([number], arrow.timestamp("ns", zone))})
        for text, number, zone in zip(TEXTS, numbers, ("Europe/Berlin", "UTC"), strict=True)
    ]
    seen = cleaned(tmp_path, *tables)["seen"]
    assert seen.type == arrow.timestamp("ns", "Europe/Berlin")
    assert seen.cast(arrow.int64()).to_pylist() == numbers


def test_no_time_of_day_is_cut_because_another_file_has_only_dates(tmp_path):
    tables = [
        of_text(text, {"day": arrow.array([moment])})
        for text, moment in zip(TEXTS, (date(2026, 1, 1), datetime(2026, 1, 2, 5, tzinfo=UTC)), strict=True)
    ]
    with pytest.raises(AssertionError, match="field 'day' is a date in some records and a date with a time"):
        cleaned(tmp_path, *tables)
