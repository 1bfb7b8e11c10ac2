"""A window in a directory: who may open it, and what is said if it is not what it should be."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from testing.window.backends import START, document, grams, summaries
from testing.window.faults import Faults, disk_full

from neardup.errors import (
    NeardupError,
    RecipeMismatch,
    SettingsError,
    UnknownDocument,
    WindowDamaged,
    WindowExpired,
    WindowLocked,
    WindowMissing,
    WindowOutdated,
    WindowResigning,
)
from neardup.model.settings import Recipe, Settings
from neardup.opening import open_window
from neardup.stores import description
from neardup.stores.directory import DirectoryStore
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.stored_hour import KeysFile
from neardup.tables.lexicon import LexiconBuilder
from neardup.window.session import PATIENCE

STREAM = [document(f"d{i}", grams(20 * i, 20 * i + 25), i // 4) for i in range(12)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "window"
    with open_window(path) as window:
        list(window.ingest(STREAM))
    return path


def hour_files(path, name):
    return sorted((path / "hours").glob(f"*/{name}"))


# -- one writer, many readers --


def test_a_second_writer_is_told_who_writes(path, monkeypatch):
    with (
        open_window(path),
        pytest.raises(WindowLocked, match="open for writing in this process already") as caught,
    ):
        open_window(path)
    holder = f"process {os.getpid()}"
    assert caught.value.holder == holder
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("neardup.errors.getpid", lambda: -1)
        assert f"by another process ({holder}): wait for it, or end it" in str(caught.value)
    assert str(path) in str(caught.value)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), WindowLocked)
    open_window(path).close()


def test_windows_that_nobody_closed_keep_no_lock_and_no_files(path):
    open_files = len(list(Path("/dev/fd").iterdir()))
    writer = open_window(path)
    verdicts = writer.ingest([document("x", grams(500, 520), 3)])
    del writer
    with pytest.raises(WindowLocked):
        open_window(path)  # somebody has it still
    assert next(verdicts).status == "unique"
    del verdicts
    for _ in range(3):
        assert open_window(path, readonly=True).query(grams(500, 520)).duplicate_of == "x"
        open_window(path)
    assert len(list(Path("/dev/fd").iterdir())) == open_files


@contextlib.contextmanager
def forked_off(report):
    """A process that is forked off here, says what `report` gives once the block asks it to, and lives to its end."""
    begin, answer, end = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        try:
            for file in (begin[1], answer[0], end[1]):  # or it would wait for itself
                os.close(file)
            if os.read(begin[0], 1):
                os.write(answer[1], repr(report()).encode())
                os.read(end[0], 1)
        finally:
            os._exit(0)
    os.close(answer[1])

    def ask():
        os.write(begin[1], b"!")
        return os.read(answer[0], 10_000).decode()

    try:
        yield ask
    finally:
        for file in (*begin, answer[0], *end):
            os.close(file)
        os.waitpid(child, 0)


def test_a_process_that_was_forked_off_keeps_nobody_out(path):
    window = open_window(path)
    with forked_off(lambda: None):
        with pytest.raises(WindowLocked):  # the lock is still that of the process that opened the window
            open_window(path)
        window.close()
        with open_window(path) as again:
            assert again.stats().documents == len(STREAM)


def test_a_window_that_is_closed_is_free_before_a_process_that_was_forked_off_has_let_go(path):
    """That takes it a moment, in which the window could not be opened again. A copy of a descriptor shares the lock, as
    the process does.
    """
    with open_window(path), contextlib.ExitStack() as stack:
        for file in (path / "lock", path / "commit"):
            for name in os.listdir("/dev/fd"):  # noqa: PTH208 - a descriptor is a number
                with contextlib.suppress(OSError):  # that of the list itself
                    if os.path.samestat(os.fstat(int(name)), file.stat()):
                        stack.callback(os.close, os.dup(int(name)))
        copies = stack.pop_all()
    with copies, open_window(path) as again:
        assert again.stats().documents == len(STREAM)


def test_a_process_that_was_forked_off_ends_no_lock_by_closing(path):
    with open_window(path) as window:
        with forked_off(window.close) as ask:
            assert ask() == "None"
        with pytest.raises(WindowLocked):
            open_window(path)
        list(window.ingest([document("x", grams(500, 520), 3)]))


def test_a_process_that_was_forked_off_queries_what_there_was_while_the_other_goes_on(path):
    def found():
        try:
            texts = [found.text for found in window.read([STREAM[5].id]) if found]
            return texts, len(window), window.refresh()
        except NeardupError as error:
            return str(error)

    with open_window(path) as window, forked_off(found) as ask:
        list(window.ingest([document("x", grams(500, 520), 3)]))
        assert ask() == repr(([STREAM[5].text], len(STREAM), False))


def test_nor_does_it_take_an_hour_that_has_expired_since_for_damage(path):
    def found():
        try:
            return str(window.read([STREAM[0].id]))
        except NeardupError as error:
            return type(error).__name__

    with open_window(path, advance=True) as window, forked_off(found) as ask:
        list(window.ingest([document("x", grams(500, 520), 30)]))
        assert ask() == repr("WindowExpired")


def test_a_deleted_lock_lets_nobody_else_in(path):
    with open_window(path) as window:
        (path / "lock").unlink()
        for _ in range(2):  # the first one leaves a lock file of its own
            with pytest.raises(WindowLocked, match="is being written by another process"):
                open_window(path)
        list(window.ingest([document("x", grams(500, 520), 3)]))
    with open_window(path) as window:
        assert window.stats().documents == len(STREAM) + 1


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_not_told_as_another_writer(path, monkeypatch, number):
    def unknown(*_):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as there:
        there.setattr("neardup.stores.lock.fcntl.flock", unknown)
        with pytest.raises(
            NeardupError, match=f"cannot be locked .{os.strerror(number)}.* that supports flock"
        ) as caught:
            open_window(path)
        assert not isinstance(caught.value, WindowLocked)
        open_window(path, readonly=True).close()
    open_window(path).close()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_window_that_may_not_be_written_to_is_told_to_be_readable(path, monkeypatch, number):
    def refused(name: str, mode: str) -> None:
        raise OSError(number, os.strerror(number), name)

    monkeypatch.setattr("neardup.stores.lock.FileIO", refused)
    with pytest.raises(OSError, match=r"the window can only be read \(readonly=True") as caught:
        open_window(path)
    assert (caught.value.errno, caught.value.filename) == (number, str(path / "lock"))


@pytest.mark.parametrize("hour", [3, 9], ids=["a known hour", "a new hour"])
@pytest.mark.parametrize("anew", [False, True], ids=["deleted", "made anew"])
def test_a_writer_stops_when_its_directory_is_another(path, hour, anew):
    """It acknowledges nothing that nobody would find, and writes nothing into the other's files."""
    with open_window(path) as window:
        path.rename(path.with_name("away"))
        if anew:
            with open_window(path) as other:
                list(other.ingest([document("theirs", grams(600, 620), hour)]))
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        with pytest.raises(
            WindowDamaged, match="deleted or replaced while this process wrote to it"
        ) as caught:
            list(window.ingest([document("x", grams(500, 520), hour)]))
        with pytest.raises(WindowDamaged, match="a server must be restarted"):
            window.refresh()
        assert caught.value.path == path / "commit"
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def put_back(copy, path, part):
    """What lies below `part` of the `copy` takes the place of what `path` holds there, in the same files."""
    for file in filter(Path.is_file, (copy / part).rglob("*")):
        shutil.copyfile(file, path / file.relative_to(copy))


