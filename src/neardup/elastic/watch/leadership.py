"""Of several watchers of one window one leads and scores, and the others stand by.

Scoring goes one batch after the other (elastic/window/lease.py), so a second watcher adds no speed; it would only
read the same documents and find them scored. This lease spares it the work, and no more: two that both think they
lead still agree on every verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.window.lease import Lease

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

LEADER_SECONDS: Final = 30
"""How long the others wait for one that says nothing more, unless it was a process of their machine that is gone."""
_DOCUMENT: Final = "watch"


@dataclass(frozen=True)
class LeaderDocument:
    """Who leads, and until when; nothing is committed with it."""

    holder: str | None = None
    until: int = 0
    undo = ()  # a leader that died leaves nothing

    def source(self) -> dict[str, Any]:
        """As it is stored."""
        return {"holder": self.holder, "until": self.until}

    @classmethod
    def read(cls, source: dict[str, Any]) -> LeaderDocument:
        """From what is stored; what no watcher has left stands for nobody."""
        holder, until = source.get("holder"), source.get("until")
        return cls(holder, until) if isinstance(holder, str) and isinstance(until, int) else cls()

    def held_by(self, holder: str | None, until: int) -> LeaderDocument:
        """The same with another holder."""
        return LeaderDocument(holder, until)

    def next_epoch(self, *, lost: bool) -> LeaderDocument:  # noqa: ARG002 - as after any other
        """What the next leader begins with."""
        return self


def leadership(cluster: Cluster) -> Lease[LeaderDocument]:
    """The lease by which a watcher leads those of the window at the cluster's address."""
    return Lease(cluster, LeaderDocument, _DOCUMENT, seconds=LEADER_SECONDS, first=LeaderDocument())
