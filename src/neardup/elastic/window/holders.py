"""Who holds a lease: a name for every holder, and whether one that left its name is known to have ended."""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE: Final = Path("/proc/self/ns/pid")

_at_work: set[str] = set()
"""The holders of this process that hold something: any other of its names is that of one that has ended."""


def new_holder() -> str:
    """A name that nobody else has: machine, process, and something of its own."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def _machine() -> str:
    """Where a process id means one process: the machine's name, and on Linux what tells it from others of that name,
    and a container from others of that machine.
    """
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(_BOOT_ID.read_text()[:8])
    with suppress(OSError):
        parts.append(str(_PID_NAMESPACE.stat().st_ino))
    return "/".join(parts)


def begin(holder: str) -> None:
    """From now on `holder`, of this process, is at work; to be called before anybody can read its name."""
    _at_work.add(holder)


def end(holder: str) -> None:
    """`holder`, of this process, is no longer at work."""
    _at_work.discard(holder)


def is_at_work(holder: str) -> bool:
    """Whether `holder`, of this process, has begun and not ended."""
    return holder in _at_work


def has_ended(holder: str) -> bool:
    """Whether a holder is known to have ended: a dead process of this machine, or one of this process that let go.

    A name as earlier versions made them (`host:pid:own`) is of another machine where this one is told apart by more.
    """
    machine, _, rest = holder.partition(":")
    pid = rest.partition(":")[0]
    if machine != _machine() or not pid.isdecimal():
        return False
    if int(pid) == os.getpid():
        return not is_at_work(holder)
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False
