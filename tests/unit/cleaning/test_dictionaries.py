"""Columns of Arrow that are dictionaries, when files are cleaned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from testing.cli.arrow_files import dedup, write_arrow

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
NUMBERS = {
    "time32": arrow.time32("s"), "time64": arrow.time64("us"), "fine": arrow.time64("ns"), "date": arrow.date32(),
    "moment": arrow.timestamp("ms", "UTC"), "number": arrow.int64(),
}  # fmt: skip


def written(path: Path, columns: dict[str, Any]) -> Path:
    return write_arrow(path, arrow.table(columns))


def test_dictionaries_of_times_are_written_as_they_were_read(tmp_path):
    values = [None, 5, 5, 7]
    columns = {name: arrow.array(values, kind).dictionary_encode() for name, kind in NUMBERS.items()}
    small = arrow.array(["x", None, "y", "x"]).dictionary_encode().cast(arrow.dictionary("int8", "string"))
    texts = ["Rain.", "Fog on the hills.", "Snow.", "Rain!"]
    path = written(tmp_path / "a.arrow", {"text": texts, "small": small, **columns})
    dedup(path, "--output", tmp_path / "b.arrow", "--removed", tmp_path / "c.arrow")
    read, kept = (arrow.ipc.open_file(tmp_path / name).read_all() for name in ("a.arrow", "b.arrow"))
    assert kept.schema == read.schema
    for name in kept.column_names:
        plain = [column.combine_chunks() for column in (kept[name], read[name].slice(0, 3))]
        if name != "text":
            plain = [column.dictionary_decode() for column in plain]
        assert plain[0].equals(plain[1]), name
    assert arrow.ipc.open_file(tmp_path / "c.arrow").read_all()["small"].to_pylist() == ["x"]
    dedup(path, "--output", tmp_path / "b.parquet")
    assert parquet.read_table(tmp_path / "b.parquet")["fine"].cast("int64").to_pylist() == values[:3]


def test_an_arrow_file_has_one_dictionary_for_all_rows(tmp_path):
    texts = [f"{number:x} {number**9:x}" for number in range(10_001)]
    late = ["x"] * 10_000 + ["y"]
    path = written(tmp_path / "a.arrow", {"text": texts, "late": arrow.array(late).dictionary_encode()})
    dedup(path, "--threshold", "1", "--output", tmp_path / "b.arrow")
    kept = arrow.ipc.open_file(tmp_path / "b.arrow").read_all()
    assert kept["late"].to_pylist() == late
    assert kept["late"].type == arrow.dictionary("int32", "string")


def test_an_empty_file_of_removed_records_keeps_dictionaries(tmp_path):
    at = arrow.array([5, 7], arrow.time32("s")).dictionary_encode()
    path = written(tmp_path / "a.arrow", {"text": ["Rain.", "Snow on the hills."], "at": at})
    dedup(path, "--output", tmp_path / "b.arrow", "--removed", tmp_path / "c.arrow")
    removed = arrow.ipc.open_file(tmp_path / "c.arrow").read_all()
    assert (removed.num_rows, removed["at"].type) == (0, at.type)


def test_dictionaries_of_several_files_that_have_too_many_values_for_one_get_wider_numbers(tmp_path):
    numbers, paths = [number % 100 for number in range(101)], []
    for name in "ab":
        values = [f"{name}{number}" for number in range(100)]
        sites = arrow.DictionaryArray.from_arrays(arrow.array(numbers, "int8"), values)
        texts = [f"{name} {number:x} {number**9:x}" for number in range(101)]
        paths.append(written(tmp_path / f"{name}.arrow", {"text": texts, "site": sites}))
    dedup(*paths, "--threshold", "1", "--output", tmp_path / "c.arrow")
    kept = arrow.ipc.open_file(tmp_path / "c.arrow").read_all()
    assert kept["site"].type == arrow.dictionary("int32", "string")
    assert kept["site"].to_pylist() == [f"{name}{number}" for name in "ab" for number in numbers]
    dedup(paths[0], "--threshold", "1", "--output", tmp_path / "d.arrow")
    assert arrow.ipc.open_file(tmp_path / "d.arrow").read_all()["site"].type == sites.type
