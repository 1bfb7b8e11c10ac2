"""Opening a window: find or make its directory, check its recipe, load what is committed, fill the posting lists."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.document import Document  # noqa: F401 - for the example below
from neardup.engines.embedded import EmbeddedWindow
from neardup.engines.search import with_fingerprints
from neardup.engines.state import State
from neardup.engines.store import (
    DELETED,
    FORMAT,
    KEY_COUNTS,
    ROUTED,
    ROW,
    FileStore,
    Hour,
    MemoryStore,
    Rows,
    key_counts,
)
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.kernels.sieve import WORDS as SIEVE_WORDS
from neardup.params import Recipe, Settings
from neardup.signature import Signer, signer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

log = logging.getLogger("neardup")

_LEXICON: Final = "window.lexicon"
_REMEMBERED: Final = ("threshold", "retrieval", "policy", "window_hours", "routes", "min_shared")
"""Settings that an opening without them takes over from the last writer."""
_REBUILD_BATCH: Final = 256
_FILL_BATCH: Final = 65_536
_SKETCH, _SIEVE, _PREFIX, _SENTENCES, _BANDS = range(len(KEY_COUNTS))


def open_window(
    path: str | Path | None,
    *,
    settings: Settings | None = None,
    readonly: bool = False,
    **changes: Any,
) -> EmbeddedWindow:
    """The window in the directory `path`, made if it is not there; None = in memory, lost with the process.

    Without `settings` those it was last written with hold, or the defaults for a new one; `changes` go on top:
    `open("news.window", threshold=0.8)`. Opening reads keys, not texts: about 3 µs a document.
    Raises `WindowLocked` (another writer), `WindowDamaged`, `RecipeMismatch`, `SettingsError`, `LexiconError`.

    >>> with open_window(None, threshold=0.5) as window:
    ...     stream = [("a", "The cat sat on the mat."), ("b", "The cat sat on a mat.")]
    ...     for verdict in window.ingest(Document(*item) for item in stream):
    ...         print(verdict.id, verdict.status, verdict.duplicate_of, verdict.score)
    a unique None None
    b near a 0.5714285714285714
    """
    if path is None:
        chosen = (settings or Settings()).with_changes(**changes)
        return EmbeddedWindow(State(MemoryStore(), chosen, signer(chosen.recipe or Recipe()), readonly=False))
    directory = Path(path)
    if directory.exists() and not directory.is_dir():
        raise SettingsError("window", str(path), "a directory")
    if readonly and not (directory / "window.json").exists():
        raise WindowDamaged(directory, "no window.json", "a window: `neardup ingest` makes one")
    if not readonly:
        directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        store = FileStore(directory, readonly=readonly)
        stack.callback(store.close)
        known = _description(directory)
        chosen = (settings or _remembered(directory / "window.json", known)).with_changes(**changes)
        maker, chosen = _signer(directory, known, chosen)
        if not readonly:
            _describe(directory, chosen, maker)
        store.fsync = chosen.fsync
        state = State(store, chosen, maker, readonly=readonly)
        _load(state, store)
        stack.pop_all()
        return EmbeddedWindow(state)


def _description(directory: Path) -> dict[str, Any]:
    """What window.json says; {} for a new window."""
    file = directory / "window.json"
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
        return Settings(**{name: known["settings"][name] for name in _REMEMBERED if known})
    except (KeyError, TypeError, SettingsError) as error:
        raise WindowDamaged(file, f"settings with {error}", "settings that a writer left") from error


def _signer(directory: Path, known: dict[str, Any], chosen: Settings) -> tuple[Signer, Settings]:
    """The signer of the window's recipe; `RecipeMismatch` if the settings ask for another one."""
    own_lexicon = directory / _LEXICON
    if not known:
        recipe = chosen.recipe or Recipe()
    else:
        try:
            recipe = Recipe(**known["recipe_fields"], lexicon=own_lexicon if own_lexicon.exists() else None)
        except (TypeError, SettingsError) as error:
            raise WindowDamaged(
                directory / "window.json", f"a recipe with {error}", "recipe fields"
            ) from error
    maker = signer(recipe)
    if known and maker.text != known["recipe"]:
        raise RecipeMismatch(str(directory), known["recipe"], maker.text)
    if known and chosen.recipe is not None and signer(chosen.recipe).text != known["recipe"]:
        raise RecipeMismatch(str(directory), known["recipe"], signer(chosen.recipe).text)
    if not known and recipe.lexicon is not None:
        # The window must be readable when the file it was made with has moved or changed.
        shutil.copyfile(recipe.lexicon, own_lexicon)
    return maker, chosen.with_changes(recipe=recipe)


