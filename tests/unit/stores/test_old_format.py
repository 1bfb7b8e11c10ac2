"""Windows of format 1 are refused with the way on, and can be read by what converts them."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from testing.window.backends import document, grams

from neardup.errors import WindowDamaged, WindowOutdated
from neardup.opening import open_window
from neardup.stores import records
from neardup.stores.base import Commit
from neardup.stores.directory import DirectoryStore
from neardup.stores.old_format import OLD_ROW, old_documents, read_old_window

STREAM = [document(f"d{i}", grams(20 * i, 20 * i + 25), i // 4) for i in range(9)]


@pytest.fixture
def path(tmp_path):
    with open_window(tmp_path / "window", window_hours=0) as window:
        list(window.ingest([*STREAM, document("copy", grams(0, 25), 1)]))
        window.delete("d3")
    return tmp_path / "window"


def as_format_1(path):
    """Writes the window at `path` as its earlier version would have been written."""
    store = DirectoryStore(path, readonly=True)
    for hour in store.hours():
        stored = store.load(hour)
        old = np.zeros(len(stored.rows), OLD_ROW)
        for name in set(OLD_ROW.names or ()) & set(stored.rows.dtype.names or ()):
            old[name] = stored.rows[name]
        texts, blobs = store.texts(stored.rows), store.blobs(stored.rows)
        for name, items in (("text", texts), ("blob", blobs)):
            sizes = np.array([len(item) for item in items])
            old[f"{name}_start"] = np.cumsum(sizes) - sizes
        directory = path / "hours" / store._directory(hour).name
        (directory / "rows.bin").write_bytes(old.tobytes())
        (directory / "text.bin").write_bytes(b"".join(texts))
        (directory / "blob.bin").write_bytes(b"".join(blobs))
    store.close()
    commit = (path / "commit").read_bytes()
    (path / "commit").write_bytes(commit[: len(commit) // 2])
    known = json.loads((path / "window.json").read_text())
    kept = {name: known[name] for name in ("recipe", "recipe_fields", "settings")}
    (path / "window.json").write_text(json.dumps({"format": 1} | kept))
    (path / "window.json.copy").unlink()


def test_an_old_window_is_refused_and_can_be_read(path):
    store = DirectoryStore(path, readonly=True)
    (expected,) = store.records(Commit())
    texts = store.texts(expected.rows)
    store.close()
    as_format_1(path)
    for readonly in (True, False):
        with pytest.raises(WindowOutdated, match="neardup resign"):
            open_window(path, readonly=readonly)
    old = read_old_window(path)
    assert (old.recipe_fields["q"], old.settings["window_hours"], old.commit.next_order) == (4, 0, 10)
    parts = list(old_documents(old))
    assert [part.hour for part in parts] == sorted(part.hour for part in parts)
    by_id = {
        records.decode_blob(row, blob).id: text
        for part in parts
        for row, blob, text in zip(part.rows, part.blobs, part.texts, strict=True)
    }
    assert by_id == dict(zip(expected.ids, texts, strict=True))
    assert "d3" not in by_id


def test_an_old_window_that_is_not_whole_is_told(path):
    as_format_1(path)
    old = read_old_window(path)
    directory = sorted((path / "hours").iterdir())[1]
    data = (directory / "text.bin").read_bytes()
    (directory / "text.bin").write_bytes(data[:-1])
    with pytest.raises(WindowDamaged, match=r"text\.bin"):
        list(old_documents(old))
    shutil.rmtree(directory)
    with pytest.raises(WindowDamaged, match="rows, expected the 11 that were committed"):
        list(old_documents(old))


def test_a_window_of_today_is_none_of_format_1(path):
    with pytest.raises(WindowDamaged, match="format 2"):
        read_old_window(path)
