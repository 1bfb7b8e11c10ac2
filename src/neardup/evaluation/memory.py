"""How much memory this process holds, and the most that it has held."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def peak_bytes() -> int | None:
    """The most resident memory since the start or the last `forget_peak`, in bytes; None where the system does not say.

    `ru_maxrss` is not used on Linux: a process started by a larger one inherits that one's maximum.
    """
    if _STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def resident_bytes() -> int | None:
    """Resident memory now, in bytes; None where the system does not say."""
    return _status("VmRSS") if _STATUS.exists() else None


def forget_peak() -> None:
    """Resets the peak to the memory held now, where the system can do that (Linux 4.0 and later)."""
    with contextlib.suppress(OSError):  # otherwise the peak includes earlier memory, and is never too low
        _CLEAR.write_text("5")


def _status(name: str) -> int | None:
    for line in _STATUS.read_text("ascii", "replace").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return None
