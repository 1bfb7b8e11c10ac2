"""What the embedded engine keeps of its documents, in memory or in a directory.

    DIR/window.json                 format, recipe string, settings last used
    DIR/window.lexicon              the lexicon, if it is not the default one
    DIR/lock                        held (flock) by the one writer; holds its process id
    DIR/commit                      two commit slots, written in turn: what the newer valid one says counts; locked too
    DIR/hours/2026.11.21-09/rows.bin      one `ROW` a version of a document, in order of `seq`
                            text.bin      normal forms, UTF-8
                            blob.bin      id, group, and what else a verdict needs
                            keys.bin      what is searched by: sketch, sieve, prefix, sentences, bands (uint64)

Files only grow, until an hour is deleted whole. A batch is appended to the files of its hours and then
committed by one small write to the older of two commit slots; what lies behind the last commit is cut off when a
writer opens the window. So a batch counts whole or not at all, over all hours, however the process ends. A
row with the `order` of an earlier one replaces it (a new verdict) or, with `DELETED`, ends it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
import xxhash
from numpy.typing import NDArray

from neardup.errors import WindowDamaged, WindowExpired
from neardup.model.hours import FIRST_HOUR, hour_name, hour_named
from neardup.stores.lock import check_same, locked, locked_commits, naming
from neardup.stores.records import read_ids
from neardup.stores.remembered_settings import write_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from neardup.model.document import Prepared

FORMAT: Final = 1
DELETED: Final = 1
TRUNCATED: Final = 2
ROUTED: Final = 4

ROW: Final = np.dtype(
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
"""One version of one document (128 bytes). `order` numbers documents as they came, `seq` commits; `count` = |A|.
`words`: whether sentences and bands were made of it; `asked`: whether partial copies were looked for.
"""

KEY_COUNTS: Final = ("n_sketch", "n_sieve", "n_prefix", "n_sentences", "n_bands")
"""What `keys.bin` holds of a document, in this order."""

Rows = NDArray[np.void]

_NAMES: Final = ("rows.bin", "text.bin", "blob.bin", "keys.bin")
_WIDTHS: Final = (ROW.itemsize, 1, 1, 8)
_OPEN_HOURS: Final = 32
_COMMIT: Final = np.dtype("<i8")
_SLOT_BYTES: Final = 72


class Additions(NamedTuple):
    """What one batch adds to one hour; `rows` in order of `seq`, the rest one after another in the same order.

    `ids` are those of the rows; `documents` what came in, empty for new versions of stored documents.
    """

    rows: Rows
    texts: list[bytes]
    blobs: bytes
    keys: NDArray[np.uint64]
    ids: Sequence[str] = ()
    documents: Sequence[Prepared] = ()


class Hour(NamedTuple):
    """What one hour holds: rows in order of `seq`, the id of each that does not end its document, all its keys."""

    rows: Rows
    ids: list[str]
    keys: NDArray[np.uint64]


class Commit(NamedTuple):
    """What is valid: rows up to `seq`, hours from `floor_hour` on, documents from `floor_order` on.

    Hours before `budget_hour` were given up to a budget; `next_order` is the order of the next new document;
    `newest` the newest hour seen; `rows` counts the rows of all these hours, so that a lost file does not
    pass for an expired one; `generation` counts commits.
    """

    seq: int = 0
    floor_hour: int = FIRST_HOUR
    floor_order: int = 0
    budget_hour: int = FIRST_HOUR
    next_order: int = 0
    newest: int = FIRST_HOUR
    rows: int = 0
    generation: int = 0


class Store(Protocol):
    """Where rows, texts and keys are kept, by hour.

    `append` fills in where its rows' data lie; nothing of it counts before `commit` returns. `drop` is called
    after the commit that raised `floor_hour`. Reads see what was appended, committed or not.
    """

    def hours(self) -> list[int]:
        """Hours that hold anything, ascending."""

    def load(self, hour: int) -> Hour:
        """What of an hour is committed."""

    def append(self, hour: int, additions: Additions) -> None:
        """Adds to an hour; sets `text_start`, `blob_start` and `keys_start` of `additions.rows`."""

    def commit(self, commit: Commit) -> None:
        """Makes everything appended so far valid."""

    @property
    def remembered(self) -> dict[str, Any]:
        """What the window remembers of the settings that its verdicts were made by (remembered.py)."""

    def settle(self, remembered: dict[str, Any]) -> None:
        """The next commit also says that all verdicts are by what is `remembered` then."""

    def texts(self, hours: Sequence[int], rows: Rows) -> list[bytes]:
        """The stored normal forms of `rows`, each of the hour beside it."""

    def blob(self, hour: int, start: int, size: int) -> bytes:
        """A stored blob."""

    def drop(self, hour: int) -> None:
        """Deletes an hour."""

    def close(self) -> None:
        """Lets go of files and lock."""


def key_counts(rows: Rows) -> NDArray[np.int64]:
    """How many keys of each of `KEY_COUNTS` every row has: one line a kind, one column a row."""
    return np.array([rows[name] for name in KEY_COUNTS], np.int64)


def assign_offsets(additions: Additions, text_at: int, blob_at: int, keys_at: int) -> None:
    """Sets where the data of each row lie, given where the hour's files end now."""
    rows = additions.rows
    widths = key_counts(rows).sum(axis=0)
    moved = rows["text_start"] < 0  # a new version of an old row keeps its text and keys
    for name, sizes, at in (
        ("text_start", rows["text_bytes"].astype(np.int64), text_at),
        ("keys_start", widths, keys_at),
    ):
        own = np.where(moved, sizes, 0)
        rows[name] = np.where(moved, at + np.cumsum(own) - own, rows[name])
    blob_sizes = rows["blob_bytes"].astype(np.int64)
    rows["blob_start"] = blob_at + np.cumsum(blob_sizes) - blob_sizes


