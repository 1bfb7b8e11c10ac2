"""The state document of a window in a cluster: whose turn it is to write, and what is committed.

One document in `neardup-state-PREFIX`. Whoever wants to score takes a turn: an optimistic write (`if_seq_no`) that
names the holder and until when. What the turn adds counts when the same document is written again with a larger
`next_order`, which also ends the turn. So several scorers agree: they work one batch after the other, and each
takes over what the others have committed before it decides anything.

A holder that died leaves its name. Whoever takes the turn after it (at once, if the holder was a process of this
machine that is gone, else when the turn has run out) numbers on from far behind: what the dead holder wrote, or what
of it is still on its way, then lies in a `gap`, never counts, and is taken back. What it changed of documents that
count is undone (journal.py).
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
import uuid
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from neardup.errors import ClusterConflict, ClusterError, LeaseLost, WindowLocked
from neardup.model.clock import now_ms
from neardup.stores.base import Commit

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

FORMAT: Final = 1
TURN_SECONDS: Final = 60
"""How long a turn lasts if its holder says nothing more; a batch takes seconds, a restarting node a minute."""
GAP: Final = 1_000_000
"""More documents than any batch has."""
_POLL_SECONDS: Final = 0.05
_DOCUMENT: Final = "window"


@dataclass(frozen=True)
class StateDocument:
    """What the state document says.

    about     how the window signs and what its fields are called, as its indices say too (`_meta.neardup`)
    settings  those that the last writer left
    changes   counts the commits that did more than add documents
    gaps      the orders, from the first to before the last, of documents that never count
    turn      counts the turns; it numbers what they write down before they change stored documents (journal.py)
    undo      the turns that died, and whose changes must be undone
    archive   the index that is scored in place, instead of hourly ones; None for a window of hours
    """

    about: dict[str, Any]
    settings: dict[str, Any]
    commit: Commit = field(default_factory=Commit)
    changes: int = 0
    gaps: tuple[tuple[int, int], ...] = ()
    holder: str | None = None
    until: int = 0
    archive: str | None = None
    turn: int = 0
    undo: tuple[int, ...] = ()

    def counts(self, order: int) -> bool:
        """Whether a document of this order is one of the window's: neither given up to a budget nor in a gap."""
        return order >= self.commit.floor_order and not any(
            first <= order < last for first, last in self.gaps
        )

    def source(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            "format": FORMAT, "about": self.about, "settings": self.settings, "commit": self.commit._asdict(),
            "changes": self.changes, "gaps": [{"from": first, "to": last} for first, last in self.gaps],
            "holder": self.holder, "until": self.until, "archive": self.archive,
            "turn": self.turn, "undo": list(self.undo),
        }  # fmt: skip

    @classmethod
    def read(cls, source: dict[str, Any]) -> StateDocument:
        """From what is stored."""
        return cls(
            source["about"], source["settings"], Commit(**source["commit"]), source["changes"],
            tuple((gap["from"], gap["to"]) for gap in source["gaps"]),
            source["holder"], source["until"], source["archive"],
            source["turn"], tuple(source["undo"]),
        )  # fmt: skip


_turns: set[str] = set()
"""The holders of this process that are in their turns: any other of its names is that of a turn that failed."""


