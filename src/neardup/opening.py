"""Opening a window: find or make its directory, check its recipe, load what is committed, fill the posting lists."""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.elastic.http.address import check_no_address, is_address
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.document import Document  # noqa: F401 - for the example below
from neardup.model.settings import REMEMBERED, REMEMBERED_IF_GIVEN, Recipe, Settings
from neardup.signing.signer import Signer, signer_for
from neardup.stores.base import (
    DELETED,
    FORMAT,
    ROW,
    FileStore,
    Hour,
    MemoryStore,
    Rows,
)
from neardup.stores.remembered_settings import merged, write_description
from neardup.stores.window_directory import DESCRIPTION, LEXICON, check_room, check_window
from neardup.window.engine import WindowEngine
from neardup.window.newest_hour import check_hours
from neardup.window.reader import ReadingWindow
from neardup.window.restore import add_stored
from neardup.window.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
        raise SettingsError(
            "archive", archive, "an index of the cluster of a window; this one is a directory"
        )
    if path is None:
        chosen = (settings or Settings()).with_changes(**changes)
        return WindowEngine(
            State(MemoryStore(), chosen, signer_for(chosen.recipe or Recipe()), readonly=False)
        )
    if isinstance(path, str):
        check_no_address(path)
    directory = Path(path)
    if readonly:
        check_window(directory)
    else:
        check_room(directory)
        directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        store = FileStore(directory, readonly=readonly)
        stack.callback(store.close)
        known = _description(directory)
        left = _remembered(directory / DESCRIPTION, known)
        chosen = (settings or left).with_changes(**changes)
        maker, chosen = _signer(directory, known, chosen)
        store.fsync = chosen.fsync
        state = State(store, chosen, maker, readonly=readonly)
        _load(state, store)
        state.left = known.get("settings", chosen.remembered) if state.table.living else chosen.remembered
        if readonly:
            store.remembered = state.left
            stack.pop_all()
            return ReadingWindow(
                state, lambda: open_window(path, settings=settings, readonly=True, **changes)
            )
        window = WindowEngine(state)
        if not known or remember:
            changed = bool(known) and check_hours(str(directory), left, chosen, window.beyond, force=force)
            store.remembered = merged(state.left, chosen.remembered)
            _describe(directory, store.remembered, maker)
            if changed:
                window.apply_hours()
        else:
            store.remembered = known["settings"]
        stack.pop_all()
        return window


def _description(directory: Path) -> dict[str, Any]:
    """What window.json says; {} for a new window."""
    file = directory / DESCRIPTION
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        if (directory / "hours").exists():
            raise WindowDamaged(directory, "hours but no window.json", "a window.json beside them") from None
        return {}
    except ValueError as error:
        raise WindowDamaged(file, str(error), "JSON") from None
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        found = known.get("format") if isinstance(known, dict) else known
        raise WindowDamaged(file, f"format {found!r}", f"format {FORMAT}, the one this version reads")
    if not {"recipe", "recipe_fields", "settings"} <= known.keys():
        raise WindowDamaged(file, f"only {', '.join(sorted(known))}", "recipe, recipe_fields and settings")
    return known


def _remembered(file: Path, known: dict[str, Any]) -> Settings:
    """The settings that the last writer left; the defaults for a new window."""
    try:
        left = known.get("settings", {})
        names = [*(REMEMBERED if known else ()), *(name for name in REMEMBERED_IF_GIVEN if name in left)]
        return Settings(**{name: left[name] for name in names})
    except (KeyError, TypeError, SettingsError) as error:
        raise WindowDamaged(file, f"settings with {error}", "settings that a writer left") from error


def _signer(directory: Path, known: dict[str, Any], chosen: Settings) -> tuple[Signer, Settings]:
    """The signer of the window's recipe; `RecipeMismatch` if the settings ask for another one."""
    own_lexicon = directory / LEXICON
    if not known:
        recipe = chosen.recipe or Recipe()
    else:
        try:
            recipe = Recipe(**known["recipe_fields"], lexicon=own_lexicon if own_lexicon.exists() else None)
        except (TypeError, SettingsError) as error:
            raise WindowDamaged(directory / DESCRIPTION, f"a recipe with {error}", "recipe fields") from error
    maker = signer_for(recipe)
    if known and maker.text != known["recipe"]:
        raise RecipeMismatch(str(directory), known["recipe"], maker.text)
    if known and chosen.recipe is not None and signer_for(chosen.recipe).text != known["recipe"]:
        raise RecipeMismatch(str(directory), known["recipe"], signer_for(chosen.recipe).text)
    if not known and recipe.lexicon is not None:
        # The window must be readable when the file it was made with has moved or changed.
        shutil.copyfile(recipe.lexicon, own_lexicon)
    return maker, chosen.with_changes(recipe=recipe)


def _describe(directory: Path, remembered: dict[str, Any], maker: Signer) -> None:
    """Writes window.json, whole or not at all."""
    fields = asdict(maker.recipe)
    del fields["lexicon"]
    write_description(
        directory,
        {"format": FORMAT, "recipe": maker.text, "recipe_fields": fields, "settings": remembered},
    )


def _load(state: State, store: FileStore) -> None:
    """Fills table and posting lists with what is committed; a writer deletes hours that an expiry left behind."""
    hours = _hours(state, store)
    rows, places, ids = _living(hours, state.committed.floor_order)
    add_stored(state, rows, ids, places, [hour.keys for hour in hours])


def _hours(state: State, store: FileStore) -> list[Hour]:
    """Everything committed, by hour; a reader starts over if the writer drops hours meanwhile."""
    while True:
        state.committed = store.committed
        hours: list[Hour] = []
        for hour in store.hours():
            if hour < state.committed.floor_hour:
                if not state.readonly:
                    store.drop(hour)
                continue
            try:
                hours.append(store.load(hour))
            except FileNotFoundError:
                if not state.readonly:
                    raise
        if not state.readonly:
            store.cut_uncommitted()
            return hours
        store.refresh()
        if store.committed.floor_hour == state.committed.floor_hour:
            return hours


def _living(hours: Sequence[Hour], floor_order: int) -> tuple[Rows, NDArray[np.int64], list[str]]:
    """The last version of every living document in order of arrival, the place of its hour in `hours`, its id."""
    rows = np.concatenate([hour.rows for hour in hours]) if hours else np.empty(0, ROW)
    places = np.repeat(np.arange(len(hours)), [len(hour.rows) for hour in hours])
    order = np.lexsort((rows["seq"], rows["order"]))
    last = np.ones(len(rows), np.bool_)
    last[:-1] = rows["order"][order][1:] != rows["order"][order][:-1]
    order = order[last]
    order = order[((rows["flags"][order] & DELETED) == 0) & (rows["order"][order] >= floor_order)]
    ids = [identity for hour in hours for identity in hour.ids]
    return rows[order], places[order], [ids[i] for i in order.tolist()]
