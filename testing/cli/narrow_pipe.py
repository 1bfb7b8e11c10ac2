"""Pipes to processes that are to be ended in the middle of their work, however fast they are."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
from typing import IO


def narrow(pipe: IO[bytes]) -> None:
    """Makes a pipe hold as little as it can (on Linux a page): who writes is soon held up by who does not read."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):  # it holds more than that already
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, mmap.PAGESIZE)
