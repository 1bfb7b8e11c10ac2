"""Where do compiled kernels lie, and can they be kept there? Asks the file system only; loads no numba."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

ANEW = (
    "there is nowhere to keep compiled kernels: every start compiles them anew, which takes ten seconds; "
    "set NUMBA_CACHE_DIR to a directory that can be written"
)
"""What an installation without such a place costs, and the way out."""


class Home(NamedTuple):
    """The directory that compiled kernels are read from, and whether new ones can be written to it."""

    path: Path
    writable: bool

    def is_filled(self) -> bool:
        """Whether kernels lie there: if not, the first window takes ten seconds to open."""
        return any(self.path.glob("signing.*.nbi"))


def home() -> Home:
    """The first of these that can be written: below NUMBA_CACHE_DIR, beside the package, in the user's cache.

    Where none can, kernels that were compiled beside the package (by whoever installed it) are still read.
    """
    beside = Path(__file__).parent / "kernels"
    name = f"neardup_{hashlib.sha256(os.fsencode(beside)).hexdigest()[:16]}"
    chosen, user = os.environ.get("NUMBA_CACHE_DIR"), _users()
    compiled = beside / "__pycache__"
    directories = [Path(chosen, name)] if chosen else []
    directories.append(compiled)
    if user is not None:
        directories.append(user / "numba" / name)
    return next(
        (Home(directory, True) for directory in directories if _is_writable(directory)), Home(compiled, False)
    )


def _users() -> Path | None:
    """The user's cache directory; None for a user without a home, such as a container's bare number."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen)
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        return None


def _is_writable(directory: Path) -> bool:
    """Whether files can be made in `directory`, or `directory` itself in the nearest directory above that exists."""
    try:
        while not directory.exists() and directory != directory.parent:
            directory = directory.parent
        return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
    except OSError:  # not even to be looked at
        return False
