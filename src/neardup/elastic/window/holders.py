"""Holders of leases: a name for each, and whether the holder of a name is known to have ended."""

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
"""The active holders of this process; any other name of this process belongs to a holder that has ended."""


def new_holder() -> str:
    """A unique name: machine, process id, and a random part."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def _machine() -> str:
    """The scope in which a process id is unique: the machine's name, and on Linux ids that tell it from other machines
    of that name, and a container from others on the machine.
    """
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(_BOOT_ID.read_text()[:8])
    with suppress(OSError):
        parts.append(str(_PID_NAMESPACE.stat().st_ino))
    return "/".join(parts)


def begin(holder: str) -> None:
    """Marks `holder`, of this process, as active; must be called before anybody can read its name."""
    _at_work.add(holder)


def end(holder: str) -> None:
    """Marks `holder`, of this process, as ended."""
    _at_work.discard(holder)


def is_at_work(holder: str) -> bool:
    """Whether `holder`, of this process, has begun and not ended."""
    return holder in _at_work


def has_ended(holder: str) -> bool:
    """Whether a holder is known to have ended: a dead process of this machine, or one of this process that let go.

    A name from an earlier version (`host:pid:own`) counts as one of another machine if today's name of this machine has
    more parts.
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
