"""What a turn is about to change of stored documents, kept until it is committed: so that a turn is done or not done.

Adding documents needs no journal: what is not committed does not count, and is taken back. A turn that replaces,
revises, moves or deletes documents which count writes down first how they are, beside the state document. If it dies,
whoever comes next puts them back. Costs nothing for a stream of new documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from neardup.elastic.http.api import get_doc, put_doc
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.mget import mget
from neardup.elastic.window.codec import OBJECT

if TYPE_CHECKING:
    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster

_BYTES: Final = 4_000_000
"""Of one document of the journal."""


class Entry(NamedTuple):
    """A document as it was. `source`: all of it, None if there was none; or our `fields`, if nothing else changes."""

    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks an entry for `tuple.index`
    id: str
    source: dict[str, Any] | None = None
    fields: dict[str, Any] | None = None


class Journal:
    """The journals of the turns of one window."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._written: list[str] = []

    def write(self, turn: int, entries: Sequence[Entry]) -> None:
        """Keeps `entries` for `turn`; they are safe when this returns."""
        state = self._cluster.address.state
        for number, part in enumerate(_parts(entries)):
            name = f"undo-{turn}-{number}"
            self._written.append(name)
            put_doc(self._cluster, state, name, {"entries": [each._asdict() for each in part]})

    def clear(self) -> None:
        """Forgets what was written: the turn is committed, or undone."""
        if self._written:
            bulk(
                self._cluster, [Action("delete", self._cluster.address.state, name) for name in self._written]
            )
            self._written.clear()

    def undo(self, turns: Sequence[int]) -> int:
        """Puts back the documents that `turns` wrote down, the last turn first; returns how many those were.

        A document that is still the one it was keeps what other clients have done to it, but is written all the same:
        what of the dead turn's writes is still on its way then comes to a version that is no more.
        """
        count = 0
        for turn in reversed(turns):
            for entries in self._read(turn):
                there = mget(self._cluster, entries)
                undone = (_undoing(entry, found) for entry, found in zip(entries, there, strict=True))
                bulk(self._cluster, [action for action in undone if action is not None])
                count += len(entries)
        self.clear()
        return count

    def _read(self, turn: int) -> Iterator[list[Entry]]:
        """The entries of a turn, part by part; the last one may be missing if it died while it wrote them down."""
        number = 0
        while True:
            name = f"undo-{turn}-{number}"
            kept = get_doc(self._cluster, self._cluster.address.state, name)
            if kept is None:
                return
            self._written.append(name)
            yield [Entry(**entry) for entry in kept.source["entries"]]
            number += 1


def _undoing(entry: Entry, found: StoredDocument | None) -> Action | None:
    """What brings a document back to its entry; None if that is for it to be gone, and it is."""
    there, version = (None, (None, None)) if found is None else (found.source, found.version)
    if entry.fields is not None:
        if there is None:
            return None  # another client has deleted it
        back = {**there, OBJECT: {**there.get(OBJECT, {}), **entry.fields}}
        return Action("index", entry.index, entry.id, back, *version)
    if entry.source is None:
        return Action("delete", entry.index, entry.id, None, *version) if there is not None else None
    unchanged = there is not None and _order(there) == _order(entry.source)
    return Action("index", entry.index, entry.id, there if unchanged else entry.source, *version)


def _order(source: dict[str, Any]) -> Any:
    return source.get(OBJECT, {}).get("order")


def _parts(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """`entries` in parts that fit one document each."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        weight = len(orjson.dumps(entry._asdict()))
        if part and size + weight > _BYTES:
            yield part
            part, size = [], 0
        part.append(entry)
        size += weight
    if part:
        yield part
