"""Memory and store in step: after a change that failed, after a reading that failed; one writer at a time."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Callable
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from testing.window.backends import document, grams
from testing.window.sqlite_store import SqliteStore

import neardup
from neardup.errors import ClusterRefused, ClusterRejected, NeardupError, SettingsError, WindowLocked
from neardup.index.search import Search
from neardup.model.settings import Recipe, Settings
from neardup.opening import open_window
from neardup.signing.signer import signer_for
from neardup.stores import commit_slots
from neardup.stores.base import Commit, Records, StoredCandidates
from neardup.stores.commit_slots import LockedSlots
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.hour_files import HourFiles
from neardup.stores.memory import MemoryStore
from neardup.stores.records import ROW, arrivals_of
from neardup.window.engine import WindowEngine

A, B, C = grams(0, 30), grams(100, 130), grams(200, 230)


class FailingStore(SqliteStore):
    """A store that lets go of all that it holds when a change fails, as that of a cluster does."""

    fails_in: str | None = None

    def __init__(self, path):
        super().__init__(path)
        self.held: set[int] = set()

    @contextlib.contextmanager
    def begin(self):
        try:
            self.fail("begin")
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            self._begin_transaction()
            self.held.clear()
            self.revision += 1
            raise

    def append(self, hour, new):
        self.held.update(arrivals_of(new.rows).tolist())
        super().append(hour, new)

    def commit(self, commit):
        self.fail("commit")
        return super().commit(commit)

    def records(self, since):
        for part in super().records(since):
            self.held.update(arrivals_of(part.rows).tolist())
            yield part
            self.fail("records")

    def texts(self, rows):
        assert self.held.issuperset(arrivals_of(rows).tolist())
        return super().texts(rows)

    def blobs(self, rows):
        assert self.held.issuperset(arrivals_of(rows).tolist())
        return super().blobs(rows)

    def fail(self, where):
        if self.fails_in == where:
            raise ConnectionError(where)


@pytest.fixture
def store(tmp_path):
    store = FailingStore(tmp_path / "window.sqlite")
    yield store
    store.close()


@pytest.fixture(params=["directory", "sqlite"])
def opened(request, tmp_path):
    if request.param == "directory":
        return lambda: DirectoryWriter(tmp_path)
    return lambda: SqliteStore(tmp_path / "window.sqlite")


def test_one_writer_at_a_time_has_the_right_to_change_a_store(opened):
    first = opened()
    with first.begin(), pytest.raises(WindowLocked), opened().begin():
        pass
    first.close()
    opened().close()


def window_over(store):
    return WindowEngine(store, Settings(), signer_for(Recipe()))


def test_after_a_change_that_failed_the_window_answers_by_what_is_committed(store):
    window = window_over(store)
    list(window.ingest([document("a", A), document("b", A)]))
    store.fails_in = "commit"
    with pytest.raises(ConnectionError):
        list(window.ingest([document("c", C)]))
    store.fails_in = None
    assert window.query(C).status == "unique"
    assert window.query(A).duplicate_of == "a"
    assert [member.id for group in window.groups() for member in group.members] == ["b"]
    assert window.stats().documents == 2
    with pytest.raises(NeardupError, match="failed half-way"):
        window.delete("a")


def test_what_a_batch_that_failed_would_have_changed_is_not_counted(store):
    """The command line told of copies that are earlier than their originals, and of hours that left, where none was."""
    settings = Settings(window_hours=2, advance=True)
    window = WindowEngine(store, settings, signer_for(Recipe()))
    list(window.ingest([document("a", A, 1), document("b", B, 1)]))
    store.fails_in = "commit"
    with pytest.raises(ConnectionError):
        list(
            window.ingest(
                [document("c", A, 0), document("b", C, 1), document("a", A, 1), document("d", C, 9)]
            )
        )
    assert (window.earlier_copies, window.replaced, window.unchanged) == (0, 0, 0)
    assert (window.too_late, window.left.documents) == (0, 0)


def test_a_batch_that_counts_is_counted_if_what_came_after_it_failed(store, monkeypatch):
    window = WindowEngine(store, Settings(window_hours=2, advance=True), signer_for(Recipe()))
    list(window.ingest([document("a", A, 1)]))
    with monkeypatch.context() as patch:
        patch.setattr(store, "drop", mock.Mock(side_effect=ConnectionError("drop")))
        with pytest.raises(ConnectionError):
            list(window.ingest([document("c", A, 0), document("d", C, 9)]))
    assert (window.earlier_copies, window.left.documents) == (1, 2)


@pytest.mark.parametrize("where", ["begin", "records"])
def test_a_change_that_never_began_leaves_the_window_open(store, where):
    list(window_over(store).ingest([document("a", A), document("b", A)]))
    window = window_over(store)
    store.fails_in = where
    with pytest.raises(ConnectionError):
        window.delete("a")
    store.fails_in = None
    assert window.delete("a")
    assert [verdict.duplicate_of for verdict in window.ingest([document("c", A)])] == ["b"]


def test_what_is_refused_before_anything_is_changed_undoes_nothing_in_the_store(store):
    window = window_over(store)
    list(window.ingest([document("a", A)]))
    before = store.revision
    with pytest.raises(TypeError):
        window.delete([])
    with pytest.raises(SettingsError, match="an hour no later than the newest one"):
        window.set_newest(2_000_000_000)
    assert store.revision == before
    assert window.delete("a")


def test_what_was_read_in_part_does_not_pass_for_all(store):
    list(window_over(store).ingest([document("a", A), document("b", B)]))
    window = window_over(store)
    store.fails_in = "records"
    with pytest.raises(ConnectionError):
        window.stats()
    store.fails_in = None
    assert window.is_empty
    assert window.query(B).duplicate_of == "b"
    assert window.stats().documents == 2


@pytest.mark.parametrize(("interrupted", "is_committed"), [
    ((HourFiles, "append"), False), ((DirectoryWriter, "commit"), False), ((LockedSlots, "write"), True),
])  # fmt: skip
def test_after_an_interrupted_change_a_directory_answers_by_what_is_committed(
    tmp_path, monkeypatch, interrupted, is_committed
):
    window = open_window(tmp_path / "window")
    list(window.ingest([document("a", A), document("b", A)]))
    owner, name = interrupted
    method = getattr(owner, name)

    def interrupt(*arguments, **options):
        if is_committed:
            method(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, interrupt)
        with pytest.raises(KeyboardInterrupt):
            list(window.ingest([document("c", A), document("d", C)]))
    with open_window(tmp_path / "window", readonly=True) as reader:
        expected = ["a", "b", "c", "d"] if is_committed else ["a", "b"]
        assert list(window) == list(reader) == expected
        assert list(window.groups()) == list(reader.groups())
        assert window.read(["a", "d"]) == reader.read(["a", "d"])
        assert window.query(C) == reader.query(C)
        assert (window.get("d") is None) != is_committed
    with pytest.raises(NeardupError, match="failed half-way"):
        window.delete("a")
    window.close()
    with open_window(tmp_path / "window") as again:
        assert list(again) == expected


@pytest.mark.parametrize("times", [1, 2])
def test_a_window_in_memory_outlives_ctrl_c_but_not_a_second_one_at_once(monkeypatch, times):
    def pressed(store, hour, new):
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        append(store, hour, new)

    append, before = MemoryStore.append, signal.signal(signal.SIGINT, signal.default_int_handler)
    window = open_window(None)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(MemoryStore, "append", pressed)
            with pytest.raises(KeyboardInterrupt):
                list(window.ingest([document("a", A), document("b", A)]))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    if times == 1:
        (verdict,) = window.ingest([document("c", A)])
        assert (list(window), verdict.group) == (["a", "b", "c"], "a")
    else:
        with pytest.raises(NeardupError, match="in memory alone"):
            list(window)


@pytest.mark.parametrize(
    "change",
    [
        lambda window: window.delete_many([f"d{i}" for i in range(10)]),
        lambda window: window.expire(now=1_700_000_000 + 4 * 3_600, keep_hours=3),
        lambda window: list(
            window.ingest([document(f"d{i}", grams(50 * i, 50 * i + 20), hour=2) for i in range(10)])
        ),
    ],
    ids=["delete", "expire", "ingest"],
)
@pytest.mark.parametrize("in_memory", [False, True])
def test_after_an_interrupt_while_memory_is_freed_nothing_is_answered_by_half_of_it(
    tmp_path, monkeypatch, change, in_memory
):
    """Once it was: docs had new numbers in one array and old ones in another, and the process crashed."""
    monkeypatch.setattr("neardup.window.state._COMPACT_FROM", 5)
    window = open_window(None if in_memory else tmp_path / "window")
    list(window.ingest([document(f"d{i}", grams(50 * i, 50 * i + 30), hour=1 + i // 10) for i in range(20)]))
    with monkeypatch.context() as patched:
        patched.setattr(Search, "renumber", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            change(window)
    if in_memory:
        with pytest.raises(NeardupError, match="in memory alone"):
            list(window)
        return
    with open_window(tmp_path / "window", readonly=True) as reader:
        assert list(window) == list(reader)
        for i in range(20):
            text = grams(50 * i, 50 * i + 30)
            assert window.query(text) == reader.query(text)


def test_an_interrupt_right_behind_the_write_of_a_commit_does_not_make_the_window_a_replaced_one(
    tmp_path, monkeypatch
):
    def interrupt(*arguments):
        os.pwrite(*arguments)
        raise KeyboardInterrupt

    slots = LockedSlots(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(commit_slots, "os", SimpleNamespace(**{**vars(os), "pwrite": interrupt}))
        with pytest.raises(KeyboardInterrupt):
            slots.write(Commit(generation=1), flush=False)
    slots.check_same()
    slots.close()


def test_after_an_interrupted_change_a_window_in_memory_says_that_its_documents_are_lost(monkeypatch):
    window = open_window(None)
    list(window.ingest([document("a", A), document("b", A)]))
    with monkeypatch.context() as patched:
        patched.setattr(MemoryStore, "append", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            list(window.ingest([document("c", A)]))
    asked: list[Callable[[WindowEngine], object]] = [
        len,
        list,
        WindowEngine.stats,
        WindowEngine.groups,
        lambda window: window.query(A),
        lambda window: window.read(["a"]),
    ]
    for ask in asked:
        with pytest.raises(
            NeardupError, match="in memory alone: open another one, and ingest its documents again"
        ):
            ask(window)
    with pytest.raises(NeardupError, match=r"failed half-way: .* unless the window is in memory alone"):
        list(window.ingest([document("c", A)]))


class Counting(MemoryStore):
    """A store that counts how often texts are read of it."""

    readings = 0

    def texts(self, rows):
        self.readings += 1
        return super().texts(rows)


class Noting(MemoryStore):
    """Notes when it is read, and when the right to change it is taken."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def begin(self):
        self.calls.append("begin")
        return super().begin()

    def records(self, since):
        self.calls.append("records")
        return super().records(since)


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_window_is_read_before_others_have_to_wait_for_its_change(candidates):
    """`expire` of a window whose candidates are searched for read all of it while it kept other scorers out."""
    store = Noting()
    with WindowEngine(store, Settings(candidates=candidates), signer_for(Recipe())) as window:
        assert not window.delete("none")
    assert store.calls == ["records", "begin"]


