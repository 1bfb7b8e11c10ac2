"""Writes that wait for the end of a batch, and what to make of what the cluster says to them.

One write a document, whatever was decided about it before the batch ended. Every write can be sent twice: a
document that is there already is ours if it bears the order we gave it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.cluster.bulk import Action, Outcome, bulk
from neardup.dotted import field_of
from neardup.engines.elastic.fields import OBJECT, UNSCORED
from neardup.errors import ClusterRejected, NeardupError

if TYPE_CHECKING:
    from neardup.cluster.client import Cluster

log = logging.getLogger("neardup")


class Place(NamedTuple):
    """Where a document of the window lies in the cluster."""

    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks a place for `tuple.index`
    id: str


class DocumentsRefused(NeardupError):
    """The cluster will not have some documents of a batch, for the `reasons` by id; nothing of the batch counts."""

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class _Write(NamedTuple):
    """An action that waits for the commit; `identity` names its document, `order` is its own if it is new."""

    action: Action
    identity: str
    order: int = -1


class Writes:
    """The writes of one batch. `counts` tells whether a document of an order is one of the window's,
    `fingerprint` signs a text as it stands in `text_field`."""

    def __init__(
        self,
        cluster: Cluster,
        counts: Callable[[int], bool],
        text_field: str,
        fingerprint: Callable[[str], str],
    ) -> None:
        self._cluster, self._counts = cluster, counts
        self._text_field, self._fingerprint = text_field, fingerprint
        self._waiting: dict[Place, _Write] = {}
        self._moves: list[tuple[Place, Place, dict[str, Any]]] = []

    def put(self, place: Place, action: Action, identity: str, order: int = -1) -> None:
        """Lets `action` wait, instead of whatever was to happen to the document at `place`."""
        self._waiting[place] = _Write(action, identity, order)

    def action(self, place: Place) -> Action | None:
        """What is to happen to the document at `place`."""
        write = self._waiting.get(place)
        return None if write is None else write.action

    def move(self, old: Place, new: Place, fields: dict[str, Any]) -> None:
        """Lets a document wait to be moved, with new `fields` in our object."""
        self._moves.append((old, new, fields))

    def send(self) -> None:
        """Writes what waits: new documents first, then what takes the place of old ones, then what takes old ones out.

        So nothing old is gone for a new document that the cluster then will not have. Raises `DocumentsRefused` after
        taking back what was written of the batch.
        """
        self._prepare_moves()
        waiting = list(self._waiting.values())
        self._waiting.clear()
        sent: list[_Write] = []
        for stage in (_is_new, _replaces, _is_old):
            part = [write for write in waiting if stage(write)]
            refused = self._sent(part) if part else {}
            sent += [write for write in part if write.identity not in refused]
            if refused:
                self._take_back(sent)
                raise DocumentsRefused(refused)

    def _sent(self, writes: Sequence[_Write]) -> dict[str, str]:
        """Sends writes; why some are refused, by identity."""
        outcomes = bulk(self._cluster, [write.action for write in writes])
        failed = [
            (write, outcome)
            for write, outcome in zip(writes, outcomes, strict=True)
            if not outcome.ok and (write.action.op, outcome.status) != ("delete", 404)
        ]
        there = self._versions([write.action for write, outcome in failed if outcome.status == 409])
        refused: dict[str, str] = {}
        for write, outcome in failed:
            reason = self._settled(write, outcome, there)
            if reason is not None:
                refused[write.identity] = reason
        return refused

    def _versions(self, actions: Sequence[Action]) -> dict[Place, dict[str, Any]]:
        """The documents at the places of `actions`, with their versions, texts and our object, as they stand now."""
        if not actions:
            return {}
        body = {"docs": [{"_index": action.index, "_id": action.id} for action in actions]}
        params = {"_source_includes": f"{OBJECT}.*,{self._text_field}"}
        answer = self._cluster.request("POST", "/_mget", params=params, body=body)
        return {Place(found["_index"], found["_id"]): found for found in answer["docs"] if found.get("found")}

    def _settled(self, write: _Write, outcome: Outcome, there: Mapping[Place, dict[str, Any]]) -> str | None:
        """Why a write is refused; None if it had happened after all, was made to happen, or need not."""
        action = write.action
        if outcome.status == 409:
            return self._conflict(write, there.get(Place(action.index, action.id)))
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
            return (
                None
                if action.op == "update"
                else "Elasticsearch says both that it is there and that it is not"
            )
        theirs = found["_source"].get(OBJECT) or {}
        order = theirs.get("order")
        if order is not None and order == write.order:
            return None
        version = found["_seq_no"], found["_primary_term"]
        if action.op == "update":
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

    def _prepare_moves(self) -> None:
        """Turns moves into two writes each: to the new place first, so that no document is ever nowhere."""
        if not self._moves:
            return
        body = {"docs": [{"_index": old.index, "_id": old.id} for old, _, _ in self._moves]}
        answer = self._cluster.request("POST", "/_mget", body=body)
        for (old, new, fields), found in zip(self._moves, answer["docs"], strict=True):
            self._waiting.pop(old, None)
            if not found.get("found"):
                log.warning("%s in %s was deleted by another client", old.id, old.index)
                continue
            source = found["_source"]
            source[OBJECT] = source.get(OBJECT, {}) | fields
            self._waiting[new] = _Write(Action("index", *new, source), new.id)
            self._waiting[old] = _Write(Action("delete", *old), new.id)
        self._moves.clear()


def _is_new(write: _Write) -> bool:
    return write.order >= 0 and write.action.op != "index"


def _replaces(write: _Write) -> bool:
    return write.action.op == "index"


def _is_old(write: _Write) -> bool:
    return not _is_new(write) and not _replaces(write)
