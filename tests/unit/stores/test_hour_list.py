"""The list of the hours of a window."""

from __future__ import annotations

from unittest import mock

from neardup.model.hours import hour_name
from neardup.stores import hour_list
from neardup.stores.window_directory import HOUR_LIST


def passed(directory, hours):
    """The hours begin one after another, each with only the one before it left."""
    for hour in hours:
        hour_list.note_begun(directory, hour)
        hour_list.note_dropped(directory, hour - 1)


def test_the_list_of_a_writer_that_runs_for_years_stays_short(tmp_path):
    passed(tmp_path, range(500_000, 505_000))
    assert (tmp_path / HOUR_LIST).stat().st_size < 50_000
    assert hour_list.listed_hours(tmp_path) == {504_999}
    assert hour_list.is_whole(tmp_path, [504_999])


def test_a_long_list_is_not_read_for_every_hour_of_thousands_that_are_dropped(tmp_path, monkeypatch):
    reading = mock.Mock(wraps=hour_list.listed_hours)
    monkeypatch.setattr(hour_list, "listed_hours", reading)
    for hour in range(500_000, 504_000):
        hour_list.note_begun(tmp_path, hour)
    for hour in range(500_000, 503_999):
        hour_list.note_dropped(tmp_path, hour)
    assert reading.call_count < 20
    assert hour_list.listed_hours(tmp_path) == {503_999}


def test_a_long_list_that_cannot_be_read_or_rewritten_stays_as_it_is(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space")

    file, lines = tmp_path / HOUR_LIST, f"{hour_name(1)}\n" * 2_926  # with the next line, over 40,960 bytes
    file.write_text("x\n" + lines[:-14])
    hour_list.note_dropped(tmp_path, 0)
    assert file.read_text().startswith("x\n")
    file.write_text(lines[:-14])
    with monkeypatch.context() as patched:
        patched.setattr(hour_list, "write_whole", full)
        hour_list.note_dropped(tmp_path, 0)
    assert len(file.read_text().splitlines()) == 2_926
    file.write_text(lines[:-14])
    hour_list.note_dropped(tmp_path, 0)
    assert file.read_text() == f"{hour_name(1)}\n"
