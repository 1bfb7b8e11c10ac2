"""Leadership: of several watchers of one window, one scores and the others stand by.

Batches are scored one after the other (elastic/window/lease.py), so a second watcher adds no speed; it would only read
the same documents and find them scored. This lease only saves that work: two watchers that both think they lead still
agree on every verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.watch.claims import claimant
from neardup.elastic.window.holders import has_ended
from neardup.elastic.window.lease import Lease
from neardup.model.clock import now_ms

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

LEADER_SECONDS: Final = 30
"""How long the others wait for a silent leader, unless it was a process of their machine that has ended."""
_DOCUMENT: Final = "watch"


@dataclass(frozen=True)
class LeaderDocument:
    """Which watcher leads, and until when; nothing is committed with this document."""

    holder: str | None = None
    until: int = 0
    undo = ()  # a leader that died leaves nothing

    def source(self) -> dict[str, Any]:
        """As it is stored."""
        return {"holder": self.holder, "until": self.until}

    @classmethod
    def read(cls, source: dict[str, Any]) -> LeaderDocument:
        """From a stored document; one that no watcher can have written has no holder."""
        holder, until = source.get("holder"), source.get("until")
        return cls(holder, until) if isinstance(holder, str) and isinstance(until, int) else cls()

    def held_by(self, holder: str | None, until: int) -> LeaderDocument:
        """A copy of this document with another holder."""
        return LeaderDocument(holder, until)

    def next_epoch(self, *, lost: bool) -> LeaderDocument:  # noqa: ARG002 - as after any other
        """What the next leader begins with."""
        return self


def leadership(cluster: Cluster) -> Lease[LeaderDocument]:
    """The lease whose holder leads the watchers of the window at the cluster's address."""
    return Lease(cluster, LeaderDocument, _DOCUMENT, seconds=LEADER_SECONDS, first=LeaderDocument())


def scorer_at_work(cluster: Cluster) -> str | None:
    """A process that scores the window at the cluster's address, also between two batches, and has not ended: the
    watcher that leads, or a scorer that has claimed documents; None if there is none, as far as the cluster knows.
    """
    known = leadership(cluster).read()
    if known is None or known.holder is None or has_ended(known.holder):
        return claimant(cluster)
    # Clocks of two machines may differ by as much as the lease lasts.
    return known.holder if now_ms() <= known.until + 1_000 * LEADER_SECONDS else claimant(cluster)