@pytest.mark.parametrize(
    ("part", "hour"),
    [("", 2), ("", 9), ("hours/2020.09.13-14", 2)],
    ids=["the window, a known hour", "the window, a new hour", "an hour"],
)
def test_a_writer_stops_when_an_older_copy_is_put_over_its_files(path, part, hour):
    """It acknowledges nothing that nobody would find, and harms nothing of the copy."""
    copy = shutil.copytree(path, path.with_name("copy"))
    with open_window(path) as window:
        list(window.ingest([document("lost", grams(600, 620), 2)]))
        put_back(copy, path, part)
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        with pytest.raises(WindowDamaged, match="an older copy or none: the window was deleted or replaced"):
            list(window.ingest([document("x", grams(500, 520), hour)]))
        with pytest.raises(WindowDamaged if not part else NeardupError):
            window.delete("d9")
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    if not part:
        with open_window(path) as window:
            assert sorted(window) == sorted(document.id for document in STREAM)


def exchange(copy, path, part):
    """As `put_back`, in other files, as rsync does it."""
    shutil.rmtree(path / part)
    shutil.copytree(copy / part, path / part)


@pytest.mark.parametrize(
    ("put", "part"),
    [(put_back, ""), (put_back, "hours/2020.09.13-14"), (exchange, "hours/2020.09.13-14")],
    ids=["the window", "an hour", "another hour"],
)
def test_nothing_is_acknowledged_over_which_a_copy_was_put_before_its_commit(path, put, part, monkeypatch):
    copy = shutil.copytree(path, path.with_name("copy"))
    append = DirectoryWriter.append

    def overtaken(self, hour, new):
        append(self, hour, new)
        put(copy, path, part)

    with open_window(path) as window:
        list(window.ingest([document("lost", grams(600, 620), 2)]))
        monkeypatch.setattr(DirectoryWriter, "append", overtaken)
        with pytest.raises(WindowDamaged, match="deleted or replaced while this process wrote to it"):
            list(window.ingest([document("x", grams(500, 520), 2)]))


