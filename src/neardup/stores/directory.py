"""The store of a window in a directory, and its format.

    DIR/window.json                 format, recipe string, settings last used
    DIR/window.lexicon              the lexicon, if it is not the default one
    DIR/lock                        held (flock) by the one writer; holds its process id
    DIR/commit                      two commit slots, written in turn: what the newer valid one says counts; locked too
    DIR/hours/2026.11.21-09/rows.bin      one row (stores/records.py) a version of a document, in order of `seq`
                            text.bin      normal forms, UTF-8
                            blob.bin      id, group, and what else a verdict needs
                            keys.bin      what is searched by: sketch, bitmap, prefix, sentences, bands (uint64)

Files only grow, until an hour is deleted whole. A batch is appended to the files of its hours and then
committed by one small write to the older of two commit slots; what lies behind the last commit is cut off when a
writer opens the window. So a batch counts whole or not at all, over all hours, however the process ends. A
row with the `order` of an earlier one replaces it (a new verdict) or, with `DELETED`, ends it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import OrderedDict
from itertools import chain
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.errors import RecipeMismatch, WindowDamaged, WindowExpired
from neardup.model.hours import hour_name, hour_named
from neardup.stores import records
from neardup.stores.base import CommitResult, Records
from neardup.stores.commit_slots import CommitSlots
from neardup.stores.description import read_description, remember
from neardup.stores.lock import locked, naming
from neardup.stores.records import ROW
from neardup.stores.single_owner import SingleOwner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.base import Commit, NewDocuments
    from neardup.stores.records import Rows

_NAMES: Final = ("rows.bin", "text.bin", "blob.bin", "keys.bin")
_ROWS, _TEXTS, _BLOBS, _KEYS = range(len(_NAMES))
_OPEN_HOURS: Final = 32


class StoredHour(NamedTuple):
    """What one hour holds: rows in order of `seq`, the id of each that does not end its document, all its keys."""

    rows: Rows
    ids: list[str]
    keys: NDArray[np.uint64]


class _HourFiles:
    """The open files of one hour, and where each of them ends."""

    def __init__(self, directory: Path, readonly: bool) -> None:
        self.directory = directory
        flags = os.O_RDONLY if readonly else os.O_RDWR | os.O_CREAT
        if not readonly:
            directory.mkdir(parents=True, exist_ok=True)
        self.files = [os.open(directory / name, flags, 0o666) for name in _NAMES]
        self.ends = [os.fstat(file).st_size for file in self.files]

    def write(self, which: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            # pwrite at the known end, not O_APPEND: what a failed batch left behind is written over.
            with naming(self.directory / _NAMES[which]):
                written = os.pwrite(self.files[which], view, self.ends[which])
            self.ends[which] += written
            view = view[written:]

    def close(self) -> None:
        for file in self.files:
            os.close(file)


class DirectoryStore(SingleOwner):
    """A store in a directory. One writer at a time, any number of readers, each with its own `DirectoryStore`.

    `fsync`: a commit is on the disk, not only with the system, when it returns. `recipe`: by which a reader's documents
    are signed; another window may take the place of the one that it opened.
    """

    def __init__(self, path: Path, *, readonly: bool) -> None:
        self.path = path
        self.fsync = False
        self.recipe = ""
        self.revision = 0
        self.previous: dict[str, Any] = {}
        self.remembered: dict[str, Any] = {}
        self._remember_next: dict[str, Any] | None = None
        self._readonly = readonly
        self._outdated = False
        self._open: OrderedDict[int, _HourFiles] = OrderedDict()
        self._ends: dict[int, list[int]] = {}
        self._touched: set[int] = set()
        self._row_counts: dict[int, int] = {}
        self._lock: int | None = None
        self._slots: CommitSlots | None = None
        try:
            if not readonly:
                self._lock = locked(path)
            self._slots = CommitSlots(path, readonly=readonly)
            self.committed = self._slots.read()
        except BaseException:
            self.close()
            raise

    # ---- what is there ----

    def refresh(self) -> None:
        if self._outdated:
            self._forget_all()
            self.committed = self._read_commit()
            description = read_description(self.path)
            if description.recipe != self.recipe:
                raise RecipeMismatch(str(self.path), description.recipe, self.recipe)
            self.remembered = description.settings
            self.revision += 1
            self._outdated = False

    def _read_commit(self) -> Commit:
        assert self._slots is not None, "the store is open"
        return self._slots.read()

    def hours(self) -> list[int]:
        entries = (self.path / "hours").iterdir() if (self.path / "hours").is_dir() else iter(())
        return sorted(hour for hour in map(hour_named, (entry.name for entry in entries)) if hour is not None)

    def records(self, since: Commit) -> Iterator[Records]:
        hours = self._stored_hours()
        rows = np.concatenate([hour.rows for hour in hours]) if hours else np.empty(0, ROW)
        part_of = np.repeat(np.arange(len(hours)), [len(hour.rows) for hour in hours])
        last = records.last_versions(rows, max(self.committed.floor_order, since.next_order))
        ids = list(chain.from_iterable(hour.ids for hour in hours))
        keys = [hour.keys for hour in hours]
        yield Records(rows[last], [ids[i] for i in last.tolist()], keys, part_of[last])

    def _stored_hours(self) -> list[StoredHour]:
        """Everything committed, by hour; a reader starts over if the writer drops hours meanwhile, a writer deletes
        hours that an expiry left behind.
        """
        while True:
            floor = self.committed.floor_hour
            hours: list[StoredHour] = []
            for hour in self.hours():
                if hour < floor:
                    if not self._readonly:
                        self.drop(hour)
                    continue
                try:
                    hours.append(self.load(hour))
                except FileNotFoundError:
                    if not self._readonly:
                        raise
            if not self._readonly:
                self._cut_uncommitted()
                return hours
            newer = self._read_commit()
            if newer.floor_hour == floor:
                return hours  # which are those of the commit that they were read by
            self.committed = newer

    def load(self, hour: int) -> StoredHour:
        """What of an hour is committed."""
        directory = self._directory(hour)
        if not self._readonly:
            self._files(hour)  # makes the files that a writer killed here had not yet made
        rows: Rows = np.fromfile(directory / _NAMES[_ROWS], ROW)
        rows = records.committed_rows(rows, self.committed.seq)
        ends = records.ends_of(rows)
        for name, end in zip(_NAMES, ends, strict=True):
            size = (directory / name).stat().st_size
            if size < end:
                raise WindowDamaged(directory / name, f"{size:,} bytes", f"at least {end:,}")
        if not self._readonly:
            self._forget(hour)
            self._ends[hour] = ends
            self._row_counts[hour] = len(rows)
        ids = _read_ids(directory / _NAMES[_BLOBS], rows)
        return StoredHour(rows, ids, np.fromfile(directory / _NAMES[_KEYS], "<u8", ends[_KEYS] // 8))

    def _cut_uncommitted(self) -> None:
        """Cuts off what lies behind the last commit, in every hour loaded.

        Raises `WindowDamaged`, and cuts nothing, unless all committed rows were found.
        """
        rows, expected = sum(self._row_counts.values()), self.committed.rows
        if rows != expected:
            damaged = self.path / "hours"
            raise WindowDamaged(damaged, f"{rows:,} rows", f"the {expected:,} that were committed")
        for hour in self._row_counts:
            for name, end in zip(_NAMES, self._ends[hour], strict=True):
                os.truncate(self._directory(hour) / name, end)

    def texts(self, rows: Rows) -> list[bytes]:
        hours, extents = records.hours_of(rows).tolist(), records.text_extents(rows)
        return [
            os.pread(self._files(hour).files[_TEXTS], size, start)
            for hour, (start, size) in zip(hours, extents, strict=True)
        ]

    def blobs(self, rows: Rows) -> list[bytes]:
        hours, extents = records.hours_of(rows).tolist(), records.blob_extents(rows)
        return [
            os.pread(self._files(hour).files[_BLOBS], size, start)
            for hour, (start, size) in zip(hours, extents, strict=True)
        ]

    # ---- what is added ----

    def begin(self) -> AbstractContextManager[object]:
        return contextlib.nullcontext()  # the lock is held as long as the store is open

    def append(self, hour: int, new: NewDocuments) -> None:
        files = self._files(hour)
        records.assign_offsets(new.rows, files.ends[_TEXTS], files.ends[_BLOBS], files.ends[_KEYS] // 8)
        self._touched.add(hour)
        files.write(_TEXTS, b"".join(new.texts))
        files.write(_BLOBS, b"".join(new.blobs))
        files.write(_KEYS, new.keys.tobytes())
        self._write_rows(hour, files, new.rows)

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:  # noqa: ARG002 - it is in the blob
        files = self._files(hour)
        records.assign_blob_offsets(row, files.ends[_BLOBS])
        self._touched.add(hour)
        files.write(_BLOBS, blob)
        self._write_rows(hour, files, row)

    def _write_rows(self, hour: int, files: _HourFiles, rows: Rows) -> None:
        """The last of a batch: what is complete has its row."""
        files.write(_ROWS, rows.tobytes())
        self._row_counts[hour] = self._row_counts.get(hour, 0) + len(rows)

    def commit(self, commit: Commit) -> CommitResult:
        assert self._slots is not None, "the store is open"
        self._slots.check_same()
        if self.fsync:
            for hour in self._touched & self._open.keys():
                _flush(self._open[hour])
        self._touched.clear()
        if commit.floor_hour > self.committed.floor_hour:
            self._row_counts = {h: rows for h, rows in self._row_counts.items() if h >= commit.floor_hour}
        generation = self.committed.generation + 1
        commit = commit._replace(rows=sum(self._row_counts.values()), generation=generation)
        self._slots.write(commit, flush=self.fsync)
        self.committed = commit
        if self._remember_next is not None:
            self.remembered, self._remember_next = self._remember_next, None
            remember(self.path, self.remembered)
        return CommitResult()

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self._remember_next = remembered

    def drop(self, hour: int) -> None:
        self._forget(hour)
        self._ends.pop(hour, None)
        self._touched.discard(hour)
        self._row_counts.pop(hour, None)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._directory(hour))

    # ---- files ----

    def _directory(self, hour: int) -> Path:
        return self.path / "hours" / hour_name(hour)

    def _files(self, hour: int) -> _HourFiles:
        files = self._open.get(hour)
        if files is None:
            files = self._opened(hour)
            files.ends = self._ends.get(hour, files.ends)
            self._open[hour] = files
            if len(self._open) > _OPEN_HOURS:
                self._forget(next(iter(self._open)))
        else:
            self._open.move_to_end(hour)
        return files

    def _opened(self, hour: int) -> _HourFiles:
        directory = self._directory(hour)
        if self._slots is not None and not self._readonly:
            self._slots.check_same()
        try:
            is_new = self.fsync and not directory.exists()
            files = _HourFiles(directory, self._readonly)
        except FileNotFoundError:
            self._outdated = True
            raise WindowExpired(self.path, hour_name(hour)) from None
        if is_new:  # or the directory's name might not survive what its files do
            for parent in (directory, directory.parent, self.path):
                _flush_directory(parent)
        return files

    def _forget(self, hour: int) -> None:
        files = self._open.pop(hour, None)
        if files is not None:
            self._ends[hour] = files.ends
            if self.fsync and hour in self._touched:
                _flush(files)
            files.close()

    def _forget_all(self) -> None:
        for hour in list(self._open):
            self._forget(hour)
        self._ends.clear()

    def close(self) -> None:
        for hour in list(self._open):
            self._forget(hour)
        if self._slots is not None:
            self._slots.close()
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None


def _read_ids(file: Path, rows: Rows) -> list[str]:
    """The id at the beginning of the blob of each of `rows`, "" of one without a blob.

    What follows the ids is not read: with all matches listed that may be gigabytes.
    """
    extents = records.id_extents(rows)
    if not any(size for _, size in extents):
        return [""] * len(rows)
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as blobs:
        return [blobs[start : start + size].decode() for start, size in extents]


def _flush(files: _HourFiles) -> None:
    for file, name in zip(files.files, _NAMES, strict=True):
        with naming(files.directory / name):
            os.fsync(file)


def _flush_directory(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(file)
    finally:
        os.close(file)
