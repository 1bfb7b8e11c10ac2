"""Writes that wait for the end of a batch: one for each document, by the last decision about it within the batch."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import OF_ONE_ITEM, Action
from neardup.elastic.window.codec import OBJECT, SCORER_FIELDS, UNSCORED, arrival_in, own_object
from neardup.elastic.window.undo_log import UndoEntry, UndoLog
from neardup.elastic.window.write_sender import Write, WriteSender, is_anew, pinned, version_of
from neardup.errors import ClusterError, ClusterRejected
from neardup.model.escapes import escaped

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.composer import Composer
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument
    from neardup.elastic.window.write_sender import Current

log = logging.getLogger("neardup")

_TOO_LARGE_TO_KEEP: Final = (
    "the stored document is too large for the request that would save it before it changes: raise the size that the "
    "nodes (http.max_content_length), or a proxy before them, accept, or delete it by another client"
)


class _Move(NamedTuple):
    """A stored document `id` that moves to another index, with new `fields` in our object."""

    old: DocumentRef
    new: DocumentRef
    fields: dict[str, Any]
    id: str


class PendingWrites:
    """The writes of one batch.

    `composer` composes the contents of the writes; `lease` is held by this scorer, and renewed while it writes.
    """

    def __init__(self, cluster: Cluster, composer: Composer, lease: Lease[StateDocument]) -> None:
        self._composer, self._lease = composer, lease
        self._sender = WriteSender(cluster, composer, lease)
        self._undo_log = UndoLog(cluster, lease.ensure_held, composer)
        self._pending: dict[DocumentRef, Write] = {}
        self._moves: list[_Move] = []
        self._unsendable: dict[str, str] = {}

    def put(self, action: Action, id: str, arrival: int = -1) -> None:
        """Adds a write, in place of any other that waits for the same document."""
        new = action.op == "create" or action.if_seq_no is not None
        self._pending[action.ref] = Write(action, id, arrival, new)

    def refuse(self, id: str, reason: str) -> None:
        """Notes that the document `id` cannot be sent at all, and why."""
        self._unsendable[id] = reason

    def action(self, ref: DocumentRef) -> Action | None:
        """The waiting action on the document at `ref`, if there is one."""
        write = self._pending.get(ref)
        return None if write is None else write.action

    def move(self, old: DocumentRef, new: DocumentRef, fields: dict[str, Any], id: str) -> None:
        """Adds a move of the document `id`, with new `fields` in our object."""
        self._moves.append(_Move(old, new, fields, id))

    def send(self, epoch: int) -> dict[str, str]:
        """Sends the waiting writes: new documents first, then, with an undo log of `epoch`, changes of stored ones.
        Returns by id why some are refused; in that case everything written of the batch is taken back.

        Raises `LeaseLost` if another scorer holds the lease.
        """
        writes, moves, unsendable = self._pending.values(), self._moves, self._unsendable
        self._pending, self._moves, self._unsendable, self._sender.astray = {}, [], {}, []
        if unsendable:
            return unsendable
        new = [write for write in writes if write.new]
        changes = [write for write in writes if not write.new]
        refused = self._sender.send(new)
        if not refused and (changes or moves):
            refused = self._change(epoch, changes, moves)
        if refused:
            self._lease.renew()  # a document in the way may be another scorer's, written since this one lost its lease
            self._withdraw([*(write for write in new if write.id not in refused), *self._sender.astray])
        return refused

    def committed(self) -> None:
        """Deletes the undo log, as the epoch is committed."""
        self._undo_log.clear()

    # ---- changes of stored documents ----

    def _change(self, epoch: int, changes: Sequence[Write], moves: Sequence[_Move]) -> dict[str, str]:
        """Changes stored documents, as they are now; returns by id why some are refused: then none takes effect."""
        current = self._current_of(changes, moves)
        writes = [*(write for write in changes if _concerns(write, current)), *_moving(moves, current)]
        # Beside a state document whose index was deleted the log would make that anew, as no template has it.
        self._lease.ensure_as_known()
        large = self._undo_log.write(epoch, [self._undo_entry(write.action, current) for write in writes])
        if large:
            self._undo_log.clear()
            ids = {write.action.ref: write.id for write in writes}
            return {ids[DocumentRef(entry.index, entry.id)]: _TOO_LARGE_TO_KEEP for entry in large}
        self._lease.renew()
        try:
            refused = self._sender.send([pinned(write, current) for write in writes]) or self._sign(writes)
        except ClusterRejected as error:
            # If a request is refused as a whole, a concurrent one may be abandoned unanswered, and still be done.
            if error.type == OF_ONE_ITEM:
                self._forget_if_nothing_is_done(writes, current)
            raise
        if refused:
            self._undo_log.undo([epoch])
        return refused

    def _forget_if_nothing_is_done(self, writes: Sequence[Write], current: Current) -> None:
        """Deletes the undo log if the documents of `writes` still are as in `current`: otherwise all other scorers
        would wait to restore documents in an hour that takes no writes.
        """
        refs = [write.action.ref for write in writes]
        with suppress(ClusterError):
            now = self._sender.documents(refs, [f"{OBJECT}.order"])
            if all(version_of(now, ref) == version_of(current, ref) for ref in refs):
                self._undo_log.clear()

    def _sign(self, writes: Sequence[Write]) -> dict[str, str]:
        """Puts our object back into documents that were moved and nodes left unsigned; returns by id why some are
        refused.
        """
        updates = self._composer.signing([write.action for write in writes])
        return self._sender.send([Write(update, update.id) for update in updates])

    def _current_of(self, changes: Sequence[Write], moves: Sequence[_Move]) -> Current:
        """The documents of `changes` and `moves`, as they are now: of updated ones our fields, others whole."""
        whole = [write.action.ref for write in changes if write.action.op != "update"]
        revised = [write.action.ref for write in changes if write.action.op == "update"]
        only = [f"{OBJECT}.{name}" for name in SCORER_FIELDS]
        moved = [ref for move in moves for ref in (move.old, move.new)]
        there = self._sender.documents([*whole, *moved])
        lean = {ref: replace(each, source=self._composer.lean(each.source)) for ref, each in there.items()}
        return lean | self._sender.documents(revised, only)

    def _undo_entry(self, action: Action, current: Current) -> UndoEntry:
        """The undo entry of a document before `action` changes it."""
        there = current.get(action.ref)
        if there is None:
            whole = action.source if isinstance(action.source, dict) else {}
            return UndoEntry(*action.ref, unsigned=whole if self._composer.leaves_unsigned(whole) else None)
        if action.op != "update":
            return UndoEntry(*action.ref, there.source)
        ours = own_object(there.source)
        return UndoEntry(*action.ref, fields={name: ours.get(name) for name in SCORER_FIELDS})

    def _withdraw(self, writes: Sequence[Write]) -> None:
        """Undoes the new documents of a batch that does not count, each only in the version that it has now: so a late
        request, when another scorer has the lease, changes no document of that scorer.
        """
        current = self._sender.documents([write.action.ref for write in writes], [f"{OBJECT}.order"])
        undo = [
            Action("delete", *write.action.ref)
            if write.action.op != "update"
            else Action("update", *write.action.ref, {OBJECT: UNSCORED})
            for write in writes
            if write.arrival >= 0 and _arrival(current, write.action.ref) == write.arrival
        ]
        self._sender.send([pinned(Write(action, action.id), current) for action in undo])


def _arrival(current: Current, ref: DocumentRef) -> int | None:
    there = current.get(ref)
    return None if there is None else arrival_in(there.source)


def _moving(moves: Sequence[_Move], current: Current) -> Iterator[Write]:
    """The two writes of every move: the new document, and the deletion of the old one."""
    for old, new, fields, id in moves:
        if _is_for(old, fields, current):
            there = current[old].source
            source = {**there, OBJECT: {**own_object(there), **fields}}
            yield Write(Action("create", *new, source, as_stored=True), id, fields["order"])
            yield Write(Action("delete", *old), id, moved=True)


def _concerns(write: Write, current: Current) -> bool:
    """Whether a write still has something to change: a document that another client has deleted, or written anew, need
    not be deleted.
    """
    action = write.action
    if action.op == "update":
        return _is_for(action.ref, write.ours, current)
    if action.op == "delete" and is_anew(action.ref, current):
        _tell_anew(action.ref)
        return False
    return action.op == "index" or action.ref in current


def _is_for(ref: DocumentRef, ours: Mapping[str, Any], current: Current) -> bool:
    """Whether the new verdict `ours` is for the document that is at `ref` now. A document that another client has
    written anew gets none: it waits to be scored, and with a verdict it would not.
    """
    if ref not in current:
        log.warning("%s in %s was deleted by another client", escaped(ref.id), ref.index)
        return False
    is_same: bool = arrival_in(current[ref].source) == ours.get("order")
    if not is_same:
        _tell_anew(ref)
    return is_same


def _tell_anew(ref: DocumentRef) -> None:
    log.warning("%s in %s was written anew by another client: it is scored again", escaped(ref.id), ref.index)