@pytest.mark.parametrize("settings", [{}, {"fsync": True}], ids=["plain", "fsync"])
def test_a_full_disk_names_the_file(path, settings):
    named, at = set[str](), 1
    while True:
        with Faults(disk_full).installed() as faults, open_window(path, **settings) as window:
            faults.arm(at)
            try:
                list(window.ingest([document(f"x{at}", grams(500, 520), 9)]))
            except OSError as error:
                if faults.log[-1][0] != "open":  # what stands in for the system knows no names
                    named.add(str(error.filename))
            else:
                break
        at += 1
    assert all(name == str(path) or path in Path(name).parents for name in named)
    assert {"rows.bin", "text.bin", "blob.bin", "keys.bin", "commit"} <= {Path(name).name for name in named}


def process_on(path: Path, code: str) -> subprocess.CompletedProcess[str]:
    """A process of its own that has run `code` on the window at `path`, to its end."""
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)


@pytest.mark.parametrize(("size", "file"), [(0, "lock"), (100, "commit.new"), (300, "window.json.new")])
def test_a_window_that_there_is_no_room_for_names_the_file(tmp_path, size, file):
    code = (
        "import resource, sys, neardup\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    neardup.open(sys.argv[1])\n"
        "except OSError as error:\n"
        "    print(error.filename)"
    )
    assert process_on(tmp_path / "w", code).stdout == f"{tmp_path / 'w' / file}\n"


def test_a_window_of_many_hours_gets_along_with_few_open_files(tmp_path):
    code = (
        "import resource, sys, neardup\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "texts = [(f'{n}', f'Notice {n}: the ferry of {n} o clock is late.', 3_600 * n) for n in range(40)]\n"
        "with neardup.open(sys.argv[1], window_hours=0) as window:\n"
        "    for verdicts in (list(window.ingest(texts)), list(window.ingest(texts))):\n"
        "        print(len(verdicts))"
    )
    done = process_on(tmp_path / "w", code)
    assert (done.stdout, done.stderr) == ("40\n40\n", "")


class TestReaderOfAReplay:
    """Its writer drops hours faster than it asks for them."""

    LATER = document("later", grams(500, 520), 40)

    @pytest.fixture
    def reader(self, path):
        with open_window(path, window_hours=2) as window:
            list(window.ingest([document("copy", grams(0, 24), 0)]))
        with open_window(path, readonly=True) as reader:
            yield reader

    def expire(self, path):
        with open_window(path, advance=True) as window:
            list(window.ingest([self.LATER]))

    def test_a_query_is_answered_by_what_is_there_then(self, path, reader):
        assert reader.query(grams(0, 25)).duplicate_of == "d0"
        self.forget(reader)
        self.expire(path)
        assert reader.query(grams(0, 25), matches=3).status == "unique"
        assert reader.query(grams(500, 520)).duplicate_of == "later"
        assert reader.stats().documents == 1

    def test_a_query_for_a_document_that_has_gone_says_so(self, path, reader):
        self.expire(path)
        with pytest.raises(UnknownDocument):
            reader.query(id="d0")
        assert reader.query(id="later").id == "later"

    def test_groups_are_those_that_are_there_then(self, path, reader):
        self.expire(path)
        assert list(reader.groups()) == []

    def test_a_window_of_another_recipe_in_its_place_is_refused(self, path, reader):
        shutil.rmtree(path)
        with open_window(path, recipe=Recipe(q=3)) as window:
            list(window.ingest([self.LATER]))
        with pytest.raises(WindowResigning, match=":q3:"):
            reader.query(grams(0, 25))

    def test_it_gives_up_where_the_writer_is_always_faster(self, path, reader, monkeypatch):
        asked = []

        def gone(self, rows):
            asked.append(rows)
            raise WindowExpired(path, "2020.09.13-12")

        monkeypatch.setattr(DirectoryReader, "texts", gone)
        with pytest.raises(WindowExpired, match=r"2020\.09\.13-12"):
            reader.query(grams(0, 25))
        assert len(asked) == PATIENCE + 1

    @staticmethod
    def forget(reader):
        """Closes the files that the first query has opened, as a reader of many hours does."""
        reader._session.store.close()


