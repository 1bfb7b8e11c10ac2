"""Claims: which documents that wait each of several scorers scores, and whose turn it is to decide.

One document beside the state of a window holds them, as a queue. A scorer claims the next documents of the backlog in
its order (time, id), looks up what they may be copies of while others do the same, and decides when all claims before
its own are done: so arrivals, and with them verdicts, are those of one scorer. It is order and no more: whatever is
claimed twice, or never done, the lease (elastic/window/lease.py) keeps verdicts right, and the marks say what waits.

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
"""How long the others wait for a scorer that says nothing more, unless it was a process of their machine that ended."""
_DOCUMENT: Final = "claims"
_POLL_SECONDS: Final = 0.05
_RENEWED_AFTER: Final = 1 / 4
"""Of its time: how much of it passes before a scorer that waits says again that it is there."""
_BORNE_OUT: Final = 3
"""Documents at the end of a claim that must be near each other."""


class Claim(NamedTuple):
    """The documents `entries`, which a scorer, `holder`, is to score until `until` (milliseconds)."""

    ticket: int
    holder: str
    until: int
    entries: tuple[Entry, ...]


class PredecessorLost(Exception):
    """The scorer of a `claim` before one's own has ended: somebody is to take it over."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self.claim = claim


class ClaimLost(Exception):
    """A claim was taken over by another scorer: whoever had it has nothing to do with it any more."""


@dataclass(frozen=True)
class Queue:
    """The claims that are not done, in their order; `tickets` were given in all, the last one to entries up to the
    position `upto`, behind which the next one begins (None: at the beginning).
    """

    tickets: int = 0
    upto: tuple[Any, ...] | None = None
    claims: tuple[Claim, ...] = ()

    def claim(self, ticket: int) -> Claim | None:
        """The claim of this ticket; None if it is done."""
        return next((each for each in self.claims if each.ticket == ticket), None)

    def with_claim(self, entries: tuple[Entry, ...], upto: tuple[Any, ...], holder: str, until: int) -> Queue:
        """The same with one claim more, the last one."""
        claim = Claim(self.tickets, holder, until, entries)
        return replace(self, tickets=self.tickets + 1, upto=upto, claims=(*self.claims, claim))

    def without(self, claim: Claim) -> Queue:
        """The same without a claim that is done."""
        return replace(self, claims=tuple(each for each in self.claims if each.ticket != claim.ticket))

    def held_by(self, claim: Claim, holder: str, until: int) -> Queue:
        """The same where a claim is `holder`'s, until then."""
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
        """From what is stored; a new one from what no scorer has left: it holds nothing that cannot be found again."""
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
            log.warning("the queue of the scorers is not what one of them has left: it begins anew")
            return cls()


def position(entry: Entry, *, missing_first: bool) -> tuple[Any, ...]:
    """Where an entry stands in the order of a backlog; `missing_first`: those without a time come before all others."""
    if entry.time is None:
        return (0 if missing_first else 2, 0, entry.id, entry.index)
    return (1, entry.time, entry.id, entry.index)


class Scan:
    """The entries of a backlog in order, each once; what was taken and is not claimed after all comes again."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._left = iter(entries)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Entry:
        return next(self._left)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """Lets entries, the last that were taken, come again."""
        self._left = chain(entries, self._left)


def batch_of(entries: Iterator[Entry], *, most: int, near: int | None) -> list[Entry]:
    """The first `most` of `entries`, and so many more that none at the end is one whose time the next document must
    bear out, which another scorer might have: the last few lie at most `near` hours apart. None: no time is doubted.
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
        """Says, to other scorers of this process, that this one has ended; those of this machine see it themselves."""
        end(self._name)

    def begin_pass(self) -> None:
        """Lets the next claim begin with what waits longest, in whatever scan of the backlog it is looked for."""
        queue = self._read()
        if queue.upto is not None:
            self._write(replace(queue, upto=None))

    def next(self, entries: Scan, *, most: int, near: int | None = None) -> Claim | None:
        """The oldest claim, taken over, if its scorer has ended; else the next of `entries`, in order, that nobody has
        claimed, as many as `batch_of` says. None if there are none.
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
        """Whether nothing is claimed by anybody."""
        return not self._read().claims

    def take_over(self, claim: Claim) -> bool:
        """Whether a lost claim is this scorer's now, and not somebody else's who was faster."""
        queue = self._read()
        if claim not in queue.claims:
            return False
        log.warning("a scorer (%s) ended before it was done: its documents are scored here", claim.holder)
        return self._write(queue.held_by(claim, self._name, self._until()))

    def wait_for_turn(self, claim: Claim) -> None:
        """Waits until it is the turn of a claim; raises as `is_first`."""
        while not self.is_first(claim):
            time.sleep(_POLL_SECONDS)

    def is_first(self, claim: Claim) -> bool:
        """Whether all claims before this one are done; says now and then that its scorer is still there.

        Raises `ClaimLost` if somebody has taken it over, and `PredecessorLost` if the first one must be.
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
        """Takes a claim out of the queue, if it is still this scorer's."""
        while True:
            queue = self._read()
            own = queue.claim(claim.ticket)
            if own is None or own.holder != self._name or self._write(queue.without(own)):
                return

    def withdraw(self) -> None:
        """Takes all of its claims out of the queue, unlike `close`: nobody is to go by their entries any more."""
        while True:
            queue = self._read()
            others = tuple(each for each in queue.claims if each.holder != self._name)
            if others == queue.claims or self._write(replace(queue, claims=others)):
                return

    def _lost(self, queue: Queue) -> Claim | None:
        """The oldest claim, if its scorer, another one, has ended, or has been silent for its time."""
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
        """The same, for who asks often: claims are long, and hardly ever another one than a moment ago."""
        version = doc_version(self._cluster, self._cluster.address.state, _DOCUMENT)
        return self._queue if version is not None and version == self._version else self._read()

    def _write(self, queue: Queue) -> bool:
        """Writes the queue, unless another scorer has since it was read. A write whose answer was lost may count and
        be told as none: whatever was claimed so is taken over when its time is over.
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
