"""Undo log: how stored documents were before an epoch of the lease changed them, kept until it commits.

Adding documents needs no log: what is not committed does not count, and is rolled back. An epoch that replaces,
revises, moves or deletes documents that count first records them, as they are, beside the state document. If its holder
dies, the next holder puts them back: an epoch is done as a whole or not at all. Costs nothing for a stream of new
documents.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http.api import get_doc, put_doc
from neardup.elastic.http.bulk import TOO_LARGE, Action, bulk, bulk_done, is_gone_for_good
from neardup.elastic.http.exact_json import dumps
from neardup.elastic.http.mget import mget
from neardup.elastic.http.remedies import never_fits
from neardup.elastic.window.codec import OBJECT, arrival_in
from neardup.elastic.window.index_layout import lost_indices
from neardup.elastic.window.parts import in_parts
from neardup.errors import ClusterRejected
from neardup.model.escapes import escaped

if TYPE_CHECKING:
    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.composer import Composer

log = logging.getLogger("neardup")

_PART_BYTES: Final = 500_000
"""The largest document of the log: by default nginx refuses requests above 1 MiB."""


class UndoEntry(NamedTuple):
    """A document before the change. `source`: the whole document, None if there was none; or only our `fields`, if
    nothing else changes.

    `unsigned`: the document that is written where there was none, if nodes leave it unsigned: until it is signed it has
    no arrival.
    """

    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks an entry for `tuple.index`
    id: str
    source: dict[str, Any] | None = None
    fields: dict[str, Any] | None = None
    unsigned: dict[str, Any] | None = None

    @property
    def was_there(self) -> bool:
        """Whether the document was there before the change."""
        return self.source is not None or self.fields is not None


class UndoLog:
    """The undo log of one window: documents `undo-EPOCH-PART` beside its state document.

    `keep_lease` is called wherever time passes, to keep the lease; an exception in it ends the work. `composer`
    prepares documents that are written whole.
    """

    def __init__(self, cluster: Cluster, keep_lease: Callable[[], object], composer: Composer) -> None:
        self._cluster, self._keep_lease, self._composer = cluster, keep_lease, composer
        self._written: list[str] = []

    def write(self, epoch: int, entries: Sequence[UndoEntry]) -> list[UndoEntry]:
        """Records `entries` for `epoch`, safely when this returns; returns the entries that are not recorded, because
        each alone is too large for a request to the cluster.
        """
        large: list[UndoEntry] = []
        parts = list(in_parts(entries, _size, _PART_BYTES))[::-1]
        index = 0
        while parts:
            part = parts.pop()
            name = _name(epoch, index)
            body = {"entries": [entry._asdict() for entry in part]}
            try:
                put_doc(self._cluster, self._cluster.address.state, name, body)
            except ClusterRejected as error:
                if not (error.status == TOO_LARGE or never_fits(error.reason)):
                    raise
                middle = len(part) // 2
                if middle:
                    parts += [part[middle:], part[:middle]]
                else:
                    large += part
            else:
                self._written.append(name)
                index += 1
            self._keep_lease()
        return large

    def clear(self) -> None:
        """Deletes the log that was written or read, as the epoch is committed, or undone."""
        if self._written:
            state = self._cluster.address.state
            bulk(self._cluster, [Action("delete", state, name) for name in self._written])
            self._written.clear()

    def undo(self, epochs: Sequence[int]) -> int:
        """Puts back the documents that `epochs` recorded, those of the last epoch first; returns how many.

        A document that the epoch has not changed keeps what other clients have done to it, but is written all the same:
        late writes of the dead holder then name a version that no longer exists, and fail.

        A document that was deleted from a data stream stays deleted, as if another client had deleted it, and so do
        documents of an index that no longer exists, which is not made again. Neither are counted. Raises
        `ClusterRejected` if the cluster refuses a document for another reason; the log then stays for the next attempt.
        """
        count = 0
        for epoch in reversed(epochs):
            for entries in self._read(epoch):
                there = self._in_indices_that_are_there(entries)
                self._put_back(there)
                count += len(there)
        self.clear()
        return count

    def _in_indices_that_are_there(self, entries: Sequence[UndoEntry]) -> list[UndoEntry]:
        """The entries whose index still exists; logs which changes in deleted indices stay."""
        changed = Counter(entry.index for entry in entries if entry.was_there)
        what = "changes in it ({}) cannot be undone"
        lost = lost_indices(self._cluster, self._composer.target, changed, what)
        return [entry for entry in entries if not entry.was_there or entry.index not in lost]

    def _put_back(self, entries: Sequence[UndoEntry]) -> None:
        """Restores documents to `entries`; repeats this for documents that change at the same moment, which may be by a
        late write of the dead holder.
        """
        backoff = self._cluster.backoff()
        while True:
            current = mget(self._cluster, entries, self._keep_lease)
            lean = [each and replace(each, source=self._composer.lean(each.source)) for each in current]
            undoing = ((entry, _undoing(entry, now)) for entry, now in zip(entries, lean, strict=True))
            pending = [(entry, action) for entry, action in undoing if action is not None]
            actions = [action for _, action in pending]
            outcomes = bulk_done(self._cluster, actions, between=self._keep_lease)
            for (entry, _), outcome in zip(pending, outcomes, strict=True):
                if is_gone_for_good(outcome):
                    log.warning(
                        "%s in %s was deleted and stays deleted, because a data stream takes no document back",
                        escaped(entry.id), entry.index,
                    )  # fmt: skip
            done = [action for action, outcome in zip(actions, outcomes, strict=True) if outcome.ok]
            bulk_done(self._cluster, self._composer.signing(done), between=self._keep_lease)
            conflicts = [outcome.status == HTTPStatus.CONFLICT for outcome in outcomes]
            entries = [entry for (entry, _), again in zip(pending, conflicts, strict=True) if again]
            if not entries:
                return
            backoff.wait(self._cluster.url, f"{len(entries)} documents change while they are restored")

    def _read(self, epoch: int) -> Iterator[list[UndoEntry]]:
        """The entries of an epoch, part by part; the last may be missing if its holder died while it wrote them."""
        index = 0
        while True:
            name = _name(epoch, index)
            part = get_doc(self._cluster, self._cluster.address.state, name)
            if part is None:
                return
            self._written.append(name)
            yield [UndoEntry(**entry) for entry in part.source["entries"]]
            index += 1


def has_begun(cluster: Cluster, epoch: int) -> bool:
    """Whether there is an undo log of `epoch`: documents that counted were changed, or were about to be."""
    return get_doc(cluster, cluster.address.state, _name(epoch, 0)) is not None


def _name(epoch: int, part: int) -> str:
    return f"undo-{epoch}-{part}"


def _undoing(entry: UndoEntry, current: StoredDocument | None) -> Action | None:
    """The action that restores a document to its entry; None if nothing can or need be done. A document that another
    client has written anew since stays as it is, and waits to be scored.
    """
    if current is None:
        if entry.source is None:
            return None
        return Action("create", entry.index, entry.id, entry.source, as_stored=True)
    there, version, arrival = current.source, current.version, arrival_in(current.source)
    if entry.fields is not None:
        is_anew = arrival != entry.fields.get("order")
        return None if is_anew else Action("update", entry.index, entry.id, {OBJECT: entry.fields}, *version)
    ours = entry.source or entry.unsigned
    if arrival is None and (ours is None or {**there, OBJECT: None} != {**ours, OBJECT: None}):
        return None
    if entry.source is None:
        return Action("delete", entry.index, entry.id, None, *version)
    unchanged = arrival == arrival_in(entry.source)
    source = there if unchanged else entry.source
    return Action("index", entry.index, entry.id, source, *version, as_stored=True)


def _size(entry: UndoEntry) -> int:
    """The bytes of an entry in a document of the log."""
    return len(dumps(entry._asdict()))
