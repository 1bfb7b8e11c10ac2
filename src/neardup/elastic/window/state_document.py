"""The state document of a window in a cluster: which scorer may write, what is committed, and what never counts.

It is one document in `neardup-state-PREFIX`. A scorer acquires the lease on it (lease.py), which begins an epoch.
Documents that the epoch adds count once the state document is written again with a larger `next_order`, which also
releases the lease. So several scorers agree: they work one batch after the other, and each takes over what the others
have committed before it decides anything.

A scorer that takes over from a dead holder continues with much higher arrivals: documents that the dead holder wrote,
or whose writes are still on their way, then lie in an aborted range, never count, and are rolled back. Its changes of
documents that count are undone (undo_log.py).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.address import STATE_DOCUMENT, Address
from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window import holders
from neardup.elastic.window.lease import Lease
from neardup.errors import SettingsError, WindowLocked
from neardup.model.clock import now_ms
from neardup.model.hours import FIRST_HOUR, FIRST_NAMED, LAST_NAMED, hour_name
from neardup.stores.base import Commit
from neardup.stores.remembered_settings import merged, tell_unknown, warn_of_others, with_unknown

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

FORMAT: Final = 1
LEASE_SECONDS: Final = 60
"""How long an epoch lasts without a renewal; a batch takes seconds, a restarting node a minute."""
ABORTED_ARRIVALS: Final = 1_000_000
"""The length of an aborted range: more documents than any batch has."""
_MOST_ABORTED: Final = 256
"""How many aborted ranges are remembered. Each is a clause of every query, of which OpenSearch takes 1,024; and older
ranges have been rolled back each time that a scorer has died since.
"""


class RemovalBegun(WindowLocked):
    """The removal of the window at `path` has begun, and documents of its archive may have lost their marks."""

    def __str__(self) -> str:
        return (
            f"the removal of {self.path} has begun, and documents may have lost their marks: "
            f"`neardup remove --window {self.path} --force` completes it"
        )


@dataclass(frozen=True)
class StateDocument:
    """What the state document says; in brackets the stored name, where it is another.

    about     how the window signs and what its fields are called, as its indices say too (`_meta.neardup`)
    settings  those that the last writer left
    changes   counts the commits that did more than add documents
    aborted   [gaps] ranges of arrivals, from the first to before the last, of documents that never count: the latest
    archive   the index that is scored in place, instead of hourly ones; None for a window of hours
    epoch     [turn] counts how often the lease was acquired; the undo log of an epoch bears its number
    undo      the epochs whose holders died, and whose changes must be undone
    resigned_from  the recipe that documents may still be signed by, while the window is being signed again by that of
              `about` (cluster_resign.py): until it is done nobody reads or scores; None in any other window
    is_being_removed  whether a removal of the marks of an archive has begun: nobody reads or scores any more
    """

    about: dict[str, Any]
    settings: dict[str, Any]
    commit: Commit = field(default_factory=Commit)
    changes: int = 0
    aborted: tuple[tuple[int, int], ...] = ()
    holder: str | None = None
    until: int = 0
    archive: str | None = None
    epoch: int = 0
    undo: tuple[int, ...] = ()
    resigned_from: str | None = None
    is_being_removed: bool = False

    @classmethod
    def made_anew(
        cls, about: dict[str, Any], settings: dict[str, Any], archive: str | None, *, last: int, newest: int
    ) -> StateDocument:
        """The state of a window that lost its own: all documents count, to the arrival `last` and the hour `newest`."""
        commit = Commit(seq=last + 1, next_order=last + 1, newest=newest)
        # Larger than any earlier epoch, so that an undo log left by one is not taken for a new one's.
        committed = cls(about, settings, commit, archive=archive, epoch=now_ms() // 1_000)
        # As after a scorer that died: writes that are still on their way never count.
        return committed.next_epoch(lost=True).without_undo()

    def counts(self, arrival: int) -> bool:
        """Whether a document with this arrival counts: neither evicted for a budget, nor in an aborted range."""
        return arrival >= self.commit.floor_order and not self.is_aborted(arrival)

    def is_aborted(self, arrival: int) -> bool:
        """Whether a scorer gave out this arrival and never committed it."""
        return any(first <= arrival < last for first, last in self.aborted)

    def is_uncommitted(self, arrival: int) -> bool:
        """Whether a scorer gave out this arrival but has not committed it yet, or never will."""
        return arrival >= self.commit.next_order or self.is_aborted(arrival)

    def check_kept_in(self, archive: str) -> None:
        """Raises `SettingsError` unless this is the window that scores the index `archive` in place."""
        if self.archive != archive:
            kept = f"scores {self.archive} in place"
            if self.archive is None:
                kept = "is kept in indices of hours, into which the documents are copied without --in-place"
            raise SettingsError(
                "in_place",
                archive,
                f"scored in place by a window of its own: this one {kept}; use another prefix",
            )

    @property
    def newest(self) -> str | None:
        """The name of the newest hour; None if no document has come."""
        return hour_name(self.commit.newest) if self.commit.newest > FIRST_HOUR else None

    @property
    def has_given_up(self) -> bool:
        """Whether documents were given up for a budget."""
        return self.commit.budget_hour > FIRST_NAMED

    @property
    def is_unused(self) -> bool:
        """Whether nobody has held the lease yet, as far as this document says."""
        return not self.epoch

    @property
    def has_dead_holder(self) -> bool:
        """Whether the holder of the lease has ended in the middle of its epoch, as far as this document says: its
        process is gone, or its time has run out for as long as a lease lasts, because clocks may differ.
        """
        if self.holder is None:
            return False
        return holders.has_ended(self.holder) or now_ms() > self.until + 1_000 * LEASE_SECONDS

    def with_commit(self, commit: Commit, settings: dict[str, Any], *, removes: bool) -> StateDocument:
        """This state after a `commit` that leaves `settings`; `removes`: the commit does more than add documents."""
        return replace(self, commit=commit, changes=self.changes + removes, settings=settings)

    def changed(self) -> StateDocument:
        """This state, marked so that others know that more was done than adding documents."""
        return replace(self, changes=self.changes + 1)

    def held_by(self, holder: str | None, until: int) -> StateDocument:
        """This state with another holder."""
        return replace(self, holder=holder, until=until)

    def next_epoch(self, *, lost: bool) -> StateDocument:
        """The state with which the next holder of the lease begins; `lost`: the last one died before it was done."""
        begun = replace(self, holder=None, epoch=self.epoch + 1)
        if not lost:
            return begun
        # Far behind all arrivals that the dead holder may have given.
        first = self.commit.next_order
        last = first + ABORTED_ARRIVALS
        aborted = (*self.aborted, (first, last))
        if self.aborted and self.aborted[-1][1] == first:  # nothing was committed since
            aborted = (*self.aborted[:-1], (self.aborted[-1][0], last))
        return replace(
            begun,
            commit=self.commit._replace(next_order=last),
            aborted=aborted[-_MOST_ABORTED:],
            undo=(*self.undo, self.epoch),
        )

    def with_settings_lost(self, window: str, new: dict[str, Any]) -> StateDocument:
        """This state of the `window` with `new` settings in place of lost ones, by which stored verdicts were made: if
        there are any, that is also logged.
        """
        if not self.commit.next_order:
            return replace(self, settings=new)
        tell_unknown(window, new)
        return replace(self, settings=with_unknown(new))

    def without_undo(self) -> StateDocument:
        """This state with nothing left to undo."""
        return replace(self, undo=())

    def source(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            "format": FORMAT, "about": self.about, "settings": self.settings, "commit": self.commit._asdict(),
            "changes": self.changes, "gaps": [{"from": first, "to": last} for first, last in self.aborted],
            "holder": self.holder, "until": self.until, "archive": self.archive,
            "turn": self.epoch, "undo": list(self.undo), "resigned_from": self.resigned_from,
            "is_being_removed": self.is_being_removed,
        }  # fmt: skip

    @classmethod
    def read(cls, source: dict[str, Any]) -> StateDocument:
        """The state from its stored form; raises `LookupError`, `TypeError` or `ValueError` for anything that neardup
        does not store.
        """
        commit = Commit(*(int(source["commit"][name]) for name in Commit._fields))
        if commit.newest != FIRST_HOUR and not FIRST_NAMED <= commit.newest <= LAST_NAMED:
            raise ValueError(f"the newest hour {commit.newest}, which no document can have")
        return cls(
            _object(source["about"]), _object(source["settings"]), commit, int(source["changes"]),
            tuple((int(each["from"]), int(each["to"])) for each in source["gaps"][-_MOST_ABORTED:]),
            _text(source["holder"]), int(source["until"]), _text(source["archive"]),
            int(source["turn"]), tuple(int(each) for each in source["undo"]),
            _text(source.get("resigned_from")), source.get("is_being_removed") is True,
        )  # fmt: skip

    @classmethod
    def lacks_archive_only(cls, source: dict[str, Any]) -> bool:
        """Whether a stored state is whole but for the key `archive`, so that it may be of either kind of window."""
        with suppress(*UNREADABLE):
            return "archive" not in source and bool(cls.read({**source, "archive": None}))
        return False


class SettingsToLeave:
    """The settings that the commits of one opening leave in the state document.

    `own`: the settings of the opening; None: each commit leaves those that it finds. The opening has already reported
    how `own` changes the `previous` settings; if another process leaves other settings meanwhile, a commit warns once.
    """

    def __init__(self, own: dict[str, Any] | None, previous: dict[str, Any]) -> None:
        self._own, self._last = own, previous
        self._of_all: dict[str, Any] | None = None
        self._told_of: list[dict[str, Any]] = []

    def known(self, state: StateDocument) -> dict[str, Any]:
        """The settings by which the verdicts in a window with this `state` were made."""
        return state.settings if state.commit.next_order else self._own or state.settings

    def leave_next(self, of_all: dict[str, Any]) -> None:
        """Makes the next commit record that all verdicts are by the settings `of_all`."""
        self._of_all = of_all

    def at_commit(self, state: StateDocument) -> dict[str, Any]:
        """The settings that a commit on top of `state` leaves."""
        return self._of_all or merged(self.known(state), self._own or state.settings)

    def committed(self, window: str, previous: dict[str, Any], left: dict[str, Any]) -> None:
        """Notes that a commit has replaced the `previous` settings by `left`; warns if those are another process's."""
        if self._own and not self._of_all and previous != self._last and previous not in self._told_of:
            self._told_of.append(previous)
            warn_of_others(window, previous, self._own)
        self._last, self._of_all = left, None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no object")
    return value


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def scoring_lease(cluster: Cluster) -> Lease[StateDocument]:
    """The lease of one scorer on the window at the cluster's address."""
    return Lease(cluster, StateDocument, STATE_DOCUMENT, seconds=LEASE_SECONDS)


def read_state(cluster: Cluster) -> StateDocument | None:
    """The state of the window at the cluster's address as stored now; None if there is no window."""
    return scoring_lease(cluster).read()


def kept_in_place(address: Address, name: str, kept: object, wanted: object) -> SettingsError:
    """The error that the setting `name` of a window in place cannot change from `kept` to `wanted`."""
    remedy = f"`neardup remove --window {address} --force` takes the window and its marks away"
    expected = f"{kept!r}, as this window was set up: for another value, {remedy}; then score the index again"
    return SettingsError(name, wanted, expected)
