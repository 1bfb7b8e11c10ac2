"""Compiled kernels: plain arrays in, plain arrays out; nothing here knows of documents, files or windows.

Every kernel is compiled by numba on first use and kept (`neardup.kernel_cache` says where), releases the GIL, and has a
slow counterpart in `neardup.oracle.definitions` that it is tested against.
Importing this package costs the import of numba, so nothing that must start quickly imports it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import xxhash

from neardup.kernel_cache import home
from neardup.kernels import compiling


def _sources() -> str:
    """The hash of all that kernels are made of."""
    sources = xxhash.xxh64()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        sources.update(file.read_bytes())
    return sources.hexdigest()


def _drop_stale(directory: Path) -> None:
    """Deletes kernels compiled from other sources than these: they are never used, and seldom overwritten."""
    stamp = directory / "kernels.stamp"
    with contextlib.suppress(OSError, ValueError):  # whatever the stamp holds, stale kernels are not used
        if stamp.exists() and stamp.read_text() == SOURCES:
            return
        for compiled in directory.glob("*.nb[ci]"):
            compiled.unlink(missing_ok=True)
        directory.mkdir(parents=True, exist_ok=True)
        stamp.write_text(SOURCES)


HOME = home()
SOURCES = _sources()
if HOME.writable:
    _drop_stale(HOME.path)
    compiling.announce_compilation()  # elsewhere `caching` warns that every start compiles
