"""A reader of a directory that is refreshed knows what a reader knows that is opened now, whatever its writer did."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from testing.effort import examples
from testing.window.backends import START, Place, document, grams
from testing.window.operations import SETTINGS, Operation, Run, operations

from neardup.errors import NeardupError, WindowDamaged, WindowMissing, WindowResigning
from neardup.opening import open_window
from neardup.stores import stored_hour
from neardup.stores.directory import DirectoryStore
from neardup.stores.stored_hour import file_size
from neardup.window.directory_resign import resign_directory

STREAM = [document(f"d{i}", grams(20 * i, 20 * i + 25), i // 4) for i in range(12)]
LATER = [document(f"x{i}", grams(500 + 30 * i, 520 + 30 * i), 3 + i // 4) for i in range(8)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "window"
    with open_window(path) as window:
        list(window.ingest(STREAM))
    return path


def answers(window: Any) -> list[Any]:
    """All that can be asked of a window."""
    ids = list(window)
    stats = window.stats().to_dict()
    del stats["memory_bytes"], stats["postings_keys"]  # who has followed has compacted at other times
    return [
        ids, list(window.groups()), [window.get(id) for id in ids], stats,
        *[window.query(id=id, threshold=0.4, matches=None)._replace(candidates=0) for id in ids],
    ]  # fmt: skip


def whole_reads(monkeypatch):
    """A list that grows by an hour whenever one is read from its first row on."""
    load, hours = DirectoryStore.load, []

    def noted(self, hour, buffer):
        hours.append(hour)
        return load(self, hour, buffer)

    monkeypatch.setattr(DirectoryStore, "load", noted)
    return hours


def test_what_was_added_is_found_and_nothing_is_read_twice(path, monkeypatch):
    with open_window(path, readonly=True) as reader, open_window(path, batch_documents=3) as writer:
        hours = whole_reads(monkeypatch)
        assert not reader.refresh()
        for _ in writer.ingest(LATER):
            reader.refresh()
        assert len(reader) == 20
        assert not reader.refresh()
        assert reader.query(grams(500, 520)).duplicate_of == "x0"
        assert hours == []
        with open_window(path, readonly=True) as fresh:
            assert answers(reader) == answers(fresh)


def test_of_many_hours_only_the_files_of_those_with_something_new_are_looked_at(tmp_path, monkeypatch):
    looked = []

    def noted(file):
        looked.append(file.parent.name)
        return file_size(file)

    with open_window(tmp_path / "window", window_hours=0) as writer:
        list(writer.ingest(document(f"d{hour}", grams(9 * hour, 9 * hour + 9), hour) for hour in range(50)))
        with open_window(tmp_path / "window", readonly=True) as reader:
            assert len(reader) == 50
            monkeypatch.setattr(stored_hour, "file_size", noted)
            list(writer.ingest([document("old", grams(800, 820), 48), document("new", grams(900, 920), 50)]))
            assert reader.refresh()
            assert list(reader)[-2:] == ["old", "new"]
    assert len(set(looked)) == 3


def test_what_a_question_has_taken_over_is_told_by_the_next_refresh(path):
    with open_window(path, readonly=True) as reader, open_window(path, advance=True) as writer:
        assert not reader.refresh()
        list(writer.ingest([document("new", grams(900, 920), 25)]))
        assert reader.get("d0") is None  # its hour has gone, so all is read again
        assert list(reader)[-1] == "new"
        assert reader.refresh()
        assert not reader.refresh()


def test_what_has_expired_is_gone_and_nothing_is_read_twice(path, monkeypatch):
    with open_window(path, readonly=True) as reader, open_window(path, advance=True) as writer:
        hours = whole_reads(monkeypatch)
        list(writer.ingest([document("new", grams(900, 920), 25)]))
        assert reader.refresh()
        assert list(reader) == ["d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "new"]
        assert hours == []


def test_copies_that_are_not_kept_have_nothing_read_again(tmp_path, monkeypatch):
    with open_window(tmp_path / "window", policy="drop") as writer:
        list(writer.ingest(STREAM))
        with open_window(tmp_path / "window", readonly=True) as reader:
            kept, hours = list(reader), whole_reads(monkeypatch)
            for copy in (STREAM[0]._replace(id="copy"), STREAM[5]._replace(id="another")):
                assert next(writer.ingest([copy])).status == "exact"
                assert reader.refresh()
            assert (list(reader), hours) == (kept, [])
            list(writer.ingest(LATER))
            assert reader.refresh()
            assert (list(reader), hours) == (list(writer), [])


def test_who_follows_looks_back_as_far_as_the_writer_does_by_now(path):
    """But for who was told how far when it was opened."""
    new = document("new", grams(900, 920), 3)
    with (
        open_window(path, readonly=True) as reader,
        open_window(path, readonly=True, window_hours=2, keep_hours=30) as told,
    ):
        for hours, kept in ((40, None), (0, None), (9, 50)):
            with open_window(path, window_hours=hours, keep_hours=kept, force=True) as writer:
                list(writer.ingest([new]))
                writer.delete("new")
                for each in (reader, told):
                    each.refresh()
                assert (reader.stats().window_hours, reader.stats().keep_hours) == (hours, kept or hours)
                assert answers(reader) == answers(writer)
                known = reader._session.state.settings
                later = reader.query(grams(0, 25), time=START + 3_600 * 20).duplicate_of
                assert (
                    reader._session.state.settings is known
                )  # to validate the same again took a tenth of a query
                assert later == (None if hours == 9 else "d0")
            assert (told.stats().window_hours, told.stats().keep_hours) == (2, 30)


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_who_follows_compares_by_the_threshold_that_the_writer_has_by_now(tmp_path, retrieval):
    """But for who was told one when it was opened."""
    path, near = tmp_path / "window", grams(0, 24)
    with open_window(path, retrieval=retrieval) as window:
        list(window.ingest(STREAM))
    with open_window(path, readonly=True) as reader, open_window(path, readonly=True, threshold=0.8) as told:
        assert reader.query(near).duplicate_of == "d0"
        for threshold in ("0.99", "0.5"):
            with open_window(path, threshold=threshold) as writer:
                list(writer.ingest([document(f"new {threshold}", grams(900, 920), 3)]))
                list(writer.reconcile())
                for each in (reader, told):
                    assert each.refresh()
                assert (reader.settings.threshold, told.settings.threshold) == (threshold, 0.8)
                assert answers(reader) == answers(writer)
            assert reader.query(near).duplicate_of == (None if threshold == "0.99" else "d0")
            assert told.query(near).duplicate_of == "d0"


def test_many_texts_are_compared_at_a_threshold_that_the_lists_are_not_made_for(tmp_path):
    """A reader's lists are those of the threshold at which it was opened: a lower one finds all, as `query` does."""
    path, texts = tmp_path / "window", [grams(at, at + 1_000) for at in range(460, 500, 4)]
    with open_window(path, retrieval="complete", threshold=0.9) as window:
        list(window.ingest([document("d", grams(0, 1_000))]))
    with open_window(path, readonly=True) as reader:
        assert [verdict.matches_total for verdict in reader.check(texts)] == [0] * len(texts)
        with open_window(path, threshold=0.5) as writer:
            list(writer.ingest([document("other", grams(5_000, 5_100), 1)]))
        assert reader.refresh()
        assert [verdict.matches_total for verdict in reader.check(texts)] == [1] * len(texts)


