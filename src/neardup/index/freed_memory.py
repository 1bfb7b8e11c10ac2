"""Memory that was freed, given back to the system.

glibc keeps freed arrays of up to 32 MiB for what is wanted next, once it has seen one of that size: after a window was
read, or its columns have grown, that came to 120 bytes a document which nobody used.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

LARGE: Final = 1 << 17
"""Documents from which on it is worth it."""


def give_back(documents: int) -> None:
    """Gives back what is free, of a process that holds so many documents: a few milliseconds, rarely needed. Does
    nothing where they are few or the C library cannot.
    """
    trim = _trim()
    if documents >= LARGE and trim is not None:
        trim(0)


@cache
def _trim() -> ctypes._NamedFuncPointer | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
