"""The files of an hour that change while they are opened."""

from __future__ import annotations

import numpy as np
import pytest

import neardup
from neardup.errors import WindowDamaged
from neardup.stores import stored_hour
from neardup.stores.hour_files import BLOBS, KEYS, NAMES, ROWS, STORED_ROW
from neardup.stores.packed_ids import PackedIds
from neardup.stores.records import ROW


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


def test_ids_are_read_while_a_writer_cuts_off_what_was_never_committed(tmp_path, monkeypatch):
    """A process that maps what another one cuts off is ended by SIGBUS."""
    with neardup.open(tmp_path / "w") as window:
        list(window.ingest([{"id": "a", "text": "The ferry ran aground off the western spit at dawn."}]))
    (file,) = (tmp_path / "w" / "hours").glob(f"*/{NAMES[BLOBS]}")
    held = file.read_bytes()
    file.write_bytes(held + bytes(1 << 20))
    among = PackedIds.among

    def cut_off(*args):
        file.write_bytes(b"")
        return among(*args)

    monkeypatch.setattr(PackedIds, "among", cut_off)
    assert list(stored_hour.read_rows(file.parent).ids.texts()) == ["a"]


def test_of_ids_of_which_some_are_cut_off_the_others_are_read(tmp_path, monkeypatch):
    with neardup.open(tmp_path / "w") as window:
        list(window.ingest([{"id": "a", "text": "The ferry ran aground off the western spit at dawn."}]))
        (file,) = (tmp_path / "w" / "hours").glob(f"*/{NAMES[BLOBS]}")
        committed = file.read_bytes()
        list(window.ingest([{"id": "b", "text": "Rates fell to 6.5 per cent in the third quarter."}]))
    size = file.stat().st_size
    file.write_bytes(committed)
    monkeypatch.setattr(stored_hour, "file_size", lambda _: size)  # as it was before
    read = stored_hour.read_rows(file.parent)
    assert read.ids[0] == b"a"
    assert read.whole.tolist() == [True, False]


@pytest.mark.parametrize("payload", [0, 1, 5_000, 300_000])
def test_ids_are_read_whatever_lies_between_them(tmp_path, payload):
    numbers = np.random.default_rng(5)
    ids = ["é" * int(numbers.integers(0, 40)) + str(i) for i in range(50)]
    blobs = [id.encode() + bytes(payload) for id in ids]
    rows = np.zeros(50, ROW)
    rows["blob_bytes"], rows["id_bytes"] = [len(each) for each in blobs], [len(id.encode()) for id in ids]
    rows["blob_start"] = np.append(0, np.cumsum(rows["blob_bytes"][:-1]))
    order = numbers.permutation(50)
    directory = tmp_path / "2026-11-21T09"
    directory.mkdir()
    (directory / NAMES[BLOBS]).write_bytes(b"".join(blobs)[:-1] if payload else b"".join(blobs))
    stored = np.zeros(52, STORED_ROW)
    stored["row"][:50] = rows[order]
    stored["row"][50:]["blob_bytes"] = stored["row"][50:]["id_bytes"] = 7
    stored["row"][50:]["blob_start"] = [-7, sum(map(len, blobs)) - 6]
    stored.tofile(directory / NAMES[ROWS])
    assert list(stored_hour.read_rows(directory).ids.texts()) == [*(ids[i] for i in order), "", ""]
