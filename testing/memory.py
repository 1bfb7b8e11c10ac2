"""Where files lie in memory: what a test writes is gone after it, and a disk would only be waited for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

MEMORY: Final = Path("/dev/shm")
_WANTED: Final = 4_000_000_000


def is_roomy() -> bool:
    """Whether there is such a place, with room for nodes and windows: a container may have a few megabytes."""
    return MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > _WANTED
