"""Reads hours of a window from their files, and verifies all checksums that can be verified without reading texts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.errors import WindowDamaged
from neardup.model.hours import hour_named
from neardup.stores import records
from neardup.stores.base import Records, by_part
from neardup.stores.hour_files import BLOBS, KEYS, NAMES, ROWS, STORED_ROW, damage, key_sums, row_sums
from neardup.stores.lock import naming
from neardup.stores.packed_ids import PackedIds
from neardup.stores.window_directory import HOURS, hour_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.base import Commit
    from neardup.stores.records import Rows

    Reading = Callable[[Path], AbstractContextManager[None]]

_NEAR_BYTES: Final = 1 << 12
"""The most bytes between two ids that are read along with them, because that is as fast as skipping them."""
_BLOCK_BYTES: Final = 1 << 20
"""The most bytes of ids, and of data between them, that are in memory at a time."""


class StoredHour(NamedTuple):
    """The committed data of one hour: rows in order of `seq`; the id of each, empty for a row that ends its document;
    and the file of its keys.

    `ends`: how long the files must be for these rows, in bytes. `suspect`: an error that names the file of rows, if it
    may have held more committed rows than these; whether it did, only the row count of the whole window tells.
    """

    rows: Rows
    ids: PackedIds
    keys: KeysFile
    ends: list[int]
    suspect: WindowDamaged | None


class KeysFile:
    """The committed keys of the hour in `directory`. The file is opened when they are read, and not kept open, because
    a window may have more hours than a process may have open files.
    """

    def __init__(self, directory: Path, end: int, *, mapped: bool) -> None:
        self.directory = directory
        self._end, self._mapped = end, mapped

    def __len__(self) -> int:
        return self._end // 8

    def read(self, buffer: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """All keys, in `buffer` if that is given. With `mapped`, the file is mapped into memory, and only the keys that
        are used are read. Raises `FileNotFoundError` if the hour has been dropped.
        """
        if not self._end:
            return np.empty(0, "<u8")
        name = self.directory / NAMES[KEYS]
        with naming(name), name.open("rb", buffering=0) as file:
            if self._mapped:
                with contextlib.suppress(ValueError):  # the file is too short, which is reported below
                    return np.frombuffer(mmap(file.fileno(), self._end, access=ACCESS_READ), "<u8")
            keys = np.empty(len(self), "<u8") if buffer is None else buffer[: len(self)]
            rest = keys.view(np.uint8).data
            while rest and (read := file.readinto(rest)):
                rest = rest[read:]
        if rest:
            raise damage(name, f"{self._end - len(rest):,} bytes", f"at least {self._end:,}")
        return keys


class HourKeys(Sequence["NDArray[np.uint64]"]):
    """The keys of some hours. Those of an hour are read when they are asked for, and valid until the next hour is asked
    for. Raises `WindowDamaged` unless the keys of its documents check.

    rows, part_of   the documents, and the index of each one's hour
    reading         a context in which an hour is read; it turns a missing file into the right error
    """

    def __init__(
        self, files: Sequence[KeysFile], rows: Rows, part_of: NDArray[np.int64], reading: Reading
    ) -> None:
        self._files, self._rows, self._reading = files, rows, reading
        self._own = by_part(part_of, len(files))
        self._buffer = np.empty(0, "<u8")

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, part: int) -> NDArray[np.uint64]:  # type: ignore[override]
        file = self._files[part]
        if len(file) > len(self._buffer):
            self._buffer = np.empty(max(map(len, self._files)), "<u8")
        own = records.rows_at(self._rows, self._own[part])
        with self._reading(file.directory):
            keys = file.read(self._buffer)
            check_keys(file.directory, own, keys)
        return keys


def records_of(hours: Sequence[StoredHour], rows: Rows, floor_arrival: int, reading: Reading) -> Records:
    """The last versions of the documents of `hours` from the arrival `floor_arrival` on. `rows`: the rows of all hours,
    one after another; `reading` as in `HourKeys`.
    """
    files = [hour.keys for hour in hours]
    part_of = np.repeat(np.arange(len(hours)), [len(hour.rows) for hour in hours])
    ids = PackedIds.joined([hour.ids for hour in hours])
    if not records.are_all_last(rows, floor_arrival):
        last = records.last_versions(rows, floor_arrival)
        rows, ids, part_of = records.chosen_rows(rows, last), ids.chosen(last), part_of[last]
    return Records(rows, ids, HourKeys(files, rows, part_of, reading), part_of)


def rows_in(hour: StoredHour) -> int:
    """How many rows the file of an hour has, up to the last one of `hour`."""
    return hour.ends[ROWS] // STORED_ROW.itemsize


def added_hours(
    path: Path, known: Mapping[int, int], before: Commit, newer: Commit
) -> dict[int, StoredHour] | None:
    """For a reader that follows its writer: the rows, by hour, that commit `newer` has and `before` did not have. None
    if anything but adding documents and dropping hours was done: then everything must be read again, which also finds
    any damage.

    `known`: how many rows of each hour were read already. Costs listing the names of all hours, a look at the file of
    each, from the newest back until all committed rows are found, and about 1 µs a new row.
    """
    if newer.floor_hour < before.floor_hour or newer.next_order < before.next_order:
        return None
    filled = [hour for hour, count in known.items() if count]
    # Hours are dropped from the oldest on: if the oldest one is still the same, so are the others.
    if filled and was_begun_after(hour_directory(path, min(filled)), before.seq):
        return None
    added: dict[int, StoredHour] = {}
    rows = sum(known.values())
    for hour in reversed(hours_in(path)):
        if rows == newer.rows or hour < newer.floor_hour:
            break
        directory, first = hour_directory(path, hour), known.get(hour, 0)
        if file_size(directory / NAMES[ROWS]) <= first * STORED_ROW.itemsize:
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
    return dict(sorted(added.items())) if rows == newer.rows else None


def was_begun_after(directory: Path, version: int) -> bool:
    """Whether the hour in `directory` has no rows up to `version`: then the earlier hour was dropped, and this one has
    perhaps begun anew since the newest hour was set back.
    """
    rows = _read_array(directory / NAMES[ROWS], STORED_ROW, count=1)["row"]
    return not len(records.committed_rows(rows, version))


def row_before(directory: Path, count: int) -> Rows:
    """The last of the first `count` rows of the hour in `directory`; none if it has fewer, or no file."""
    return _read_array(directory / NAMES[ROWS], STORED_ROW, count - 1, 1)["row"]


class CheckedRows(NamedTuple):
    """All rows of an hour's file, committed or not; the id of each; and whether row and id are intact."""

    rows: Rows
    ids: PackedIds
    whole: NDArray[np.bool_]


