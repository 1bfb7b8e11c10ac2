"""Files written whole or not at all: under another name, then renamed, so that nobody ever reads half of one."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Make `data` the content of the file `path`, or leave it as it is; a link stays one, and its file is replaced."""
    target = Path(path).resolve()
    beside = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
