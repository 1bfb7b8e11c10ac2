"""The store of a window in a directory, and its format.

    DIR/window.json                 format, recipe string, settings last used
    DIR/window.lexicon              the lexicon, if it is not the default one
    DIR/window.salt                 the secret of the sketches, if they have one; only its owner can read the file
    DIR/window.boilerplate          the table of boilerplate, if the recipe has one
    DIR/*.copy                      a copy of each of these four, for `neardup doctor --repair`
    DIR/lock                        held (flock) by the one writer; holds its process id
    DIR/commit                      commit slots, written in turn; the newest valid one counts; locked too
    DIR/hours.list                  the hours of the window, so that a lost one can be named
    DIR/hours/2026.11.21-09/rows.bin      one row (stores/records.py) a version of a document, in order of `seq`
                            text.bin      normal forms, UTF-8
                            blob.bin      id, group, and what else a verdict needs
                            keys.bin      the keys for searching: sketch, bitmap, prefix, sentences, bands (uint64)

Files only grow, until an hour is deleted whole. A batch is appended to the files of its hours and then committed by one
small write to the older of two commit slots; uncommitted data at the end of the files is cut off when a writer opens
the window. So a batch counts whole or not at all, in all hours, however the process ends. A row with the `order` of an
earlier one replaces it (a new verdict) or, with `DELETED`, ends it.

Every item in these files has a checksum (stores/checksums.py), which is verified whenever the item is read, and the
commit counts all rows: readers and writers raise `WindowDamaged` for data that is not what was written.
"""

from __future__ import annotations

import contextlib
import resource
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import WindowDamaged, WindowResigning
from neardup.model.counted import some_of
from neardup.stores import hour_list, records
from neardup.stores.description import Description, read_description
from neardup.stores.single_owner import SingleOwner
from neardup.stores.stored_hour import StoredHour, hours_in, read_hour
from neardup.stores.window_directory import HOURS, hour_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neardup.stores.base import Commit, Records
    from neardup.stores.commit_slots import LockedSlots, WatchedSlots
    from neardup.stores.hour_files import HourFiles
    from neardup.stores.records import RowBuffer, Rows

_OPEN_HOURS: Final = 32
_LIMIT_EACH: Final = 32
"""The files of one hour are kept open for every so many files that a process may open: others need files, too."""