def test_a_writer_that_failed_to_open_leaves_no_lock(path):
    with pytest.raises(RecipeMismatch):
        open_window(path, recipe=Recipe(q=3))
    open_window(path).close()


def test_readers_see_what_was_committed_when_they_came(path):
    writer = open_window(path, batch_documents=4)
    reader = open_window(path, readonly=True)
    verdicts = writer.ingest(document(f"x{i}", grams(500 + 30 * i, 520 + 30 * i), 3) for i in range(12))
    next(verdicts)
    later = open_window(path, readonly=True)
    list(verdicts)
    last = open_window(path, readonly=True)
    assert [window.stats().documents for window in (reader, later, last, writer)] == [12, 16, 24, 24]
    assert reader.query(grams(500, 520)).status == "unique"
    assert later.query(grams(500, 520)).duplicate_of == "x0"
    assert reader.query(id="d1").id == "d1"
    for window in (reader, later, last, writer):
        window.close()


def test_what_is_committed_while_a_reader_reads_is_not_half_there(path, monkeypatch):
    with open_window(path, window_hours=0) as writer:
        load, late = DirectoryStore.load, [document("late", grams(500, 520), 7)]

        def overtaken(self, hour, buffer):
            stored = load(self, hour, buffer)
            list(writer.ingest(late))
            return stored

        monkeypatch.setattr(DirectoryStore, "load", overtaken)
        with open_window(path, readonly=True) as reader:
            assert (reader.stats().documents, reader.stats().newest) == (12, "2020.09.13-14")
        monkeypatch.undo()
        with open_window(path, readonly=True) as reader:
            assert (reader.stats().documents, reader.stats().newest) == (13, "2020.09.13-19")


def test_a_reader_that_looks_while_the_directory_is_made_is_told_that_there_is_no_window(
    tmp_path, monkeypatch
):
    """Not that something else is there."""
    path, is_dir = tmp_path / "new", Path.is_dir

    def is_made_then(self: Path, **options: bool) -> bool:
        there = is_dir(self, **options)
        if self == path and not there:
            self.mkdir()
        return there

    monkeypatch.setattr(Path, "is_dir", is_made_then)
    with pytest.raises(WindowMissing):
        open_window(path, readonly=True)


def test_a_reader_changes_nothing(path):
    with open_window(path, readonly=True) as reader:
        for change in (
            lambda: list(reader.ingest(STREAM[:1])), lambda: list(reader.reconcile()),
            lambda: reader.delete("d1"), reader.expire,
        ):  # fmt: skip
            with pytest.raises(NeardupError, match="readonly"):
                change()
        assert reader.stats().documents == 12


@pytest.mark.parametrize("commits", [0, 1, 2, 3, 4])
def test_a_reader_begins_anew_when_an_older_copy_is_put_over_the_files_and_written_to(path, commits):
    """By then it may have fewer commits than the reader knows, as many, or more."""
    copy = shutil.copytree(path, path.with_name("copy"))
    with open_window(path) as writer:
        for i in range(3):
            list(writer.ingest([document(f"lost{i}", grams(600 + 40 * i, 620 + 40 * i), 2)]))
    with open_window(path, readonly=True) as reader:
        put_back(copy, path, "")
        with open_window(path) as writer:
            for i in range(commits):
                new = [document(f"new{i}{j}", grams(900 + 40 * i, 920 + 40 * i), 2) for j in range(2)]
                list(writer.ingest(new))
            expected = sorted(writer)
        reader.refresh()
        assert sorted(reader) == expected


