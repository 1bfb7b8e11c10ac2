"""Rows, texts, blobs and keys by hour: in memory and in files alike, committed whole or not at all."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import neardup
from neardup.errors import WindowDamaged, WindowExpired, WindowLocked
from neardup.model.document import Prepared
from neardup.model.hours import hour_name
from neardup.model.settings import HOUR_MS
from neardup.stores import directory, records
from neardup.stores.base import Commit, NewDocuments
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.memory import MemoryStore
from neardup.stores.records import DELETED, ROW, assign_offsets, key_counts
from neardup.stores.stored_hour import hours_in
from neardup.stores.window_directory import hour_directory


def documents(first, hour, *texts, blob=b"b"):
    """Rows from seq `first` on with these texts, a blob that tells the row, and as many keys as the text has bytes."""
    rows = np.zeros(len(texts), ROW)
    rows["seq"] = rows["order"] = np.arange(first, first + len(texts))
    rows["time"] = hour * HOUR_MS
    rows["text_start"] = rows["keys_start"] = -1
    rows["text_bytes"] = rows["n_sketch"] = [len(text) for text in texts]
    blobs = [blob * (i + 1) for i in range(len(texts))]
    rows["blob_bytes"] = rows["id_bytes"] = [len(part) for part in blobs]
    keys = [1_000 * (first + i) + j for i, text in enumerate(texts) for j in range(len(text))]
    prepared = [Prepared(part.decode(), b"", hour * HOUR_MS, hour) for part in blobs]
    return NewDocuments(rows, prepared, list(texts), blobs, np.array(keys, np.uint64))


def append(store, *arguments, **options):
    new = documents(*arguments, **options)
    store.append(arguments[1], new)
    return new.rows


def read(store, rows):
    return list(zip(store.texts(rows), store.blobs(rows), strict=True))


@pytest.fixture(params=["memory", "files"])
def store(request, tmp_path):
    store = MemoryStore() if request.param == "memory" else DirectoryWriter(tmp_path)
    yield store
    store.close()


def reopened(store):
    store.close()
    return DirectoryWriter(store.path)


def test_what_was_added_can_be_read_at_once(store):
    parts = [
        append(store, 1, 7, b"one", b"", b"three"),
        append(store, 4, 7, b""),
        append(store, 5, 7, b"five", b"", blob="é".encode()),
    ]
    assert [pair for rows in parts for pair in read(store, rows)] == [
        (b"one", b"b"), (b"", b"bb"), (b"three", b"bbb"), (b"", b"b"), (b"five", "é".encode()), (b"", "éé".encode()),
    ]  # fmt: skip


def test_hours_are_apart_and_dropped_whole(store):
    for hour in (9, -3, 4):
        append(store, hour + 10, hour, f"{hour}".encode())
    assert store.hours() == [-3, 4, 9]
    assert store.commit(Commit(seq=20)) == {}
    store.drop(4)
    store.drop(4)
    store.drop(77)
    assert store.hours() == [-3, 9]
    kept = append(store, 30, 4, b"new")
    assert read(store, kept) == [(b"new", b"b")]


def test_the_directories_of_hours_are_not_listed_each_time_that_an_hour_expires(tmp_path, monkeypatch):
    """A window may have thousands, and with a limit of documents it drops one after another."""
    listings, counts = [], []

    def noted(path):
        listings.append(path)
        return hours_in(path)

    monkeypatch.setattr(directory, "hours_in", noted)
    for hours in (range(5), range(5, 10), range(10, 40)):
        with closing(DirectoryWriter(tmp_path)) as store:
            list(store.records(Commit()))
            for hour in hours:
                append(store, 1 + hour, hour, b"text")
                store.commit(Commit(seq=1 + hour, next_order=2 + hour, floor_hour=hour - 2))
                for old in (old for old in store.hours() if old < hour - 2):
                    store.drop(old)
                assert store.hours() == hours_in(tmp_path) == [*range(max(0, hour - 2), hour + 1)]
            counts.append(len(listings))
            listings.clear()
    assert counts[0] == counts[1] == counts[2]


def test_an_hour_whose_directory_could_not_be_made_is_no_hour(tmp_path, monkeypatch):
    """`neardup expire --dry-run` named it among those that it would drop."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "full")

    documents = [{"id": "a", "text": "a", "time": 0}, {"id": "b", "text": "b", "time": 3_600}]
    with neardup.open(tmp_path / "window") as window:
        list(window.ingest(documents[:1]))
        monkeypatch.setattr(Path, "mkdir", full)
        with pytest.raises(OSError, match="full"):
            list(window.ingest(documents[1:]))
        assert window.expire(now=1e9, dry_run=True) == ["1970.01.01-00"]


