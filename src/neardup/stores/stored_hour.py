"""Reading hours of a window from their files, with every checksum that can be checked without reading the texts."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.errors import WindowDamaged
from neardup.model.hours import hour_named
from neardup.stores import records
from neardup.stores.hour_files import BLOBS, KEYS, NAMES, ROWS, STORED_ROW, damage, key_sums, row_sums
from neardup.stores.window_directory import HOURS, hour_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.base import Commit
    from neardup.stores.records import Rows


class StoredHour(NamedTuple):
    """What one hour holds: rows in order of `seq`, the id of each, "" of one that ends its document, and all keys.

    `ends`: bytes of its files that these speak of. `suspect`: the file that may have held more rows than these; they
    may also never have been committed, which only the count of the whole window tells.
    """

    rows: Rows
    ids: list[str]
    keys: NDArray[np.uint64]
    ends: list[int]
    suspect: WindowDamaged | None


def rows_in(hour: StoredHour) -> int:
    """How many rows the file of an hour has, up to the last of these."""
    return hour.ends[ROWS] // STORED_ROW.itemsize


def added_hours(
    path: Path, known: Mapping[int, int], before: Commit, newer: Commit
) -> dict[int, StoredHour] | None:
    """For a reader that follows its writer: the rows that the commit `newer` has and `before` had not, by hour; None if
    it did anything but add documents and drop hours: then all is to be read again, which also tells what was damaged.

    `known`: how many rows of each hour were read already. Costs a look at each hour's file, and about 1 µs a new row.
    """
    if newer.floor_hour < before.floor_hour or newer.next_order < before.next_order:
        return None
    added: dict[int, StoredHour] = {}
    rows = sum(known.values())
    for hour in hours_in(path):
        directory, first = hour_directory(path, hour), known.get(hour, 0)
        grown = file_size(directory / NAMES[ROWS]) > first * STORED_ROW.itemsize
        if hour < newer.floor_hour or not grown:
            continue
        try:
            stored = read_hour(directory, newer.seq, first)
        except (FileNotFoundError, WindowDamaged):
            return None
        if not len(stored.rows):
            continue
        if (records.arrivals_of(stored.rows) < before.next_order).any():
            return None  # a document that was read already has another verdict, or is gone
        added[hour] = stored
        rows += len(stored.rows)
    return added if rows == newer.rows else None


class CheckedRows(NamedTuple):
    """All rows of an hour's file, committed or not; the id of each, and whether row and id are what was written."""

    rows: Rows
    ids: list[bytes]
    whole: NDArray[np.bool_]


def hours_in(path: Path) -> list[int]:
    """The hours that the window at `path` has directories of, ascending; what is called otherwise is not ours."""
    hours = path / HOURS
    entries = hours.iterdir() if hours.is_dir() else iter(())
    return sorted(hour for hour in map(hour_named, (entry.name for entry in entries)) if hour is not None)


def read_hour(directory: Path, last: int, first: int = 0) -> StoredHour:
    """What of the hour in `directory` is committed: the rows from row `first` up to version `last`, as far as they
    check.

    Raises `WindowDamaged` if another file ends before what these rows speak of. Keys are not checked (`check_keys`).
    About 0.3 µs a row; the keys of rows before `first` are there, too, but not read.
    """
    rows, ids, whole = read_rows(directory, first)
    n = len(records.committed_rows(rows, last))
    n = n if whole[:n].all() else int(np.argmin(whole[:n]))
    ends = stored_ends(rows[:n], first)
    sizes = [file_size(directory / name) for name in NAMES]
    for name, size, end in zip(NAMES, sizes, ends, strict=True):
        if size < end:
            raise damage(directory / name, f"{size:,} bytes", f"at least {end:,}")
    suspect = None
    if n < len(rows) and not whole[n]:
        suspect = damage(
            directory / NAMES[ROWS],
            f"row {first + n + 1:,} or its id that does not check",
            "what was written",
        )
    elif any(size > end for size, end in zip(sizes, ends, strict=True)):
        suspect = damage(
            directory / NAMES[ROWS], f"{first + n:,} rows", "those of what else lies in this hour"
        )
    keys = _mapped_keys(directory) if first else read_keys(directory)
    keys = keys[: ends[KEYS] // keys.itemsize]
    return StoredHour(rows[:n], [id.decode() for id in ids[:n]], keys, ends, suspect)


def read_rows(directory: Path, first: int = 0) -> CheckedRows:
    """Every row from row `first` on in the file of an hour's rows, with its id, however damaged; empty where there is
    no file.
    """
    stored = _read_array(directory / NAMES[ROWS], STORED_ROW, first)
    rows = records.joined_rows([stored["row"]])
    ids = _read_ids(directory / NAMES[BLOBS], rows)
    whole = np.array(row_sums(rows, ids, first), np.uint64) == stored["sum"]
    return CheckedRows(rows, ids, whole & (records.hours_of(rows) == hour_named(directory.name)))


def read_keys(directory: Path) -> NDArray[np.uint64]:
    """All that is in the file of an hour's keys; empty where there is none."""
    return _read_array(directory / NAMES[KEYS], np.dtype("<u8"))


def _mapped_keys(directory: Path) -> NDArray[np.uint64]:
    """What `read_keys` gives, but read only where it is looked at."""
    file = directory / NAMES[KEYS]
    count = file_size(file) // 8
    return np.memmap(file, "<u8", "r", shape=(count,)) if count else np.empty(0, np.uint64)


def _read_array(file: Path, kind: np.dtype[Any], first: int = 0) -> NDArray[Any]:
    """The whole items of a file from item `first` on; none where there is no file."""
    try:
        return np.fromfile(file, kind, offset=first * kind.itemsize)
    except FileNotFoundError:
        return np.empty(0, kind)


def are_keys_whole(rows: Rows, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Of which of `rows` of an hour the keys among `keys`, all of that hour, are what was written; 0.3 µs a row."""
    sizes = records.key_counts(rows).sum(axis=0)
    starts = records.key_starts(rows)[0]
    there = (starts >= 0) & (starts + sizes < len(keys))
    whole = np.zeros(len(rows), np.bool_)
    sums = key_sums(keys, starts[there], sizes[there], records.arrivals_of(rows)[there].tolist())
    whole[there] = keys[(starts + sizes)[there]] == np.array(sums, np.uint64)
    return whole


def check_keys(directory: Path, rows: Rows, keys: NDArray[np.uint64]) -> None:
    """Raises `WindowDamaged` unless the keys of all of `rows` are what was written."""
    whole = are_keys_whole(rows, keys)
    if not whole.all():
        actual = f"keys of {np.count_nonzero(~whole):,} documents that do not check"
        raise damage(directory / NAMES[KEYS], actual, "what was written")


def stored_ends(rows: Rows, first: int = 0) -> list[int]:
    """Bytes of the files of an hour that `rows` speak of, which are those from row `first` on."""
    return [(first + len(rows)) * STORED_ROW.itemsize, *records.ends_of(rows)]


def file_size(file: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _read_ids(file: Path, rows: Rows) -> list[bytes]:
    """The id at the beginning of the blob of each of `rows`, b"" of one without a blob.

    What follows the ids is not read: with all matches listed that may be gigabytes.
    """
    extents = records.id_extents(rows)
    if not file_size(file) or not any(size for _, size in extents):
        return [b""] * len(rows)
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as blobs:
        return [blobs[start : start + size] for start, size in extents]
