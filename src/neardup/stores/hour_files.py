"""The four files of one hour, open: writes to them, and reads single texts and blobs from them.

Each text, each blob and the keys of each document are followed by their checksum (stores/checksums.py); a row is
followed by the checksum of the row and its document's id.
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
    """The open files of the hour in `directory`, and their `ends`. A writer opens all four, and makes those that do not
    exist; a reader (`readonly`) opens those of texts and blobs, or raises `FileNotFoundError`.
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
        """Adds new documents, and notes in `rows` where their data lies. Rows are written last, so that a row is proof
        that its data is complete.
        """
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
        """Adds a new version of a document, which keeps its text and keys; notes in `row` where the blob lies."""
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
            # pwrite at the known end, not O_APPEND: leftovers of a failed batch are overwritten.
            with naming(self.directory / NAMES[which]):
                written = os.pwrite(self.files[which].fileno(), view, self.ends[which])
            self.ends[which] += written
            view = view[written:]

    def check_same(self) -> None:
        """Raises `WindowDamaged` if the file of rows was replaced, or its size changed by another process."""
        file = self.directory / NAMES[ROWS]
        check_same(file, self.files[ROWS])
        if os.fstat(self.files[ROWS].fileno()).st_size != self.ends[ROWS]:
            raise replaced(file)

    # ---- reading ----

    def texts(self, extents: Iterable[tuple[int, int]], arrivals: Iterable[int]) -> list[bytes]:
        """The texts at `extents` of documents with these `arrivals`; raises `WindowDamaged` if one is not what was
        written.
        """
        return [self._read(TEXTS, at, arrival) for at, arrival in zip(extents, arrivals, strict=True)]

    def blob(self, extent: tuple[int, int], version: int) -> bytes:
        """The blob of a version; raises as `texts`."""
        return self._read(BLOBS, extent, version)

    def _read(self, which: int, extent: tuple[int, int], owner: int) -> bytes:
        start, size = extent
        item = unsealed(os.pread(self.files[which].fileno(), size + SUM_BYTES, start), owner, which)
        if item is None or len(item) != size:
            file = self.directory / NAMES[which]
            raise damage(
                file, f"{size:,} bytes at byte {start:,} that fail their checksum", "what was written there"
            )
        return item

    # ---- files ----

    def flush(self) -> None:
        """Returns when everything that was written is on disk."""
        for which, file in self.files.items():
            with naming(self.directory / NAMES[which]):
                os.fsync(file.fileno())

    def close(self) -> None:
        """Closes the files."""
        for file in self.files.values():
            file.close()


def _opened(path: Path, *, readonly: bool) -> FileIO:
    """A file of an hour, opened; for a writer it is made if it does not exist, and its contents stay."""
    if readonly:
        return FileIO(str(path))
    return FileIO(str(path), "r+", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o666))


def row_sums(stored: NDArray[np.void], ids: PackedIds, first: int) -> NDArray[np.uint64]:
    """The checksums of `stored` rows (STORED_ROW) with the ids of their documents; `first`: the number of the first row
    in its file.
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
    """The checksums of the keys of documents; document i has `sizes[i]` keys, from `starts[i]` on."""
    data = np.ascontiguousarray(keys).view(np.uint8)
    return checksums(data, keys.itemsize * starts, keys.itemsize * sizes, seeds_of(arrivals, KEYS))


def damage(file: Path, actual: str, expected: str) -> WindowDamaged:
    """The error to raise for a damaged file of an hour."""
    return WindowDamaged(file, actual, expected, file.parents[2])


def flush_directory(path: Path) -> None:
    """Returns when the names in a directory are on disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(file)
    finally:
        os.close(file)


def remove_directory(path: Path) -> None:
    """Deletes the directory of an hour with its files. Raises `FileNotFoundError` if there is none. An error names the
    file with its directory, because every hour has files of the same names.
    """
    try:
        shutil.rmtree(path)
    except OSError as error:
        # Python 3.11 gives only the name of the file, and 3.13 the directory as a `Path`.
        if error.filename is not None:
            name = str(error.filename)
            error.filename = name if name.startswith(str(path)) else str(path / name)
        raise
