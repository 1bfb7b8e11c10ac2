"""The store of a window in a directory, and its format.

    DIR/window.json                 format, recipe string, settings last used
    DIR/window.lexicon              the lexicon, if it is not the default one
    DIR/window.salt                 the secret of the sketches, if they have one; its owner alone can read it
    DIR/window.boilerplate          the table of what recurs in each source, if the recipe has one
    DIR/*.copy                      a copy of each of these four, for `neardup doctor --repair`
    DIR/lock                        held (flock) by the one writer; holds its process id
    DIR/commit                      commit slots, written in turn: what the newest valid one says counts; locked too
    DIR/hours.list                  the hours that there are, so that one that is lost can be named
    DIR/hours/2026.11.21-09/rows.bin      one row (stores/records.py) a version of a document, in order of `seq`
                            text.bin      normal forms, UTF-8
                            blob.bin      id, group, and what else a verdict needs
                            keys.bin      what is searched by: sketch, bitmap, prefix, sentences, bands (uint64)

Files only grow, until an hour is deleted whole. A batch is appended to the files of its hours and then
committed by one small write to the older of two commit slots; what lies behind the last commit is cut off when a
writer opens the window. So a batch counts whole or not at all, over all hours, however the process ends. A
row with the `order` of an earlier one replaces it (a new verdict) or, with `DELETED`, ends it.

Every item in these files has its checksum (stores/checksums.py), which is checked whenever it is read, and the commit
counts all rows: what is not what was written is `WindowDamaged`, for readers and writers.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import RecipeMismatch, WindowDamaged, WindowExpired
from neardup.model.counted import some_of
from neardup.stores import hour_list, records
from neardup.stores.base import Commit, Records
from neardup.stores.commit_slots import CommitSlots
from neardup.stores.description import Description, read_description, remember
from neardup.stores.hour_files import NAMES, HourFiles, flush_directory
from neardup.stores.lock import locked
from neardup.stores.single_owner import SingleOwner
from neardup.stores.stored_hour import (
    StoredHour,
    added_hours,
    hours_in,
    read_hour,
    records_of,
    rows_in,
    was_begun_after,
)
from neardup.stores.window_directory import HOURS, hour_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neardup.stores.base import NewDocuments
    from neardup.stores.records import RowBuffer, Rows

_OPEN_HOURS: Final = 32
_LOOKS: Final = 10
"""How often a reader looks before it calls a window damaged that is committed again each time."""


class DirectoryStore(SingleOwner):
    """A store in a directory. One writer at a time, any number of readers, each with its own `DirectoryStore`.

    `fsync`: a commit is on the disk, not only with the system, when it returns. `recipe`: by which a reader's documents
    are signed; another window may take the place of the one that it opened.
    """

    def __init__(self, path: Path, *, readonly: bool) -> None:
        self.path, self.name = path, str(path)
        self.fsync = False
        self.recipe = ""
        self.revision = 0
        self.previous: dict[str, Any] = {}
        self.remembered: dict[str, Any] = {}
        self._remember_next: dict[str, Any] | None = None
        self._readonly = readonly
        self._outdated = False
        self._open: OrderedDict[int, HourFiles] = OrderedDict()
        self._ends: dict[int, list[int]] = {}
        self._touched: set[int] = set()
        self._row_counts: dict[int, int] = {}
        self._added: dict[int, StoredHour] = {}  # since the last look, by a writer that a reader follows
        with contextlib.ExitStack() as stack:
            self._lock = None if readonly else stack.enter_context(locked(path))
            self._slots = stack.enter_context(contextlib.closing(CommitSlots(path, readonly=readonly)))
            self.committed = self._slots.read()
            stack.pop_all()

    # ---- what is there ----

    def refresh(self, *, follow: bool = False) -> None:
        follows = follow and self._readonly
        self._outdated |= follows and self._slots.is_exchanged()  # until that is read
        if self._outdated:
            self._read_anew(self._slots.read())
        elif follows:
            newer = self._slots.read()
            if newer.generation != self.committed.generation:
                self._follow(newer)

    def _read_anew(self, newer: Commit) -> None:
        """Takes note of a commit with which all that was read before is to be read again."""
        self.remembered = self._checked_description().settings
        self._forget_all()
        self.committed = newer
        self.revision += 1
        self._outdated = False

    def _follow(self, newer: Commit) -> None:
        """Takes note of a `newer` commit, and of what it has added if that is all that it has changed."""
        known = {hour: count for hour, count in self._row_counts.items() if hour >= newer.floor_hour}
        added = added_hours(self.path, known, self.committed, newer)
        if added is None:
            self._read_anew(newer)
            return
        self.remembered = self._checked_description().settings
        for hour in [hour for hour in self._open if hour < newer.floor_hour]:
            self._forget(hour)
        self.committed, self._added = newer, added
        self._row_counts = known

    def _checked_description(self) -> Description:
        """What the window says of itself now; `RecipeMismatch` if another has taken the place of the one opened."""
        description = read_description(self.path)
        if description.recipe != self.recipe:
            raise RecipeMismatch(str(self.path), description.recipe, self.recipe)
        return description

    def hours(self) -> list[int]:
        return hours_in(self.path)

    def records(self, since: Commit) -> Iterator[Records]:
        added, self._added = self._added, {}
        if added and since != Commit():
            hours, rows = added, records.joined_rows([hour.rows for hour in added.values()])
        else:
            hours, rows = self._stored_hours()
        if self._readonly:
            known = self._row_counts if hours is added else {}
            self._row_counts = known | {hour: rows_in(hours[hour]) for hour in hours}
        stored = list(hours.values())
        hours.clear()
        yield records_of(stored, rows, max(self.committed.floor_order, since.next_order), self._reading_keys)

    def _stored_hours(self) -> tuple[dict[int, StoredHour], Rows]:
        """Everything committed, by hour, and all rows; a reader starts over if the writer drops hours meanwhile. When
        a writer opens the window, it deletes hours that an expiry left behind, and cuts off what was never committed.

        Raises `WindowDamaged`, and cuts nothing, unless all committed rows were found.
        """
        looks = 0
        while True:
            looks += 1
            try:
                buffer = records.RowBuffer(self.committed.rows)
                hours = self._committed_hours(buffer)
                damage = self._loss(hours)
            except WindowDamaged as error:
                hours, damage = {}, error
            newer = self._slots.read() if self._readonly else self.committed
            # Hours may have gone above the same floor, too, if the newest hour was set back since.
            is_doubted = damage is not None and newer.generation != self.committed.generation
            if newer.floor_hour != self.committed.floor_hour or (is_doubted and looks < _LOOKS):
                self.committed = newer
                continue
            if damage is not None:
                raise damage
            if self._tidies:
                self._take_over(hours)
            return hours, buffer.rows  # which are those of the commit that they were read by

    @property
    def _tidies(self) -> bool:
        """Not after a change that failed, perhaps because the disk is full: then there is only reading."""
        return not self._readonly and self.revision == 0

    def _committed_hours(self, buffer: RowBuffer) -> dict[int, StoredHour]:
        hours: dict[int, StoredHour] = {}
        for hour in self.hours():
            if hour >= self.committed.floor_hour:
                try:
                    hours[hour] = self.load(hour, buffer)
                except FileNotFoundError as error:  # it went between two looks at it
                    raise WindowDamaged(error.filename, "no file", "that of an hour", self.path) from None
            elif self._tidies:
                self.drop(hour)
        return hours

    def load(self, hour: int, buffer: RowBuffer | None = None) -> StoredHour:
        """What of an hour is committed; its rows go to `buffer`, if that is given."""
        return read_hour(self._directory(hour), self.committed.seq, buffer=buffer)

    def _loss(self, hours: dict[int, StoredHour]) -> WindowDamaged | None:
        """What is to be raised if `hours` are not all rows that were committed."""
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

    def _take_over(self, hours: dict[int, StoredHour]) -> None:
        """Cuts off what lies behind the last commit, in every hour."""
        for hour, stored in hours.items():
            self._forget(hour)
            self._ends[hour], self._row_counts[hour] = stored.ends, len(stored.rows)
            for name, end in zip(NAMES, stored.ends, strict=True):
                file = self._directory(hour) / name
                if file.exists() and file.stat().st_size > end:
                    os.truncate(file, end)
        hour_list.rewrite(self.path, hours)

    def texts(self, rows: Rows) -> list[bytes]:
        hours, arrivals = records.hours_of(rows).tolist(), records.arrivals_of(rows).tolist()
        extents = records.text_extents(rows)
        with self._exchange_told():
            texts: list[bytes] = []
            while len(texts) < len(hours):  # as documents come: many of one hour after another
                first, hour = len(texts), hours[len(texts)]
                last = next((at for at in range(first, len(hours)) if hours[at] != hour), len(hours))
                texts += self._files(hour).texts(extents[first:last], arrivals[first:last])
            return texts

    def blobs(self, rows: Rows) -> list[bytes]:
        hours, versions = records.hours_of(rows).tolist(), records.versions_of(rows).tolist()
        extents = records.blob_extents(rows)
        with self._exchange_told():
            return [
                self._files(h).blob(at, version)
                for h, at, version in zip(hours, extents, versions, strict=True)
            ]

    @contextlib.contextmanager
    def _exchange_told(self) -> Iterator[None]:
        """A reader is told that its window was signed again meanwhile, or that an hour has begun anew, not that
        files are damaged which are not.
        """
        try:
            yield
        except WindowDamaged as error:
            if self._readonly and self.recipe:
                self._checked_description()
                directory = Path(error.path).parent
                if was_begun_after(directory, self.committed.seq):
                    self._outdated = True
                    raise WindowExpired(self.path, directory.name) from None
            raise

    @contextlib.contextmanager
    def _reading_keys(self, directory: Path) -> Iterator[None]:
        """A writer may have dropped the hour in `directory` since a reader read its rows."""
        try:
            with self._exchange_told():
                yield
        except FileNotFoundError as error:
            if not self._readonly:
                raise WindowDamaged(error.filename, "no file", "the keys of an hour", self.path) from None
            self._outdated = True
            raise WindowExpired(self.path, directory.name) from None

    # ---- what is added ----

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        self._slots.check_same()
        try:
            yield  # the lock is held as long as the store is open
        except BaseException:
            self._outdated = True  # nothing added counts, or all if the commit itself was interrupted
            raise

    def append(self, hour: int, new: NewDocuments) -> None:
        self._changed(hour, len(new.rows)).append(new.rows, new.texts, new.blobs, new.keys)

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:  # noqa: ARG002 - it is in the blob
        self._changed(hour, 1).revise(row, blob)

    def _changed(self, hour: int, rows: int) -> HourFiles:
        """The files of an hour that gets so many rows more."""
        files = self._files(hour)
        if hour not in self._touched:  # before anything is written: it would mend nothing, and damage a copy
            files.check_same()
            self._touched.add(hour)
        self._row_counts[hour] = self._row_counts.get(hour, 0) + rows
        return files

    def commit(self, commit: Commit) -> Mapping[str, str]:
        self._slots.check_same()
        for hour in self._touched & self._open.keys():
            self._open[hour].check_same()
            if self.fsync:
                self._open[hour].flush()
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
        return {}

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self._remember_next = remembered

    def drop(self, hour: int) -> None:
        self._forget(hour)
        self._ends.pop(hour, None)
        self._touched.discard(hour)
        self._row_counts.pop(hour, None)
        hour_list.note_dropped(self.path, hour)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._directory(hour))

    # ---- files ----

    def _directory(self, hour: int) -> Path:
        return hour_directory(self.path, hour)

    def _files(self, hour: int) -> HourFiles:
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

    def _opened(self, hour: int) -> HourFiles:
        directory = self._directory(hour)
        if not self._readonly:
            self._slots.check_same()
        is_new = not directory.exists()
        if is_new and not self._readonly:
            hour_list.note_begun(self.path, hour)
        try:
            files = HourFiles(directory, readonly=self._readonly)
        except FileNotFoundError:
            self._outdated = True
            raise WindowExpired(self.path, directory.name) from None
        if is_new and self.fsync:  # or the directory's name might not survive what its files do
            for parent in (directory, directory.parent, self.path):
                flush_directory(parent)
        return files

    def _forget(self, hour: int) -> None:
        files = self._open.pop(hour, None)
        if files is not None:
            self._ends[hour] = files.ends
            try:
                if self.fsync and hour in self._touched:
                    files.flush()
            finally:
                files.close()

    def _forget_all(self) -> None:
        for hour in list(self._open):
            self._forget(hour)
        self._ends.clear()

    def close(self) -> None:
        with contextlib.ExitStack() as stack:  # whatever fails, the locks are let go of, last
            if self._lock is not None:
                stack.callback(self._lock.close)
            stack.callback(self._slots.close)
            for hour in list(self._open):
                stack.callback(self._forget, hour)