def test_a_reader_of_an_hour_that_has_expired_reads_again(path):
    with open_window(path) as writer, open_window(path, readonly=True) as reader:
        list(writer.ingest([document("new", "", 25)]))
        with pytest.raises(UnknownDocument):
            reader.query(id="d1")
        assert reader.stats().newest == "2020.09.14-13"
        assert reader.query(id="d11").id == "d11"
        with open_window(path, readonly=True) as again:
            assert list(again.stats().hours) == ["2020.09.13-13", "2020.09.13-14", "2020.09.14-13"]


@pytest.mark.parametrize("lost", ["an hour", "a file"])
def test_a_reader_that_comes_while_hours_are_dropped_begins_anew(path, monkeypatch, lost):
    load = DirectoryStore.load
    with open_window(path) as writer:

        def overtaken(self, hour, buffer):
            monkeypatch.undo()
            if lost == "a file":
                hour_files(path, "text.bin")[0].unlink()
            list(writer.ingest([document("new", "", 25)]))
            return load(self, hour, buffer)

        monkeypatch.setattr(DirectoryStore, "load", overtaken)
        with open_window(path, readonly=True) as reader:
            assert list(reader.stats().hours) == ["2020.09.13-13", "2020.09.13-14", "2020.09.14-13"]


@pytest.mark.parametrize("more", [[], STREAM])
def test_a_reader_that_comes_while_hours_are_dropped_and_come_again_begins_anew(path, monkeypatch, more):
    load = DirectoryStore.load
    with open_window(path, advance=True) as writer:

        def overtaken(self, hour, buffer):
            monkeypatch.undo()
            list(writer.ingest([document("wrong", "", 400)]))
            writer.delete("wrong")
            writer.set_newest(START + 2 * 3_600)
            list(writer.ingest(more))
            return load(self, hour, buffer)

        monkeypatch.setattr(DirectoryStore, "load", overtaken)
        with open_window(path, readonly=True) as reader:
            assert list(reader) == list(writer)


def test_a_window_that_is_damaged_is_called_so_however_often_it_is_committed(path, monkeypatch):
    load, late = DirectoryStore.load, itertools.count()
    with open_window(path, window_hours=0) as writer:
        hour_files(path, "text.bin")[0].write_bytes(b"")

        def overtaken(self, hour, buffer):
            list(writer.ingest([document(f"late{next(late)}", grams(500, 520), 7)]))
            return load(self, hour, buffer)

        monkeypatch.setattr(DirectoryStore, "load", overtaken)
        with pytest.raises(WindowDamaged, match=r"text\.bin"):
            open_window(path, readonly=True)


def test_a_reader_begins_anew_when_an_hour_is_dropped_before_its_keys_are_read(path, monkeypatch):
    read = KeysFile.read
    with open_window(path) as writer:

        def overtaken(self, buffer):
            monkeypatch.undo()
            list(writer.ingest([document("new", "", 25)]))
            return read(self, buffer)

        monkeypatch.setattr(KeysFile, "read", overtaken)
        with open_window(path, readonly=True) as reader:
            assert list(reader.stats().hours) == ["2020.09.13-13", "2020.09.13-14", "2020.09.14-13"]


def test_a_reader_in_memory_changes_nothing_either():
    with open_window(None, readonly=True) as reader:
        assert reader.query(grams(0, 9)).status == "unique"
        with pytest.raises(NeardupError, match="opened readonly"):
            list(reader.ingest([document("a", grams(0, 9))]))


def test_a_reader_needs_a_window(tmp_path):
    with pytest.raises(
        WindowMissing, match="nothing: there is no window here; `neardup ingest FILE --window"
    ):
        open_window(tmp_path / "nothing", readonly=True)
    assert not (tmp_path / "nothing").exists()


# -- settings and recipe --


def test_settings_hold_until_they_are_changed(tmp_path):
    chosen: dict[str, Any] = {
        "threshold": "0.85", "retrieval": "complete", "policy": "route", "window_hours": 5,
        "routes": ("simhash", "sentences"), "min_shared": 3,
    }  # fmt: skip
    open_window(tmp_path / "w", **chosen).close()
    all_changes: list[dict[str, Any]] = [{}, {}, {"threshold": 0.9}, {}]
    for changes in all_changes:
        chosen |= changes
        with open_window(tmp_path / "w", **changes) as window:
            stats = window.stats()
            assert (stats.threshold, stats.retrieval, stats.policy, stats.window_hours) == (
                str(chosen["threshold"]), "complete", "route", 5,
            )  # fmt: skip
    with open_window(tmp_path / "w", settings=Settings()) as window:
        assert (window.stats().threshold, window.stats().policy) == ("0.7", "mark")


