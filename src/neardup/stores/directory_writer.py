"""The store of the writer of a window in a directory: one process at a time, which holds its locks while it is open."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING, Any

from neardup.errors import WindowDamaged, WindowExpired
from neardup.stores import hour_list
from neardup.stores.commit_slots import LockedSlots
from neardup.stores.description import remember
from neardup.stores.directory import DirectoryStore
from neardup.stores.hour_files import NAMES, HourFiles, flush_directory, remove_directory
from neardup.stores.lock import locked, release, replaced
from neardup.stores.stored_hour import StoredHour, hours_in, records_of
from neardup.stores.window_directory import RESIGN_DRAFT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from neardup.stores.base import Commit, NewDocuments, Records
    from neardup.stores.records import Rows


class DirectoryWriter(DirectoryStore):
    """The store of the only writer.

    `fsync`: a commit is on disk, not only in the system's cache, when it returns.
    """

    _slots: LockedSlots

    def __init__(self, path: Path) -> None:
        self.fsync = False
        with contextlib.ExitStack() as stack:
            self._lock = stack.enter_context(locked(path))
            super().__init__(path, LockedSlots(path))
            stack.pop_all()
        self._has_taken_over = False
        """Whether uncommitted data at the end of the files has been cut off, as it must be before anything is added."""
        self._remember_next: dict[str, Any] | None = None
        self._ends: dict[int, list[int]] = {}
        """The ends of the files of hours that are not open."""
        self._touched: set[int] = set()
        """The hours to which anything was added since the last commit."""
        self._row_counts: dict[int, int] = {}
        """How many rows each hour has."""
        self._hours: set[int] = set()
        """The hours that have a directory, once it has taken over: nobody else makes or drops one meanwhile."""

    # ---- what is there ----

    def hours(self) -> list[int]:
        # Not listed anew whenever an hour expires: with a budget each does by itself, beside thousands of others.
        return sorted(self._hours) if self._has_taken_over and not self._is_forked_off else super().hours()

    def records(self, since: Commit) -> Iterator[Records]:
        # After a failed change, perhaps because the disk is full, the window is only read.
        begins = not self._has_taken_over and self.revision == 0 and not self._is_forked_off
        if begins:
            with contextlib.suppress(OSError):
                shutil.rmtree(self.path / RESIGN_DRAFT)  # left by a run that was killed
            for hour in self.hours():
                if hour < self.committed.floor_hour:  # left by an expiry
                    self.drop(hour)
        hours, rows = self._stored_hours()
        if begins:
            self._take_over(hours)
            self._has_taken_over = True
        first = max(self.committed.floor_order, since.next_order)
        yield records_of([*hours.values()], rows, first, self._reading_keys)

    def _take_over(self, hours: dict[int, StoredHour]) -> None:
        """Cuts off uncommitted data at the end of the files of every hour."""
        self._hours = set(hours)
        for hour, stored in hours.items():
            self._forget(hour)
            self._ends[hour], self._row_counts[hour] = stored.ends, len(stored.rows)
            for name, end in zip(NAMES, stored.ends, strict=True):
                file = self._directory(hour) / name
                if file.exists() and file.stat().st_size > end:
                    os.truncate(file, end)
        hour_list.rewrite(self.path, hours)

    def _read_anew(self, newer: Commit) -> None:
        super()._read_anew(newer)
        self._ends.clear()
        self._hours = set(hours_in(self.path))  # perhaps without one that could not be begun

    @contextlib.contextmanager
    def _reading_keys(self, _: Path) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise WindowDamaged(error.filename, "no file", "the keys of an hour", self.path) from None

    @property
    def _is_forked_off(self) -> bool:
        """Whether this process was forked off the writer: then it has no lock, and only reads."""
        return self._lock.closed

    # ---- what is added ----

    def refresh(self, *, follow: bool = False) -> None:
        """Reads anew after a change that failed. Raises `WindowDamaged` where it is to `follow` and the directory is
        gone or replaced.
        """
        if follow and not self._is_forked_off:
            self._slots.check_there()  # not what it holds: after a commit that failed it is still read
        super().refresh(follow=follow)

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        self._slots.check_same()
        try:
            yield  # the lock is held as long as the store is open
        except BaseException:
            self._is_outdated = True  # nothing added counts, or all if the commit itself was interrupted
            raise

    def append(self, hour: int, new: NewDocuments) -> None:
        self._changed(hour, len(new.rows)).append(new.rows, new.texts, new.blobs, new.keys)

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:  # noqa: ARG002 - it is in the blob
        self._changed(hour, 1).revise(row, blob)

    def _changed(self, hour: int, rows: int) -> HourFiles:
        """The files of an hour to which so many `rows` are about to be added."""
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
            remove_directory(self._directory(hour))
        self._hours.discard(hour)

    # ---- files ----

    def _opened(self, hour: int) -> HourFiles:
        directory = self._directory(hour)
        if self._is_forked_off:
            try:
                return HourFiles(directory, readonly=True)
            except FileNotFoundError:
                raise WindowExpired(self.path, directory.name) from None
        self._slots.check_same()
        is_new = not directory.exists()
        if is_new and self._row_counts.get(hour):  # an empty one in its place would hide which hour is lost
            raise replaced(directory)
        if is_new:
            hour_list.note_begun(self.path, hour)
        self._hours.add(hour)
        files = HourFiles(directory, readonly=False)
        files.ends = self._ends.get(hour, files.ends)
        if is_new and self.fsync:  # or its name might not survive a power cut that its files do
            for parent in (directory, directory.parent, self.path):
                flush_directory(parent)
            with contextlib.suppress(PermissionError):  # a directory that may be entered may not be listed
                flush_directory(self.path.resolve().parent)
        return files

    def _leave(self, hour: int, files: HourFiles) -> None:
        self._ends[hour] = files.ends
        if self.fsync and hour in self._touched:
            files.flush()

    def close(self) -> None:
        try:
            super().close()
        finally:
            release(self._lock)
