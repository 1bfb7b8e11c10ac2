"""Times of day in nanoseconds, which Python has no type for, wherever a table may have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from testing.cli.arrow_files import dedup, write_arrow

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def table() -> Any:
    """Three rows, with times of day in nanoseconds within the values of each column that is not of text."""
    fine = arrow.array([3_723_000_000_789, 3_723_000_001_000, None], arrow.time64("ns"))
    within = arrow.StructArray.from_arrays([fine, arrow.array([1, None, 3])], ["at", "n"])
    columns = {
        "list": arrow.ListArray.from_arrays([0, 2, 2, 3], fine),
        "struct": within,
        "map": arrow.MapArray.from_arrays([0, 1, 2, 3], ["x", "y", "z"], fine),
        "deep": arrow.ListArray.from_arrays([0, 1, 2, 3], within),
    }
    return arrow.table({"id": ["a", "b", "c"], "text": ["Rain.", "Fog.", "Snow."], **columns})


def written(path: Path, rows: Any) -> Path:
    if path.suffix != ".parquet":
        return write_arrow(path, rows)
    parquet.write_table(rows, path)
    return path


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_they_are_kept_within_lists_structs_and_maps(tmp_path, form):
    path = written(tmp_path / f"a.{form}", table())
    dedup(path, "--output", tmp_path / f"b.{form}")
    if form == "parquet":
        assert parquet.read_table(tmp_path / "b.parquet").equals(parquet.read_table(path))
    else:
        assert arrow.ipc.open_file(tmp_path / "b.arrow").read_all().equals(table())


def test_they_are_written_in_full_as_json_and_csv(tmp_path):
    path = written(tmp_path / "a.parquet", table())
    for name in ("b.jsonl", "b.csv"):
        dedup(path, "--output", tmp_path / name)
        lines = (tmp_path / name).read_text().splitlines()
        assert lines[-3].count("01:02:03.000000789") == 4
        assert "01:02:03.000001" in lines[-3]
