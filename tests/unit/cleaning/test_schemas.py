"""The types of columns that `neardup dedup` writes from Parquet and Arrow files whose schemas differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from testing.cli.arrow_files import dedup

if TYPE_CHECKING:
    from pathlib import Path

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
TEXTS = "Rain in the north.", "Fog on the hills of the south."


def cleaned(directory: Path, *columns: dict[str, Any]) -> Any:
    """The table that is made of files of one text and these columns each."""
    for text, own in zip(TEXTS, columns, strict=True):
        table = arrow.table({"text": [text], **own})
        parquet.write_table(table, directory / f"{len(own)}-{TEXTS.index(text)}.parquet")
    dedup(*sorted(directory.iterdir(), key=lambda path: path.stem[-1]), "--output", directory / "out.parquet")
    return parquet.read_table(directory / "out.parquet")


def test_a_column_without_a_common_type_leaves_the_others_theirs(tmp_path):
    """Its own type is that of its values. Guessed types cut the nanoseconds of the others."""
    others = {
        "fine": arrow.array([1_577_836_800_000_000_001], "timestamp[ns]"), "small": arrow.array([1], "int32")
    }  # fmt: skip
    table = cleaned(
        tmp_path,
        {"kind": arrow.array(["a"]).dictionary_encode(), **others},
        {"kind": arrow.array(["b"]), **others},
    )
    assert table.schema.names == ["text", "kind", *others]
    assert table["kind"].to_pylist() == ["a", "b"]
    assert table["small"].type == arrow.int32()
    assert table["fine"].cast(arrow.int64()).to_pylist() == [1_577_836_800_000_000_001] * 2
