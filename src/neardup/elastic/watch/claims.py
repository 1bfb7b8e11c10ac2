"""Claims: which waiting documents each of several scorers scores, and whose turn it is to decide.

One document beside the state of a window holds the claims, as a queue. A scorer claims the next documents of the
backlog in its order (time, id), looks up their candidates while others do the same, and decides when all claims before
its own are done: so arrivals, and with them verdicts, are the same as with one scorer. Claims only establish an order:
if documents are claimed twice, or a claim is never done, the lease (elastic/window/lease.py) keeps verdicts right, and
the marks say which documents wait.

docs/scorers.md says what depends on what.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from neardup.elastic.http.api import create_doc, doc_version, get_doc, put_doc
from neardup.elastic.http.scan import Entry
from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window.holders import begin, end, has_ended, new_holder
from neardup.errors import ClusterConflict
from neardup.model.clock import now_ms
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from neardup.elastic.http.api import Version
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

CLAIM_SECONDS: Final = 60
"""How long the others wait for a silent scorer, unless it was a process of their machine that has ended."""
_DOCUMENT: Final = "claims"
_POLL_SECONDS: Final = 0.05
_RENEWED_AFTER: Final = 1 / 4
"""The fraction of the time of a claim after which a waiting scorer renews it."""
_BORNE_OUT: Final = 3
"""Documents at the end of a claim that must be near each other."""


class Claim(NamedTuple):
    """The documents `entries`, which a scorer, `holder`, is to score until `until` (milliseconds)."""

    ticket: int
    holder: str
    until: int
    entries: tuple[Entry, ...]


class PredecessorLost(Exception):
    """The scorer of an earlier `claim` has ended: somebody must take that claim over."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self.claim = claim


class ClaimLost(Exception):
    """A claim was taken over by another scorer, and no longer concerns the scorer that had it."""


@dataclass(frozen=True)
class Queue:
    """The claims that are not done, in order. `tickets` have been given in all; the last claim ends at the position
    `upto`, behind which the next one begins (None: at the beginning).
    """

    tickets: int = 0
    upto: tuple[Any, ...] | None = None
    claims: tuple[Claim, ...] = ()

    def claim(self, ticket: int) -> Claim | None:
        """The claim of this ticket; None if it is done."""
        return next((each for each in self.claims if each.ticket == ticket), None)

    def with_claim(self, entries: tuple[Entry, ...], upto: tuple[Any, ...], holder: str, until: int) -> Queue:
        """A copy of this queue with one more claim at its end."""
        claim = Claim(self.tickets, holder, until, entries)
        return replace(self, tickets=self.tickets + 1, upto=upto, claims=(*self.claims, claim))

    def without(self, claim: Claim) -> Queue:
        """A copy of this queue without `claim`, which is done."""
        return replace(self, claims=tuple(each for each in self.claims if each.ticket != claim.ticket))

    def held_by(self, claim: Claim, holder: str, until: int) -> Queue:
        """A copy of this queue in which `holder` has `claim`, until `until` (milliseconds)."""
        return replace(
            self,
            claims=tuple(
                each._replace(holder=holder, until=until) if each.ticket == claim.ticket else each
                for each in self.claims
            ),
        )

    def source(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            "tickets": self.tickets,
            "upto": None if self.upto is None else list(self.upto),
            "claims": [{**each._asdict(), "entries": [list(entry) for entry in each.entries]} for each in self.claims],
        }  # fmt: skip

    @classmethod
    def read(cls, source: dict[str, Any]) -> Queue:
        """The queue in a stored document; a new queue if no scorer can have written that: a queue holds nothing that
        cannot be found again.
        """
        try:
            upto = source["upto"]
            claims = tuple(
                Claim(
                    int(each["ticket"]), str(each["holder"]), int(each["until"]),
                    tuple(Entry(*entry) for entry in each["entries"]),
                )
                for each in source["claims"]
            )  # fmt: skip
            return cls(int(source["tickets"]), None if upto is None else tuple(upto), claims)
        except UNREADABLE:
            log.warning("the queue of the scorers cannot be read: a new one begins")
            return cls()