def test_a_new_window_has_no_earlier_settings(tmp_path):
    for remember in (True, False):
        with open_window(tmp_path / str(remember), remember=remember, threshold=0.9) as window:
            assert (window.stats().threshold, window.stats().mixed) == ("0.9", {})


def test_another_recipe_is_refused_with_both_names(path):
    with pytest.raises(RecipeMismatch, match=r"neardup-2:q4:.*neardup-2:q5:") as caught:
        open_window(path, recipe=Recipe(q=5))
    assert caught.value.where == str(path)
    with open_window(path, recipe=Recipe()) as window:
        assert window.stats().documents == 12


def lexicon_file(path, key):
    builder = LexiconBuilder(4, False, "test")
    for _ in range(2):
        builder.add(np.array([key], np.uint64), np.array([key], np.uint64))
    builder.build().save(path)
    return path


def test_a_window_keeps_its_own_copy_of_its_lexicon(tmp_path):
    source = lexicon_file(tmp_path / "some.lexicon", 1 << 50)
    with open_window(tmp_path / "w", recipe=Recipe(lexicon=source)) as window:
        verdicts, recipe = list(window.ingest(STREAM)), window.stats().recipe
    source.unlink()
    with open_window(tmp_path / "w") as window:
        assert list(window.ingest(STREAM)) == verdicts
        assert window.stats().recipe == recipe
    own = tmp_path / "w" / "window.lexicon"
    own.write_bytes(own.read_bytes()[:-1] + b"\xff")
    assert damaged(tmp_path / "w", found="window.lexicon").path == own
    own.unlink()
    assert damaged(tmp_path / "w", found="no such file").path == own


def test_a_lexicon_changed_under_its_name_is_another_recipe(tmp_path):
    source = lexicon_file(tmp_path / "some.lexicon", 1 << 50)
    with open_window(tmp_path / "w", recipe=Recipe(lexicon=source)) as window:
        recipe = window.stats().recipe
    lexicon_file(source, 7 << 50)
    with pytest.raises(RecipeMismatch):
        open_window(tmp_path / "w", recipe=Recipe(lexicon=source))
    shutil.rmtree(tmp_path / "w")
    with open_window(tmp_path / "w", recipe=Recipe(lexicon=source)) as window:
        assert window.stats().recipe != recipe
    open_window(tmp_path / "w").close()


# -- damage --


def damaged(path, **expected):
    """Opening says what is damaged, to a writer and, where it can tell, to a reader."""
    with pytest.raises(WindowDamaged) as caught:
        open_window(path)
    assert all(text in str(caught.value) for text in expected.values()), str(caught.value)
    assert caught.value.found
    assert caught.value.expected
    return caught.value


@pytest.mark.parametrize(("content", "found"), [
    ("", "Expecting value"),
    ("{", "Expecting"),
    ("[]", "format"),
    ('{"name": "something else"}', "format"),
    ('{"format": 999}', "999"),
    ('{"format": 2}', "fails its check"),
    ('{"format": 2, "recipe": "r", "recipe_fields": {}, "settings": {}}', "fails its check"),
    ("\udcff\udcfe", ""),
])  # fmt: skip
def test_a_foreign_description_is_refused(path, content, found):
    (path / "window.json").write_bytes(content.encode(errors="surrogateescape"))
    assert "window.json" in str(damaged(path, found=found).path)


@pytest.mark.parametrize(
    ("name", "value"), [("threshold", "high"), ("policy", 7), ("routes", ["x"]), ("window_hours", -1)]
)
def test_a_description_with_a_bad_setting_is_refused(path, name, value):
    description.remember(path, description.read_description(path).settings | {name: value})
    assert damaged(path, name=name).path == path / "window.json"


def test_a_description_that_was_changed_by_hand_is_refused(path):
    file = path / "window.json"
    file.write_text(file.read_text().replace('"0.7"', '"0.6"'))
    assert damaged(path, found="fails its check").path == file