def hours_in(path: Path) -> list[int]:
    """The hours that have a directory in the window at `path`, ascending; other names are ignored."""
    hours = path / HOURS
    entries = hours.iterdir() if hours.is_dir() else iter(())
    return sorted(hour for hour in map(hour_named, (entry.name for entry in entries)) if hour is not None)


def read_hour(
    directory: Path, last: int, first: int = 0, buffer: records.RowBuffer | None = None
) -> StoredHour:
    """The committed data of the hour in `directory`: the rows from row `first` up to version `last`, as far as they
    check; copied to `buffer`, if that is given.

    Raises `WindowDamaged` if another file is too short for these rows. Keys are not read yet (`HourKeys`). About 0.2 µs
    a row.
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
            f"row {first + n + 1:,} or its id, which fails its checksum",
            "what was written",
        )
    elif any(size > end for size, end in zip(sizes, ends, strict=True)):
        suspect = damage(
            directory / NAMES[ROWS], f"{first + n:,} rows", "as many as the other files of this hour have"
        )
    keys = KeysFile(directory, ends[KEYS], mapped=first > 0)
    buffer = records.RowBuffer(n) if buffer is None else buffer
    return StoredHour(buffer.add(rows[:n]), ids.first(n), keys, ends, suspect)


def read_rows(directory: Path, first: int = 0) -> CheckedRows:
    """All rows from row `first` on in the file of an hour's rows, with their ids, however damaged; none if there is no
    file.
    """
    stored = _read_array(directory / NAMES[ROWS], STORED_ROW, first)
    rows = stored["row"]
    ids = _read_ids(directory / NAMES[BLOBS], rows)
    whole = row_sums(stored, ids, first) == stored["sum"]
    return CheckedRows(rows, ids, whole & (records.hours_of(rows) == hour_named(directory.name)))


def read_keys(directory: Path) -> NDArray[np.uint64]:
    """The contents of the file of an hour's keys; empty if there is no file."""
    return _read_array(directory / NAMES[KEYS], np.dtype("<u8"))