def position(entry: Entry, *, missing_first: bool) -> tuple[Any, ...]:
    """The sort key of an entry in a backlog; `missing_first`: entries without a time come before all others."""
    if entry.time is None:
        return (0 if missing_first else 2, 0, entry.id, entry.index)
    return (1, entry.time, entry.id, entry.index)


class Scan:
    """The entries of a backlog in order, each once, except that entries which are put back come again."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._left = iter(entries)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Entry:
        return next(self._left)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """Puts the last entries that were taken back to the front."""
        self._left = chain(entries, self._left)


def batch_of(entries: Iterator[Entry], *, most: int, near: int | None) -> list[Entry]:
    """The first `most` entries, extended until the last three lie at most `near` hours apart: a time far ahead is
    confirmed only by the next documents, which must not be in another scorer's claim. `near` None: no time is doubted.
    """
    batch = list(islice(entries, most))
    if batch and near is not None:
        while not _is_near(batch[-_BORNE_OUT:], near):
            more = list(islice(entries, 1))
            if not more:
                break
            batch += more
    return batch


def _is_near(entries: Sequence[Entry], hours: int) -> bool:
    times = [entry.time // HOUR_MS for entry in entries if entry.time is not None]
    return len(entries) == _BORNE_OUT and max(times, default=0) - min(times, default=0) <= hours


def claimant(cluster: Cluster) -> str | None:
    """A scorer that has claimed documents of the window at the cluster's address and has not ended, as far as its claim
    says; None if there is none.
    """
    stored = get_doc(cluster, cluster.address.state, _DOCUMENT)
    claims = () if stored is None else Queue.read(stored.source).claims
    # Clocks of two machines may differ by as much as a claim lasts.
    late = now_ms() - 1_000 * CLAIM_SECONDS
    return next((each.holder for each in claims if each.until >= late and not has_ended(each.holder)), None)


class Claims:
    """The claims on the backlog of the window at the cluster's address, as one scorer sees them."""

    def __init__(self, cluster: Cluster, *, missing_first: bool, seconds: float = CLAIM_SECONDS) -> None:
        self._cluster, self._seconds, self._missing_first = cluster, seconds, missing_first
        self._name = new_holder()
        self._queue = Queue()
        self._version: Version | None = None
        self._oldest: tuple[int, int] | None = None  # its ticket, and until when it was held as last seen
        self._oldest_since = 0.0
        begin(self._name)

    def close(self) -> None:
        """Marks this scorer as ended, for other scorers of this process; those in other processes of this machine
        notice the end of the process.
        """
        end(self._name)

    def begin_pass(self) -> None:
        """Lets the next claim, of any scorer, begin again with the documents that have waited longest."""
        queue = self._read()
        if queue.upto is not None:
            self._write(replace(queue, upto=None))

    def next(self, entries: Scan, *, most: int, near: int | None = None) -> Claim | None:
        """The next claim of this scorer: the oldest one, taken over, if its scorer has ended; otherwise the next
        unclaimed ones of `entries`, in order, as many as `batch_of` says. None if there are none.
        """
        while True:
            queue = self._read()
            own = next((each for each in queue.claims if each.holder == self._name), None)
            if own is not None:
                return own  # the answer to the write that made it was lost
            if (lost := self._lost(queue)) is not None:
                if self.take_over(lost):
                    return lost
                continue
            batch = batch_of(self._unclaimed(entries, queue), most=most, near=near)
            if not batch:
                return None
            upto = position(batch[-1], missing_first=self._missing_first)
            claimed = queue.with_claim(tuple(batch), upto, self._name, self._until())
            if self._write(claimed):
                return claimed.claims[-1]
            entries.put_back(batch)

    def _unclaimed(self, entries: Scan, queue: Queue) -> Iterator[Entry]:
        claimed = {(entry.index, entry.id) for each in queue.claims for entry in each.entries}
        for entry in entries:
            is_behind = queue.upto is None or position(entry, missing_first=self._missing_first) > queue.upto
            if is_behind and (entry.index, entry.id) not in claimed:
                yield entry

    def are_done(self) -> bool:
        """Whether no scorer has a claim."""
        return not self._read().claims

    def take_over(self, claim: Claim) -> bool:
        """Take over a lost claim; False if another scorer was faster."""
        queue = self._read()
        if claim not in queue.claims:
            return False
        log.warning("a scorer (%s) ended before it was done: this one scores its documents", claim.holder)
        return self._write(queue.held_by(claim, self._name, self._until()))

    def wait_for_turn(self, claim: Claim) -> None:
        """Wait until it is the turn of `claim`; raises what `is_first` raises."""
        while not self.is_first(claim):
            time.sleep(_POLL_SECONDS)

    def is_first(self, claim: Claim) -> bool:
        """Whether all claims before `claim` are done. Renews `claim` when that is due.

        Raises `ClaimLost` if another scorer has taken `claim` over, and `PredecessorLost` if the first claim must be
        taken over.
        """
        queue = self._read_if_changed()
        own = queue.claim(claim.ticket)
        if own is None or own.holder != self._name:
            raise ClaimLost
        if own.until - now_ms() < (1 - _RENEWED_AFTER) * self._seconds * 1_000:
            self._write(queue.held_by(own, self._name, self._until()))
        if queue.claims[0] is own:
            return True
        if (lost := self._lost(queue)) is not None:
            raise PredecessorLost(lost)
        return False

    def done(self, claim: Claim) -> None:
        """Removes `claim` from the queue, if this scorer still has it."""
        while True:
            queue = self._read()
            own = queue.claim(claim.ticket)
            if own is None or own.holder != self._name or self._write(queue.without(own)):
                return

    def withdraw(self) -> None:
        """Removes all claims of this scorer from the queue: unlike after `close`, nobody may use their entries."""
        while True:
            queue = self._read()
            others = tuple(each for each in queue.claims if each.holder != self._name)
            if others == queue.claims or self._write(replace(queue, claims=others)):
                return

    def _lost(self, queue: Queue) -> Claim | None:
        """The oldest claim, if another scorer has it that has ended, or been silent for the time of a claim; else
        None.
        """
        if not queue.claims or queue.claims[0].holder == self._name:
            return None
        first, now = queue.claims[0], time.monotonic()
        if self._oldest != (first.ticket, first.until):
            self._oldest, self._oldest_since = (first.ticket, first.until), now
        is_silent = now - self._oldest_since > self._seconds
        return first if is_silent or has_ended(first.holder) else None

    def _until(self) -> int:
        return now_ms() + int(self._seconds * 1_000)

    def _read(self) -> Queue:
        stored = get_doc(self._cluster, self._cluster.address.state, _DOCUMENT)
        self._version = None if stored is None else stored.version
        self._queue = Queue() if stored is None else Queue.read(stored.source)
        return self._queue

    def _read_if_changed(self) -> Queue:
        """`_read`, but only if the version has changed: for frequent calls, as claims are long and change rarely."""
        version = doc_version(self._cluster, self._cluster.address.state, _DOCUMENT)
        return self._queue if version is not None and version == self._version else self._read()

    def _write(self, queue: Queue) -> bool:
        """Writes the queue, unless another scorer has written it since it was read; returns whether it was written.
        After a lost answer this may be False although the write counts: what was claimed by it is taken over when its
        time is over.
        """
        state = self._cluster.address.state
        try:
            if self._version is None:
                create_doc(self._cluster, state, _DOCUMENT, queue.source())
            else:
                put_doc(self._cluster, state, _DOCUMENT, queue.source(), if_version=self._version)
        except ClusterConflict:
            return False
        return True