def test_a_window_of_an_earlier_format_names_the_way_on(path):
    (path / "window.json").write_text('{"format": 1, "recipe": "r", "recipe_fields": {}, "settings": {}}')
    for readonly in (True, False):
        with pytest.raises(WindowOutdated, match="neardup resign --window"):
            open_window(path, readonly=readonly)


def test_a_lost_description_is_told(path):
    (path / "window.json").unlink()
    damaged(path, found="no window.json")


def test_a_damaged_commit_slot_is_told(path):
    file = path / "commit"
    size = file.stat().st_size
    for content in (
        b"\x00" * size,
        b"\xff" * size,
        os.urandom(size),
        file.read_bytes()[: size // 2 - 1],
        b"x",
    ):
        file.write_bytes(content)
        assert damaged(path, file="commit").path == file


def test_a_damaged_commit_file_alone_is_told_to_who_would_make_a_window_there(tmp_path):
    (tmp_path / "commit").touch()
    assert damaged(tmp_path, found="0 bytes").path == tmp_path / "commit"


@pytest.mark.parametrize("cut", [1, 127, 128, 256, "all"])
def test_cut_rows_are_told_and_the_rest_is_left_alone(path, cut):
    file = hour_files(path, "rows.bin")[1]
    size = file.stat().st_size
    os.truncate(file, 0 if cut == "all" else size - cut)
    before = {other: other.read_bytes() for other in (path / "hours").rglob("*.bin")}
    damaged(path, file="hours")
    damaged(path, file="hours")
    assert {other: other.read_bytes() for other in (path / "hours").rglob("*.bin")} == before


@pytest.mark.parametrize("name", ["text.bin", "blob.bin", "keys.bin"])
def test_a_cut_file_is_named(path, name):
    file = hour_files(path, name)[0]
    size = file.stat().st_size
    os.truncate(file, size - 1)
    error = damaged(path, found=f"{size - 1:,} bytes", expected=f"{size:,}")
    assert error.path == file
    with pytest.raises(WindowDamaged):
        open_window(path, readonly=True)


@pytest.mark.parametrize("lost", ["", "rows.bin", "text.bin", "keys.bin"])
def test_a_lost_file_or_hour_is_told(path, lost):
    hour = hour_files(path, "rows.bin")[0].parent
    if lost:
        (hour / lost).unlink()
    else:
        shutil.rmtree(hour)
    damaged(path, file="hours")


def test_what_is_not_ours_is_left_alone(path):
    (path / "hours" / "notes").mkdir()
    (path / "hours" / "notes" / "mine.txt").write_text("mine")
    (path / "hours" / "2020.13.45-99").mkdir()
    with open_window(path, advance=True) as window:
        list(window.ingest([document("new", "", 1000)]))
    assert (path / "hours" / "notes" / "mine.txt").read_text() == "mine"
    assert len(list((path / "hours").iterdir())) == 3


def test_a_file_is_no_window(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="a directory"):
        open_window(tmp_path / "file")


@pytest.mark.parametrize("to", ["loop", "nowhere"])
@pytest.mark.parametrize("readonly", [False, True])
def test_a_link_that_leads_to_no_directory_is_told_as_that(tmp_path, to, readonly):
    (tmp_path / "loop").symlink_to(to)
    with pytest.raises(SettingsError, match="not a link that leads nowhere"):
        open_window(tmp_path / "loop", readonly=readonly)


@pytest.mark.parametrize("path", [b"news.window", 5, ":memory:"])
def test_what_is_no_path_opens_nothing(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        SettingsError, match=r"the path of a directory or the URL of a window; None = in memory"
    ):
        open_window(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["a\0b", "a\ud800", Path("a\0b")], ids=["zero", "surrogate", "of a path"])
def test_what_no_directory_can_be_called_opens_nothing(path):
    with pytest.raises(SettingsError, match="a name that a directory can have: without a zero byte or an"):
        open_window(path)


def test_what_belongs_to_the_recipe_is_told_where_it_goes():
    with pytest.raises(SettingsError, match=r"given as recipe=neardup\.Recipe\(q=\.\.\.\)"):
        open_window(None, q=5)  # type: ignore[call-arg]


def test_a_setting_that_does_not_exist_is_refused_with_the_nearest_one():
    with pytest.raises(TypeError, match=r"no setting 'treshold'; the nearest setting is 'threshold'"):
        open_window(None, treshold=0.8)  # type: ignore[call-arg]


@pytest.mark.parametrize("left", [b"\x00", b"\xee"], ids=["zeros", "noise"])
def test_what_a_writer_left_behind_its_commit_is_cut_off(path, left):
    with open_window(path) as window:
        before = window.stats()
    sizes = {file: file.stat().st_size for file in (path / "hours").rglob("*.bin")}
    for file in sizes:
        with file.open("ab") as end:
            end.write(777 * left)
    (path / "hours" / "2020.09.13-23").mkdir()
    with open_window(path) as window:
        assert window.stats() == before
        assert {file: file.stat().st_size for file in sizes} == sizes
        assert summaries(window.ingest(STREAM[:2])) == [(d.id, "unique", None, d.id) for d in STREAM[:2]]


@pytest.mark.parametrize("place", ["absolute", "relative"])
def test_a_file_that_cannot_be_deleted_with_its_hour_is_named_with_the_hour(path, monkeypatch, place):
    """Each hour has files of the same names, and Python 3.11 names them alone; 3.13 names the directory of the hour."""
    monkeypatch.chdir(path.parent)
    path = path if place == "absolute" else Path(path.name)

    def refuse(name, **_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)

    files = hour_files(path, "*.bin")
    with open_window(path, window_hours=2, advance=True) as window, monkeypatch.context() as patch:
        patch.setattr("os.unlink", refuse)
        with pytest.raises(PermissionError) as caught:
            list(window.ingest([document("late", grams(900, 930), 9)]))
    assert Path(caught.value.filename) in {*files, *(file.parent for file in files)}


def test_a_directory_of_an_hour_that_cannot_be_deleted_is_named(path, monkeypatch):
    """Python 3.13 names it as it was called, which is a `Path`."""

    def refuse(name):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), name)

    with open_window(path, window_hours=2, advance=True) as window, monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", refuse)
        with pytest.raises(PermissionError) as caught:
            list(window.ingest([document("late", grams(900, 930), 9)]))
    assert caught.value.filename in map(str, (path / "hours").iterdir())