class DirectoryStore(SingleOwner, ABC):
    """The common part of the writer (directory_writer.py) and the readers (directory_reader.py) of a window in a
    directory: reading what is committed according to `slots`. Each of them has a store of its own.

    `recipe`: the recipe string by which documents are signed.
    """

    def __init__(self, path: Path, slots: WatchedSlots | LockedSlots) -> None:
        self.path, self.name = path, str(path)
        self.recipe = ""
        self.revision = 0
        self.previous: dict[str, Any] = {}
        self.remembered: dict[str, Any] = {}
        self._slots = slots
        with contextlib.ExitStack() as stack:
            stack.callback(slots.close)
            self.committed = slots.read()
            stack.pop_all()
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        unlimited = limit == resource.RLIM_INFINITY
        self._most_open = _OPEN_HOURS if unlimited else min(max(limit // _LIMIT_EACH, 1), _OPEN_HOURS)
        self._is_outdated = False
        """Whether the data read so far is no longer valid, so that the next `refresh` begins anew."""
        self._open: OrderedDict[int, HourFiles] = OrderedDict()

    # ---- what is there ----

    def refresh(self, *, follow: bool = False) -> None:  # noqa: ARG002 - a reader alone follows anybody
        if self._is_outdated:
            self._read_anew(self._slots.read())

    def _read_anew(self, newer: Commit) -> None:
        """Takes note of a commit after which everything must be read again."""
        self.remembered = self._checked_description().settings
        for hour in list(self._open):
            self._forget(hour)
        self.committed = newer
        self.revision += 1
        self._is_outdated = False

    def _checked_description(self) -> Description:
        """The present description of the window. Raises `WindowResigning` if its recipe is not the one opened."""
        description = read_description(self.path)
        if description.recipe != self.recipe:
            raise WindowResigning(self.path, description.recipe, done=True)
        return description

    def hours(self) -> list[int]:
        return hours_in(self.path)

    @abstractmethod
    def records(self, since: Commit) -> Iterator[Records]:
        """See `Store.records`."""

    def _stored_hours(self) -> tuple[dict[int, StoredHour], Rows]:
        """All committed data, by hour, and all rows. Raises `WindowDamaged` unless all committed rows are found."""
        buffer, hours = records.RowBuffer(self.committed.rows), dict[int, StoredHour]()
        for hour in hours_in(self.path):
            if hour >= self.committed.floor_hour:
                try:
                    hours[hour] = self.load(hour, buffer)
                except FileNotFoundError as error:  # it disappeared between two accesses
                    raise WindowDamaged(error.filename, "no file", "that of an hour", self.path) from None
        if (damage := self._loss(hours)) is not None:
            raise damage
        return hours, buffer.rows

    def load(self, hour: int, buffer: RowBuffer | None = None) -> StoredHour:
        """The committed data of an hour; its rows are copied to `buffer`, if given."""
        return read_hour(self._directory(hour), self.committed.seq, buffer=buffer)

    def _loss(self, hours: dict[int, StoredHour]) -> WindowDamaged | None:
        """The error to raise if `hours` do not have all committed rows; None if they have."""
        rows, expected = sum(len(hour.rows) for hour in hours.values()), self.committed.rows
        if rows == expected:
            return None
        lost = [h for h in hour_list.listed_hours(self.path) - hours.keys() if h >= self.committed.floor_hour]
        suspects = [hour.suspect for hour in hours.values() if hour.suspect is not None]
        if suspects and not lost:
            return suspects[0]
        names = some_of([self._directory(hour).name for hour in sorted(lost)])
        actual = f"{rows:,} rows" + (f" and no hour {names}" if lost else "")
        return WindowDamaged(
            self.path / HOURS, actual, f"the {expected:,} rows that were committed", self.path
        )

    def texts(self, rows: Rows) -> list[bytes]:
        hours, arrivals = records.hours_of(rows).tolist(), records.arrivals_of(rows).tolist()
        extents = records.text_extents(rows)
        texts: list[bytes] = []
        while len(texts) < len(hours):  # documents come in runs of one hour
            first, hour = len(texts), hours[len(texts)]
            last = next((at for at in range(first, len(hours)) if hours[at] != hour), len(hours))
            texts += self._files(hour).texts(extents[first:last], arrivals[first:last])
        return texts

    def blobs(self, rows: Rows) -> list[bytes]:
        hours, versions = records.hours_of(rows).tolist(), records.versions_of(rows).tolist()
        extents = records.blob_extents(rows)
        return [
            self._files(h).blob(at, version) for h, at, version in zip(hours, extents, versions, strict=True)
        ]

    # ---- files ----

    def _directory(self, hour: int) -> Path:
        return hour_directory(self.path, hour)

    def _files(self, hour: int) -> HourFiles:
        files = self._open.get(hour)
        if files is None:
            files = self._open[hour] = self._opened(hour)
            if len(self._open) > self._most_open:
                self._forget(next(iter(self._open)))
        else:
            self._open.move_to_end(hour)
        return files

    @abstractmethod
    def _opened(self, hour: int) -> HourFiles:
        """Opens the files of an hour."""

    def _forget(self, hour: int) -> None:
        files = self._open.pop(hour, None)
        if files is not None:
            try:
                self._leave(hour, files)
            finally:
                files.close()

    def _leave(self, hour: int, files: HourFiles) -> None:
        """Hook that is called before the files of an hour are closed."""

    def close(self) -> None:
        with contextlib.ExitStack() as stack:  # whatever fails, the locks are released, last
            stack.callback(self._slots.close)
            for hour in list(self._open):
                stack.callback(self._forget, hour)
