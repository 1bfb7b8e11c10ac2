"""Writes that wait for the end of a batch, and what to make of what the cluster says to them.

One write a document, whatever was decided about it before the batch ended. Every write can be sent twice: a
document that is there already is ours if it bears the order we gave it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.elastic.http.bulk import Action, Outcome, bulk
from neardup.elastic.http.mget import mget
from neardup.elastic.window.codec import BOOK, OBJECT, UNSCORED, VERDICT
from neardup.elastic.window.undo_log import Entry, Journal
from neardup.errors import ClusterRejected
from neardup.model.field_path import field_of

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")


class DocumentRef(NamedTuple):
    """Where a document of the window lies in the cluster."""

    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks a place for `tuple.index`
    id: str


class DocumentsRefused(Exception):
    """The cluster will not have some documents of a batch, for the `reasons` by id; nothing of the batch counts."""

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class _Write(NamedTuple):
    """An action that waits for the commit; `identity` names its document, `order` is its own if it gets one.

    `new`: it adds a document, or puts a mark on one that has none and must not have changed.
    """

    action: Action
    identity: str
    order: int = -1
    new: bool = False


class Writes:
    """The writes of one batch.

    `counts` tells whether a document of an order is one of the window's, `fingerprint` signs a text as it stands in
    `text_field`, `confirm` makes sure that it is still this scorer's turn.
    """

    def __init__(
        self,
        cluster: Cluster,
        counts: Callable[[int], bool],
        text_field: str,
        fingerprint: Callable[[str], str],
        journal: Journal,
        confirm: Callable[[], None],
    ) -> None:
        self._cluster, self._counts = cluster, counts
        self._text_field, self._fingerprint = text_field, fingerprint
        self._journal, self._confirm = journal, confirm
        self._waiting: dict[DocumentRef, _Write] = {}
        self._moves: list[tuple[DocumentRef, DocumentRef, dict[str, Any]]] = []

    def put(self, place: DocumentRef, action: Action, identity: str, order: int = -1) -> None:
        """Lets `action` wait, instead of whatever was to happen to the document at `place`."""
        new = action.op == "create" or action.if_seq_no is not None
        self._waiting[place] = _Write(action, identity, order, new)

    def action(self, place: DocumentRef) -> Action | None:
        """What is to happen to the document at `place`."""
        write = self._waiting.get(place)
        return None if write is None else write.action

    def move(self, old: DocumentRef, new: DocumentRef, fields: dict[str, Any]) -> None:
        """Lets a document wait to be moved, with new `fields` in our object."""
        self._moves.append((old, new, fields))

    def send(self, turn: int) -> None:
        """Writes what waits: new documents first, then, with a journal of `turn`, what changes stored ones.

        Raises `DocumentsRefused` after taking back what was written of the batch, and `LeaseLost` if it is another
        scorer's turn.
        """
        waiting = list(self._waiting.values())
        self._waiting.clear()
        new = [write for write in waiting if write.new]
        refused = self._sent(new) if new else {}
        old = [write for write in waiting if not write.new]
        if not refused and (old or self._moves):
            refused = self._change(turn, old)
        if refused:
            self._confirm()  # what is in the way may be what another scorer wrote since this one lost its turn
            self._moves.clear()
            self._take_back([write for write in new if write.identity not in refused])
            raise DocumentsRefused(refused)

    def settled(self) -> None:
        """Forgets the journal: the turn is committed."""
        self._journal.clear()

    def _change(self, turn: int, writes: list[_Write]) -> dict[str, str]:
        """Changes stored documents, as they are now; why some changes are refused, with none of them done then."""
        whole = [_place(write.action) for write in writes if write.action.op != "update"]
        there = self._documents([*whole, *(old for old, _, _ in self._moves)])
        revised = [_place(write.action) for write in writes if write.action.op == "update"]
        there |= self._documents(revised, only=[f"{OBJECT}.{name}" for name in (*VERDICT, *BOOK)])
        writes = [*(write for write in writes if _concerns(write, there)), *self._moved(there)]
        self._journal.write(turn, [_entry(write.action, there) for write in writes])
        self._confirm()
        versions = {place: (found["_seq_no"], found["_primary_term"]) for place, found in there.items()}
        refused = self._sent([
            write._replace(action=write.action._replace(if_seq_no=version[0], if_primary_term=version[1]))
            for write in writes
            for version in [versions.get(_place(write.action), (None, None))]
        ])  # fmt: skip
        if refused:
            self._journal.undo([turn])
        return refused

    def _moved(self, there: Mapping[DocumentRef, dict[str, Any]]) -> Iterator[_Write]:
        """The two writes of every move."""
        for old, new, fields in self._moves:
            if old not in there:
                log.warning("%s in %s was deleted by another client", old.id, old.index)
                continue
            source = dict(there[old]["_source"])
            source[OBJECT] = source.get(OBJECT, {}) | fields
            yield _Write(Action("index", *new, source), new.id)
            yield _Write(Action("delete", *old), new.id)
        self._moves.clear()

    def _sent(self, writes: Sequence[_Write]) -> dict[str, str]:
        """Sends writes; why some are refused, by identity."""
        outcomes = bulk(self._cluster, [write.action for write in writes])
        failed = [
            (write, outcome)
            for write, outcome in zip(writes, outcomes, strict=True)
            if not outcome.ok and (write.action.op, outcome.status) != ("delete", 404)
        ]
        conflicts = [write.action for write, outcome in failed if outcome.status == 409]
        there = self._documents([_place(action) for action in conflicts])
        refused: dict[str, str] = {}
        for write, outcome in failed:
            reason = self._settled(write, outcome, there)
            if reason is not None:
                refused[write.identity] = reason
        return refused

    def _documents(
        self, places: Sequence[DocumentRef], *, only: Sequence[str] = ()
    ) -> dict[DocumentRef, dict[str, Any]]:
        """The documents at `places`, with their versions, as they stand now: whole, or `only` some fields of them."""
        fields = {"_source_includes": ",".join(only)} if only else {}
        return {
            place: found
            for place, found in zip(places, mget(self._cluster, places, **fields), strict=True)
            if found.get("found")
        }

    def _settled(
        self, write: _Write, outcome: Outcome, there: Mapping[DocumentRef, dict[str, Any]]
    ) -> str | None:
        """Why a write is refused; None if it had happened after all, was made to happen, or need not."""
        action = write.action
        if outcome.status == 409:
            return self._conflict(write, there.get(_place(action)))
        if outcome.status == 404 and action.op == "update":
            log.warning(
                "%s in %s was deleted by another client: its verdict is not kept", action.id, action.index
            )
            return None
        if outcome.status == 400 and write.order >= 0:
            return f"Elasticsearch refuses it: {outcome.error}"
        what = f"{action.op} {action.index}/{action.id}"
        raise ClusterRejected(self._cluster.url, what, outcome.status, "bulk item", str(outcome.error))

    def _conflict(self, write: _Write, found: dict[str, Any] | None) -> str | None:
        """A document that is there already, or has changed meanwhile: ours, whose answer was lost, or another's."""
        action = write.action
        if found is None:
            gone = action.op in ("update", "delete")
            return None if gone else "Elasticsearch says both that it is there and that it is not"
        theirs = found["_source"].get(OBJECT) or {}
        order = theirs.get("order")
        if order is not None and order == write.order:
            return None
        version = found["_seq_no"], found["_primary_term"]
        if not write.new:
            self._confirm()  # if it was another scorer, this one is to stop here
            again = action._replace(if_seq_no=version[0], if_primary_term=version[1])
        elif action.op == "update":
            # Somebody changed the document after it was read. The mark belongs to the text it was given for.
            ours = action.source[OBJECT] if isinstance(action.source, dict) else {}
            text = field_of(found["_source"], self._text_field)
            if not isinstance(text, str) or self._fingerprint(text) != ours.get("fingerprint"):
                log.warning(
                    "%s in %s changed while it was scored: it is scored again", action.id, action.index
                )
                return None
            again = action._replace(if_seq_no=version[0], if_primary_term=version[1])
        elif order is None:
            return (
                f"another client wrote a document of this id to {action.index}, which `neardup watch` scores: "
                "give this one another id, or delete that one"
            )
        elif self._counts(order):
            return (
                f"{action.index} holds a document of this id that this window does not know: `neardup doctor`"
            )
        else:
            again = Action("index", action.index, action.id, action.source, *version)
        return self._sent([write._replace(action=again)]).get(write.identity)

    def _take_back(self, writes: Sequence[_Write]) -> None:
        """Undoes the new documents of a batch that does not count."""
        undo = [
            Action("delete", *write.action[1:3])
            if write.action.op != "update"
            else Action("update", *write.action[1:3], {OBJECT: UNSCORED})
            for write in writes
            if write.order >= 0
        ]
        bulk(self._cluster, undo)


def _place(action: Action) -> DocumentRef:
    return DocumentRef(action.index, action.id)


def _concerns(write: _Write, there: Mapping[DocumentRef, dict[str, Any]]) -> bool:
    """Whether there is anything for a write to change; what another client has deleted needs no deleting."""
    if write.action.op == "index" or _place(write.action) in there:
        return True
    if write.action.op == "update":
        log.warning("%s in %s was deleted by another client", write.action.id, write.action.index)
    return False


def _entry(action: Action, there: Mapping[DocumentRef, dict[str, Any]]) -> Entry:
    """What to keep of a document before `action` changes it."""
    found = there.get(_place(action))
    if found is None:
        return Entry(action.index, action.id)
    if action.op != "update":
        return Entry(action.index, action.id, found["_source"])
    ours = found["_source"].get(OBJECT, {})
    return Entry(action.index, action.id, fields={name: ours.get(name) for name in (*VERDICT, *BOOK)})
