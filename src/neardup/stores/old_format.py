"""Reads a window in a directory of format 1, which had no checksums, to convert it to the present format.

    DIR/window.json           {"format": 1, "recipe", "recipe_fields", "settings"}
    DIR/window.lexicon        the lexicon, if it is not the default one
    DIR/commit                two commit slots (stores/commit_slots.py), without copies
    DIR/hours/H/rows.bin      rows (`OLD_ROW`)
    DIR/hours/H/text.bin, blob.bin, keys.bin     items one after another

Rows, blobs and keys have the meaning given in stores/records.py; columns that no longer exist are left out.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.errors import WindowDamaged
from neardup.stores import records
from neardup.stores.commit_slots import newest, read_slots
from neardup.stores.description import Description
from neardup.stores.hour_files import BLOBS, KEYS, NAMES, ROWS, TEXTS
from neardup.stores.original import Original, in_order
from neardup.stores.records import ROW
from neardup.stores.stored_hour import hours_in, read_keys
from neardup.stores.window_directory import COMMIT, DESCRIPTION, HOURS, LEXICON, hour_directory

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.base import Commit
    from neardup.stores.records import Rows

OLD_FORMAT: Final = 1
OLD_ROW: Final = np.dtype(
    [
        ("seq", "<i8"), ("order", "<i8"), ("time", "<i8"), ("group_order", "<i8"), ("group_time", "<i8"),
        ("text_start", "<i8"), ("blob_start", "<i8"), ("keys_start", "<i8"),
        ("fingerprint", "<u8", 2),
        ("text_bytes", "<u4"), ("blob_bytes", "<u4"), ("count", "<u4"), ("candidates", "<u4"),
        ("shared", "<i4"), ("larger", "<i4"),
        ("n_prefix", "<u4"), ("n_sentences", "<u4"),
        ("n_sketch", "<u2"), ("n_bands", "<u2"), ("id_bytes", "<u2"), ("group_bytes", "<u2"),
        ("status", "u1"), ("flags", "u1"), ("n_sieve", "u1"), ("words", "u1"), ("asked", "u1"),
        ("spare", "u1", 3),
    ]
)  # fmt: skip


def read_old_window(path: Path) -> Original:
    """The window of format 1 in `path`.

    Raises `WindowDamaged` if there is no readable window of this format, or if rows are missing. Reading a text, a blob
    or keys raises it later, if their file is shorter than the rows say.
    """
    description, commit = _description(path), _commit(path)
    stored = {hour: _rows(path, hour, commit) for hour in hours_in(path) if hour >= commit.floor_hour}
    versions = sum(map(len, stored.values()))
    if versions != commit.rows:
        expected = f"the {commit.rows:,} that were committed"
        raise WindowDamaged(path / HOURS, f"{versions:,} rows", expected)
    last = {hour: in_order(rows, commit.floor_order) for hour, rows in stored.items()}
    hours = {hour: rows for hour, rows in last.items() if len(rows)}
    return Original(OLD_FORMAT, description, commit, hours, partial(_read, path), partial(_keys, path))


def _description(path: Path) -> Description:
    file = path / DESCRIPTION
    try:
        known = json.loads(file.read_bytes())
        if known["format"] != OLD_FORMAT:
            raise WindowDamaged(file, f"format {known['format']!r}", f"format {OLD_FORMAT}")
        own_lexicon = (path / LEXICON).exists()
        return Description(known["recipe"], known["recipe_fields"], own_lexicon, known["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WindowDamaged(file, repr(error), f"a description of format {OLD_FORMAT}") from error


def _commit(path: Path) -> Commit:
    slots = read_slots(path)
    if not any(slots):
        raise WindowDamaged(path / COMMIT, "nothing that checks", "two commit slots")
    return newest(slots)


def _rows(path: Path, hour: int, commit: Commit) -> Rows:
    file = hour_directory(path, hour) / NAMES[ROWS]
    old = np.fromfile(file, OLD_ROW) if file.exists() else np.empty(0, OLD_ROW)
    rows = np.zeros(len(old), ROW)
    for name in set(ROW.names or ()) & set(OLD_ROW.names or ()):
        if name != "spare":
            rows[name] = old[name]
    return records.committed_rows(rows, commit.seq)


def _read(path: Path, hour: int, rows: Rows) -> tuple[list[bytes], list[bytes]]:
    directory = hour_directory(path, hour)
    texts = _items(directory / NAMES[TEXTS], records.text_extents(rows))
    return texts, _items(directory / NAMES[BLOBS], records.blob_extents(rows))


def _items(file: Path, extents: list[tuple[int, int]]) -> list[bytes]:
    items = []
    with file.open("rb") as opened:
        for start, size in extents:
            opened.seek(start)
            items.append(opened.read(size))
            if len(items[-1]) != size:
                raise WindowDamaged(file, f"{len(items[-1]):,} bytes at byte {start:,}", f"{size:,}")
    return items


def _keys(path: Path, hour: int, rows: Rows) -> NDArray[np.uint64]:
    directory = hour_directory(path, hour)
    keys = read_keys(directory)
    end = int((records.first_keys(rows) + records.key_counts(rows).sum(axis=0)).max(initial=0))
    if len(keys) < end:
        raise WindowDamaged(directory / NAMES[KEYS], f"{len(keys):,} keys", f"{end:,}")
    return keys