class MemoryStore:
    """A store that lasts as long as its process."""

    def __init__(self) -> None:
        self.remembered: dict[str, Any] = {}
        self._hours: dict[int, tuple[dict[int, bytes], bytearray]] = {}
        self._ends: dict[int, int] = {}

    def hours(self) -> list[int]:
        return sorted(self._hours)

    def load(self, hour: int) -> Hour:
        raise NotImplementedError("a store in memory begins empty")

    def append(self, hour: int, additions: Additions) -> None:
        texts, blobs = self._hours.setdefault(hour, ({}, bytearray()))
        end = self._ends.get(hour, 0)
        assign_offsets(additions, end, len(blobs), 0)
        texts.update(zip(additions.rows["text_start"].tolist(), additions.texts, strict=False))
        self._ends[hour] = end + sum(map(len, additions.texts))
        blobs += additions.blobs

    def commit(self, commit: Commit) -> None:
        pass

    def settle(self, remembered: dict[str, Any]) -> None:
        self.remembered = remembered

    def texts(self, hours: Sequence[int], rows: Rows) -> list[bytes]:
        places = zip(hours, rows["text_start"].tolist(), rows["text_bytes"].tolist(), strict=True)
        # An empty text shares its place with the next.
        return [self._hours[hour][0].get(start, b"")[:size] for hour, start, size in places]

    def blob(self, hour: int, start: int, size: int) -> bytes:
        return bytes(self._hours[hour][1][start : start + size])

    def drop(self, hour: int) -> None:
        self._hours.pop(hour, None)

    def close(self) -> None:
        self._hours.clear()


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


