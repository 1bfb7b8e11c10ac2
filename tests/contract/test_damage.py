"""Files of a window that rot, are cut, lost or exchanged: told by name, and repaired as far as they are whole.

What random damage does is in test_torture.py.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from functools import partial
from io import FileIO

import pytest
from testing.window.backends import document, grams

from neardup.errors import UnknownDocument, WindowDamaged, WindowLocked
from neardup.model.hours import hour_name
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.stores import repair as repairs
from neardup.stores.description import FORMAT
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.lock import held, unwritten
from neardup.stores.survey import examine_window, read_everything
from neardup.window.signing_again import signing_of

repair = partial(repairs.repair, signing=signing_of)

STREAM = [document(f"d{i}", grams(20 * i, 20 * i + 25), i // 4) for i in range(12)]
HOURS = ["2020.09.13-12", "2020.09.13-13", "2020.09.13-14"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "window"
    with open_window(path, window_hours=0) as window:
        list(window.ingest(STREAM))
    return path


def hour_file(path, hour, name):
    return path / "hours" / HOURS[hour] / name


def flip(file, at):
    data = bytearray(file.read_bytes())
    data[at] ^= 4
    file.write_bytes(data)


def interrupted(*_):
    raise KeyboardInterrupt


def ids_in(path):
    with open_window(path, readonly=True) as window:
        return [each.id for each in STREAM if holds(window, each.id)]


def ask_all(path, *, readonly):
    with open_window(path, readonly=readonly) as window:
        window.query(id="d7")
        window.query(STREAM[7].text)
    read_everything(path)


def holds(window, id):
    try:
        return window.query(id=id).id == id
    except UnknownDocument:
        return False


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("name", ["rows.bin", "text.bin", "blob.bin", "keys.bin"])
def test_a_bit_that_flips_is_told_with_file_and_way_out(path, name, readonly):
    file = hour_file(path, 1, name)
    flip(file, file.stat().st_size - 9)
    with pytest.raises(WindowDamaged, match="neardup doctor --repair --window") as caught:
        ask_all(path, readonly=readonly)
    assert caught.value.path == file
    assert caught.value.window == path
    with pytest.raises(WindowDamaged) as caught:
        read_everything(path)  # whatever was asked
    assert caught.value.path == file


def test_a_bit_of_an_id_that_flips_is_told_where_ids_are_checked(path):
    file = hour_file(path, 1, "blob.bin")
    flip(file, 0)
    with pytest.raises(WindowDamaged) as caught:
        ask_all(path, readonly=True)
    assert caught.value.path == file.with_name("rows.bin")


@pytest.mark.parametrize("readonly", [True, False])
def test_a_lost_hour_is_told_by_name(path, readonly):
    shutil.rmtree(hour_file(path, 1, "").parent / HOURS[1])
    with pytest.raises(WindowDamaged, match=rf"8 rows and no hour {HOURS[1]}, expected the 12"):
        open_window(path, readonly=readonly)


@pytest.mark.parametrize(
    "change",
    [
        lambda window: window.read(["d4"]),
        lambda window: list(window.ingest([document("new", grams(700, 730), 1)])),
    ],
    ids=["read", "add"],
)
def test_an_hour_that_is_lost_while_its_writer_has_the_window_open_is_told_by_name(path, change):
    with open_window(path) as window:
        shutil.rmtree(path / "hours" / HOURS[1])
        with pytest.raises(WindowDamaged) as caught:
            change(window)
        assert HOURS[1] in str(caught.value.path)
        assert not (path / "hours" / HOURS[1]).exists()
    with pytest.raises(WindowDamaged, match=rf"8 rows and no hour {HOURS[1]}, expected the 12"):
        open_window(path)


def test_lost_hours_are_told_by_name(path):
    shutil.rmtree(path / "hours")
    with pytest.raises(WindowDamaged, match=", ".join(HOURS)):
        open_window(path, readonly=True)


def test_of_many_lost_hours_the_first_are_told(tmp_path):
    with open_window(tmp_path / "w", window_hours=0) as window:
        list(window.ingest(document(f"{hour}", grams(30 * hour, 30 * hour + 25), hour) for hour in range(10)))
    shutil.rmtree(tmp_path / "w" / "hours")
    with pytest.raises(WindowDamaged, match=f"no hour {', '.join(HOURS)} and 7 more, expected"):
        open_window(tmp_path / "w", readonly=True)


def test_a_dropped_hour_is_not_missed(path):
    with open_window(path) as window:
        window.expire(STREAM[-1].time, keep_hours=1)
    assert not hour_file(path, 0, "rows.bin").exists()
    assert examine_window(path).is_whole
    shutil.rmtree(path / "hours" / HOURS[2])
    with pytest.raises(WindowDamaged, match=f"no hour {HOURS[2]},"):
        open_window(path)


def test_nothing_is_repaired_that_is_whole(path):
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    found = repair(path, dry_run=False)
    assert found.is_whole
    assert not found.missing
    assert {file: file.read_bytes() for file in before if file.name != "lock"} == {
        file: data for file, data in before.items() if file.name != "lock"
    }


def test_a_dry_run_changes_nothing(path):
    flip(hour_file(path, 0, "text.bin"), 3)
    shutil.rmtree(path / "hours" / HOURS[1])
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != "lock"}
    found = repair(path, dry_run=True)
    assert not found.is_whole
    assert {file: file.read_bytes() for file in before} == before
    assert not (path / "damaged").exists()


def test_a_repair_keeps_what_is_whole_also_of_a_damaged_hour(path):
    flip(hour_file(path, 1, "text.bin"), 3)
    found = repair(path, dry_run=False)
    (hour,) = [hour for hour in found.hours if hour.is_damaged]
    assert (hour.lost, len(hour.kept), found.missing) == (["d4"], 3, 0)
    assert ids_in(path) == [each.id for each in STREAM if each.id != "d4"]
    assert (path / "damaged" / HOURS[1] / "text.bin").exists()
    assert examine_window(path).is_whole
    again = [STREAM[4], STREAM[5]._replace(id="again")]
    with open_window(path) as window:
        assert [verdict.status for verdict in window.ingest(again)] == ["unique", "exact"]


@pytest.mark.parametrize("damage", ["a bit", "lost"])
@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_a_document_whose_keys_are_damaged_is_signed_again(tmp_path, damage, retrieval):
    path = tmp_path / "window"
    with open_window(path, window_hours=0, retrieval=retrieval) as window:
        list(window.ingest(STREAM))
        expected = [window.query(each.text) for each in STREAM]
    file = hour_file(path, 1, "keys.bin")
    if damage == "a bit":
        flip(file, 3)
    else:
        file.unlink()
    (hour,) = [hour for hour in repair(path, dry_run=False).hours if hour.is_damaged]
    assert (hour.lost, len(hour.kept), int(hour.signed.sum())) == ([], 4, 3 if damage == "a bit" else 0)
    assert examine_window(path).is_whole
    with open_window(path, readonly=True) as window:
        assert [window.query(each.text) for each in STREAM] == expected


def test_an_hour_may_be_damaged_more_than_once(path):
    for i in range(3):
        flip(hour_file(path, 1, "text.bin"), 3)
        assert not repair(path, dry_run=False).is_whole
        assert len(list((path / "damaged").iterdir())) == i + 1


def test_a_row_that_cannot_be_read_is_counted(path):
    flip(hour_file(path, 1, "rows.bin"), 3)
    found = repair(path, dry_run=False)
    assert (found.missing, [hour.unreadable for hour in found.hours]) == (1, [0, 1, 0])
    assert len(ids_in(path)) == 11


@pytest.mark.parametrize("damage", ["zeros", "lost", "the newest"])
def test_a_lost_commit_is_taken_from_the_hours(path, damage):
    file = path / "commit"
    if damage == "lost":
        file.unlink()
    else:
        data, slot = bytearray(file.read_bytes()), file.stat().st_size // 4
        newest = (0, 1) if damage == "zeros" else (1,)
        for parity in newest:
            for copy in (0, 2):
                at = (copy + parity) * slot
                data[at : at + slot] = bytes(slot)
        file.write_bytes(data)
    with pytest.raises(WindowDamaged, match="commit"):
        open_window(path, readonly=True)
    assert repair(path, dry_run=False).missing is None
    assert len(ids_in(path)) == 12
    with open_window(path) as window:
        assert [verdict.status for verdict in window.ingest(STREAM)] == 12 * ["unique"]
        window.delete("d3")
    assert len(ids_in(path)) == 11


def test_a_commit_of_which_one_copy_is_damaged_has_it_again(path):
    flip(path / "commit", 3)
    with pytest.raises(WindowDamaged, match="commit"):
        read_everything(path)
    assert repair(path, dry_run=False).missing == 0
    assert examine_window(path).is_whole
    read_everything(path)
    assert len(ids_in(path)) == 12


def test_an_hour_of_which_nothing_is_whole_is_missed_once(path):
    hour_file(path, 1, "text.bin").unlink()
    assert not repair(path, dry_run=False).is_whole
    assert examine_window(path).is_whole
    read_everything(path)
    assert ids_in(path) == [each.id for each in (*STREAM[:4], *STREAM[8:])]
    shutil.rmtree(path / "hours" / HOURS[2])
    assert [hour_name(hour) for hour in examine_window(path).lost_hours] == [HOURS[2]]


def test_a_repair_that_was_ended_is_finished_by_the_next(path, monkeypatch):
    flip(hour_file(path, 1, "text.bin"), 3)
    with monkeypatch.context() as patched:
        patched.setattr("neardup.stores.repair.write_new", interrupted)
        with pytest.raises(KeyboardInterrupt):
            repair(path, dry_run=False)
    with pytest.raises(WindowDamaged):
        open_window(path, readonly=True)
    repair(path, dry_run=False)
    assert len(ids_in(path)) == 11


def test_a_damaged_copy_is_found_and_made_anew(path):
    copy = path / "window.json.copy"
    whole = copy.read_bytes()
    copy.write_bytes(b"")
    with pytest.raises(WindowDamaged, match=r"window\.json\.copy"):
        read_everything(path)
    assert repair(path, dry_run=False).restorable == {"window.json.copy": "window.json"}
    assert copy.read_bytes() == whole


def test_a_description_that_is_changed_to_an_earlier_format_is_damaged(path):
    file = path / "window.json"
    whole = file.read_bytes()
    changed = whole.replace(b'"format": %d' % FORMAT, b'"format": 1')
    assert changed != whole
    file.write_bytes(changed)
    with pytest.raises(WindowDamaged, match=r"window\.json is damaged: found format 1"):
        open_window(path)
    assert repair(path, dry_run=False).restorable == {"window.json": "window.json.copy"}
    assert file.read_bytes() == whole


def test_a_copy_that_a_killed_maker_had_no_time_for_is_no_damage(path, tmp_path):
    open_window(tmp_path / "new").close()
    for window in (tmp_path / "new", path):
        (window / "window.json.copy").unlink()
    assert examine_window(tmp_path / "new").is_whole
    open_window(tmp_path / "new").close()
    assert (tmp_path / "new" / "window.json.copy").exists()
    assert not examine_window(path).is_whole, "documents have been committed since"


@pytest.mark.parametrize("is_lost", [False, True])
def test_what_a_repair_would_do_is_told_where_nothing_can_be_written(path, monkeypatch, is_lost):
    flip(hour_file(path, 1, "text.bin"), 30)
    lock = path / "lock"
    lock.write_text("7\n")
    if is_lost:
        lock.unlink()

    def only_read(name, mode):
        if mode != "r":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)
        return FileIO(name, mode)

    monkeypatch.setattr("neardup.stores.lock.FileIO", only_read)
    assert [hour.is_damaged for hour in repair(path, dry_run=True).hours] == [False, True, False]
    assert lock.exists() != is_lost
    assert is_lost or lock.read_text() == "7\n"
    with pytest.raises(OSError, match="the window can only be read"):
        repair(path, dry_run=False)


def test_a_repair_waits_for_nobody(path):
    with open_window(path), pytest.raises(WindowLocked):
        repair(path, dry_run=True)


def test_a_writer_that_a_look_at_a_window_keeps_out_is_not_told_that_one_which_has_ended_does(path):
    (path / "lock").write_text("7\n")
    with unwritten(path), pytest.raises(WindowLocked) as caught:
        open_window(path)
    assert caught.value.holder is None
    with held(path), pytest.raises(WindowLocked) as caught:
        open_window(path)
    assert caught.value.holder == f"process {os.getpid()}"


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_repair_waits_for_nobody_whose_lock_was_taken_for_a_leftover(path, dry_run):
    flip(hour_file(path, 1, "text.bin"), 3)
    with contextlib.closing(DirectoryWriter(path)):
        (path / "lock").unlink()
        with pytest.raises(WindowLocked):
            repair(path, dry_run=dry_run)


@pytest.fixture
def salted(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    path = tmp_path / "salted"
    with open_window(path, window_hours=0, recipe=Recipe(salt=secret)) as window:
        list(window.ingest(STREAM))
    return path


@pytest.mark.parametrize("left", [None, b"", b"another secret"])
@pytest.mark.parametrize(
    ("lost", "source"), [("window.salt", "window.salt.copy"), ("window.salt.copy", "window.salt")]
)
def test_a_lost_salt_is_restored_for_its_owner_alone(salted, lost, source, left):
    (salted / lost).unlink()
    if left is not None:
        (salted / lost).write_bytes(left)
    with pytest.raises(WindowDamaged, match=lost.replace(".", r"\.")):
        read_everything(salted)
    assert repair(salted, dry_run=True).restorable == {lost: source}
    repair(salted, dry_run=False)
    assert [(salted / name).read_bytes() for name in (lost, source)] == [b"who knows"] * 2
    assert [(salted / name).stat().st_mode & 0o777 for name in (lost, source)] == [0o600] * 2
    assert examine_window(salted).is_whole
    ask_all(salted, readonly=False)


def test_a_salt_lost_with_its_copy_is_asked_for(salted):
    for name in ("window.salt", "window.salt.copy"):
        (salted / name).unlink()
    with pytest.raises(WindowDamaged, match="backup, or give it or another one to `neardup resign"):
        repair(salted, dry_run=True)


def test_a_window_without_a_salt_has_no_copy_of_one(path):
    assert not list(path.glob("window.salt*"))
    assert examine_window(path).is_whole
