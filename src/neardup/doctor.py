"""Whether everything that neardup needs is there: Python, libraries, data files, the kernels' cache, a window.

The checks of a window in a cluster are in `cluster/checks.py`.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from neardup import rank_table, unicode_table
from neardup.directory import check_room, holds_window
from neardup.errors import NeardupError
from neardup.lexicon import Lexicon
from neardup.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.cluster.address import Address, Credentials

State = Literal["ok", "warning", "bad"]

LIBRARIES: Final = ("numpy", "numba", "xxhash", "orjson", "zstandard", "elasticsearch", "typer", "rich")
OLDEST_PYTHON: Final = (3, 11)
LITTLE_SPACE: Final = 1 << 30
"""Bytes free on a disk below which a window is better moved: an hour of a busy stream takes about as much."""


class Check(NamedTuple):
    """What was looked at, its state, and what was found (with the remedy, where there is something to do)."""

    what: str
    state: State
    found: str


def examine(window: Path) -> Iterator[Check]:
    """Every check of this installation and of the window at `window`; loads no kernel.

    Never raises: what would be an exception elsewhere is a finding here.
    """
    yield from _installation()
    if not holds_window(window):
        yield _attempt(f"window {window}", lambda: _room(window))
        return
    yield _attempt(f"window {window}", lambda: _window(window))
    yield _disk(window)


def examine_cluster(address: Address, credentials: Credentials) -> Iterator[Check]:
    """Every check of this installation and of the window at `address`; loads no kernel, writes nothing."""
    yield from _installation()
    # The client library takes half a second to load.
    from neardup.cluster.checks import examine as examine_window  # noqa: PLC0415

    for finding in examine_window(address, credentials):
        yield Check(*finding)


def _installation() -> Iterator[Check]:
    yield _python()
    yield from map(_library, LIBRARIES)
    yield _attempt("Unicode tables", _unicode)
    yield _attempt("rank tables", _ranks)
    yield _attempt("default lexicon", _lexicon)
    yield _kernel_cache()


def _python() -> Check:
    found = f"{platform.python_version()} ({sys.executable}), neardup {VERSION}"
    return Check("Python", "ok" if sys.version_info >= OLDEST_PYTHON else "bad", found)


def _library(name: str) -> Check:
    try:
        return Check(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, "bad", f"not installed: pip install {name}")


def _attempt(what: str, look: Callable[[], str]) -> Check:
    try:
        return Check(what, "ok", look())
    except (NeardupError, OSError) as error:
        return Check(what, "bad", str(error))


def _unicode() -> str:
    unicode_table.load()
    return "Unicode 16, checksum right"


def _ranks() -> str:
    rank_table.load()
    return "checksum right"


def _lexicon() -> str:
    lexicon = Lexicon.default()
    return f"{lexicon.id}, of {lexicon.documents:,} documents"


def kernels_are_compiled() -> bool:
    """Whether compiled kernels lie in one of the caches: if not, the first window takes half a minute to open."""
    return any(next(place.rglob("signing.*.nbi"), None) for place in _caches() if place.is_dir())


def _caches() -> list[Path]:
    """Where numba keeps compiled kernels: where it is told to, else beside the package, else in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [Path(str(resources.files("neardup") / "kernels")), user / "numba"]


def _kernel_cache() -> Check:
    state = "compiled" if kernels_are_compiled() else "not compiled yet: the first window takes half a minute"
    for place in _caches():
        if _writable(place):
            return Check("kernel cache", "ok", f"{place} is writable, {state}")
    found = (
        "nowhere to write: every start compiles the kernels anew; set NUMBA_CACHE_DIR to a directory of yours"
    )
    return Check("kernel cache", "warning", found)


def _writable(place: Path) -> bool:
    """Whether files can be made in `place`, or `place` itself in the nearest directory above that exists."""
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(place, os.W_OK)


def _room(path: Path) -> str:
    check_room(path)
    return "none yet; `neardup ingest` makes it"


def _window(path: Path) -> str:
    # Opening needs the engine and with it the kernels' module; nobody waits for it where there is no window.
    import neardup  # noqa: PLC0415

    with neardup.open(path, readonly=True) as window:
        stats = window.stats()
    return f"{stats.documents:,} documents in {len(stats.hours):,} hours, recipe {stats.recipe}"


def _disk(window: Path) -> Check:
    free = shutil.disk_usage(window).free
    found = f"{free / 1e9:,.1f} GB free"
    return Check("disk", "ok" if free >= LITTLE_SPACE else "warning", found)
