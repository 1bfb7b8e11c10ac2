"""A place for files in memory: a test's files are deleted after it, so waiting for a disk would be of no use."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

MEMORY: Final = Path("/dev/shm")
_WANTED: Final = 4_000_000_000


def is_roomy() -> bool:
    """Whether there is such a place with room for nodes and windows: a container may have only a few megabytes."""
    return MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > _WANTED