def test_who_follows_for_days_does_not_hold_what_has_expired(path, monkeypatch):
    monkeypatch.setattr("neardup.window.state._COMPACT_FROM", 5)
    with open_window(path, readonly=True) as reader, open_window(path) as writer:
        for hour in range(3, 120):
            new = [document(f"n{hour}-{i}", grams(40 * hour + i, 40 * hour + 25), hour) for i in range(2)]
            list(writer.ingest(new))
            reader.refresh()
            assert reader._session.state.table.size <= 2 * len(reader)
        with open_window(path, readonly=True) as fresh:
            assert answers(reader) == answers(fresh)


@pytest.mark.parametrize(
    "change",
    [lambda writer: writer.delete("d3"), lambda writer: list(writer.ingest([document("d3", "other", 3)]))],
    ids=["deleted", "replaced"],
)
def test_what_was_changed_is_read_again(path, change):
    with open_window(path, readonly=True) as reader, open_window(path) as writer:
        change(writer)
        assert reader.refresh()
        with open_window(path, readonly=True) as fresh:
            assert answers(reader) == answers(fresh)


@pytest.mark.parametrize("has_read", [True, False])
@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("more", [[], LATER])
def test_hours_that_begin_anew_once_the_newest_is_set_back_are_not_taken_for_the_old_ones(
    path, has_read, follows, more
):
    with open_window(path, readonly=True) as reader, open_window(path, advance=True) as writer:
        ids = list(reader)
        if has_read:
            reader.read(ids)
        list(writer.ingest([document("wrong", grams(900, 920), 400)]))
        writer.delete("wrong")
        assert writer.set_newest(START + 2 * 3_600) is not None
        list(writer.ingest([*STREAM[1:], STREAM[0], *more]))
        if follows:
            assert reader.refresh()
        texts = [[read and read.text for read in window.read(ids)] for window in (reader, writer)]
        assert texts[0] == texts[1]
        assert not follows or answers(reader) == answers(writer)


