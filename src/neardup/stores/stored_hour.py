"""Reading hours of a window from their files, with every checksum that can be checked without reading the texts."""

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
"""Bytes between two ids that are read as fast as passed over."""
_BLOCK_BYTES: Final = 1 << 20
"""Bytes of ids, and of what lies between them, that are in memory at a time."""


class StoredHour(NamedTuple):
    """What one hour holds: rows in order of `seq`, the id of each, "" of one that ends its document, and where its keys
    are read.

    `ends`: bytes of its files that these speak of. `suspect`: the file that may have held more rows than these; they
    may also never have been committed, which only the count of the whole window tells.
    """

    rows: Rows
    ids: PackedIds
    keys: KeysFile
    ends: list[int]
    suspect: WindowDamaged | None


class KeysFile:
    """The committed keys of one hour in `directory`. The file is opened when they are read, and not kept open: a window
    may have more hours than a process may have files.
    """

    def __init__(self, directory: Path, end: int, *, mapped: bool) -> None:
        self.directory = directory
        self._end, self._mapped = end, mapped

    def __len__(self) -> int:
        return self._end // 8

    def read(self, buffer: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """All keys, in `buffer` if that is given; of a `mapped` file only those that are looked at are read. Raises
        `FileNotFoundError` where the hour has been dropped.
        """
        if not self._end:
            return np.empty(0, "<u8")
        name = self.directory / NAMES[KEYS]
        with naming(name), name.open("rb", buffering=0) as file:
            if self._mapped:
                with contextlib.suppress(ValueError):  # it is shorter than that, which is told below
                    return np.frombuffer(mmap(file.fileno(), self._end, access=ACCESS_READ), "<u8")
            keys = np.empty(len(self), "<u8") if buffer is None else buffer[: len(self)]
            rest = keys.view(np.uint8).data
            while rest and (read := file.readinto(rest)):
                rest = rest[read:]
        if rest:
            raise damage(name, f"{self._end - len(rest):,} bytes", f"at least {self._end:,}")
        return keys


class HourKeys(Sequence["NDArray[np.uint64]"]):
    """The keys of some hours, each read when it is asked for, and good until the next is; `WindowDamaged` unless those
    of its documents check.

    rows, part_of   the documents, and in which of the hours each is
    reading         what an hour's are read in: knows what it means that they are not there
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
    """The last versions of the documents of `hours` from the arrival `floor_arrival` on; `rows`: those of all of them,
    one after another; `reading`: as `HourKeys` has it.
    """
    files = [hour.keys for hour in hours]
    part_of = np.repeat(np.arange(len(hours)), [len(hour.rows) for hour in hours])
    ids = PackedIds.joined([hour.ids for hour in hours])
    if not records.are_all_last(rows, floor_arrival):
        last = records.last_versions(rows, floor_arrival)
        rows, ids, part_of = records.chosen_rows(rows, last), ids.chosen(last), part_of[last]
    return Records(rows, ids, HourKeys(files, rows, part_of, reading), part_of)


def rows_in(hour: StoredHour) -> int:
    """How many rows the file of an hour has, up to the last of these."""
    return hour.ends[ROWS] // STORED_ROW.itemsize


def added_hours(
    path: Path, known: Mapping[int, int], before: Commit, newer: Commit
) -> dict[int, StoredHour] | None:
    """For a reader that follows its writer: the rows that the commit `newer` has and `before` had not, by hour; None if
    it did anything but add documents and drop hours: then all is to be read again, which also tells what was damaged.

    `known`: how many rows of each hour were read already. Costs a look at the names of all hours, at the file of each
    from the newest on until all is found that was committed, and about 1 µs a new row.
    """
    if newer.floor_hour < before.floor_hour or newer.next_order < before.next_order:
        return None
    filled = [hour for hour, count in known.items() if count]
    # Hours are dropped from the oldest on: if that is still the one that was read, so are the others.
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
    """Whether the hour in `directory` has nothing up to `version`: what it had was dropped, and it may have begun anew
    since the newest hour was set back.
    """
    rows = _read_array(directory / NAMES[ROWS], STORED_ROW, count=1)["row"]
    return not len(records.committed_rows(rows, version))


class CheckedRows(NamedTuple):
    """All rows of an hour's file, committed or not; the id of each, and whether row and id are what was written."""

    rows: Rows
    ids: PackedIds
    whole: NDArray[np.bool_]


def hours_in(path: Path) -> list[int]:
    """The hours that the window at `path` has directories of, ascending; what is called otherwise is not ours."""
    hours = path / HOURS
    entries = hours.iterdir() if hours.is_dir() else iter(())
    return sorted(hour for hour in map(hour_named, (entry.name for entry in entries)) if hour is not None)


def read_hour(
    directory: Path, last: int, first: int = 0, buffer: records.RowBuffer | None = None
) -> StoredHour:
    """What of the hour in `directory` is committed: the rows from row `first` up to version `last`, as far as they
    check; copied to `buffer`, if that is given.

    Raises `WindowDamaged` if another file ends before what these rows speak of. Keys are not read yet (`HourKeys`).
    About 0.2 µs a row.
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
    keys = KeysFile(directory, ends[KEYS], mapped=first > 0)
    buffer = records.RowBuffer(n) if buffer is None else buffer
    return StoredHour(buffer.add(rows[:n]), ids.first(n), keys, ends, suspect)


def read_rows(directory: Path, first: int = 0) -> CheckedRows:
    """Every row from row `first` on in the file of an hour's rows, with its id, however damaged; empty where there is
    no file.
    """
    stored = _read_array(directory / NAMES[ROWS], STORED_ROW, first)
    rows = stored["row"]
    ids = _read_ids(directory / NAMES[BLOBS], rows)
    whole = row_sums(stored, ids, first) == stored["sum"]
    return CheckedRows(rows, ids, whole & (records.hours_of(rows) == hour_named(directory.name)))


def read_keys(directory: Path) -> NDArray[np.uint64]:
    """All that is in the file of an hour's keys; empty where there is none."""
    return _read_array(directory / NAMES[KEYS], np.dtype("<u8"))


def _read_array(file: Path, kind: np.dtype[Any], first: int = 0, count: int = -1) -> NDArray[Any]:
    """The whole items of a file from item `first` on, `count` at most; none where there is no file."""
    try:
        return np.fromfile(file, kind, count, offset=first * kind.itemsize)
    except FileNotFoundError:
        return np.empty(0, kind)


def are_keys_whole(rows: Rows, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Of which of `rows` of an hour the keys among `keys`, all of that hour, are what was written; 0.1 µs a row."""
    sizes = records.key_counts(rows).sum(axis=0)
    starts = records.first_keys(rows)
    there = (starts >= 0) & (starts < len(keys) - sizes)  # no sum of what a damaged row says
    whole = np.zeros(len(rows), np.bool_)
    sums = key_sums(keys, starts[there], sizes[there], records.arrivals_of(rows)[there])
    whole[there] = keys[(starts + sizes)[there]] == sums
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


def _read_ids(file: Path, rows: Rows) -> PackedIds:
    """The id at the beginning of the blob of each of `rows`, b"" of one without a blob, or not whole in this file.

    Of what follows an id no more is read than lies between two that are near: with all matches listed all of it may be
    gigabytes. Not mapped: a writer may be cutting off what was never committed.
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
                data = data.ljust(end - begin, b"\0")  # if it was cut off meanwhile
                ids = PackedIds.among(np.frombuffer(data, np.uint8), starts[run] - begin, sizes[run])
                names[offsets[run[0]] : offsets[run[-1] + 1]] = ids.names
    return PackedIds(names, offsets)


def _runs(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[int]:
    """Bounds of runs of ids that are read at once: one after another, each near the next, and of one block."""
    between, blocks = starts[1:] - starts[:-1] - sizes[:-1], starts // _BLOCK_BYTES
    is_cut = (between < 0) | (between > _NEAR_BYTES) | (blocks[1:] != blocks[:-1])
    return [0, *(np.flatnonzero(is_cut) + 1).tolist(), len(starts)]
