"""Reading a window in a directory of format 1, which had no checksums, to make a window of today of it.

    DIR/window.json           {"format": 1, "recipe", "recipe_fields", "settings"}
    DIR/window.lexicon        the lexicon, if it is not the default one
    DIR/commit                two commit slots (stores/commit_slots.py), without copies
    DIR/hours/H/rows.bin      rows (`OLD_ROW`)
    DIR/hours/H/text.bin, blob.bin, keys.bin     items one after another; keys are not read: they are of the old recipe

Rows and blobs mean what they mean in stores/records.py; a column that a row has no more is left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.errors import WindowDamaged
from neardup.model.hours import hour_name
from neardup.stores import records
from neardup.stores.commit_slots import newest, read_slots
from neardup.stores.records import ROW
from neardup.stores.stored_hour import hours_in
from neardup.stores.window_directory import DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
_AT_ONCE: Final = 1_000


class OldWindow(NamedTuple):
    """What a window of format 1 says of itself, and its last commit."""

    path: Path
    recipe: str
    recipe_fields: dict[str, Any]
    settings: dict[str, Any]
    commit: Commit


class OldDocuments(NamedTuple):
    """Documents of one hour, in order of version: rows with columns of today, normal forms, blobs.

    The rows say how many keys the documents had, and where all lay: they are to be signed and laid out anew.
    """

    hour: int
    rows: Rows
    texts: list[bytes]
    blobs: list[bytes]


def read_old_window(path: Path) -> OldWindow:
    """The window of format 1 in `path`; raises `WindowDamaged` if there is none that can be read."""
    file = path / DESCRIPTION
    try:
        known = json.loads(file.read_bytes())
        if known["format"] != OLD_FORMAT:
            raise WindowDamaged(file, f"format {known['format']!r}", f"format {OLD_FORMAT}")
        parts = known["recipe"], known["recipe_fields"], known["settings"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WindowDamaged(file, repr(error), f"a description of format {OLD_FORMAT}") from error
    slots = read_slots(path)
    if not any(slots):
        raise WindowDamaged(path / "commit", "nothing that checks", "two commit slots")
    return OldWindow(path, *parts, newest(slots[0] + slots[1]))


def old_documents(window: OldWindow) -> Iterator[OldDocuments]:
    """All documents that are there, by their last versions: hour by hour, up to 1,000 at a time.

    Raises `WindowDamaged` at a file that is shorter than its rows say, and in the end if rows are missing.
    """
    versions = 0
    for hour in hours_in(window.path):
        if hour >= window.commit.floor_hour:
            rows = _rows(window.path / "hours" / hour_name(hour) / "rows.bin", window.commit.seq)
            versions += len(rows)
            yield from _documents(window, hour, rows)
    if versions != window.commit.rows:
        expected = f"the {window.commit.rows:,} that were committed"
        raise WindowDamaged(window.path / "hours", f"{versions:,} rows", expected)


def _rows(file: Path, last: int) -> Rows:
    old = np.fromfile(file, OLD_ROW) if file.exists() else np.empty(0, OLD_ROW)
    rows = np.zeros(len(old), ROW)
    for name in set(ROW.names or ()) & set(OLD_ROW.names or ()):
        if name != "spare":
            rows[name] = old[name]
    return records.committed_rows(rows, last)


def _documents(window: OldWindow, hour: int, rows: Rows) -> Iterator[OldDocuments]:
    directory = window.path / "hours" / hour_name(hour)
    rows = rows[np.sort(records.last_versions(rows, window.commit.floor_order))]
    for at in range(0, len(rows), _AT_ONCE):
        part = rows[at : at + _AT_ONCE]
        texts = _items(directory / "text.bin", records.text_extents(part))
        yield OldDocuments(hour, part, texts, _items(directory / "blob.bin", records.blob_extents(part)))


def _items(file: Path, extents: list[tuple[int, int]]) -> list[bytes]:
    items = []
    with file.open("rb") as opened:
        for start, size in extents:
            opened.seek(start)
            items.append(opened.read(size))
            if len(items[-1]) != size:
                raise WindowDamaged(file, f"{len(items[-1]):,} bytes at byte {start:,}", f"{size:,}")
    return items
