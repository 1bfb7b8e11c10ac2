"""Which names are of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from neardup.sources.files import is_stream


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/stdout", Path("/dev/fd/3"), "/proc/self/fd/1"])
def test_what_is_open_already_is_a_stream(name):
    assert is_stream(name)


@pytest.mark.parametrize("name", ["/dev/shm/a.jsonl", Path("/dev/shm/stdout"), "a.jsonl", "dev/stdin", "-"])
def test_a_file_is_none_wherever_it_lies(name):
    assert not is_stream(name)