class FileStore:
    """A store in a directory. One writer at a time, any number of readers, each with its own `FileStore`."""

    def __init__(self, path: Path, *, readonly: bool) -> None:
        self.path = path
        self.fsync = False
        self.remembered: dict[str, Any] = {}
        self._to_settle: dict[str, Any] | None = None
        self._readonly = readonly
        self._open: OrderedDict[int, _HourFiles] = OrderedDict()
        self._ends: dict[int, list[int]] = {}
        self._touched: set[int] = set()
        self._row_counts: dict[int, int] = {}
        self._lock: int | None = None
        self._commit: int | None = None
        try:
            if not readonly:
                self._lock = locked(path)
                self._commit = _commit_file(path)
            self.committed = self._read_commit()
        except BaseException:
            self.close()
            raise

    def _read_commit(self) -> Commit:
        """The newer of the two commits that check: a write that was torn leaves the one before it."""
        file = self.path / "commit"
        data = file.read_bytes() if file.exists() else b""
        valid = [commit for at in (0, _SLOT_BYTES) if (commit := _decoded(data[at : at + _SLOT_BYTES]))]
        if not valid:
            raise WindowDamaged(file, f"{len(data)} bytes that do not check", "two commit slots")
        return max(valid, key=lambda commit: commit.generation)

    def refresh(self) -> None:
        """Reads again what is committed: for a reader, whose writer goes on."""
        self.committed = self._read_commit()

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
        if self._commit is not None:
            check_same(self.path, self._commit)
        try:
            is_new = self.fsync and not directory.exists()
            files = _HourFiles(directory, self._readonly)
        except FileNotFoundError:
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

    def hours(self) -> list[int]:
        found = (self.path / "hours").iterdir() if (self.path / "hours").is_dir() else iter(())
        return sorted(hour for hour in map(hour_named, (entry.name for entry in found)) if hour is not None)

    def load(self, hour: int) -> Hour:
        directory = self._directory(hour)
        if not self._readonly:
            self._files(hour)  # makes the files that a writer killed here had not yet made
        rows: Rows = np.fromfile(directory / "rows.bin", ROW)
        rows = _committed(rows, self.committed.seq)
        ends = _ends_of(rows)
        for name, end in zip(_NAMES, ends, strict=True):
            size = (directory / name).stat().st_size
            if size < end:
                raise WindowDamaged(directory / name, f"{size:,} bytes", f"at least {end:,}")
        if not self._readonly:
            self._forget(hour)
            self._ends[hour] = ends
            self._row_counts[hour] = len(rows)
        ids = read_ids(directory / "blob.bin", rows)
        return Hour(rows, ids, np.fromfile(directory / "keys.bin", "<u8", ends[3] // 8))

    def append(self, hour: int, additions: Additions) -> None:
        files = self._files(hour)
        assign_offsets(additions, files.ends[1], files.ends[2], files.ends[3] // 8)
        self._touched.add(hour)
        files.write(1, b"".join(additions.texts))
        files.write(2, additions.blobs)
        files.write(3, additions.keys.tobytes())
        files.write(0, additions.rows.tobytes())
        self._row_counts[hour] = self._row_counts.get(hour, 0) + len(additions.rows)

    def commit(self, commit: Commit) -> None:
        assert self._commit is not None, "a readonly store does not commit"
        check_same(self.path, self._commit)
        if self.fsync:
            for hour in self._touched & self._open.keys():
                _flush(self._open[hour])
        self._touched.clear()
        if commit.floor_hour > self.committed.floor_hour:
            self._row_counts = {h: rows for h, rows in self._row_counts.items() if h >= commit.floor_hour}
        generation = self.committed.generation + 1
        commit = commit._replace(rows=sum(self._row_counts.values()), generation=generation)
        slot = _encoded(commit)
        with naming(self.path / "commit"):
            if os.pwrite(self._commit, slot, _SLOT_BYTES * (generation % 2)) != len(slot):
                raise OSError(errno.ENOSPC, "the commit slot was not written whole")
            if self.fsync:
                os.fsync(self._commit)
        self.committed = commit
        if self._to_settle is not None:
            self.remembered, self._to_settle = self._to_settle, None
            write_settings(self.path, self.remembered)

    def settle(self, remembered: dict[str, Any]) -> None:
        self._to_settle = remembered

    def texts(self, hours: Sequence[int], rows: Rows) -> list[bytes]:
        places = zip(hours, rows["text_start"].tolist(), rows["text_bytes"].tolist(), strict=True)
        return [os.pread(self._files(hour).files[1], size, start) for hour, start, size in places]

    def blob(self, hour: int, start: int, size: int) -> bytes:
        return os.pread(self._files(hour).files[2], size, start)

    def drop(self, hour: int) -> None:
        self._forget(hour)
        self._ends.pop(hour, None)
        self._touched.discard(hour)
        self._row_counts.pop(hour, None)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._directory(hour))

    def cut_uncommitted(self) -> None:
        """Cuts off what lies behind the last commit, in every hour loaded.

        Raises `WindowDamaged`, and cuts nothing, unless all committed rows were found.
        """
        found, expected = sum(self._row_counts.values()), self.committed.rows
        if found != expected:
            damaged = self.path / "hours"
            raise WindowDamaged(damaged, f"{found:,} rows", f"the {expected:,} that were committed")
        for hour in self._row_counts:
            for name, end in zip(_NAMES, self._ends[hour], strict=True):
                os.truncate(self._directory(hour) / name, end)

    def close(self) -> None:
        for hour in list(self._open):
            self._forget(hour)
        for file in (self._commit, self._lock):
            if file is not None:
                os.close(file)
        self._commit = self._lock = None


def _committed(rows: Rows, last: int) -> Rows:
    """The rows up to commit `last`: their numbers ascend. What follows may be anything, zeros after a power cut too."""
    seqs = np.concatenate([[0], rows["seq"]])
    good = (seqs[1:] > seqs[:-1]) & (seqs[1:] <= last)
    return rows if good.all() else rows[: int(np.argmin(good))]


def _ends_of(rows: Rows) -> list[int]:
    """Bytes of each file that `rows` speak of."""
    if not len(rows):
        return [0, 0, 0, 0]
    return [
        len(rows) * ROW.itemsize,
        int((rows["text_start"] + rows["text_bytes"]).max()),
        int((rows["blob_start"] + rows["blob_bytes"]).max()),
        8 * int((rows["keys_start"] + key_counts(rows).sum(axis=0)).max()),
    ]


def _encoded(commit: Commit) -> bytes:
    data = np.array(commit, _COMMIT).tobytes()
    return data + xxhash.xxh64_intdigest(data).to_bytes(8, "little")


def _decoded(slot: bytes) -> Commit | None:
    """What a commit slot says; None if it was torn or never written."""
    data, check = slot[:-8], slot[-8:]
    if len(slot) != _SLOT_BYTES or xxhash.xxh64_intdigest(data) != int.from_bytes(check, "little"):
        return None
    return Commit(*(int(value) for value in np.frombuffer(data, _COMMIT)))


def _commit_file(path: Path) -> int:
    """The commit file, open; a new window's begins with two valid slots, so that there is always one to go back to."""
    file = path / "commit"
    if not file.exists():
        if (path / "hours").exists():
            raise WindowDamaged(file, "no such file", "the commit slots of the hours beside it")
        draft = path / "commit.new"
        draft.write_bytes(2 * _encoded(Commit()))
        draft.replace(file)
    return locked_commits(path)


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
