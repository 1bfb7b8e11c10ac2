"""Checks of everything that neardup needs: Python, libraries, data files, compiled kernels, a window.

The checks of a window in a cluster are in `elastic/admin/checks.py`.
"""

from __future__ import annotations

import platform
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup import __version__
from neardup.cli.exit_codes import in_words
from neardup.cli.serving import HOW, lacking_parts
from neardup.cli.tables import counted
from neardup.errors import NeardupError
from neardup.model.finding import Finding
from neardup.sources import optional_readers
from neardup.stores.window_directory import check_free_directory, holds_window
from neardup.tables import unicode as unicode_table
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.sources.optional_readers import OptionalReader

LIBRARIES: Final = ("numpy", "xxhash", "orjson", "zstandard", "elastic-transport", "typer", "rich")
OLDEST_PYTHON: Final = (3, 11)
LITTLE_SPACE: Final = 1 << 30
"""With less than this many bytes free on its disk, a window is better moved: a busy hour takes about as much."""


def examine(window: Path, *, named: bool = False) -> Iterator[Finding]:
    """Every check of this installation and of the window at `window`.

    Never raises: an exception becomes a finding. A missing window is a warning if the user has `named` it.
    """
    yield from examine_installation()
    if not holds_window(window):
        finding = _attempt(f"window {window}", lambda: _no_window_yet(window))
        yield finding._replace(state="warning") if named and finding.state == "ok" else finding
        return
    yield from _window(window)
    yield _disk(window)


def examine_installation() -> Iterator[Finding]:
    """Every check of Python, the libraries, the data files and the compiled kernels."""
    yield _python()
    yield from map(_library, LIBRARIES)
    yield from map(_reader, optional_readers.ALL)
    yield _server()
    yield _attempt("Unicode tables", _unicode)
    yield _attempt("default lexicon", _lexicon)
    yield _attempt("kernels", _kernels)


def _python() -> Finding:
    shown = f"{platform.python_version()} ({sys.executable}), neardup {__version__}"
    return Finding("Python", "ok" if sys.version_info >= OLDEST_PYTHON else "bad", shown)


def _library(name: str) -> Finding:
    try:
        return Finding(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(name, "bad", f"not installed: pip install {name}")


def _reader(reader: OptionalReader) -> Finding:
    """The finding on an optional reader; it is fine if its library is missing."""
    versions = []
    for name in reader.packages:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            return Finding(reader.reads, "ok", f"not read here; {reader.how} adds it")
    return Finding(reader.reads, "ok", ", ".join(versions))


def _server() -> Finding:
    lacking = lacking_parts()
    if lacking:
        return Finding("neardup serve", "ok", f"not available without {', '.join(lacking)}; {HOW} adds it")
    return Finding("neardup serve", "ok", f"fastapi {metadata.version('fastapi')}")


def _attempt(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "ok", look())
    except (NeardupError, OSError) as error:
        return Finding(what, "bad", in_words(error))


def _unicode() -> str:
    unicode_table.load()
    return "Unicode 16, checksum right"


def _lexicon() -> str:
    lexicon = Lexicon.default()
    return f"{lexicon.id}, of {lexicon.documents:,} documents"


def _kernels() -> str:
    from neardup.kernels import native

    return f"{native.library_path()}, of sources {native.SOURCES}"


def _no_window_yet(path: Path) -> str:
    check_free_directory(path)
    return "none yet; `neardup ingest` makes it"


def _window(path: Path) -> Iterator[Finding]:
    # The engine is not loaded, which takes time, if there is no window.
    import neardup
    from neardup.stores.survey import read_everything
    from neardup.window.newest_hour import examine_newest

    try:
        with neardup.open(path, readonly=True) as window:
            stats = window.stats()
        read_everything(path)
    except (NeardupError, OSError) as error:
        yield Finding(f"window {path}", "bad", in_words(error))
        return
    what = f"{counted(stats.documents, 'document')} in {counted(len(stats.hours), 'hour')}"
    yield Finding(f"window {path}", "ok", f"{what}, recipe {stats.recipe}")
    yield from examine_newest(stats.newest, stats.keep_hours)


def _disk(window: Path) -> Finding:
    free = shutil.disk_usage(window).free
    shown = f"{free / 1e9:,.1f} GB free"
    return Finding("disk", "ok" if free >= LITTLE_SPACE else "warning", shown)
