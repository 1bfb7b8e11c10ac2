"""Turns a current window into one of format 1, as the earlier version would have written it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from neardup.model.hours import hour_name
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.old_format import OLD_ROW
from neardup.stores.shown import detached
from neardup.stores.window_directory import COPY, DESCRIPTION, HOUR_LIST, LEXICON

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.stored_hour import StoredHour

_KINDS = ("n_sketch", "n_sieve", "n_prefix", "n_sentences", "n_bands")


def as_format_1(path: Path) -> None:
    """Rewrites the window at `path`: without checksums, with a sketch and a fingerprint that are no longer made."""
    store = DirectoryReader(path)
    for hour in store.hours():
        _rewrite(path, store, hour, store.load(hour))
    store.close()
    commit = (path / "commit").read_bytes()
    (path / "commit").write_bytes(commit[: len(commit) // 2])
    known = json.loads((path / DESCRIPTION).read_text())
    fields = {name: known["recipe_fields"][name] for name in ("q", "fold_case", "simhash_variants")}
    parts = known["recipe"].split(":")
    recipe = ":".join(["neardup-1", *parts[1:5], "sketch-32-1.5", parts[6]])
    old = {"format": 1, "recipe": recipe, "recipe_fields": fields | {"sketch_size": 32, "alpha": 1.5}}
    (path / DESCRIPTION).write_text(json.dumps(old | {"settings": known["settings"]}))
    for name in (DESCRIPTION + COPY, LEXICON + COPY, HOUR_LIST):
        (path / name).unlink(missing_ok=True)


def _rewrite(path: Path, store: DirectoryReader, hour: int, stored: StoredHour) -> None:
    rows = np.zeros(len(stored.rows), OLD_ROW)
    for name in set(OLD_ROW.names or ()) & set(stored.rows.dtype.names or ()) - {"spare"}:
        rows[name] = stored.rows[name]
    rows["count"] = [len(_grams(text.decode())) for text in store.texts(stored.rows)]
    rows["fingerprint"] ^= np.uint64(1)
    keys: list[NDArray[np.uint64]] = []
    stored_keys = stored.keys.read()
    starts = stored.rows["keys_start"].tolist()
    for row, start in zip(rows, starts, strict=True):
        sizes = [int(row[kind]) for kind in _KINDS]
        own = stored_keys[start : start + sum(sizes)]
        row["n_sketch"] = 2
        row["keys_start"] = sum(len(own) for own in keys)
        keys.append(np.concatenate([np.array([1, 2], np.uint64), own[sizes[0] :]]))
    blobs = [
        detached(blob)[0] if row["shown"] else blob
        for row, blob in zip(stored.rows, store.blobs(stored.rows), strict=True)
    ]
    items = {"text": store.texts(stored.rows), "blob": blobs}
    directory = path / "hours" / hour_name(hour)
    for name, parts in items.items():
        sizes_of = np.array([len(part) for part in parts])
        rows[f"{name}_bytes"] = sizes_of
        rows[f"{name}_start"] = np.cumsum(sizes_of) - sizes_of
        (directory / f"{name}.bin").write_bytes(b"".join(parts))
    (directory / "keys.bin").write_bytes(b"".join(part.tobytes() for part in keys))
    (directory / "rows.bin").write_bytes(rows.tobytes())


def _grams(text: str) -> set[str]:
    return {text[i : i + 4] for i in range(len(text) - 3)}
