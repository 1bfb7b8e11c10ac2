"""Files that are written whole or not at all."""

import errno
import os
import re
from pathlib import Path

import pytest

from neardup.tables.atomic_write import write_whole


def test_a_full_disk_is_told_with_the_file_and_leaves_it_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "table"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=re.escape(str(path))):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EPERM])
def test_a_file_that_nothing_can_take_the_place_of_is_overwritten(tmp_path, monkeypatch, code):
    path = tmp_path / "mounted"
    path.write_bytes(b"old")

    def refused(self: Path, target: Path) -> None:
        raise OSError(code, os.strerror(code), str(self), None, str(target))

    monkeypatch.setattr(Path, "replace", refused)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_a_pipe_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match=r"it is no file: .*pipe"):
        write_whole(pipe, b"whole")
    assert pipe.is_fifo()


def test_the_draft_of_the_next_writer_stays(tmp_path, monkeypatch):
    """It has the same name, and may be there as soon as the file is replaced."""
    replace = Path.replace

    def replaced(draft, target):
        replace(draft, target)
        draft.write_bytes(b"the next")

    monkeypatch.setattr(Path, "replace", replaced)
    write_whole(tmp_path / "file", b"whole")
    assert sorted(each.read_bytes() for each in tmp_path.iterdir()) == [b"the next", b"whole"]