def _describe(directory: Path, settings: Settings, maker: Signer) -> None:
    """Writes window.json, whole or not at all."""
    fields = asdict(maker.recipe)
    del fields["lexicon"]
    remembered = {name: getattr(settings, name) for name in _REMEMBERED}
    remembered["threshold"] = str(settings.threshold)
    text = json.dumps(
        {"format": FORMAT, "recipe": maker.text, "recipe_fields": fields, "settings": remembered}, indent=1
    )
    file = directory / "window.json"
    if file.exists() and file.read_text() == text:
        return
    draft = directory / "window.json.new"
    draft.write_text(text)
    draft.replace(file)


def _load(state: State, store: FileStore) -> None:
    """Fills table and posting lists with what is committed; a writer deletes hours that an expiry left behind."""
    hours = _hours(state, store)
    rows, places = _living(hours, state.committed.floor_order)
    table = state.table
    table.extend(rows, None)
    table.ids = _ids(rows, places, hours)
    table.number_of = {identity: number for number, identity in enumerate(table.ids)}
    table.alive[: len(rows)] = (rows["flags"] & ROUTED) == 0
    for number in np.flatnonzero(rows["group_order"] != rows["order"]).tolist():
        table.join(number, int(rows["group_order"][number]))
    table.account(0, len(rows))
    state.resume()
    for place, hour_data in enumerate(hours):
        numbers = np.flatnonzero(places == place)
        for at in range(0, len(numbers), _FILL_BATCH):
            _fill(state, numbers[at : at + _FILL_BATCH], hour_data.keys)


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


def _living(hours: Sequence[Hour], floor_order: int) -> tuple[Rows, NDArray[np.int64]]:
    """The last version of every living document in order of arrival, and the place of its hour in `hours`."""
    rows = np.concatenate([hour.rows for hour in hours]) if hours else np.empty(0, ROW)
    places = np.repeat(np.arange(len(hours)), [len(hour.rows) for hour in hours])
    order = np.lexsort((rows["seq"], rows["order"]))
    last = np.ones(len(rows), np.bool_)
    last[:-1] = rows["order"][order][1:] != rows["order"][order][:-1]
    order = order[last]
    order = order[((rows["flags"][order] & DELETED) == 0) & (rows["order"][order] >= floor_order)]
    return rows[order], places[order]


def _ids(rows: Rows, places: NDArray[np.int64], hours: Sequence[Hour]) -> list[str]:
    starts = rows["blob_start"].tolist()
    ends = (rows["blob_start"] + rows["id_bytes"]).tolist()
    blobs = [hour.blobs for hour in hours]
    return [
        blobs[place][start:end].decode()
        for place, start, end in zip(places.tolist(), starts, ends, strict=True)
    ]


def _fill(state: State, numbers: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    """Adds documents `numbers` of one hour to the posting lists, from that hour's stored keys."""
    rows = state.table.rows[numbers]
    counts = key_counts(rows)
    starts = rows["keys_start"] + np.cumsum(counts, axis=0) - counts
    sieved = counts[_SIEVE] > 0
    state.table.sieves[numbers[sieved]] = keys[starts[_SIEVE][sieved][:, None] + np.arange(SIEVE_WORDS)]
    short = (rows["count"] == 0) & (rows["text_bytes"] > 0)
    search = state.search
    if state.settings.retrieval == "sketch":
        search.lists.add(
            *_with_short(_gathered(keys, starts[_SKETCH], counts[_SKETCH]), rows, short), numbers
        )
    else:
        lacking = rows["n_prefix"] < search.prefix_lengths(rows["count"])
        if lacking.any():
            _fill_from_texts(state, numbers[lacking])
        whole = ~lacking
        gathered = _gathered(keys, starts[_PREFIX][whole], counts[_PREFIX][whole])
        search.lists.add(*_with_short(gathered, rows[whole], short[whole]), numbers[whole])
    for place, route in ((_SENTENCES, "sentences"), (_BANDS, "simhash")):
        if route in search.routes:
            search.routes[route].add(*_gathered(keys, starts[place], counts[place]), numbers)


def _fill_from_texts(state: State, numbers: NDArray[np.int64]) -> None:
    """Posts documents that were stored without the prefix that this opening searches by: signs their texts again."""
    log.warning(
        "%d documents were stored for another retrieval or threshold: signing their texts again", len(numbers)
    )
    for at in range(0, len(numbers), _REBUILD_BATCH):
        part = numbers[at : at + _REBUILD_BATCH]
        features = state.search.features(state.texts(part.tolist()), normal=True)
        state.search.lists.add(*state.search.posting_keys(features), part)


def _gathered(
    keys: NDArray[np.uint64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """`keys[starts[i]:starts[i] + counts[i]]` one after another, and n + 1 offsets."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return keys[np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])], offsets


def _with_short(
    gathered: tuple[NDArray[np.uint64], NDArray[np.int64]], rows: Rows, short: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    return with_fingerprints(*gathered, short, rows["fingerprint"][:, 0])
