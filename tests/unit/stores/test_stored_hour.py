"""The files of an hour that change while they are opened."""

from __future__ import annotations

import pytest

import neardup
from neardup.errors import WindowDamaged
from neardup.stores import stored_hour
from neardup.stores.hour_files import BLOBS, KEYS, NAMES


@pytest.mark.parametrize("kind", [KEYS, BLOBS])
def test_a_file_that_is_emptied_after_its_size_was_asked_is_damage(tmp_path, monkeypatch, kind):
    with neardup.open(tmp_path / "w") as window:
        list(window.ingest([{"id": "a", "text": "The ferry ran aground off the western spit at dawn."}]))
    (file,) = (tmp_path / "w" / "hours").glob(f"*/{NAMES[kind]}")
    sizes = {each: each.stat().st_size for each in file.parent.iterdir()}
    file.write_bytes(b"")
    monkeypatch.setattr(stored_hour, "file_size", sizes.__getitem__)
    read = {
        KEYS: lambda: stored_hour.KeysFile(file.parent, sizes[file], mapped=True).read(),
        BLOBS: lambda: neardup.open(tmp_path / "w", readonly=True).query("The ferry ran aground."),
    }
    with pytest.raises(WindowDamaged):
        read[kind]()
