"""Pipes to processes that are to be killed in the middle of their work, however fast they are."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
from typing import IO


def narrow(pipe: IO[bytes]) -> None:
    """Gives a pipe its smallest capacity (on Linux a page): a writer soon blocks if nobody reads."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):  # it holds more than that already
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, mmap.PAGESIZE)
