"""Files of Arrow for the commands that read them, and `neardup dedup` of such files."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def write_arrow(path: Path, table: Any) -> Path:
    """Writes a table of pyarrow as a file of Arrow; returns its path."""
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return path


def dedup(*words: Path | str) -> None:
    """Runs `neardup dedup` in a process of its own, which must end well."""
    command = [sys.executable, "-m", "neardup", "dedup", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
