"""Sends writes, and interprets the cluster's answers to them.

Every write can be sent twice: a document that exists already is ours if it has the arrival that we gave it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from neardup.elastic.http.admin_api import ALL_THAT_ARE_THERE, index_settings
from neardup.elastic.http.bulk import FOR_ONE_ITEM, Action, Outcome, bulk, refusal
from neardup.elastic.http.mget import mget
from neardup.elastic.http.remedies import hint_for, remedy_for
from neardup.elastic.window.codec import arrival_in, own_object
from neardup.elastic.window.index_layout import lost_indices
from neardup.model.escapes import escaped

if TYPE_CHECKING:
    from neardup.elastic.http.api import DocumentRef, StoredDocument, Version
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.composer import Composer
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument

    Current = Mapping[DocumentRef, StoredDocument]

log = logging.getLogger("neardup")

_PIPELINE: Final = "index.default_pipeline"
_CHANGED: Final = (
    "the pipeline {} ({} of {}) changes its text or removes its verdict, so the stored document has none and waits for "
    "`neardup watch`; make the pipeline leave both as they are, or write by another client"
)


class Write(NamedTuple):
    """An action that waits for the commit, on the document `id`; `arrival` is that document's own if it gets one.

    `new`: the action adds a document, or puts a mark on one that has none and must not have changed. `moved`: the
    action deletes a document that was copied elsewhere as it was read, and must not have changed either.
    """

    action: Action
    id: str
    arrival: int = -1
    new: bool = False
    moved: bool = False

    @property
    def ours(self) -> Mapping[str, Any]:
        """The part of our object that an update writes."""
        return own_object(self.action.source) if isinstance(self.action.source, dict) else {}


class WriteSender:
    """Sends writes, as long as the `lease` is held here; `composer` checks which text a document has."""

    def __init__(self, cluster: Cluster, composer: Composer, lease: Lease[StateDocument]) -> None:
        self._cluster, self._composer, self._lease = cluster, composer, lease
        self.astray: list[Write] = []
        """For refused writes: the documents that a pipeline made of them, which must be deleted or lose their marks."""
        self._pipelines: dict[str, str] = {}
        """The default pipeline of each index, by name of the index."""

    def send(self, writes: Sequence[Write]) -> dict[str, str]:
        """Sends writes; returns by id why some are refused."""
        writes = self._in_indices_that_are_there(writes)
        actions = [write.action for write in writes]
        outcomes = bulk(self._cluster, actions, between=self._lease.ensure_held)
        failed = [
            (write, outcome)
            for write, outcome in zip(writes, outcomes, strict=True)
            if not outcome.ok and (write.action.op, outcome.status) != ("delete", HTTPStatus.NOT_FOUND)
        ]
        conflicts = [write.action.ref for write, outcome in failed if outcome.status == HTTPStatus.CONFLICT]
        current = self.documents(conflicts)
        refused: dict[str, str] = {}
        for write, outcome in failed:
            if outcome.elsewhere is not None and self._cluster.address.hour_of_index(outcome.elsewhere.index):
                # It would count where it is, by an arrival that another document of the window will get.
                self.astray.append(write._replace(action=Action("create", *outcome.elsewhere)))
            reason = self._reason(write, outcome, current)
            if reason is not None:
                refused[write.id] = reason
        done = [write for write, outcome in zip(writes, outcomes, strict=True) if outcome.ok]
        return refused | self._changed(done)

    def _in_indices_that_are_there(self, writes: Sequence[Write]) -> Sequence[Write]:
        """`writes` without updates in indices that another client has deleted, which would make these again, empty."""
        updated = Counter(write.action.index for write in writes if write.action.op == "update")
        what = "the verdicts on documents in it ({}) are not kept"
        lost = lost_indices(self._cluster, self._composer.target, updated, what)
        return [write for write in writes if write.action.op != "update" or write.action.index not in lost]

    def _changed(self, done: Sequence[Write]) -> dict[str, str]:
        """By id, why documents that were added count as refused: a foreign pipeline has given them another text than
        was compared, or removed the verdict. Reads documents back that went through such a pipeline.
        """
        whole = [
            write
            for write in done
            if write.action.op in ("create", "index") and write.arrival >= 0 and not write.action.as_stored
        ]
        if unknown := {write.action.index for write in whole} - self._pipelines.keys():
            there = index_settings(self._cluster, self._composer.target, _PIPELINE, params=ALL_THAT_ARE_THERE)
            named = {name: each["settings"].get(_PIPELINE, "_none") for name, each in there.items()}
            self._pipelines |= {index: named.get(index, "_none") for index in unknown}
        through = [write for write in whole if self._pipelines[write.action.index] != "_none"]
        current = self.documents([write.action.ref for write in through])
        changed = [
            write
            for write in through
            if write.action.ref in current and not self._is_as_sent(write, current[write.action.ref])
        ]
        # Where clients sign, the verdict is still there.
        self.astray += [write._replace(action=Action("update", *write.action.ref)) for write in changed]
        return {
            write.id: _CHANGED.format(self._pipelines[write.action.index], _PIPELINE, write.action.index)
            for write in changed
        }

    def documents(
        self, refs: Sequence[DocumentRef], only: Sequence[str] = ()
    ) -> dict[DocumentRef, StoredDocument]:
        """The documents at `refs` as they are stored now: whole, or `only` some fields of them."""
        fields = {"_source_includes": ",".join(only)} if only else {}
        documents = mget(self._cluster, refs, self._lease.ensure_held, **fields)
        return {ref: each for ref, each in zip(refs, documents, strict=True) if each is not None}

    def _reason(self, write: Write, outcome: Outcome, current: Current) -> str | None:
        """Why a write was refused; None if it had already been applied, was retried with success, or is not needed."""
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
        error = str(outcome.error)
        hint = hint_for(error)
        is_of_batch = write.new or write.arrival >= 0  # one that came too late is new, and has no arrival
        if outcome.status in FOR_ONE_ITEM and is_of_batch and (hint or remedy_for(error) is None):
            return f"Elasticsearch refuses it: {error}{hint}"
        raise refusal(self._cluster, action, outcome)

    def _conflict(self, write: Write, current: StoredDocument | None) -> str | None:
        """The reason why a write was refused whose document exists already, or has changed meanwhile; None as in
        `_reason`.

        Either the document is ours, and only the answer was lost; or it is somebody else's.
        """
        action = write.action
        if current is None:
            if action.op in ("update", "delete"):
                return None
            return "Elasticsearch says both that it exists and that it does not"
        arrival = arrival_in(current.source)
        if arrival == write.arrival or _is_there(write, current):
            return None
        if action.op == "update":
            return self._changed_before_update(write, current)
        if arrival is None:
            return self._waits_in_the_way(write)
        if action.op == "create":
            if self._lease.state.counts(arrival):
                return (
                    f"{action.index} holds another document of this id, which this window does not know, or knows by "
                    "another id: delete that document, or run `neardup doctor`"
                )
            # In place of a document left by a scorer that died.
            return self._again(write._replace(action=action._replace(op="index")), current)
        self._lease.renew()  # if another scorer changed it, this one must stop here, and undo nothing
        if write.moved:
            return f"another client changed it in {action.index} while it was moved: run again"
        return self._again(write, current)

    def _changed_before_update(self, write: Write, current: StoredDocument) -> str | None:
        """`_conflict` of an update. The update is sent again if it is still valid: a mark if the text is the same, a
        new verdict if the arrival is the same, the removal of a mark in any case. Otherwise the document waits to be
        scored.
        """
        arrival = arrival_in(current.source)
        if not write.new or arrival is not None:
            self._lease.renew()  # if another scorer changed it, this one must stop here
        if write.new:
            holds = self._composer.has_text_of(current.source, write.ours.get("fingerprint"))
        else:
            holds = write.ours.get("order") in (None, arrival)
        if holds:
            return self._again(write, current)
        action = write.action
        log.warning(
            "%s in %s changed while it was scored: it is scored again", escaped(action.id), action.index
        )
        return None

    def _again(self, write: Write, current: StoredDocument) -> str | None:
        """Sends a write again, for the version that is stored now; returns why it is refused then, or None."""
        return self.send([write._replace(action=write.action.if_version(current.version))]).get(write.id)

    def _is_as_sent(self, write: Write, current: StoredDocument) -> bool:
        """Whether a document that was added has its arrival, and the text that was compared."""
        if arrival_in(current.source) != write.arrival:
            return False
        sent = write.action.source
        fingerprint = own_object(orjson.loads(sent) if isinstance(sent, bytes) else sent or {}).get(
            "fingerprint"
        )
        return fingerprint is None or self._composer.has_text_of(current.source, fingerprint)

    def _waits_in_the_way(self, write: Write) -> str:
        """The reason to refuse a write that meets an unscored document of another client."""
        index = write.action.index
        if write.action.op == "delete":
            return (
                f"another client has written it anew in {index}: let `neardup watch` score it, and run again"
            )
        hour = self._cluster.address.hour_of_index(index)
        scored = "" if hour is not None and hour[1] else ", which `neardup watch` scores"
        if write.action.op == "create" and not write.new:
            remedy = "this one is to be moved there, so delete that one, and run again"
        else:
            remedy = "give this one another id, or delete that one"
        return f"another client wrote a document of this id to {index}{scored}: {remedy}"


def pinned(write: Write, current: Current) -> Write:
    """`write`, only for the version that is stored now; a whole document may only replace one of the window, or be
    new.
    """
    action = write.action
    if action.op == "index" and (action.ref not in current or is_anew(action.ref, current)):
        return write._replace(action=action._replace(op="create"), new=True)
    if action.op == "create":
        return write
    return write._replace(action=action.if_version(version_of(current, action.ref)))


def is_anew(ref: DocumentRef, current: Current) -> bool:
    """Whether another client has written the document at `ref` anew, so that it waits to be scored."""
    return ref in current and arrival_in(current[ref].source) is None


def version_of(current: Current, ref: DocumentRef) -> Version | None:
    """The version of the document that is at `ref` now; None if there is none."""
    there = current.get(ref)
    return None if there is None else there.version


def _is_there(write: Write, current: StoredDocument) -> bool:
    """Whether a document that came too late already has the mark of `write`, which has no arrival."""
    scored = write.ours.get("scored_at")
    return write.arrival < 0 and scored is not None and own_object(current.source).get("scored_at") == scored
