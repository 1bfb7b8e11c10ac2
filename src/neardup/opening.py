"""Opening a window in memory, in a directory (made if it does not exist) or in a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike, fsencode
from pathlib import Path
from typing import Any, Unpack

from neardup.elastic.http.address import Credentials, check_no_address, is_address
from neardup.errors import SettingsError
from neardup.model.setting_changes import SettingChanges  # noqa: TC001 - for `typing.get_type_hints`
from neardup.model.settings import Recipe, Settings, check_boolean
from neardup.signing.signer import signer_of_new
from neardup.stores.memory import MemoryStore
from neardup.window.directory_opening import open_directory
from neardup.window.engine import WindowEngine


def open_window(
    path: str | PathLike[str] | None,
    *,
    settings: Settings | None = None,
    readonly: bool = False,
    credentials: Credentials | None = None,
    patience: float | None = None,
    archive: str | None = None,
    remember: bool = True,
    force: bool = False,
    **changes: Unpack[SettingChanges],
) -> WindowEngine:
    """The window in the directory `path`, made if it does not exist; None = in memory, lost with the process.

    A URL, `https://host:9200/PREFIX`, is a window in Elasticsearch, which is set up if it does not exist. Three
    arguments are for such a window alone, and are refused for any other:

    credentials   a `neardup.Credentials`; None = those of the environment (NEARDUP_API_KEY, ...)
    patience      seconds for which a request is repeated while the cluster is away or busy; None = 120, 0 = not at all
    archive       the index that the window must score in place (`neardup ingest --in-place`); None = it need not

    With `readonly` a window is neither made nor locked nor written to. Without `settings`, those that the window was
    last written with apply, or the defaults for a new one; `changes` override single ones:
    `open("news.window", threshold=0.8)`. The window remembers the result unless `remember` is False. Fewer hours than
    the window remembers are refused without `force` if documents would be dropped; with `remember` False they are not
    refused, and `ingest` drops older documents.
    Opening reads and checks keys, not texts: 1 to 3 µs a document.
    Raises `WindowMissing` (readonly, and there is none; `NotSetUp` in a cluster), `WindowLocked` (another writer),
    `WindowDamaged`, `RecipeMismatch`, `SettingsError` (also for a directory of other files), `LexiconError`,
    `ClusterError`, `TypeError` (no setting).

    >>> import neardup
    >>> with neardup.open(None, threshold=0.5) as window:
    ...     stream = [("a", "The cat sat on the mat."), ("b", "The cat sat on a mat.")]
    ...     [(verdict.id, verdict.status, verdict.duplicate_of) for verdict in window.ingest(stream)]
    [('a', 'unique', None), ('b', 'near', 'a')]
    """
    _check_arguments(path, settings, changes)
    readonly, remember, force = (
        check_boolean(name, value)
        for name, value in (("readonly", readonly), ("remember", remember), ("force", force))
    )
    if isinstance(path, str) and is_address(path):
        # Opening a directory need not wait for the code that talks to clusters.
        from neardup.elastic.window.opening import open_elastic_window  # noqa: PLC0415

        return open_elastic_window(
            path, settings=settings, readonly=readonly, credentials=credentials, patience=patience,
            archive=archive, remember=remember, force=force, **changes,
        )  # fmt: skip
    secret = None if credentials is None else "***"
    candidates = changes.get("candidates", settings.candidates if settings else "memory")
    _check_without_cluster(candidates, archive=archive, credentials=secret, patience=patience)
    if path is None:
        chosen = (settings or Settings()).with_changes(**changes)
        return WindowEngine(MemoryStore(), chosen, signer_of_new(chosen), readonly=readonly)
    if isinstance(path, str) or Path(path).parts[:1] == ("~",):
        check_no_address(str(path))
    return open_directory(Path(path), settings, changes, readonly=readonly, remember=remember, force=force)


# It has its public name, `neardup.open`, in help and in the errors that Python raises for its arguments. By this name
# pickle looks it up in this module.
open_window.__name__ = open_window.__qualname__ = "open"
open = open_window


def _is_name(path: str | PathLike[str]) -> bool:
    """Whether `path` is possible as a file's name on this system, whether or not the file exists."""
    try:
        return b"\0" not in fsencode(path)
    except UnicodeEncodeError:
        return False


def _check_without_cluster(candidates: Any, **only_there: object) -> None:
    """Raises `SettingsError` if a window that is in no cluster is given what is `only_there`, or is to be searched."""
    for name, value in only_there.items():
        if value is not None:
            expected = "None: it is for a window in a cluster (https://host:9200/PREFIX)"
            raise SettingsError(name, value, expected)
    if candidates != "memory":
        expected = "'memory': only a window in a cluster is searched (https://host:9200/PREFIX)"
        raise SettingsError("candidates", candidates, expected)


def _check_arguments(path: object, settings: object, changes: Mapping[str, Any]) -> None:
    """Raises `SettingsError` for an invalid path, invalid settings, or a setting that belongs to the recipe;
    `TypeError` for a setting that does not exist.
    """
    if not isinstance(settings, Settings | None):
        raise SettingsError("settings", settings, "a neardup.Settings; single ones are keyword arguments")
    for name in sorted(changes.keys() & Recipe.__dataclass_fields__):
        raise SettingsError(name, changes[name], f"given as recipe=neardup.Recipe({name}=...)")
    for name in sorted(changes.keys() - Settings.__dataclass_fields__):
        (nearest,) = get_close_matches(name, list(Settings.__dataclass_fields__), n=1, cutoff=0)
        raise TypeError(f"open() has no argument and no setting {name!r}; the nearest setting is {nearest!r}")
    if isinstance(path, str | PathLike) and not _is_name(path):
        raise SettingsError(
            "window", path, "a name that a directory can have: without a zero byte or an unpaired surrogate"
        )
    # ":memory:" is what SQLite calls a database in memory: nobody means a directory of that name.
    if not isinstance(path, str | PathLike | None) or path == ":memory:":
        raise SettingsError(
            "window", path, "the path of a directory or the URL of a window; None = in memory"
        )
