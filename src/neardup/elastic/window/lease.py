"""A lease: one of several processes holds it at a time, and the others wait for it or stand by.

It is a document of the cluster that names its holder and until when. Whoever wants it writes its own name there, as
an optimistic write (`if_seq_no`): of two at the same moment one is refused. A holder that died leaves its name;
whoever comes next takes over, at once if the holder was a process of this machine that is gone, else when its time has
run out. Clocks of two machines may differ: a time that has run out counts only if the holder has also missed to say
that it is at work, and a holder that has said nothing for a whole lease is taken for dead whatever its time.

What the document says beside that is its owner's affair (`LeaseDocument`), and changes with the lease: who has lost it
cannot commit.
"""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, Self, TypeVar

from neardup.elastic.http.api import create_doc, get_doc, put_doc
from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window import holders
from neardup.errors import ClusterConflict, ClusterError, LeaseLost, WindowDamaged, WindowLocked
from neardup.model.clock import now_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.elastic.http.api import Version
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

RENEWED_AFTER: Final = 1 / 4
"""Of its time: how much of it passes before a holder says again that it is at work."""
_MISSED_AFTER: Final = 2 * RENEWED_AFTER
"""Of its time: how much of it passes before a holder has missed to. It says so when it is next asked, not at once."""
_POLL_SECONDS: Final = 0.05
SURE_SECONDS: Final = 0.1
"""After a holder has read or written the document: for so long its version is that of no other. An index that is
deleted and made anew counts versions from the beginning, but takes longer to reach that one again.
"""


class LeaseDocument(Protocol):
    """What a lease asks of its document, an immutable value."""

    @property
    def holder(self) -> str | None:
        """Who holds the lease; None if nobody does."""

    @property
    def until(self) -> int:
        """When it can be taken from a holder that says nothing more, in milliseconds."""

    @property
    def undo(self) -> Sequence[int]:
        """The epochs whose holders died, and whose changes must be undone."""

    def source(self) -> dict[str, Any]:
        """As it is stored."""

    @classmethod
    def read(cls, source: dict[str, Any]) -> Self:
        """From what is stored."""

    def held_by(self, holder: str | None, until: int) -> Self:
        """The same with another holder."""

    def next_epoch(self, *, lost: bool) -> Self:
        """What the next holder begins with; `lost`: the last one died before it was done."""


Document = TypeVar("Document", bound=LeaseDocument)


