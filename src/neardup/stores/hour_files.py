"""The four files of one hour, open: what is written to them, and single texts and blobs read from them.

Each text and blob is followed by its checksum, and so are the keys of each document (stores/checksums.py); a row by
that of the row and its document's id.
"""

from __future__ import annotations

import os
import shutil
from io import FileIO
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.errors import WindowDamaged
from neardup.kernels.checksums import SUM_BYTES, checksums, checksums_of_both, sealed
from neardup.signing.signature import concatenated
from neardup.stores import records
from neardup.stores.checksums import seeds_of, unsealed
from neardup.stores.lock import check_same, naming, replaced
from neardup.stores.packed_ids import PackedIds
from neardup.stores.records import ROW

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.records import Rows

NAMES: Final = ("rows.bin", "text.bin", "blob.bin", "keys.bin")
ROWS, TEXTS, BLOBS, KEYS = range(len(NAMES))
STORED_ROW: Final = np.dtype([("row", ROW), ("sum", "<u8")])


class HourFiles:
    """The open files of the hour in `directory`, and where each of them ends: a writer's, which are made if they are
    not there, or for a reader those of texts and blobs. Raises `FileNotFoundError`.
    """

    def __init__(self, directory: Path, *, readonly: bool) -> None:
        self.directory = directory
        if not readonly:
            directory.mkdir(parents=True, exist_ok=True)
        chosen = (TEXTS, BLOBS) if readonly else range(len(NAMES))
        self.files = {which: _opened(directory / NAMES[which], readonly=readonly) for which in chosen}
        self.ends = [os.fstat(file.fileno()).st_size for file in self.files.values()]

    # ---- writing ----

    def append(
        self,
        rows: Rows,
        texts: Sequence[bytes | memoryview],
        blobs: Sequence[bytes],
        keys: NDArray[np.uint64],
    ) -> None:
        """Adds new documents, and notes in `rows` where they lie. Rows come last: what is complete has its row."""
        arrivals, versions = records.arrivals_of(rows), records.versions_of(rows)
        sizes = records.key_counts(rows).sum(axis=0)
        records.assign_offsets(rows, self.ends[TEXTS], self.ends[BLOBS], self.ends[KEYS] // keys.itemsize)
        self._write(TEXTS, sealed(*concatenated(texts), seeds_of(arrivals, TEXTS)))
        self._write(BLOBS, sealed(*concatenated(blobs), seeds_of(versions, BLOBS)))
        ends = np.cumsum(sizes)
        sums = key_sums(keys, ends - sizes, sizes, arrivals)
        self._write(KEYS, np.insert(keys, ends, sums).tobytes())
        self._write_rows(rows, blobs)

    def revise(self, row: Rows, blob: bytes) -> None:
        """Adds a new version of a document, which keeps its text and keys, and notes in `row` where its blob lies."""
        records.assign_blob_offsets(row, self.ends[BLOBS])
        self._write(BLOBS, sealed(*concatenated([blob]), seeds_of(records.versions_of(row), BLOBS)))
        self._write_rows(row, [blob])

    def _write_rows(self, rows: Rows, blobs: Sequence[bytes]) -> None:
        _, sizes = records.id_extents(rows)
        ids = PackedIds.of([blob[:size] for blob, size in zip(blobs, sizes.tolist(), strict=True)])
        stored = np.empty(len(rows), STORED_ROW)
        stored["row"] = rows
        stored["sum"] = row_sums(stored, ids, self.ends[ROWS] // STORED_ROW.itemsize)
        self._write(ROWS, stored.tobytes())

    def _write(self, which: int, data: bytes | memoryview) -> None:
        view = memoryview(data)
        while view:
            # pwrite at the known end, not O_APPEND: what a failed batch left behind is written over.
            with naming(self.directory / NAMES[which]):
                written = os.pwrite(self.files[which].fileno(), view, self.ends[which])
            self.ends[which] += written
            view = view[written:]

    def check_same(self) -> None:
        """Raises `WindowDamaged` if the file of rows was replaced, or what it holds was."""
        file = self.directory / NAMES[ROWS]
        check_same(file, self.files[ROWS])
        if os.fstat(self.files[ROWS].fileno()).st_size != self.ends[ROWS]:
            raise replaced(file)

    # ---- reading ----

    def texts(self, extents: Iterable[tuple[int, int]], arrivals: Iterable[int]) -> list[bytes]:
        """The texts of the documents of these arrivals; raises `WindowDamaged` unless they are what was written."""
        return [self._read(TEXTS, at, arrival) for at, arrival in zip(extents, arrivals, strict=True)]

    def blob(self, extent: tuple[int, int], version: int) -> bytes:
        """The blob of this version; raises as `texts`."""
        return self._read(BLOBS, extent, version)

    def _read(self, which: int, extent: tuple[int, int], owner: int) -> bytes:
        start, size = extent
        item = unsealed(os.pread(self.files[which].fileno(), size + SUM_BYTES, start), owner, which)
        if item is None or len(item) != size:
            file = self.directory / NAMES[which]
            raise damage(
                file, f"{size:,} bytes at byte {start:,} that do not check", "what was written there"
            )
        return item

    # ---- files ----

    def flush(self) -> None:
        """Returns when everything that was written is on the disk."""
        for which, file in self.files.items():
            with naming(self.directory / NAMES[which]):
                os.fsync(file.fileno())

    def close(self) -> None:
        """Lets go of the files."""
        for file in self.files.values():
            file.close()


def _opened(path: Path, *, readonly: bool) -> FileIO:
    """A file of an hour, open; a writer's is made if it is not there, and holds what it held."""
    if readonly:
        return FileIO(str(path))
    return FileIO(str(path), "r+", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o666))


def row_sums(stored: NDArray[np.void], ids: PackedIds, first: int) -> NDArray[np.uint64]:
    """The checksums of `stored` rows (STORED_ROW) and the ids of their documents; they lie in their file from row
    `first` on.
    """
    rows = stored.view(np.uint8).reshape(len(stored), STORED_ROW.itemsize)[:, : ROW.itemsize]
    seeds = seeds_of(np.arange(first, first + len(stored)), ROWS)
    return checksums_of_both(rows, ids.names, ids.starts, seeds)


def key_sums(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    arrivals: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """The checksums of the keys of documents, of which each has `sizes[i]` from `starts[i]` on."""
    data = np.ascontiguousarray(keys).view(np.uint8)
    return checksums(data, keys.itemsize * starts, keys.itemsize * sizes, seeds_of(arrivals, KEYS))


def damage(file: Path, actual: str, expected: str) -> WindowDamaged:
    """What is raised for a file of an hour."""
    return WindowDamaged(file, actual, expected, file.parents[2])


def flush_directory(path: Path) -> None:
    """The names in a directory are on the disk when this returns."""
    file = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(file)
    finally:
        os.close(file)


def remove_directory(path: Path) -> None:
    """Deletes the directory of an hour with its files. An error names the file with its directory, which in Python 3.11
    the file alone does not: each hour has one of that name. Raises `FileNotFoundError`.
    """
    try:
        shutil.rmtree(path)
    except OSError as error:
        if not error.filename.startswith(str(path)):
            error.filename = str(path / error.filename)
        raise
