"""When a verdict has been yielded, a killed process loses neither document nor verdict.

Processes that are really killed are in test_torture.py.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from testing.window.backends import START, Place, document, grams
from testing.window.faults import Faults, Killed, disk_full, killed
from testing.window.operations import Delete, Expire, Ingest, Operation, Reconcile, Run

from neardup.errors import NeardupError
from neardup.model.boilerplate import Boilerplate
from neardup.model.settings import Recipe
from neardup.model.verdict import Verdict
from neardup.opening import open_window
from neardup.signing import boilerplate_file
from neardup.stores import lock
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.survey import examine_window
from neardup.tables.lexicon import LexiconBuilder

SETTINGS: dict[str, Any] = {"window_hours": 4, "batch_documents": 4}


def small_stream():
    """Several hours in every batch, copies among them; hours expire on the way, but not within their own batch."""
    numbers = random.Random(1)
    hours = [0, 0, 1, 2, 1, 2, 3, 3, 4, 5, 5, 6, 7, 6, 8, 7]
    return [document(f"d{i}", grams(3 * numbers.randrange(9), 30), hour) for i, hour in enumerate(hours)]


# -- at every call that changes a file --


@pytest.mark.parametrize(("error", "settings", "step"), [
    (killed, {}, 1),
    (disk_full, {}, 2),
    (killed, {"fsync": True}, 11),
    (killed, {"retrieval": "complete", "routes": ("sentences", "simhash")}, 3),
])  # fmt: skip
def test_a_failure_at_any_call_loses_nothing_acknowledged(tmp_path, error, settings, step):
    stream, settings = small_stream(), SETTINGS | settings
    undisturbed = list(Place("memory", tmp_path).open(**settings).ingest(stream))
    at, done = 1, list[Verdict]()
    while len(done) < len(stream):
        done = []
        with Faults(error).installed() as faults, open_window(tmp_path / f"{at}", **settings) as window:
            faults.arm(at)
            try:
                done.extend(window.ingest(stream))
            except (Killed, OSError):
                with pytest.raises(NeardupError, match="open it again"):
                    list(window.ingest(stream))
        assert done == undisturbed[: len(done)]
        with open_window(tmp_path / f"{at}", **settings) as window:
            # Asked for by the same text again, which changes nothing of what is known.
            living = [i for i, verdict in enumerate(done) if is_known(window, verdict.id)]
            assert living[-1:] == list(range(len(done)))[-1:]
            assert list(window.ingest(stream[i] for i in living)) == [done[i] for i in living]
            assert list(window.ingest(stream[len(done) :])) == undisturbed[len(done) :], at
        at += step
    assert at > 20


def is_known(window, id):
    try:
        return window.query(id=id).id == id
    except KeyError:
        return False


OPERATIONS: list[Operation] = [
    Ingest(small_stream()[:4]), Delete("d0"), Ingest([document("late", grams(0, 30), 0.5)]), Reconcile(),
    Ingest([document("d1", grams(9, 39), 2)]), Reconcile(), Expire(6), Ingest(small_stream()[8:12]), Delete("d9"),
    Ingest([document(f"x{i}", grams(50 * i, 50 * i + 9), 6) for i in range(9)]), Expire(20),
]  # fmt: skip


def test_an_operation_that_failed_was_done_or_not(tmp_path):
    settings = SETTINGS | {"max_documents": 8, "batch_documents": 20}
    model = Run(Place("memory", tmp_path), settings)
    states = [model.state()]
    for operation in OPERATIONS:
        model.perform(operation)
        states.append(model.state())
    at, last = 1, 0
    while last < len(OPERATIONS):
        run = Run(Place("directory", tmp_path / f"{at}"), settings)
        run.window.close()
        last = 0
        with Faults().installed() as faults:
            run = Run(Place("directory", tmp_path / f"{at}"), settings)
            faults.arm(at)
            try:
                for operation in OPERATIONS:
                    run.perform(operation)
                    last += 1
            except Killed:
                pass
            run.window.close()
        run = Run(Place("directory", tmp_path / f"{at}"), settings)
        assert run.state() in (states[last : last + 2]), (at, last)
        run.window.close()
        at += 1


@pytest.mark.parametrize("error", [killed, disk_full])
def test_a_failure_while_opening_harms_nothing(tmp_path, error):
    stream = small_stream()
    reference = Place("memory", tmp_path).open(**SETTINGS)
    undisturbed = list(reference.ingest(stream))
    at, opened = 1, False
    while not opened:
        path = tmp_path / f"{at}"
        with Faults().installed() as faults, open_window(path, **SETTINGS) as window:
            done = list(window.ingest(stream[:8]))
            faults.arm(22)  # in the middle of the next batch
            with pytest.raises(Killed):
                done.extend(window.ingest(stream[8:]))
        with Faults(error).installed() as faults:
            faults.arm(at)
            try:
                open_window(path, **SETTINGS).close()
                opened = True
            except Killed:
                faults.bury()
            except OSError:
                pass  # and this process goes on: it can try again
        with open_window(path, **SETTINGS) as window:
            assert list(window.ingest(stream[len(done) :])) == undisturbed[len(done) :]
            assert window.stats().hours == reference.stats().hours
        at += 1
    assert at > 5


def test_a_failure_while_a_window_is_made_harms_nothing(tmp_path):
    at, opened = 1, False
    while not opened:
        with Faults().installed() as faults:
            faults.arm(at)
            try:
                open_window(tmp_path / f"{at}").close()
                opened = True
            except Killed:
                faults.bury()
        with open_window(tmp_path / f"{at}") as window:
            assert [verdict.status for verdict in window.ingest(small_stream()[:1])] == ["unique"]
        at += 1
    assert at > 3


def test_with_fsync_everything_is_flushed_before_it_is_committed(tmp_path):
    path = tmp_path / "window"
    with Faults().installed() as faults, open_window(path, fsync=True, **SETTINGS) as window:
        list(window.ingest(small_stream()))
    unflushed: set[str] = set()
    for call, file in faults.log:
        if call == "pwrite" and file.endswith("/commit"):
            assert not {other for other in unflushed if other != file}, (
                "a commit is written twice, then flushed"
            )
        if call == "pwrite" and "lock" not in file:
            unflushed.add(file)
        if call == "fsync":
            unflushed.discard(file)
    assert not unflushed
    flushed = {file for call, file in faults.log if call == "fsync"}
    assert {str(file) for file in (path / "commit", path / "hours", path, tmp_path.resolve())} <= flushed


def test_a_window_with_fsync_outlasts_a_power_cut(tmp_path, monkeypatch):
    path, after = tmp_path / "window", tmp_path / "after"
    files = {name: tmp_path / name for name in ("lexicon", "salt", "boilerplate")}
    LexiconBuilder(4, False, "test").build().save(files["lexicon"])
    files["salt"].write_text("a secret")
    boilerplate_file.save(Boilerplate({}), files["boilerplate"])
    flushed: dict[int, bytes] = {}

    def noting(file):
        inode = os.fstat(file).st_ino
        flushed.update((inode, each.read_bytes()) for each in files_of(path) if each.stat().st_ino == inode)

    monkeypatch.setattr(os, "fsync", noting)
    with open_window(path, fsync=True, window_hours=0, recipe=Recipe(**files)) as window:
        verdicts = list(window.ingest(small_stream()))
        list(window.reconcile())
    shutil.copytree(path, after)
    for file in files_of(path):  # of every one that is left which was on the disk
        (after / file.relative_to(path)).write_bytes(flushed.get(file.stat().st_ino, b""))
    with open_window(after) as window:
        assert list(window) == [verdict.id for verdict in verdicts]
        assert window.settings.window_hours == 0
    assert examine_window(after).is_whole


def files_of(directory):
    return [file for file in directory.rglob("*") if file.is_file()]


@pytest.mark.parametrize("left", ["hours.list", "hours.list.4711.tmp", "window.salt.4711.tmp"])
def test_what_is_left_of_a_window_that_was_only_begun_is_in_nobodys_way(tmp_path, left):
    (tmp_path / left).touch()
    with open_window(tmp_path) as window:
        assert len(list(window.ingest(small_stream()))) == len(small_stream())


def interrupted(*_):
    raise KeyboardInterrupt


def test_an_interrupted_opening_or_closing_keeps_nobody_out(tmp_path):
    path = tmp_path / "window"
    for name in ("neardup.stores.lock.os.ftruncate", "neardup.stores.commit_slots.check_same"):
        with mock.patch(name, interrupted), pytest.raises(KeyboardInterrupt), open_window(path) as window:
            list(window.ingest(small_stream()))
    window = open_window(path, fsync=True)
    assert next(window.ingest(small_stream())).status == "unique"
    with (
        mock.patch("neardup.stores.hour_files.HourFiles.close", interrupted),
        pytest.raises(KeyboardInterrupt),
    ):
        window.close()
    window.close()
    open_window(path).close()


class _Interruption:
    """Raises KeyboardInterrupt before one step of Python's in the modules of the locks: `at`, counted from 1. Nothing
    shorter can be interrupted.
    """

    def __init__(self, at: int) -> None:
        self.steps, self._at = 0, at

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._begin)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)

    def _begin(self, frame, event, argument):
        if Path(frame.f_code.co_filename).name not in {"lock.py", "commit_slots.py", "directory.py"}:
            return None
        frame.f_trace_opcodes = True
        return self._step

    def _step(self, frame, event, argument):
        if event == "opcode":
            self.steps += 1
            if self.steps == self._at:
                raise KeyboardInterrupt
        return self._step


def test_an_opening_or_closing_that_is_interrupted_at_any_step_keeps_nobody_out(tmp_path):
    path = tmp_path / "window"
    open_window(path).close()
    at = steps = 0
    with warnings.catch_warnings(
        action="ignore", category=ResourceWarning
    ):  # Python closes what is left open
        while at <= steps:
            at, store = at + 1, None
            with contextlib.suppress(KeyboardInterrupt), _Interruption(at) as interruption:
                store = DirectoryWriter(path)
                store.close()
            steps = interruption.steps
            if store is not None:
                store.close()
            DirectoryWriter(path).close()
    assert at > 300


def test_no_interrupt_is_lost_while_a_lock_is_let_go(tmp_path):
    """Python ignores what is raised in the callback of a weak reference. Many windows leave no trace either."""
    open_window(tmp_path / "window").close()
    called, before = set(), sys.getprofile()
    sys.setprofile(lambda frame, event, argument: called.add(Path(frame.f_code.co_filename).name))
    try:
        for _ in range(100):
            DirectoryWriter(tmp_path / "window").close()
    finally:
        sys.setprofile(before)
    assert "lock.py" in called
    assert "_weakrefset.py" not in called
    assert len(lock._held_here) < 80


# -- again, and in full --


def long_stream():
    """Several hours in every batch; every third document is a copy of an earlier one."""
    numbers = random.Random(7)
    texts = [grams(80 * i, 80 * i + 40) for i in range(200)]
    documents = []
    for i in range(480):
        text = texts[numbers.randrange(i // 3 + 1)] if i % 3 == 0 else texts[numbers.randrange(200)]
        documents.append(
            {"id": f"d{i}", "text": text, "time": START + 3_600 * (i // 40 + numbers.randrange(5))}
        )
    return documents


def files(path):
    """Every file's bytes; of the commit slot, which counts commits, only how many."""
    found = {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return found | {Path("commit"): len(found[Path("commit")])}


@pytest.mark.parametrize("policy", ["mark", "route"])
def test_the_same_stream_again_changes_nothing(tmp_path, policy):
    settings: dict[str, Any] = {"policy": policy, "window_hours": 0}
    with open_window(tmp_path / "window", **settings) as window:
        verdicts, stats = list(window.ingest(long_stream())), window.stats()
    before = files(tmp_path / "window")
    with open_window(tmp_path / "window", **settings) as window:
        assert window.stats().to_dict() | {"memory_bytes": 0} == stats.to_dict() | {"memory_bytes": 0}
        assert list(window.ingest(long_stream())) == verdicts
    assert files(tmp_path / "window") == before


def test_opening_and_looking_writes_nothing(tmp_path):
    with open_window(tmp_path / "window", **SETTINGS) as window:
        list(window.ingest(small_stream()))
    before = files(tmp_path / "window")
    for readonly in (True, False):
        with open_window(tmp_path / "window", readonly=readonly) as window:
            assert window.query(grams(0, 30)).candidates
            assert list(window.groups())
    assert files(tmp_path / "window") == before