class Lease(Generic[Document]):
    """The lease on the document `id` beside the window's state, as one would-be holder sees it.

    `seconds`: how long it lasts if its holder says nothing more. `first` is what the document is where there is none;
    None if somebody must have made it.
    """

    def __init__(
        self,
        cluster: Cluster,
        kind: type[Document],
        id: str,
        *,
        seconds: float,
        first: Document | None = None,
    ) -> None:
        self._cluster, self._kind, self._id = cluster, kind, id
        self._seconds, self._first = seconds, first
        self._name = holders.new_holder()
        self._version: Version | None = None
        self._known: Document | None = None
        self._renewed = self._looked = 0.0
        self._seen: tuple[Version | None, float] = (None, 0.0)

    # ---- what is known ----

    @property
    def held(self) -> bool:
        """Whether it is held here, as far as is known."""
        return holders.is_at_work(self._name)

    @property
    def document(self) -> Document:
        """The document as it was last read or written."""
        assert self._known is not None, "it has been read"
        return self._known

    @property
    def holder(self) -> str | None:
        """Who held it when it was last read or written."""
        return None if self._known is None else self._known.holder

    def read(self) -> Document | None:
        """What the document says now; None if there is none. Raises `WindowDamaged` if it is not what was written."""
        index = self._cluster.address.state
        stored = get_doc(self._cluster, index, self._id)
        self._looked = time.monotonic()
        self._version = None if stored is None else stored.version
        if self._version != self._seen[0]:
            self._seen = self._version, time.monotonic()
        try:
            self._known = None if stored is None else self._kind.read(stored.source)
        except UNREADABLE as error:
            raise self._damaged(f"a document with {type(error).__name__} {error}") from error
        return self._known

    def read_existing(self) -> Document:
        """`read`; raises `WindowDamaged` if there is none, and none to begin with."""
        document = self.read() or self._first
        if document is None:
            raise self._damaged("no such document")
        return document

    def _damaged(self, actual: str) -> WindowDamaged:
        own = self._cluster.address
        remedy = f"`neardup setup --window {own}` makes it anew, from the documents in its hours"
        remedy += (
            f"; of a window that scores an index in place DELETE {own.state}/_doc/{self._id}, and then"
            " `neardup ingest --from-index INDEX --in-place`"
        )
        return WindowDamaged(f"{own.state}/{self._id} of {own}", actual, "what scorers leave", remedy=remedy)

    def replace(self, document: Document) -> None:
        """Makes `document` what is there instead of what was last read, unless that has changed since."""
        if not self._write(document):
            log.warning("%s was changed by another process at the same moment: it is left as it is", self._id)

    def create(self, document: Document) -> None:
        """Makes the document; somebody else's, made at the same moment, stays."""
        try:
            create_doc(self._cluster, self._cluster.address.state, self._id, document.source(), refresh=True)
        except ClusterConflict:
            log.debug("%s was made by another process at the same moment", self._id)

    def is_lost(self, document: Document) -> bool:
        """Whether the holder that `document`, as it was last read, names has died."""
        if document.holder is None:
            return False
        silent = time.monotonic() - self._seen[1]
        return (
            holders.has_ended(document.holder)
            or silent > self._seconds
            or (silent > self._seconds * _MISSED_AFTER and now_ms() >= document.until)
        )

    # ---- to take it, and to keep it ----

    def acquire(self) -> Document:
        """Waits for the lease. What the document says at the beginning of this epoch; if the last holder died in its
        own, also that this is to be undone.

        Raises `WindowLocked` if another one holds on, without an end of its epoch, for longer than the cluster's
        patience, and `WindowDamaged` if somebody has deleted the document.
        """
        patience = max(self._cluster.patience, 1.1 * self._seconds)
        end = time.monotonic() + patience
        # Most often nobody else has written since this one last did, and what it knows is what there is.
        document = self._known or self.read_existing()
        while True:
            lost = self.is_lost(document)
            if lost or document.holder is None:
                begun = document.next_epoch(lost=lost)
                if self._claim(begun):
                    if lost:
                        log.warning("the last scorer (%s) ended in the middle of a batch", document.holder)
                    return begun
            elif time.monotonic() > end:
                raise WindowLocked(str(self._cluster.address), document.holder)
            else:
                time.sleep(_POLL_SECONDS)
            before, document = document, self.read_existing()
            # Another had its turn: each of many waits long.
            if document.held_by(None, 0) != before.held_by(None, 0):
                end = time.monotonic() + patience

    def try_acquire(self) -> bool:
        """Whether it is held here now: taken if it is free, kept if it is not over. Most often no request."""
        if self.held and (not self._is_due() or self._claim(self.document)):
            return True
        document = self.read_existing()
        lost = self.is_lost(document)
        return (lost or document.holder is None) and self._claim(document.next_epoch(lost=lost))

    def ensure_held(self) -> None:
        """Makes sure that it still is held here, which a batch may have outlasted. Most often no request.

        Raises `LeaseLost` if another one took over.
        """
        if self._is_due():
            self.renew()

    def renew(self) -> None:
        """`ensure_held`, however short a time has passed."""
        if not self._claim(self.document):
            self._lose()

    # ---- to let it go ----

    def commit(self, document: Document) -> None:
        """Makes `document` what counts, and lets the lease go. If it says that there still is something to undo, it is
        left as by a holder that died: the next one is to do it.

        Raises `LeaseLost` if its time had run out and another one took over: nothing of the epoch counts.
        """
        if not self._write(document.held_by(self._name if document.undo else None, 0)):
            self._lose()
        holders.end(self._name)

    def release(self, document: Document | None = None) -> None:
        """Lets it go with nothing added to `document` (what is known, if it is not given); see `commit`."""
        if self.held:
            self.commit(document or self.document)

    def abandon(self) -> None:
        """Lets it go without a word to the cluster: others of this machine see at once that nobody holds it."""
        holders.end(self._name)

    def fail(self, document: Document, *, at_once: bool) -> None:
        """Ends an epoch that failed: the next holder undoes it. `at_once`: without waiting for the lease to
        run out, if the cluster answers.
        """
        if at_once and self.held:
            with contextlib.suppress(ClusterError):
                self._write(document.held_by(self._name, 0))
        self.abandon()

    # ---- writing ----

    def _is_due(self) -> bool:
        return time.monotonic() - self._renewed > self._seconds * RENEWED_AFTER

    def _claim(self, document: Document) -> bool:
        """Writes that it is held here; False if somebody else was faster."""
        self._renewed = time.monotonic()
        holders.begin(self._name)  # before another thread can read that it is
        held = False
        try:
            held = self._write(document.held_by(self._name, now_ms() + int(self._seconds * 1_000)))
        finally:
            if not held:
                holders.end(self._name)
        return held

    def _lose(self) -> NoReturn:
        holders.end(self._name)
        raise LeaseLost(str(self._cluster.address), self.read_existing().holder)

    def _is_as_known(self) -> bool:
        """Whether the document still is what it was when it was last read or written. Its version alone does not say
        so: in an index that was deleted and made anew another state may have it.
        """
        if self._known is None or time.monotonic() - self._looked < SURE_SECONDS:
            return True
        known = self._version, self._known
        self.read()
        return known == (self._version, self._known)

    def _write(self, document: Document) -> bool:
        """Writes if nobody else has since it was last read or written; a write whose answer was lost counts."""
        if not self._is_as_known():
            return self._known == document
        state = self._cluster.address.state
        try:
            if self._version is None:
                self._version = create_doc(self._cluster, state, self._id, document.source())
            else:
                self._version = put_doc(
                    self._cluster, state, self._id, document.source(), if_version=self._version
                )
        except ClusterConflict:
            return self.read() == document
        self._known, self._looked = document, time.monotonic()
        return True