def _read_array(file: Path, kind: np.dtype[Any], first: int = 0, count: int = -1) -> NDArray[Any]:
    """The complete items of a file from item `first` on, at most `count`; none if there is no file."""
    try:
        return np.fromfile(file, kind, count, offset=first * kind.itemsize)
    except FileNotFoundError:
        return np.empty(0, kind)


def are_keys_whole(rows: Rows, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of the `rows` of an hour have intact keys; `keys` are all keys of the hour. 0.1 µs a row."""
    sizes = records.key_counts(rows).sum(axis=0)
    starts = records.first_keys(rows)
    there = (starts >= 0) & (starts < len(keys) - sizes)  # no sum: numbers of a damaged row could overflow
    whole = np.zeros(len(rows), np.bool_)
    sums = key_sums(keys, starts[there], sizes[there], records.arrivals_of(rows)[there])
    whole[there] = keys[(starts + sizes)[there]] == sums
    return whole


def check_keys(directory: Path, rows: Rows, keys: NDArray[np.uint64]) -> None:
    """Raises `WindowDamaged` unless the keys of all `rows` are intact."""
    whole = are_keys_whole(rows, keys)
    if not whole.all():
        actual = f"keys of {np.count_nonzero(~whole):,} documents that fail their checksum"
        raise damage(directory / NAMES[KEYS], actual, "what was written")


def stored_ends(rows: Rows, first: int = 0) -> list[int]:
    """How long the files of an hour must be for `rows`, which begin with row `first`, in bytes."""
    return [(first + len(rows)) * STORED_ROW.itemsize, *records.ends_of(rows)]


def file_size(file: Path) -> int:
    """The size of a file in bytes; 0 if there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _read_ids(file: Path, rows: Rows) -> PackedIds:
    """The id at the beginning of the blob of each of `rows`; b"" if there is no blob, or the id is not completely in
    the file.

    Only ids and short gaps between them are read, because with all matches listed the blobs may be gigabytes. The file
    is not mapped, because a writer may be cutting off uncommitted data.
    """
    starts, sizes = records.id_extents(rows)
    sizes[(starts < 0) | (starts > file_size(file) - sizes)] = 0
    names, offsets = np.zeros(sizes.sum(), np.uint8), np.append(0, np.cumsum(sizes))
    which = np.flatnonzero(sizes)
    if len(which):
        with file.open("rb", buffering=0) as opened:
            for first, last in pairwise(_runs(starts[which], sizes[which])):
                run = which[first:last]
                begin, end = int(starts[run[0]]), int((starts[run] + sizes[run]).max())
                data = os.pread(opened.fileno(), end - begin, begin)
                data = data.ljust(end - begin, b"\0")  # if the file was cut off meanwhile
                ids = PackedIds.among(np.frombuffer(data, np.uint8), starts[run] - begin, sizes[run])
                names[offsets[run[0]] : offsets[run[-1] + 1]] = ids.names
    return PackedIds(names, offsets)


def _runs(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[int]:
    """The bounds of runs of ids that are read at once: ascending, each near the next, all in one block."""
    between, blocks = starts[1:] - starts[:-1] - sizes[:-1], starts // _BLOCK_BYTES
    is_cut = (between < 0) | (between > _NEAR_BYTES) | (blocks[1:] != blocks[:-1])
    return [0, *(np.flatnonzero(is_cut) + 1).tolist(), len(starts)]
