"""Of several watchers of one window one is at work, and the others stand by.

Scoring goes one batch after the other (elastic/window/lease.py), so a second watcher adds no speed; it would only
read the same documents and find them scored. This spares it the work, and no more: two that both think it is
their turn still agree on every verdict.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.window.lease import is_alive
from neardup.errors import ClusterConflict, ClusterError

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

HOLD_SECONDS: Final = 30
"""How long the others wait for one that says nothing more, unless it was a process of their machine that is gone."""

_DOCUMENT: Final = "watch"
_held: set[str] = set()
"""The names of this process that are at work: any other of its names is that of one that has ended."""


class Leadership:
    """The post of the watcher at work, as one of them sees it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._path = f"/{cluster.address.state}/_doc/{_DOCUMENT}"
        self._name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._until = 0.0
        self.holder: str | None = None
        """Who was at work when somebody else was last found to be."""

    def hold(self) -> bool:
        """Whether this watcher is to work now. Most often no request."""
        now = time.time()
        if self._until - now > HOLD_SECONDS / 2:
            return True
        self._until = 0.0
        _held.discard(self._name)
        answer = self._cluster.request("GET", self._path, missing_ok=True)
        found = answer["_source"] if answer is not None and answer.get("found") else {}
        holder = found.get("holder")
        if holder not in (None, self._name) and is_alive(holder, found["until"], _held):
            self.holder = holder
            return False
        return self._write(answer, now)

    def leave(self) -> None:
        """Lets another one work."""
        if self._name in _held:
            _held.discard(self._name)
            if time.time() > self._until:
                return  # another one may be at work by now
            self._until = 0.0
            with suppress(ClusterError):
                self._cluster.request("PUT", self._path, body={"holder": None, "until": 0})

    def _write(self, answer: Any, now: float) -> bool:
        until = now + HOLD_SECONDS
        _held.add(self._name)  # before others of this process can read the name
        if answer is not None and answer.get("found"):
            params = {"if_seq_no": answer["_seq_no"], "if_primary_term": answer["_primary_term"]}
        else:
            params = {"op_type": "create"}
        try:
            body = {"holder": self._name, "until": int(until * 1_000)}
            self._cluster.request("PUT", self._path, params=params, body=body)
        except ClusterConflict:
            _held.discard(self._name)
            return False
        self._until = until
        return True