def test_reconcile_reads_the_texts_of_many_documents_at_once():
    """In a cluster each reading is a request: it took one a document."""
    with WindowEngine(store := Counting(), Settings(), signer_for(Recipe())) as window:
        documents = [document(f"d{i}", grams(i * 40, i * 40 + 40)) for i in range(300)]
        assert {verdict.status for verdict in window.ingest(documents)} == {"unique"}
        before = store.readings
        assert list(window.reconcile()) == []
        assert store.readings - before == 2


class HoldingOn(MemoryStore):
    """A store whose hours cannot be deleted: they are blocked, a snapshot is made of them, or a right is lacking."""

    def __init__(self, why):
        super().__init__()
        self.why, self.held = why, set()

    def drop(self, hour):
        if self.why or hour in self.held:
            raise self.why or SNAPSHOT
        super().drop(hour)


SNAPSHOT = ClusterRejected("url", "DELETE /x", 400, "snapshot_in_progress_exception", "being snapshotted")
REFUSED = ClusterRefused("url", "indices:admin/delete", "x", "scorer")


@pytest.mark.parametrize("why", [SNAPSHOT, REFUSED])
def test_an_hour_that_cannot_be_deleted_keeps_no_verdict_back(caplog, why):
    """What was committed had its verdicts, and nobody was told them."""
    settings = Settings(window_hours=1, advance=True)
    with WindowEngine(store := HoldingOn(why), settings, signer_for(Recipe())) as window:
        documents = [document("old", A, hour=0), document("new", B, hour=5)]
        assert [verdict.id for verdict in window.ingest(documents)] == ["old", "new"]
        assert f"{why}; its documents have left the window" in caplog.text
        assert len(window) == 1
        with pytest.raises(type(why), match=re.escape(str(why))):
            window.expire(documents[1].time)
        store.why = None
        assert len(window.expire(documents[1].time)) == 1
        assert len(store.hours()) == 1


