"""Writes that wait for the end of a batch, and what to make of the cluster's answers to them.

One write a document, whatever was decided about it before the batch ended. Every write can be sent twice: a
document that is there already is ours if it bears the arrival we gave it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import FOR_ONE_ITEM, OF_ONE_ITEM, Action, Outcome, bulk, refusal
from neardup.elastic.http.mget import mget
from neardup.elastic.http.remedies import remedy_for
from neardup.elastic.window.codec import OBJECT, SCORER_FIELDS, UNSCORED, own_object
from neardup.elastic.window.undo_log import UndoEntry, UndoLog
from neardup.errors import ClusterError, ClusterRejected
from neardup.model.escapes import escaped

if TYPE_CHECKING:
    from neardup.elastic.http.api import StoredDocument, Version
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.composer import Composer
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument

    Current = Mapping[DocumentRef, StoredDocument]

log = logging.getLogger("neardup")

_TOO_LARGE_TO_KEEP: Final = (
    "what is stored by this id is too large for a request, in which it would be kept while it changes: raise what the "
    "nodes (http.max_content_length), or a proxy before them, take, or delete it by another client"
)


class _Write(NamedTuple):
    """An action that waits for the commit, on the document `id`; `arrival` is that document's own if it gets one.

    `new`: it adds a document, or puts a mark on one that has none and must not have changed.
    """

    action: Action
    id: str
    arrival: int = -1
    new: bool = False


class _Move(NamedTuple):
    """A stored document that goes elsewhere, with new `fields` in our object."""

    old: DocumentRef
    new: DocumentRef
    fields: dict[str, Any]


class PendingWrites:
    """The writes of one batch.

    `counts` tells whether a document of an arrival is one of the window's, `composer` what is written of documents;
    `lease` is held by this scorer, and kept while it writes.
    """

    def __init__(
        self,
        cluster: Cluster,
        counts: Callable[[int], bool],
        composer: Composer,
        lease: Lease[StateDocument],
    ) -> None:
        self._cluster, self._counts, self._composer, self._lease = cluster, counts, composer, lease
        self._undo_log = UndoLog(cluster, lease.ensure_held, composer)
        self._pending: dict[DocumentRef, _Write] = {}
        self._moves: list[_Move] = []
        self._unsendable: dict[str, str] = {}
        self._astray: list[_Write] = []

    def put(self, action: Action, id: str, arrival: int = -1) -> None:
        """Lets `action` wait, instead of whatever was to happen to its document."""
        new = action.op == "create" or action.if_seq_no is not None
        self._pending[action.ref] = _Write(action, id, arrival, new)

    def refuse(self, id: str, reason: str) -> None:
        """Notes that the document `id` cannot even be sent."""
        self._unsendable[id] = reason

    def action(self, ref: DocumentRef) -> Action | None:
        """What is to happen to the document at `ref`."""
        write = self._pending.get(ref)
        return None if write is None else write.action

    def move(self, old: DocumentRef, new: DocumentRef, fields: dict[str, Any]) -> None:
        """Lets a document wait to be moved, with new `fields` in our object."""
        self._moves.append(_Move(old, new, fields))

    def send(self, epoch: int) -> dict[str, str]:
        """Writes what waits: new documents first, then, with an undo log of `epoch`, what changes stored ones. Why some
        of it is refused, by id: then what was written of the batch is taken back.

        Raises `LeaseLost` if another scorer holds the lease.
        """
        writes, moves, unsendable = self._pending.values(), self._moves, self._unsendable
        self._pending, self._moves, self._unsendable, self._astray = {}, [], {}, []
        if unsendable:
            return unsendable
        new = [write for write in writes if write.new]
        changes = [write for write in writes if not write.new]
        refused = self._send(new)
        if not refused and (changes or moves):
            refused = self._change(epoch, changes, moves)
        if refused:
            self._lease.renew()  # what is in the way may be what another scorer wrote since this one lost its lease
            self._withdraw([*(write for write in new if write.id not in refused), *self._astray])
        return refused

    def committed(self) -> None:
        """Forgets the undo log: the epoch is committed."""
        self._undo_log.clear()

    # ---- changes of stored documents ----

    def _change(self, epoch: int, changes: Sequence[_Write], moves: Sequence[_Move]) -> dict[str, str]:
        """Changes stored documents, as they are now; why some changes are refused, with none of them done then."""
        current = self._current_of(changes, moves)
        writes = [*(write for write in changes if _concerns(write, current)), *_moving(moves, current)]
        large = self._undo_log.write(epoch, [_undo_entry(write.action, current) for write in writes])
        if large:
            self._undo_log.clear()
            ids = {write.action.ref: write.id for write in writes}
            return {ids[DocumentRef(entry.index, entry.id)]: _TOO_LARGE_TO_KEEP for entry in large}
        self._lease.renew()
        try:
            refused = self._send([_pinned(write, current) for write in writes]) or self._sign(writes)
        except ClusterRejected as error:
            # Beside a request that is refused as a whole another may be given up without an answer, and still be done.
            if error.type == OF_ONE_ITEM:
                self._forget_if_nothing_is_done(writes, current)
            raise
        if refused:
            self._undo_log.undo([epoch])
        return refused

    def _forget_if_nothing_is_done(self, writes: Sequence[_Write], current: Current) -> None:
        """Leaves nothing to undo if the documents of `writes` still are as in `current`: to put them back all others
        would wait for an hour that takes no writes.
        """
        refs = [write.action.ref for write in writes]
        with suppress(ClusterError):
            now = self._documents(refs, [f"{OBJECT}.order"])
            if all(_version(now, ref) == _version(current, ref) for ref in refs):
                self._undo_log.clear()

    def _sign(self, writes: Sequence[_Write]) -> dict[str, str]:
        """Puts our object back into what `writes` have moved and nodes left unsigned; why some of it is refused."""
        updates = self._composer.signing([write.action for write in writes])
        return self._send([_Write(update, update.id) for update in updates])

    def _current_of(self, changes: Sequence[_Write], moves: Sequence[_Move]) -> Current:
        """What `changes` and `moves` concern, as it is now: our fields of what is updated, all others whole."""
        whole = [write.action.ref for write in changes if write.action.op != "update"]
        revised = [write.action.ref for write in changes if write.action.op == "update"]
        only = [f"{OBJECT}.{name}" for name in SCORER_FIELDS]
        there = self._documents([*whole, *(move.old for move in moves)])
        lean = {ref: replace(each, source=self._composer.lean(each.source)) for ref, each in there.items()}
        return lean | self._documents(revised, only)

    def _withdraw(self, writes: Sequence[_Write]) -> None:
        """Undoes the new documents of a batch that does not count, as they are now: a request that comes late, when
        another scorer has the lease, meets none that this one has written.
        """
        current = self._documents([write.action.ref for write in writes], [f"{OBJECT}.order"])
        undo = [
            Action("delete", *write.action.ref)
            if write.action.op != "update"
            else Action("update", *write.action.ref, {OBJECT: UNSCORED})
            for write in writes
            if write.arrival >= 0 and _arrival(current, write.action.ref) == write.arrival
        ]
        self._send([_pinned(_Write(action, action.id), current) for action in undo])

    # ---- sending ----

    def _send(self, writes: Sequence[_Write]) -> dict[str, str]:
        """Sends writes; why some are refused, by id."""
        actions = [write.action for write in writes]
        outcomes = bulk(self._cluster, actions, between=self._lease.ensure_held)
        failed = [
            (write, outcome)
            for write, outcome in zip(writes, outcomes, strict=True)
            if not outcome.ok and (write.action.op, outcome.status) != ("delete", HTTPStatus.NOT_FOUND)
        ]
        conflicts = [write.action.ref for write, outcome in failed if outcome.status == HTTPStatus.CONFLICT]
        current = self._documents(conflicts)
        refused: dict[str, str] = {}
        for write, outcome in failed:
            if outcome.elsewhere is not None and self._cluster.address.hour_of_index(outcome.elsewhere.index):
                # Where it is it would count, by an arrival that another document of the window is given.
                self._astray.append(write._replace(action=Action("create", *outcome.elsewhere)))
            reason = self._reason(write, outcome, current)
            if reason is not None:
                refused[write.id] = reason
        return refused

    def _documents(
        self, refs: Sequence[DocumentRef], only: Sequence[str] = ()
    ) -> dict[DocumentRef, StoredDocument]:
        """The documents at `refs` as they stand now: whole, or `only` some fields of them."""
        fields = {"_source_includes": ",".join(only)} if only else {}
        documents = mget(self._cluster, refs, self._lease.ensure_held, **fields)
        return {ref: each for ref, each in zip(refs, documents, strict=True) if each is not None}

    def _reason(self, write: _Write, outcome: Outcome, current: Current) -> str | None:
        """Why a write is refused; None if it had happened after all, was made to happen, or need not."""
        action = write.action
        if outcome.status == HTTPStatus.CONFLICT:
            return self._conflict(write, current.get(action.ref))
        if outcome.status == HTTPStatus.NOT_FOUND and action.op == "update":
            log.warning(
                "%s in %s was deleted by another client: its verdict is not kept",
                escaped(action.id),
                action.index,
            )
            return None
        remedy = remedy_for(str(outcome.error))
        if outcome.status in FOR_ONE_ITEM and write.arrival >= 0 and remedy is None:
            return f"Elasticsearch refuses it: {outcome.error}"
        raise refusal(self._cluster, action, outcome)

    # ---- conflicts ----

    def _conflict(self, write: _Write, current: StoredDocument | None) -> str | None:
        """Why a write is refused whose document is there already, or has changed meanwhile; None as in `_reason`.

        The document is ours, and only the answer was lost; or somebody else's.
        """
        action = write.action
        if current is None:
            if action.op in ("update", "delete"):
                return None
            return "Elasticsearch says both that it is there and that it is not"
        arrival = own_object(current.source).get("order")
        if arrival == write.arrival:
            return None
        if action.op == "create":
            if arrival is None or self._counts(arrival):
                return _in_the_way(action, arrival)
            action = action._replace(op="index")  # in place of what a scorer left that died
        elif not write.new or arrival is not None:
            self._lease.renew()  # if it was another scorer, this one is to stop here
        if write.new and action.op == "update" and not self._still_has_text_of(action, current):
            log.warning(
                "%s in %s changed while it was scored: it is scored again", escaped(action.id), action.index
            )
            return None
        return self._send([write._replace(action=action.if_version(current.version))]).get(write.id)

    def _still_has_text_of(self, action: Action, current: StoredDocument) -> bool:
        """Whether a document that somebody changed after it was read has the text that a mark was given for."""
        ours = action.source[OBJECT] if isinstance(action.source, dict) else {}
        return self._composer.has_text_of(current.source, ours.get("fingerprint"))


def _in_the_way(action: Action, arrival: int | None) -> str:
    """Why a new document is refused whose id another one has."""
    if arrival is None:
        return (
            f"another client wrote a document of this id to {action.index}, which `neardup watch` scores: "
            "give this one another id, or delete that one"
        )
    return f"{action.index} holds a document of this id that this window does not know: `neardup doctor`"


def _pinned(write: _Write, current: Current) -> _Write:
    """The same write, which happens only to the version that is there now."""
    return write._replace(action=write.action.if_version(_version(current, write.action.ref)))


def _version(current: Current, ref: DocumentRef) -> Version | None:
    there = current.get(ref)
    return None if there is None else there.version


def _arrival(current: Current, ref: DocumentRef) -> int | None:
    there = current.get(ref)
    return None if there is None else own_object(there.source).get("order")


def _moving(moves: Sequence[_Move], current: Current) -> Iterator[_Write]:
    """The two writes of every move."""
    for old, new, fields in moves:
        if old not in current:
            log.warning("%s in %s was deleted by another client", escaped(old.id), old.index)
            continue
        there = current[old].source
        source = {**there, OBJECT: {**own_object(there), **fields}}
        yield _Write(Action("index", *new, source), new.id)
        yield _Write(Action("delete", *old), new.id)


def _concerns(write: _Write, current: Current) -> bool:
    """Whether there is anything for a write to change; what another client has deleted needs no deleting."""
    if write.action.op == "index" or write.action.ref in current:
        return True
    if write.action.op == "update":
        log.warning("%s in %s was deleted by another client", escaped(write.action.id), write.action.index)
    return False


def _undo_entry(action: Action, current: Current) -> UndoEntry:
    """What to keep of a document before `action` changes it."""
    there = current.get(action.ref)
    if there is None:
        return UndoEntry(*action.ref)
    if action.op != "update":
        return UndoEntry(*action.ref, there.source)
    ours = own_object(there.source)
    return UndoEntry(*action.ref, fields={name: ours.get(name) for name in SCORER_FIELDS})
