"""Windows of format 1 are refused with the way on, and can be read by what converts them."""

from __future__ import annotations

import shutil

import pytest
from testing.window.backends import document, grams
from testing.window.old_window import as_format_1

from neardup.errors import WindowDamaged, WindowOutdated
from neardup.model.hours import hour_name
from neardup.opening import open_window
from neardup.stores import blobs
from neardup.stores.base import Commit
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.old_format import read_old_window

STREAM = [document(f"d{i}", grams(20 * i, 20 * i + 25), i // 4) for i in range(9)]


@pytest.fixture
def path(tmp_path):
    with open_window(tmp_path / "window", window_hours=0) as window:
        list(window.ingest([*STREAM, document("copy", grams(0, 25), 1)]))
        window.delete("d3")
    return tmp_path / "window"


def test_an_old_window_is_refused_and_can_be_read(path):
    store = DirectoryReader(path)
    (expected,) = store.records(Commit())
    texts = store.texts(expected.rows)
    store.close()
    as_format_1(path)
    for readonly in (True, False):
        with pytest.raises(WindowOutdated, match="neardup resign"):
            open_window(path, readonly=readonly)
    old = read_old_window(path)
    assert old.description.recipe.startswith("neardup-1:")
    assert (old.description.recipe_fields["q"], old.description.settings["window_hours"]) == (4, 0)
    assert old.commit.next_order == 10
    by_id = {}
    for hour, rows in old.hours.items():
        for row, text, blob in zip(rows, *old.read(hour, rows), strict=True):
            by_id[blobs.decode_blob(row, blob).id] = text
    assert by_id == dict(zip(expected.ids.texts(), texts, strict=True))
    assert "d3" not in by_id


def test_an_old_window_that_is_not_whole_is_told(path):
    as_format_1(path)
    hour, rows = list(read_old_window(path).hours.items())[-1]
    directory = path / "hours" / hour_name(hour)
    for name, read in (("text.bin", "read"), ("blob.bin", "read"), ("keys.bin", "keys")):
        data = (directory / name).read_bytes()
        (directory / name).write_bytes(data[:-8])
        with pytest.raises(WindowDamaged, match=name):
            getattr(read_old_window(path), read)(hour, rows)
        (directory / name).write_bytes(data)
    shutil.rmtree(directory)
    with pytest.raises(WindowDamaged, match="rows, expected the 11 that were committed"):
        read_old_window(path)


def test_a_window_of_today_is_none_of_format_1(path):
    with pytest.raises(WindowDamaged, match="format 2"):
        read_old_window(path)