def test_a_new_version_keeps_text_and_keys(store):
    first = append(store, 1, 1, b"abc", b"defg")
    version = first[1:].copy()
    version["seq"], version["blob_bytes"] = 3, 2
    store.revise(1, version, "bb", b"xy")
    assert read(store, version) == [(b"defg", b"xy")]
    assert version["text_start"] == first["text_start"][1]
    assert version["keys_start"] == first["keys_start"][1]


def test_data_lie_one_after_another():
    """Each with its checksum of 8 bytes."""
    rows = documents(1, 0, b"abc", b"", b"de").rows
    assign_offsets(rows, 100, 200, 300)
    assert rows["text_start"].tolist() == [100, 111, 119]
    assert rows["blob_start"].tolist() == [200, 209, 219]
    assert rows["keys_start"].tolist() == [300, 304, 305]
    assert key_counts(rows).sum(axis=0).tolist() == [3, 0, 2]


# -- in files --


@pytest.fixture
def files(tmp_path):
    store = DirectoryWriter(tmp_path)
    append(store, 1, 1, b"abc", b"de")
    append(store, 3, 2, b"fgh")
    store.commit(Commit(seq=3, next_order=4, newest=2))
    yield store
    store.close()


def test_what_is_committed_is_there_again(files):
    store = reopened(files)
    assert store.committed._replace(rows=0, generation=0) == Commit(seq=3, next_order=4, newest=2)
    hour = store.load(1)
    assert hour.rows["seq"].tolist() == [1, 2]
    assert list(hour.ids.texts()) == ["b", "bb"]
    starts = records.key_starts(hour.rows)[0].tolist()
    keys = hour.keys.read()
    assert keys[starts[0] :][:3].tolist() == [1_000, 1_001, 1_002]
    assert keys[starts[1] :][:2].tolist() == [2_000, 2_001]
    assert read(store, hour.rows) == [(b"abc", b"b"), (b"de", b"bb")]
    assert store.load(2).rows["seq"].tolist() == [3]
    store.close()


def test_records_are_those_that_came_after(files):
    store = reopened(files)
    (all_of_it,) = store.records(Commit())
    assert (list(all_of_it.ids.texts()), all_of_it.part_of.tolist()) == (["b", "bb", "b"], [0, 0, 1])
    (later,) = store.records(Commit(next_order=2))
    assert records.arrivals_of(later.rows).tolist() == [2, 3]
    store.close()


def test_keys_are_read_when_they_are_asked_for_and_a_reader_is_told_that_their_hour_has_gone(files):
    writer = reopened(files)
    reader = DirectoryReader(writer.path)
    (stored,) = reader.records(Commit())
    begin = int(records.first_keys(stored.rows)[0])
    assert stored.keys[0][begin : begin + 3].tolist() == [1_000, 1_001, 1_002]
    writer.drop(1)
    with pytest.raises(WindowExpired, match=hour_name(1)):
        stored.keys[0]
    reader.close()
    writer.close()


def test_keys_that_are_not_what_was_written_are_told_when_they_are_asked_for(files):
    store = reopened(files)
    file = hour_directory(store.path, 2) / "keys.bin"
    data = bytearray(file.read_bytes())
    data[-9] ^= 1
    file.write_bytes(data)
    (stored,) = store.records(Commit())
    assert len(stored.keys[0])
    with pytest.raises(WindowDamaged, match="keys of 1 documents"):
        stored.keys[1]
    store.close()


