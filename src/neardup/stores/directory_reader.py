"""The store of a reader, which reads a window in a directory beside its writer, and follows the writer."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup.errors import WindowDamaged, WindowExpired
from neardup.stores import records
from neardup.stores.base import Commit, Records
from neardup.stores.commit_slots import WatchedSlots
from neardup.stores.directory import DirectoryStore
from neardup.stores.hour_files import HourFiles
from neardup.stores.stored_hour import (
    StoredHour,
    added_hours,
    records_of,
    row_before,
    rows_in,
    was_begun_after,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, NoReturn

    from neardup.stores.base import NewDocuments
    from neardup.stores.records import Rows

_LOOKS: Final = 10
"""How often a reader tries to read a window that is committed to each time, before it calls the window damaged."""


class DirectoryReader(DirectoryStore):
    """A store that is only read, while another process may write to it, drop hours of it or replace the window: after
    the latter two `WindowExpired` is raised, and the next `refresh` begins anew.
    """

    _slots: WatchedSlots

    def __init__(self, path: Path) -> None:
        super().__init__(path, WatchedSlots(path))
        self._row_counts: dict[int, int] = {}
        """How many rows of each hour were read."""
        self._last_rows: dict[int, Rows] = {}
        """The last row of each hour that was read."""
        self._added: dict[int, StoredHour] | None = None
        """The hours with new rows, after `refresh` has followed the writer, until `records` returns them; empty if none
        of the new documents were kept.
        """

    def refresh(self, *, follow: bool = False) -> None:
        self._is_outdated |= follow and self._slots.is_exchanged()  # stays set until it is read
        if self._is_outdated or not follow:
            super().refresh()
        elif (newer := self._slots.read()) != self.committed:
            self._follow(newer)

    def _follow(self, newer: Commit) -> None:
        """Takes note of the commit `newer`: reads what it added if it only added documents; otherwise all must be read
        again.
        """
        known = {hour: count for hour, count in self._row_counts.items() if hour >= newer.floor_hour}
        added = added_hours(self.path, known, self.committed, newer) if self._is_continued(newer) else None
        if added is None:
            self._read_anew(newer)
            return
        self.remembered = self._checked_description().settings
        for hour in [hour for hour in self._open if hour < newer.floor_hour]:
            self._forget(hour)
        self.committed, self._added, self._row_counts = newer, added, known

    def _is_continued(self, newer: Commit) -> bool:
        """Whether the commit `newer` comes after the one that was read. It does not if an older copy of the window was
        put over the files, even if more was written to that since: then the last row that was read is another one.
        """
        known = self._row_counts
        last = {h: row for h, row in self._last_rows.items() if h in known and h >= newer.floor_hour}
        if newer.generation <= self.committed.generation:
            return False
        if not last:
            return True
        hour = max(last, key=lambda hour: int(records.versions_of(last[hour])[0]))
        there = row_before(self._directory(hour), known[hour])
        return there.tobytes() == last[hour].tobytes()

    def records(self, since: Commit) -> Iterator[Records]:
        added, self._added = self._added, None
        if added is not None and since != Commit():
            hours = added
            rows = records.joined_rows([hour.rows for hour in hours.values()])
        else:
            self._row_counts, self._last_rows = {}, {}
            hours, rows = self._stored_hours()
        self._row_counts |= {hour: rows_in(stored) for hour, stored in hours.items()}
        self._last_rows |= {
            hour: stored.rows[-1:].copy() for hour, stored in hours.items() if len(stored.rows)
        }
        first = max(self.committed.floor_order, since.next_order)
        yield records_of([*hours.values()], rows, first, self._reading_keys)

    def _stored_hours(self) -> tuple[dict[int, StoredHour], Rows]:
        """As in `DirectoryStore`; but if the writer drops hours meanwhile, starts over with its latest commit."""
        looks = 0
        while True:
            looks += 1
            stored, damage = None, None
            try:
                stored = super()._stored_hours()
            except WindowDamaged as error:
                damage = error
            newer = self._slots.read()
            # Hours above an unchanged floor may have gone too, if the newest hour was set back since.
            is_doubted = damage is not None and newer.generation != self.committed.generation
            if newer.floor_hour != self.committed.floor_hour or (is_doubted and looks < _LOOKS):
                self.committed = newer
            elif damage is not None:
                raise damage
            elif stored is not None:
                return stored

    def texts(self, rows: Rows) -> list[bytes]:
        with self._exchange_told():
            return super().texts(rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        with self._exchange_told():
            return super().blobs(rows)

    @contextlib.contextmanager
    def _exchange_told(self) -> Iterator[None]:
        """Replaces a false `WindowDamaged` by the true error, if the window was signed again meanwhile, or an hour has
        begun anew.
        """
        try:
            yield
        except WindowDamaged as error:
            if self.recipe:
                self._checked_description()
                directory = Path(error.path).parent
                if was_begun_after(directory, self.committed.seq):
                    raise self._expired(directory) from None
            raise

    @contextlib.contextmanager
    def _reading_keys(self, directory: Path) -> Iterator[None]:
        try:
            with self._exchange_told():
                yield
        except FileNotFoundError:
            raise self._expired(directory) from None

    def _opened(self, hour: int) -> HourFiles:
        directory = self._directory(hour)
        try:
            return HourFiles(directory, readonly=True)
        except FileNotFoundError:
            raise self._expired(directory) from None

    def _expired(self, directory: Path) -> WindowExpired:
        """The error to raise if the writer has dropped an hour since its rows were read."""
        self._is_outdated = True
        return WindowExpired(self.path, directory.name)

    # ---- what a reader may not do: the session refuses it first ----

    def begin(self) -> NoReturn:
        raise NotImplementedError

    def append(self, hour: int, new: NewDocuments) -> None:
        raise NotImplementedError

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        raise NotImplementedError

    def commit(self, commit: Commit) -> Mapping[str, str]:
        raise NotImplementedError

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        raise NotImplementedError

    def drop(self, hour: int) -> None:
        raise NotImplementedError
