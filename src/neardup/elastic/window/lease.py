"""A lease, which one of several processes holds at a time, while the others wait for it or stand by.

The lease is a document in the cluster that names its holder and the end of its time. A process that wants the lease
writes its own name there, as an optimistic write (`if_seq_no`): of two concurrent writes one is refused. A holder that
dies leaves its name; the next process takes over, at once if the holder was a process of this machine that has ended,
otherwise when its time has run out. Clocks of two machines may differ: a time that has run out counts only if the
holder has also failed to renew the lease, and a holder that has been silent for a whole lease counts as dead whatever
its time says.

The other contents of the document belong to the lease's owner (`LeaseDocument`), and are written together with the
lease: a process that has lost it cannot commit.
"""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, Self, TypeVar

from neardup.elastic.http.api import create_doc, get_doc, put_doc
from neardup.elastic.http.unexpected import UNREADABLE, in_words
from neardup.elastic.window import holders
from neardup.errors import ClusterConflict, ClusterError, LeaseLost, WindowDamaged, WindowLocked
from neardup.model.clock import now_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.elastic.http.api import Version
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

RENEWED_AFTER: Final = 1 / 4
"""The fraction of the lease's time after which its holder renews it."""
_MISSED_AFTER: Final = 2 * RENEWED_AFTER
"""The fraction of the lease's time after which a renewal is overdue. A holder renews when it next checks the lease, not
on the dot.
"""
_POLL_SECONDS: Final = 0.05
SURE_SECONDS: Final = 0.1
"""Seconds after reading or writing the document in which its version alone identifies it. An index that is deleted and
made anew counts versions from the beginning, but takes longer to reach the same version again.
"""


class LeaseDocument(Protocol):
    """What a lease needs of its document, which is an immutable value."""

    @property
    def holder(self) -> str | None:
        """The holder of the lease; None if nobody holds it."""

    @property
    def until(self) -> int:
        """When the lease can be taken from a silent holder, in milliseconds."""

    @property
    def undo(self) -> Sequence[int]:
        """The epochs whose holders died, and whose changes must be undone."""

    def source(self) -> dict[str, Any]:
        """As it is stored."""

    @classmethod
    def read(cls, source: dict[str, Any]) -> Self:
        """The document in its stored form."""

    def held_by(self, holder: str | None, until: int) -> Self:
        """A copy of the document with another holder."""

    def next_epoch(self, *, lost: bool) -> Self:
        """The document with which the next holder begins; `lost`: the last one died before it was done."""


Leased = TypeVar("Leased", bound=LeaseDocument)