def test_the_oldest_hour_alone_begins_anew_once_the_newest_is_set_back(path):
    with open_window(path, readonly=True) as reader, open_window(path, advance=True) as writer:
        list(reader)
        list(writer.ingest([document("wrong", grams(900, 920), 25)]))
        writer.delete("wrong")
        assert writer.set_newest(START + 2 * 3_600) is not None
        list(writer.ingest([document(f"new {i}", grams(900 + 30 * i, 920 + 30 * i)) for i in range(4)]))
        assert reader.refresh()
        assert answers(reader) == answers(writer)


def test_a_writer_and_a_window_in_memory_have_nothing_to_take_over(path):
    with open_window(path) as writer, open_window(None) as memory:
        list(writer.ingest(LATER))
        assert not writer.refresh()
        assert not memory.refresh()
        memory.close()
        with pytest.raises(NeardupError, match="closed"):
            memory.refresh()


def test_damage_behind_what_was_read_is_told(path):
    with open_window(path, readonly=True) as reader:
        with open_window(path) as writer:
            list(writer.ingest(LATER))
        rows = max(path.glob("hours/*/rows.bin"))
        data = bytearray(rows.read_bytes())
        data[-20] ^= 1
        rows.write_bytes(data)
        with pytest.raises(WindowDamaged, match=r"rows\.bin"):
            reader.refresh()


def test_a_window_that_was_signed_by_another_recipe_is_refused(path):
    with open_window(path, readonly=True) as reader:
        resign_directory(path, None, {"reach": 0.5}, dry_run=False)
        with open_window(path) as writer:
            list(writer.ingest(LATER))
        with pytest.raises(WindowResigning, match="open it again"):
            reader.refresh()


def test_a_window_that_was_signed_by_another_recipe_is_refused_before_anything_is_added(path):
    with open_window(path, readonly=True) as reader:
        resign_directory(path, None, {"reach": 0.5}, dry_run=False)
        for _ in range(2):  # told again, whoever asks next
            with pytest.raises(WindowResigning, match="open it again"):
                reader.refresh()


@pytest.mark.parametrize("more", [[], LATER])
def test_another_window_in_the_same_place_is_read_anew_however_often_it_was_committed(path, more):
    with open_window(path, readonly=True) as reader:
        ids = list(reader)
        reader.read(ids)
        shutil.rmtree(path)
        for _ in range(2):  # told again, whoever asks next
            with pytest.raises(WindowMissing):
                reader.refresh()
        with open_window(path) as writer:
            list(
                writer.ingest(
                    [document(f"y{i}", grams(900 + 20 * i, 925 + 20 * i), i // 4) for i in range(12)]
                )
            )
            if more:
                list(writer.ingest(more))
        assert reader.refresh()
        assert not reader.refresh()
        with open_window(path, readonly=True) as fresh:
            assert answers(reader) == answers(fresh)


@settings(
    max_examples=examples(150), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_a_refreshed_reader_answers_as_one_that_is_opened_now(data: st.DataObject) -> None:
    chosen, stream = data.draw(SETTINGS), data.draw(operations())
    every = data.draw(st.sampled_from((1, 1, 2, 3)))
    with (
        tempfile.TemporaryDirectory() as directory,
        mock.patch("neardup.window.state._COMPACT_FROM", data.draw(st.sampled_from((10_000, 0)))),
    ):
        check(Run(Place("directory", Path(directory)), chosen), stream, every, Path(directory) / "window")


def check(run: Run, stream: list[Operation], every: int, path: Path) -> None:
    try:
        with open_window(path, readonly=True) as reader:
            for step, operation in enumerate(stream):
                run.perform(operation)
                if step % every == 0:
                    reader.refresh()
                    with open_window(path, readonly=True) as fresh:
                        assert answers(reader) == answers(fresh), operation
    finally:
        run.window.close()
