"""A store that lasts as long as its process."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import NeardupError
from neardup.stores.base import Commit
from neardup.stores.records import are_deleted, arrivals_of, hours_of
from neardup.stores.single_owner import SingleOwner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neardup.stores.base import NewDocuments, Records
    from neardup.stores.records import Rows

_HALF_CHANGED: Final = (
    "an earlier change of this window failed half-way, and the window is in memory alone: open another one, and ingest "
    "its documents again"
)


class MemoryStore(SingleOwner):
    """Texts and blobs of documents by hour and arrival. Rows and keys are in the engine's memory already."""

    keeps_text: bool | None = False
    """By default no original texts are kept: whoever fills a window in memory has them in memory already."""
    is_durable = False
    name = "in memory"

    def __init__(self) -> None:
        self.committed = Commit()
        self.revision = 0
        self.previous: dict[str, Any] = {}
        self.remembered: dict[str, Any] = {}
        self._texts: dict[int, dict[int, bytes]] = {}
        self._blobs: dict[int, dict[int, bytes]] = {}

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.revision += 1
            raise

    def records(self, since: Commit) -> Iterator[Records]:  # noqa: ARG002 - it begins empty
        if self.revision:
            raise NeardupError(_HALF_CHANGED)
        return iter(())

    def hours(self) -> list[int]:
        return sorted(self._texts)

    def append(self, hour: int, new: NewDocuments) -> None:
        arrivals = arrivals_of(new.rows).tolist()
        self._texts.setdefault(hour, {}).update(zip(arrivals, map(bytes, new.texts), strict=True))
        self._blobs.setdefault(hour, {}).update(zip(arrivals, new.blobs, strict=True))

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:  # noqa: ARG002 - it is in the blob
        arrival = int(arrivals_of(row)[0])
        if are_deleted(row)[0]:
            del self._texts[hour][arrival], self._blobs[hour][arrival]
        else:
            self._blobs[hour][arrival] = blob

    def commit(self, commit: Commit) -> Mapping[str, str]:
        first = commit.floor_order
        if first > self.committed.floor_order:  # an hour has lost its older half for a budget
            for kept in (self._texts, self._blobs):
                for hour, items in kept.items():
                    kept[hour] = {arrival: item for arrival, item in items.items() if arrival >= first}
        self.committed = commit
        return {}

    def drop(self, hour: int) -> None:
        self._texts.pop(hour, None)
        self._blobs.pop(hour, None)

    def texts(self, rows: Rows) -> list[bytes]:
        return _held(self._texts, rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        return _held(self._blobs, rows)

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self.remembered = remembered

    def close(self) -> None:
        self._texts.clear()
        self._blobs.clear()


def _held(kept: dict[int, dict[int, bytes]], rows: Rows) -> list[bytes]:
    refs = zip(hours_of(rows).tolist(), arrivals_of(rows).tolist(), strict=True)
    return [kept[hour][arrival] for hour, arrival in refs]
