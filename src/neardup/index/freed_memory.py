"""Gives freed memory back to the system.

Once glibc has seen a freed array of up to 32 MiB, it keeps freed arrays of that size for later requests. After a window
was read, or its columns have grown, that came to 120 unused bytes a document.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

LARGE: Final = 1 << 17
"""The fewest documents for which giving back is worth it."""


def give_back(documents: int) -> None:
    """Gives free memory of this process, which holds so many `documents`, back to the system: a few milliseconds,
    rarely needed. Does nothing if there are few documents, or if the C library cannot.
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
