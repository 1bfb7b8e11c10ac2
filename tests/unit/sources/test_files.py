"""Which names are of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from neardup.sources.files import is_stream, listed


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/stdout", Path("/dev/fd/3"), "/proc/self/fd/1"])
def test_what_is_open_already_is_a_stream(name):
    assert is_stream(name)


@pytest.mark.parametrize("name", ["/dev/shm/a.jsonl", Path("/dev/shm/stdout"), "a.jsonl", "dev/stdin", "-"])
def test_a_file_is_none_wherever_it_lies(name):
    assert not is_stream(name)


def test_a_name_leads_where_its_links_lead(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not is_stream("/proc/self/cwd/a.jsonl")
    assert is_stream("/dev/../dev/stdout")
    (tmp_path / "dev").symlink_to("/dev")
    assert is_stream(tmp_path / "dev" / "stdin")


def test_no_two_files_get_one_stem(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("root/d/x.txt", "d/x.txt", "e/x.txt", "top/root/d/x.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("Rain.")
    assert len({file.stem for file in listed(["d", "e", "root", "top"]).files}) == 4