def test_an_hour_whose_directory_somebody_has_deleted_leaves_the_window(path, monkeypatch):
    def missing(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)

    with open_window(path, window_hours=2, advance=True) as window, monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", missing)
        assert len(list(window.ingest([document("late", grams(900, 930), 9)]))) == 1


def test_more_hours_than_files_are_kept_open(tmp_path):
    stream = [document(f"d{i}", grams(20 * (i % 60), 20 * (i % 60) + 25), 3 * (i % 60)) for i in range(120)]
    with open_window(tmp_path / "w", window_hours=0, batch_documents=50) as window:
        verdicts = list(window.ingest(stream))
    assert {verdict.status for verdict in verdicts[60:]} == {"exact"}
    with open_window(tmp_path / "w") as window:
        assert list(window.ingest(stream)) == verdicts
        open_files = [name for name in _open_files() if str(tmp_path) in name]
    assert len(open_files) < 4 * 40


def _open_files():
    listing = Path("/proc/self/fd")
    return [str(file.readlink()) for file in listing.iterdir() if file.exists()] if listing.is_dir() else []


@pytest.mark.parametrize("settings", [{}, {"threshold": 0.8}, "news"])
def test_settings_are_no_mapping(path, settings):
    for where in (None, path, "http://localhost:1/news"):
        with pytest.raises(SettingsError, match=r"settings is .* a neardup\.Settings"):
            open_window(where, settings=settings)


def test_candidates_are_searched_for_only_in_a_cluster(tmp_path):
    with pytest.raises(SettingsError, match="only a window in a cluster is searched"):
        open_window(tmp_path / "news", candidates="search")
    with pytest.raises(SettingsError, match="candidates is 'disk': it must be 'memory'"):
        open_window(tmp_path / "news", candidates="disk")  # type: ignore[arg-type]
    assert not (tmp_path / "news").exists()


@pytest.mark.parametrize("name", ["readonly", "remember", "force"])
def test_what_is_neither_true_nor_false_opens_nothing(tmp_path, name):
    flags: dict[str, Any] = {name: "no"}
    with pytest.raises(SettingsError, match=f"setting {name} is 'no': it must be true or false"):
        open_window(tmp_path / "w", **flags)
    assert not (tmp_path / "w").exists()