class Lease(Generic[Leased]):
    """The lease whose document is `id` in the index of the state, as seen by one process that may hold it.

    `seconds`: how long the lease lasts without a renewal. `first` stands for a document that does not exist yet; None
    if somebody must have made it.
    """

    def __init__(
        self,
        cluster: Cluster,
        kind: type[Leased],
        id: str,
        *,
        seconds: float,
        first: Leased | None = None,
    ) -> None:
        self._cluster, self._kind, self._id = cluster, kind, id
        self._seconds, self._first = seconds, first
        self._name = holders.new_holder()
        self._version: Version | None = None
        self._known: Leased | None = None
        self._renewed = self._looked = 0.0
        self._seen: tuple[Version | None, float] = (None, 0.0)

    # ---- what is known ----

    @property
    def held(self) -> bool:
        """Whether this process holds the lease, as far as it knows."""
        return holders.is_at_work(self._name)

    @property
    def state(self) -> Leased:
        """What the document said when it was last read or written."""
        assert self._known is not None, "it has been read"
        return self._known

    @property
    def holder(self) -> str | None:
        """The holder when the document was last read or written."""
        return None if self._known is None else self._known.holder

    def read(self) -> Leased | None:
        """Reads the document; None if there is none. Raises `WindowDamaged` if neardup did not write its contents."""
        index = self._cluster.address.state
        stored = get_doc(self._cluster, index, self._id)
        self._looked = time.monotonic()
        self._version = None if stored is None else stored.version
        if self._version != self._seen[0]:
            self._seen = self._version, time.monotonic()
        try:
            self._known = None if stored is None else self._kind.read(stored.source)
        except UNREADABLE as error:
            raise self._damaged(f"a document with {in_words(error)}") from error
        return self._known

    def read_existing(self) -> Leased:
        """`read`, or `first` if there is no document; raises `WindowDamaged` if there is neither."""
        state = self.read() or self._first
        if state is None:
            raise self._damaged("no such document")
        return state

    def _damaged(self, actual: str) -> WindowDamaged:
        own = self._cluster.address
        remedy = f"`neardup setup --window {own}` makes it anew, from the documents in its hours"
        remedy += (
            f"; of a window that scores an index in place DELETE {own.state}/_doc/{self._id}, and then"
            " `neardup ingest --from-index INDEX --in-place`"
        )
        return WindowDamaged(f"{own.state}/{self._id} of {own}", actual, "what scorers leave", remedy=remedy)

    def replace(self, state: Leased) -> None:
        """Writes `state` in place of the one that was last read, unless that has changed since."""
        if not self._write(state):
            log.warning("%s was changed by another process at the same moment: it is left as it is", self._id)

    def create(self, state: Leased) -> None:
        """Makes the document, which says `state`; one that another process makes at the same moment stays."""
        try:
            create_doc(self._cluster, self._cluster.address.state, self._id, state.source(), refresh=True)
        except ClusterConflict:
            log.debug("%s was made by another process at the same moment", self._id)

    def is_lost(self, state: Leased) -> bool:
        """Whether the holder named in `state`, as it was last read, has died."""
        if state.holder is None:
            return False
        silent = time.monotonic() - self._seen[1]
        return (
            holders.has_ended(state.holder)
            or silent > self._seconds
            or (silent > self._seconds * _MISSED_AFTER and now_ms() >= state.until)
        )

    # ---- to take it, and to keep it ----

    def acquire(self) -> Leased:
        """Waits for the lease; returns the state at the beginning of this epoch. If the last holder died in its
        epoch, the state says that this must be undone.

        Raises `WindowLocked` if another process stays in one epoch for longer than the cluster's patience, and
        `WindowDamaged` if somebody has deleted the document.
        """
        patience = max(self._cluster.patience, 1.1 * self._seconds)
        end = time.monotonic() + patience
        # Most often nobody else has written since this process did, and the known state is still current.
        state = self._known or self.read_existing()
        while True:
            lost = self.is_lost(state)
            if lost or state.holder is None:
                begun = state.next_epoch(lost=lost)
                if self._claim(begun):
                    if lost:
                        log.warning("the last scorer (%s) ended in the middle of a batch", state.holder)
                    return begun
            elif time.monotonic() > end:
                raise WindowLocked(str(self._cluster.address), state.holder)
            else:
                time.sleep(_POLL_SECONDS)
            before, state = state, self.read_existing()
            # Another process had its turn: with many of them, each waits long.
            if state.held_by(None, 0) != before.held_by(None, 0):
                end = time.monotonic() + patience

    def try_acquire(self) -> bool:
        """Takes the lease if it is free, or keeps it; whether it is held here now. Most often no request."""
        if self.held and (not self._is_due() or self._claim(self.state)):
            return True
        state = self.read_existing()
        lost = self.is_lost(state)
        return (lost or state.holder is None) and self._claim(state.next_epoch(lost=lost))

    def ensure_held(self) -> None:
        """Makes sure that this process still holds the lease, which a long batch may have outlasted. Most often no
        request.

        Raises `LeaseLost` if another process took over.
        """
        if self._is_due():
            self.renew()

    def renew(self, state: Leased | None = None) -> None:
        """`ensure_held` with a write in any case, however recent the last renewal; the document says `state` then (by
        default what it says already).
        """
        if not self._claim(state or self.state):
            self._lose()

    def ensure_as_known(self) -> None:
        """Makes sure, by reading it if that was not done just now, that the document is there as it was last written.

        Raises `LeaseLost` if it is not, and `WindowDamaged` if somebody has deleted it.
        """
        if not self._is_as_known():
            self._lose()

    # ---- to let it go ----

    def commit(self, state: Leased) -> None:
        """Commits `state` and releases the lease. If that still lists epochs to undo, the lease is left as
        by a holder that died: the next holder must undo them.

        Raises `LeaseLost` if the time had run out and another process took over: nothing of the epoch counts.
        """
        if not self._write(state.held_by(self._name if state.undo else None, 0)):
            self._lose()
        holders.end(self._name)

    def release(self, state: Leased | None = None) -> None:
        """Releases the lease, if it is held, with `state` unchanged (by default the known one); see `commit`."""
        if self.held:
            self.commit(state or self.state)

    def abandon(self) -> None:
        """Gives the lease up without a request. Others of this process see that at once; to any other process its
        holder counts as ended when the lease has run out, or, on this machine, when this process ends.
        """
        holders.end(self._name)

    def fail(self, state: Leased, *, at_once: bool) -> None:
        """Ends a failed epoch, which the next holder undoes: with `at_once` immediately, if the cluster answers,
        otherwise when the lease has run out.
        """
        if at_once and self.held:
            with contextlib.suppress(ClusterError):
                self._write(state.held_by(self._name, 0))
        self.abandon()

    # ---- writing ----

    def _is_due(self) -> bool:
        return time.monotonic() - self._renewed > self._seconds * RENEWED_AFTER

    def _claim(self, state: Leased) -> bool:
        """Writes that this process holds the lease; False if another one was faster."""
        self._renewed = time.monotonic()
        holders.begin(self._name)  # before another thread can read that it is
        held = False
        try:
            held = self._write(state.held_by(self._name, now_ms() + int(self._seconds * 1_000)))
        finally:
            if not held:
                holders.end(self._name)
        return held

    def _lose(self) -> NoReturn:
        holders.end(self._name)
        raise LeaseLost(str(self._cluster.address), self.read_existing().holder)

    def _is_as_known(self) -> bool:
        """Whether the document has not changed since it was last read or written. Its version alone does not prove
        that: in an index that was deleted and made anew another document may have the same version.
        """
        if self._known is None or time.monotonic() - self._looked < SURE_SECONDS:
            return True
        known = self._version, self._known
        self.read()
        return known == (self._version, self._known)

    def _write(self, state: Leased) -> bool:
        """Writes `state` unless another process has written since it was last read or written; whether it is stored
        now. A write whose answer was lost counts.
        """
        if not self._is_as_known():
            return self._known == state
        index = self._cluster.address.state
        try:
            if self._version is None:
                self._version = create_doc(self._cluster, index, self._id, state.source())
            else:
                self._version = put_doc(
                    self._cluster, index, self._id, state.source(), if_version=self._version
                )
        except ClusterConflict:
            return self.read() == state
        self._known, self._looked = state, time.monotonic()
        return True
