"""Opening a window: in memory, in a directory, which is found or made, or in a cluster."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neardup.elastic.http.address import check_no_address, is_address
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.document import Document  # noqa: F401 - for the example below
from neardup.model.settings import Recipe, Settings
from neardup.signing.signature import Signer, signer_for
from neardup.stores.description import Description, describe, read_description, settings_of
from neardup.stores.directory import DirectoryStore
from neardup.stores.memory import MemoryStore
from neardup.stores.remembered_settings import merged
from neardup.stores.window_directory import DESCRIPTION, LEXICON, check_room, check_window
from neardup.window.changed_hours import check_hours
from neardup.window.engine import WindowEngine

if TYPE_CHECKING:
    from neardup.elastic.http.address import Credentials


def open_window(
    path: str | Path | None,
    *,
    settings: Settings | None = None,
    readonly: bool = False,
    credentials: Credentials | None = None,
    patience: float | None = None,
    archive: str | None = None,
    remember: bool = True,
    force: bool = False,
    **changes: Any,
) -> WindowEngine:
    """The window in the directory `path`, made if it is not there; None = in memory, lost with the process.

    A URL, `https://host:9200/PREFIX`, is a window in Elasticsearch (elastic/window/opening.py), for which alone
    `credentials`, `patience` and `archive` are.

    Without `settings` those it was last written with hold, or the defaults for a new one; `changes` go on top:
    `open("news.window", threshold=0.8)`. They are remembered in turn unless `remember` is False. Fewer hours than the
    window remembers, by which documents would go, are refused without `force`.
    Opening reads keys, not texts: about 3 µs a document.
    Raises `WindowMissing` (readonly, and there is none), `WindowLocked` (another writer), `WindowDamaged`,
    `RecipeMismatch`, `SettingsError` (also for a directory that holds other files), `LexiconError`.

    >>> with open_window(None, threshold=0.5) as window:
    ...     stream = [("a", "The cat sat on the mat."), ("b", "The cat sat on a mat.")]
    ...     for verdict in window.ingest(Document(*item) for item in stream):
    ...         print(verdict.id, verdict.status, verdict.duplicate_of, verdict.score)
    a unique None None
    b near a 0.5714285714285714
    """
    if isinstance(path, str) and is_address(path):
        # Whoever has a directory need not wait for what talks to clusters.
        from neardup.elastic.window.opening import open_elastic_window  # noqa: PLC0415

        return open_elastic_window(
            path, settings=settings, readonly=readonly, credentials=credentials, patience=patience,
            archive=archive, remember=remember, force=force, **changes,
        )  # fmt: skip
    if archive is not None:
        expected = "an index of the cluster of a window; this one is a directory"
        raise SettingsError("archive", archive, expected)
    if path is None:
        chosen = (settings or Settings()).with_changes(**changes)
        return WindowEngine(MemoryStore(), chosen, signer_for(chosen.recipe or Recipe()))
    if isinstance(path, str):
        check_no_address(path)
    return _open_directory(Path(path), settings, changes, readonly=readonly, remember=remember, force=force)


def _open_directory(
    directory: Path,
    settings: Settings | None,
    changes: dict[str, Any],
    *,
    readonly: bool,
    remember: bool,
    force: bool,
) -> WindowEngine:
    if readonly:
        check_window(directory)
    else:
        check_room(directory)
        directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        store = DirectoryStore(directory, readonly=readonly)
        stack.callback(store.close)
        description = read_description(directory)
        left = settings_of(directory, description)
        signer, chosen = _signer(directory, description, (settings or left).with_changes(**changes))
        store.fsync = chosen.fsync
        store.previous = store.remembered = description.settings
        window = WindowEngine(store, chosen, signer, readonly=readonly)
        window.load()
        if window.is_empty and (remember or readonly):
            store.remembered = chosen.remembered  # no verdict is by any others
        if not readonly and (remember or description.is_new):
            _remember(window, store, signer, None if description.is_new else left, force=force)
        stack.pop_all()
        return window


def _remember(
    window: WindowEngine, store: DirectoryStore, signer: Signer, left: Settings | None, *, force: bool
) -> None:
    """Makes the window remember what it was opened with; `left`: what its last writer left, None for a new one."""
    chosen = window.settings
    changed = left is not None and check_hours(str(store.path), left, chosen, window.expirable, force=force)
    store.remembered = merged(store.remembered, chosen.remembered)
    describe(store.path, store.remembered, signer.recipe, signer.text)
    if changed:
        window.apply_hours()


def _signer(directory: Path, description: Description, chosen: Settings) -> tuple[Signer, Settings]:
    """The signer of the window's recipe, and the `chosen` settings with that; `RecipeMismatch` if they ask for another.

    A new window gets a copy of its lexicon: it must be readable when the file it was made with has moved or changed.
    """
    own_lexicon = directory / LEXICON
    if description.is_new:
        recipe = chosen.recipe or Recipe()
        signer = signer_for(recipe)
        if recipe.lexicon is not None:
            shutil.copyfile(recipe.lexicon, own_lexicon)
        return signer, chosen.with_changes(recipe=recipe)
    try:
        lexicon = own_lexicon if own_lexicon.exists() else None
        recipe = Recipe(**description.recipe_fields, lexicon=lexicon)
    except (TypeError, SettingsError) as error:
        raise WindowDamaged(directory / DESCRIPTION, f"a recipe with {error}", "recipe fields") from error
    signer = signer_for(recipe)
    for asked in (recipe, chosen.recipe):
        if asked is not None and signer_for(asked).text != description.recipe:
            raise RecipeMismatch(str(directory), description.recipe, signer_for(asked).text)
    return signer, chosen.with_changes(recipe=recipe)