class Lease:
    """The turns of one scorer at one window."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._path = f"/{cluster.address.state}/_doc/{_DOCUMENT}"
        self._name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._version: tuple[int, int] | None = None
        self._known: StateDocument | None = None
        self._renewed = 0.0

    @property
    def held(self) -> bool:
        """Whether it is this scorer's turn, as far as it knows."""
        return self._name in _turns

    def read(self) -> StateDocument | None:
        """What the document says now; None if there is none."""
        answer = self._cluster.request("GET", self._path, missing_ok=True)
        if answer is None or not answer.get("found"):
            return None
        self._version = answer["_seq_no"], answer["_primary_term"]
        self._known = StateDocument.read(answer["_source"])
        return self._known

    def create(self, content: StateDocument) -> None:
        """Makes the document; somebody else's, made at the same moment, stays."""
        try:
            self._cluster.request(
                "PUT", self._path, params={"op_type": "create", "refresh": "true"}, body=content.source()
            )
        except ClusterConflict:
            log.debug("the window was made by another process at the same moment")

    def take(self) -> tuple[StateDocument, bool]:
        """Waits for this scorer's turn. What is committed now, and whether the last holder died in its turn, so that
        what lies in the gaps must be taken back.

        Raises `WindowLocked` if another one holds on for longer than the cluster's patience.
        """
        end = time.monotonic() + max(self._cluster.patience, TURN_SECONDS)
        # Most often nobody else has written since this scorer's last turn, and what it knows is what there is.
        content = self._known or self._read_existing()
        while True:
            lost = self.is_lost(content)
            if lost or content.holder is None:
                if lost:
                    log.warning("the last scorer (%s) ended in the middle of a batch", content.holder)
                    content = _behind_a_gap(content)
                content = replace(content, turn=content.turn + 1)
                if self._hold(content):
                    return content, lost
            elif time.monotonic() > end:
                raise WindowLocked(str(self._cluster.address), content.holder)
            else:
                time.sleep(_POLL_SECONDS)
            content = self._read_existing()

    def is_lost(self, content: StateDocument) -> bool:
        """Whether whoever's turn it is has ended without ending it."""
        return content.holder is not None and not is_alive(content.holder, content.until, _turns)

    def _hold(self, content: StateDocument) -> bool:
        """Writes that it is this scorer's turn; False if somebody else was faster."""
        self._renewed = time.monotonic()
        _turns.add(self._name)  # before another thread can read that it is
        held = False
        try:
            held = self._write(replace(content, holder=self._name, until=now_ms() + TURN_SECONDS * 1_000))
        finally:
            if not held:
                _turns.discard(self._name)
        return held

    @property
    def turn(self) -> int:
        """The number of this scorer's turn."""
        assert self._known is not None
        return self._known.turn

    def confirm(self) -> None:
        """Makes sure that it still is this scorer's turn, which a batch may have outlasted.

        Raises `LeaseLost` if another scorer took over.
        """
        if time.monotonic() - self._renewed > TURN_SECONDS / 4:
            self.renew()

    def renew(self) -> None:
        """`confirm`, however short a time has passed."""
        assert self._known is not None
        if not self._hold(self._known):
            self._lost()

    def commit(self, content: StateDocument) -> None:
        """Makes `content` what counts and ends the turn.

        Raises `LeaseLost` if the turn had run out and another scorer took over: nothing of it counts.
        """
        if not self._write(replace(content, holder=None, until=0)):
            self._lost()
        _turns.discard(self._name)

    def _lost(self) -> NoReturn:
        _turns.discard(self._name)
        found = self.read()
        raise LeaseLost(str(self._cluster.address), found.holder if found else None)

    def abandon(self, content: StateDocument, *, told: bool) -> None:
        """Ends a turn that failed: the next scorer takes back what it wrote. `told`: at once, if the cluster answers,
        and not only when the turn has run out.
        """
        if told and self.held:
            with contextlib.suppress(ClusterError):
                self._write(replace(content, holder=self._name, until=0))
        _turns.discard(self._name)

    def release(self, content: StateDocument) -> None:
        """Ends the turn with nothing added to `content`."""
        if self.held:
            self.commit(content)

    def _read_existing(self) -> StateDocument:
        content = self.read()
        if content is None:
            raise WindowLocked(str(self._cluster.address), "whoever deleted its state document")
        return content

    def _write(self, content: StateDocument) -> bool:
        """Writes if nobody else has since this scorer last read or wrote; a write whose answer was lost counts."""
        assert self._version is not None
        params = {"if_seq_no": self._version[0], "if_primary_term": self._version[1]}
        try:
            answer = self._cluster.request("PUT", self._path, params=params, body=content.source())
        except ClusterConflict:
            found = self.read()
            return found == content
        self._version = answer["_seq_no"], answer["_primary_term"]
        self._known = content
        return True


def _behind_a_gap(content: StateDocument) -> StateDocument:
    """`content` with the next orders far behind those that a dead holder may have given."""
    first = content.commit.next_order
    commit = content.commit._replace(next_order=first + GAP)
    gaps, undo = (*content.gaps, (first, first + GAP)), (*content.undo, content.turn)
    return replace(content, commit=commit, gaps=gaps, undo=undo, holder=None)


def is_alive(holder: str, until: int, here: AbstractSet[str]) -> bool:
    """Whether a holder may still be at work: its time (milliseconds) has not run out, and it is no dead process of this
    machine, nor one of this process that is not among those of `here`.
    """
    host, pid, _ = holder.rsplit(":", 2)
    if host == socket.gethostname():
        if int(pid) == os.getpid():
            return holder in here
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
    return now_ms() < until
