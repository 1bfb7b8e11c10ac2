"""Files written whole or not at all: under another name, then renamed, so that nobody ever reads half of one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

DRAFT: Final = ".tmp"
"""What a draft is called that a killed process has left: the file, a dot, the process id, and this."""


def write_whole(path: str | os.PathLike[str], data: bytes, *, private: bool = False) -> None:
    """Make `data` the content of the file `path`, or leave it as it is; a link stays one, and its file is replaced.

    `private`: it is a secret, which nobody but the owner can read, from its first byte on.
    """
    target = Path(path).resolve()
    beside = target.with_name(f"{target.name}.{os.getpid()}{DRAFT}")
    try:
        if private:
            beside.unlink(missing_ok=True)
            beside.touch(0o600, exist_ok=False)
        beside.write_bytes(data)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
