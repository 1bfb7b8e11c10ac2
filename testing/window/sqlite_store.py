"""A store in a SQLite file: it shows that a window needs only a store to be kept somewhere else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from neardup.errors import WindowLocked
from neardup.model.settings import Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.stores.base import Commit, NewDocuments, Records
from neardup.stores.records import ROW, Rows, are_deleted, arrivals_of, key_counts, lay_keys
from neardup.stores.remembered_settings import merged, without_earlier
from neardup.stores.single_owner import SingleOwner
from neardup.window.changed_hours import check_hours, tell_hours
from neardup.window.engine import WindowEngine

SCHEMA = """
CREATE TABLE IF NOT EXISTS documents
    (arrival INTEGER PRIMARY KEY, hour INTEGER, id TEXT, row BLOB, text BLOB, blob BLOB, keys BLOB);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT);
"""


class SqliteStore(SingleOwner):
    """A store in one file; a transaction is a commit, so that nothing uncommitted was ever there."""

    def __init__(self, path: Path) -> None:
        self.path, self.name, self.revision = path, str(path), 0
        self._base = sqlite3.connect(path, timeout=0, check_same_thread=False, isolation_level=None)
        try:
            self._base.executescript(SCHEMA)
            self._begin_transaction()
        except sqlite3.OperationalError as error:
            self._base.close()
            raise WindowLocked(path) from error
        self.committed = Commit(**self._fact("commit"))
        self.remembered = self.previous = self._fact("settings")

    def _fact(self, name: str) -> dict[str, Any]:
        found = self._base.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return {} if found is None else json.loads(found[0])

    def _note(self, name: str, value: dict[str, Any]) -> None:
        self._base.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def _begin_transaction(self) -> None:
        self._base.execute("BEGIN IMMEDIATE")  # from now on nobody else can change the file

    def _end_transaction(self) -> None:
        self._base.execute("COMMIT")
        self._begin_transaction()

    def begin(self) -> AbstractContextManager[object]:
        return nullcontext()  # it is the only writer while it is open

    def records(self, since: Commit) -> Iterator[Records]:
        first = max(since.next_order, self.committed.floor_order)
        found = self._base.execute(
            "SELECT row, id, keys FROM documents WHERE row NOT NULL AND arrival >= ? AND hour >= ? ORDER BY arrival",
            (first, self.committed.floor_hour),
        )
        while part := found.fetchmany(1_000):
            rows = np.frombuffer(b"".join(row for row, _, _ in part), ROW).copy()
            lay_keys(rows)
            keys = np.frombuffer(b"".join(keys for _, _, keys in part), "<u8")
            yield Records.of_one_part(rows, [id for _, id, _ in part], keys)

    def hours(self) -> list[int]:
        return [hour for (hour,) in self._base.execute("SELECT DISTINCT hour FROM documents ORDER BY hour")]

    def append(self, hour: int, new: NewDocuments) -> None:
        keys = np.split(new.keys, np.cumsum(key_counts(new.rows).sum(axis=0))[:-1])
        self._base.executemany(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (arrival, hour, document.id, row.tobytes(), text, blob, own.tobytes())
                for arrival, document, row, text, blob, own in zip(
                    arrivals_of(new.rows).tolist(), new.documents, new.rows, new.texts, new.blobs, keys,
                    strict=True,
                )
            ],
        )  # fmt: skip

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        arrival = int(arrivals_of(row)[0])
        if are_deleted(row)[0]:  # its hour exists until it expires, even if it is empty
            self._base.execute("UPDATE documents SET row = NULL WHERE arrival = ?", (arrival,))
        else:
            changes = (row.tobytes(), blob, arrival)
            self._base.execute("UPDATE documents SET row = ?, blob = ? WHERE arrival = ?", changes)

    def commit(self, commit: Commit) -> Mapping[str, str]:
        self._note("commit", commit._asdict())
        self._note("settings", self.remembered)
        self._end_transaction()
        self.committed = commit
        return {}

    def drop(self, hour: int) -> None:
        self._base.execute("DELETE FROM documents WHERE hour = ?", (hour,))
        self._end_transaction()

    def texts(self, rows: Rows) -> list[bytes]:
        return self._column("text", rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        return self._column("blob", rows)

    def _column(self, name: str, rows: Rows) -> list[bytes]:
        query = f"SELECT {name} FROM documents WHERE arrival = ?"
        return [self._base.execute(query, (arrival,)).fetchone()[0] for arrival in arrivals_of(rows).tolist()]

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self.remembered = remembered

    def remember(self, remembered: dict[str, Any]) -> None:
        """Remembers settings at once."""
        self.remembered = remembered
        self._note("settings", remembered)
        self._end_transaction()

    def close(self) -> None:
        self._base.close()


def open_sqlite_window(path: Path, *, force: bool = False, **changes: Any) -> WindowEngine:
    """The window in the file `path`, as `neardup.open` opens one in a directory."""
    with ExitStack() as opened:
        store = opened.enter_context(closing(SqliteStore(path)))
        left = Settings(**without_earlier(store.remembered))
        settings = left.with_changes(**changes)
        window = WindowEngine(store, settings, signer_for(settings.recipe or Recipe()))
        window.load()
        changed = bool(store.previous) and check_hours(left, settings, window.expirable, force=force)
        store.remember(
            merged(settings.remembered if window.is_empty else store.remembered, settings.remembered)
        )
        if changed:
            tell_hours(str(path), left, settings)
            window.apply_hours()
        opened.pop_all()
    return window


def hours_in(path: Path) -> list[int]:
    """The hours that a file holds."""
    with closing(sqlite3.connect(path)) as base:
        return [hour for (hour,) in base.execute("SELECT DISTINCT hour FROM documents ORDER BY hour")]