def test_an_hour_that_cannot_be_deleted_keeps_no_other_one():
    """Every expiry ended at it, and nothing expired any more."""
    settings = Settings(window_hours=0)
    with WindowEngine(store := HoldingOn(None), settings, signer_for(Recipe())) as window:
        documents = [document(f"d{hour}", grams(hour * 40, hour * 40 + 40), hour=hour) for hour in range(5)]
        assert len(list(window.ingest(documents))) == 5
        store.held = {min(store.hours())}
        for kept in (2, 1):
            with pytest.raises(ClusterRejected, match="being snapshotted"):
                window.expire(documents[4].time, keep_hours=kept)
            assert len(store.hours()) == kept + 2


class SearchedStore(FailingStore):
    """A store that finds the candidates of a batch, which are all that it holds. `refuses`: the id of a document."""

    refuses: str | None = None

    def look_ahead(self, batch):
        pass

    def candidates_of_batch(self, batch):
        none = Records.of_one_part(np.zeros(0, ROW), [], np.zeros(0, "<u8"))
        return StoredCandidates(next(self.records(Commit()), none))

    def commit(self, commit):
        added = {id for (id,) in self._base.execute("SELECT id FROM documents")}
        if self.refuses not in added:
            return super().commit(commit)
        self._base.execute("ROLLBACK")
        self._begin_transaction()
        return {self.refuses: "made up"}


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_writer_takes_over_what_others_have_committed_and_nothing_of_its_own(tmp_path, candidates):
    """One that searches for candidates said so of its own batches."""
    store = SearchedStore(tmp_path / "window.sqlite")
    mine, theirs = (
        WindowEngine(store, Settings(candidates=each), signer_for(Recipe()))
        for each in (candidates, "memory")
    )
    assert not mine.refresh()
    list(mine.ingest([document("a", A), document("b", B)]))
    assert not mine.refresh()
    store.refuses = "refused"
    assert [verdict.id for verdict in mine.ingest([document("refused", A), document("c", C)])] == ["c"]
    assert mine.query(A).duplicate_of == "a"
    mine.delete("c")
    assert not mine.refresh()
    list(theirs.ingest([document("d", A)]))
    list(mine.ingest([document("e", B)]))
    assert [mine.refresh(), mine.refresh()] == [True, False]
    theirs.delete("a")
    assert [mine.refresh(), mine.refresh()] == [True, False]
    store.close()


def test_what_was_read_for_one_batch_does_not_pass_for_the_window(tmp_path):
    class OfNone(SearchedStore):
        def candidates_of_batch(self, batch):
            return StoredCandidates(Records.of_one_part(np.zeros(0, ROW), [], np.zeros(0, "<u8")))

    store = OfNone(tmp_path / "window.sqlite")
    with WindowEngine(store, Settings(candidates="search"), signer_for(Recipe())) as window:
        for each in (document("a", A), document("b", B)):
            list(window.ingest([each]))
        assert len(window) == 2
        assert window.query(A).duplicate_of == "a"


def test_a_setting_of_an_open_window_cannot_be_set():
    with neardup.open(None, threshold=0.7) as window:
        with pytest.raises(AttributeError, match=r"neardup\.open\(path, threshold=0\.9\)"):
            window.threshold = 0.9  # type: ignore[attr-defined]
        assert window.settings.threshold == 0.7
