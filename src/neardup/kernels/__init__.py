"""Compiled kernels: plain arrays in, plain arrays out; nothing here knows of documents, files or windows.

Every kernel is compiled by numba on first use and cached beside the package (or in numba's user cache when that
directory is read-only), releases the GIL, and has a slow counterpart in `neardup.oracle` that it is tested against.
Importing this package costs the import of numba, so nothing that must start quickly imports it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import xxhash

from neardup.kernels import compiling

_HERE = Path(__file__).parent


def _drop_stale_cache() -> None:
    """Deletes kernels compiled from other sources than these.

    numba looks at the file of a function only: it would go on using a kernel into which a function or a constant
    of another file, changed since, was compiled.
    """
    sources = xxhash.xxh64()
    for file in sorted(_HERE.glob("*.py")):
        sources.update(file.read_bytes())
    stamp = _HERE / "__pycache__" / "kernels.stamp"
    with contextlib.suppress(OSError):  # a read-only installation changes as a whole, and numba sees that
        if stamp.exists() and stamp.read_text() == sources.hexdigest():
            return
        for compiled in stamp.parent.glob("*.nb[ci]"):
            compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(sources.hexdigest())


_drop_stale_cache()
compiling.tell()
