"""Reading an hour of a window from its files, with every checksum that can be checked without reading the texts."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neardup.model.hours import hour_named
from neardup.stores import records
from neardup.stores.hour_files import BLOBS, KEYS, NAMES, ROWS, STORED_ROW, damage, key_sums, row_sums
from neardup.stores.window_directory import HOURS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.errors import WindowDamaged
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


def read_hour(directory: Path, last: int) -> StoredHour:
    """What of the hour in `directory` is committed: the rows up to version `last`, as far as they check.

    Raises `WindowDamaged` if another file ends before what these rows speak of. Keys are not checked (`check_keys`).
    About 0.3 µs a row.
    """
    rows, ids, whole = read_rows(directory)
    n = len(records.committed_rows(rows, last))
    n = n if whole[:n].all() else int(np.argmin(whole[:n]))
    ends = stored_ends(rows[:n])
    sizes = [file_size(directory / name) for name in NAMES]
    for name, size, end in zip(NAMES, sizes, ends, strict=True):
        if size < end:
            raise damage(directory / name, f"{size:,} bytes", f"at least {end:,}")
    suspect = None
    if n < len(rows) and not whole[n]:
        suspect = damage(
            directory / NAMES[ROWS], f"row {n + 1:,} or its id that does not check", "what was written"
        )
    elif any(size > end for size, end in zip(sizes, ends, strict=True)):
        suspect = damage(directory / NAMES[ROWS], f"{n:,} rows", "those of what else lies in this hour")
    keys = read_keys(directory)
    keys = keys[: ends[KEYS] // keys.itemsize]
    return StoredHour(rows[:n], [id.decode() for id in ids[:n]], keys, ends, suspect)


def read_rows(directory: Path) -> CheckedRows:
    """Every row in the file of an hour's rows, with its id, however damaged; empty where there is no file."""
    stored = _read_array(directory / NAMES[ROWS], STORED_ROW)
    rows: Rows = np.ascontiguousarray(stored["row"])
    ids = _read_ids(directory / NAMES[BLOBS], rows)
    whole = np.array(row_sums(rows, ids, 0), np.uint64) == stored["sum"]
    return CheckedRows(rows, ids, whole & (records.hours_of(rows) == hour_named(directory.name)))


def read_keys(directory: Path) -> NDArray[np.uint64]:
    """All that is in the file of an hour's keys; empty where there is none."""
    return _read_array(directory / NAMES[KEYS], np.dtype("<u8"))


def _read_array(file: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    try:
        return np.fromfile(file, kind)
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


def stored_ends(rows: Rows) -> list[int]:
    """Bytes of the files of an hour that `rows`, from the first on, speak of."""
    return [len(rows) * STORED_ROW.itemsize, *records.ends_of(rows)]


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
