"""Files that are written whole or not at all."""

import errno
import os
import re

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