def test_of_a_large_blob_only_the_id_is_read(tmp_path):
    store = DirectoryWriter(tmp_path)
    new = documents(1, 1, b"x", b"y", b"z")
    new.rows["id_bytes"] = [2, 2, 1]
    new.rows["blob_bytes"] = [5_000, 0, 3]  # the second is the end of its document: it has no blob
    store.append(1, new._replace(blobs=["é".encode() + b"." * 4_998, b"", b"z.."]))
    store.commit(Commit(seq=3, next_order=4, newest=1))
    store = reopened(store)
    assert list(store.load(1).ids.texts()) == ["é", "", "z"]
    store.close()


def test_what_is_not_committed_is_gone_and_written_over(files):
    append(files, 4, 1, b"lost", b"too")
    append(files, 6, 5, b"lost")
    store = reopened(files)
    assert [len(part.rows) for part in store.records(Commit())] == [3]
    assert [len(store.load(hour).rows) for hour in store.hours()] == [2, 1, 0]
    append(store, 4, 1, b"kept")
    store.commit(store.committed._replace(seq=4))
    store = reopened(store)
    hour = store.load(1)
    assert hour.rows["seq"].tolist() == [1, 2, 4]
    assert read(store, hour.rows)[2] == (b"kept", b"b")
    store.close()


def test_a_reader_sees_what_was_committed_when_it_came(files):
    reader = DirectoryReader(files.path)
    append(files, 4, 1, b"new")
    between = DirectoryReader(files.path)
    files.commit(files.committed._replace(seq=4))
    after = DirectoryReader(files.path)
    assert [len(store.load(1).rows) for store in (reader, between, after)] == [2, 2, 3]
    for store in (reader, between, after):
        store.close()


@pytest.mark.parametrize("commits", range(5))
def test_a_torn_commit_leaves_the_one_before_it(files, commits):
    for i in range(commits):
        append(files, 4 + i, 1, b"more")
        files.commit(files.committed._replace(seq=4 + i))
    before = (files.path / "commit").read_bytes()
    append(files, 50, 1, b"last")
    files.commit(files.committed._replace(seq=50))
    after = (files.path / "commit").read_bytes()
    files.close()
    changed, seen = [i for i in range(len(after)) if before[i] != after[i]], []
    for torn in range(changed[0], changed[-1] + 1, 3):
        (files.path / "commit").write_bytes(after[:torn] + before[torn:])
        store = DirectoryWriter(files.path)
        assert store.committed.seq in (3 + commits, 50)
        seen.append(store.committed.seq)
        store.close()
    assert seen == sorted(seen)
    assert len(set(seen)) == 2


@pytest.mark.parametrize("commits", range(3))
def test_a_damaged_commit_is_none_that_was_torn(files, commits):
    """A slot counts if it or its copy checks; where neither does, a commit may be hidden that was acknowledged."""
    for i in range(commits):
        files.commit(files.committed._replace(seq=4 + i))
    committed, whole = files.committed, (files.path / "commit").read_bytes()
    files.close()
    size = len(whole) // 4
    for damaged in range(1, 16):
        slots = [bytes(size) if damaged >> i & 1 else whole[i * size : (i + 1) * size] for i in range(4)]
        (files.path / "commit").write_bytes(b"".join(slots))
        if damaged & 5 == 5 or damaged & 10 == 10:
            with pytest.raises(WindowDamaged, match="a slot and its copy"):
                DirectoryReader(files.path)
        else:
            store = DirectoryReader(files.path)
            assert store.committed == committed
            store.close()


def test_a_row_with_the_order_of_an_earlier_one_is_another_version(files):
    version = files.load(1).rows[:1].copy()
    version["seq"], version["flags"], version["blob_bytes"] = 4, DELETED, 0
    files.revise(1, version, "b", b"")
    files.commit(files.committed._replace(seq=4))
    store = reopened(files)
    assert store.load(1).rows[["order", "flags"]].tolist() == [(1, 0), (2, 0), (1, DELETED)]
    store.close()


def test_only_one_writes(files):
    with pytest.raises(WindowLocked):
        DirectoryWriter(files.path)
    reopened(files).close()


def test_a_lost_commit_is_no_new_window(files):
    files.close()
    (files.path / "commit").unlink()
    with pytest.raises(WindowDamaged, match="commit"):
        DirectoryWriter(files.path)
