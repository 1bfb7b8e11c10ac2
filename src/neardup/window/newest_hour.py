"""The newest hour of a window: which documents may move it on, and how it is set back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.errors import SettingsError
from neardup.model.clock import now_ms
from neardup.model.finding import Finding
from neardup.model.hours import (
    FIRST_HOUR,
    Leap,
    first_living_hour,
    hour_name,
    hour_named,
    hour_of,
    is_step,
    leap,
)
from neardup.model.times import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.document import Prepared
    from neardup.window.state import State

LOOKED_PAST: Final = 100
"""How many documents without times of their own are passed over to find the next one with a time; this many in a row
count as a stream without times.
"""
_NOT_BORNE_OUT: Final = "neither the clock nor the next document confirms it"
_ADVANCE: Final = (
    "if it is right, the setting advance accepts it (--advance, advance=True, NEARDUP_ADVANCE=true)"
)
_FEW: Final = (
    f"it is the present time, accepted only for {LOOKED_PAST} or more documents without a time in a row"
)


def why_too_late(newest: int, kept_hours: int, hour: int) -> str:
    """Advice where documents of this `hour` come too late for a window of this `newest` hour, which may itself be
    wrong, that keeps so many hours.
    """
    if hour >= first_living_hour(newest, kept_hours):
        return "max_documents, max_memory or `neardup expire` dropped its hour"
    ahead = why_ahead(hour_name(newest)) if newest > FIRST_HOUR else None
    return ahead or "keep_hours keeps hours for late documents"


def why_ahead(newest: str) -> str | None:
    """The warning that a window's `newest` hour, given by its name, is ahead of the clock; None if it is not."""
    hour = hour_named(newest)
    if hour is None or hour <= hour_of(now_ms()):
        return None
    return (
        f"the newest hour of the window, {newest}, is ahead of the clock: if a wrong time or clock has made it so, "
        "`neardup expire --newest TIME` sets it back"
    )


def examine_newest(newest: str | None, kept_hours: int) -> Iterator[Finding]:
    """What a doctor finds of a window that keeps so many hours: that its newest one, by which hours leave, is ahead of
    the clock.
    """
    ahead = why_ahead(newest) if newest is not None and kept_hours else None
    if ahead is not None:
        yield Finding("newest hour", "warning", ahead)


class Next(NamedTuple):
    """What follows a document: the next `document` with a time of its own, if there is one.

    `undated`: `LOOKED_PAST` documents without one follow, which counts as a stream without times.
    """

    document: Prepared | None = None
    undated: bool = False


class Before:
    """What came before a call of `ingest`, in earlier calls of the same open window.

    undated   ids of the last documents, if none of these had a time of its own: fewer than twice `LOOKED_PAST`
    doubted   the id and the leap of the last document that had one, if its time was not believed

    Several threads may ingest at once: a value is replaced and never changed.
    """

    def __init__(self) -> None:
        self.undated: frozenset[str] = frozenset()
        self.doubted: tuple[str, Leap] | None = None

    def add(self, documents: Sequence[Prepared], doubted: tuple[Prepared, Leap] | None) -> None:
        """Adds documents that are done; `doubted` is the last of them that had a time and was not believed."""
        last = next((i for i in reversed(range(len(documents))) if documents[i].dated), None)
        if last is not None:
            self.undated = frozenset()
            self.doubted = None
            if doubted is not None and doubted[0] is documents[last]:
                self.doubted = documents[last].id, doubted[1]
        if len(self.undated) < LOOKED_PAST:
            behind = documents[0 if last is None else last + 1 :]
            self.undated |= {document.id for document in behind[-LOOKED_PAST:]}


class Leaps:
    """The documents of a batch whose times are doubted (`neardup.model.hours.leap`), in a call of `ingest`.

    `held` is the end of a batch, from a doubted document on, that is put off until it is known what follows the batch
    (`resume`). So a verdict does not depend on where a batch ends. What came `before` the call counts as well, because
    a service may ingest its documents one by one.
    """

    def __init__(self, before: Before | None = None) -> None:
        self._before = before or Before()
        self._doubted_before = self._before.doubted
        """What an earlier call doubted; None once this one has had a document with a time of its own."""
        self._documents: Sequence[Prepared] = ()
        self._following: Next | None = None
        self._doubted: tuple[Prepared, Leap] | None = None
        """The last document of the batch that had a time of its own which was not believed."""
        self.held: Sequence[Prepared] = ()

    def begin(self, documents: Sequence[Prepared]) -> None:
        """Begins a batch."""
        self._documents, self._doubted, self.held = documents, None, ()

    def end(self) -> None:
        """Ends a batch: all its documents are done, except those that are held, and what follows is unknown again."""
        self._following = None
        done = self._documents[: len(self._documents) - len(self.held)]
        self._before.add(done, self._doubted)
        if self._doubted_before is not None and any(document.dated for document in done):
            self._doubted_before = None

    def resume(self, following: Next) -> None:
        """Notes what follows the first held document, which the next batch consists of."""
        self._following = following

    def doubt(self, at: int, state: State) -> str | None:
        """Why the time of the document at place `at` is not believed, once those before it are done. None if it is
        believed, or if that depends on documents not yet known: then this one and the rest of the batch are `held`.
        """
        document, settings = self._documents[at], state.settings
        if settings.advance or is_step(document.hour, state.newest, settings.kept_hours):
            return None  # before all hours, perhaps many thousands, are counted
        jump = leap(document.hour, state.newest, settings.kept_hours, state.table.by_hour.documents)
        if jump is None:
            return None
        is_now = is_current(document.time)
        if is_now and (document.dated or self._is_of_undated_stream(at)):
            return None
        if document.dated and self._is_borne_out_by_earlier(at, jump):
            return None
        following = self._next(at)
        if following is None:
            self.held = self._documents[at:]
            return None
        if following.undated and is_now:
            return None
        after = following.document
        if after is not None and jump.borne_out_by(after.hour):
            return None
        if document.dated:
            self._doubted = document, jump
        whose = "" if document.dated else ", which it was given because it has none,"
        why = _FEW if is_now else _NOT_BORNE_OUT
        return f"time {format_time(document.time)}{whose} {jump}; {why}: {_ADVANCE}"

    def _is_of_undated_stream(self, at: int) -> bool:
        """Whether at least `LOOKED_PAST` documents of different ids, all without times, came directly before the one
        at `at`, which has none either.
        """
        ids = set[str]()
        for document in reversed(self._documents[:at]):
            if document.dated:
                return len(ids) >= LOOKED_PAST
            ids.add(document.id)
        return len(ids | self._before.undated) >= LOOKED_PAST

    def _is_borne_out_by_earlier(self, at: int, jump: Leap) -> bool:
        """Whether the document at `at`, the first of its call that has a time of its own, and the last one of earlier
        calls bear each other out. A document that is sent again does not bear itself out.
        """
        documents = self._documents[: at + 1]
        if self._doubted_before is None or any(document.dated for document in documents[:at]):
            return False
        id, earlier = self._doubted_before
        return id != documents[at].id and earlier.borne_out_by(jump.hour) and jump.borne_out_by(earlier.hour)

    def _next(self, at: int) -> Next | None:
        """What follows the document at place `at`; None if that is not known yet."""
        behind = self._documents[at + 1 : at + 1 + LOOKED_PAST]
        for document in behind:
            if document.dated:
                return Next(document)
        return Next(undated=True) if len(behind) == LOOKED_PAST else self._following


def is_current(time: int) -> bool:
    """Whether a time is of the clock's hour or of the one before, as in a live stream."""
    return hour_of(now_ms()) - hour_of(time) in (0, 1)


def hour_to_set(state: State, time: int | None) -> int:
    """The hour to which the newest hour can be set: that of `time`, or of the newest document left, which is a later
    hour where the newest was set back too far.

    Raises `SettingsError` if the hour of `time` is later than the newest.
    """
    if time is None:
        return max(state.table.by_hour.documents, default=FIRST_HOUR)
    hour, newest = hour_of(time), state.next_commit.newest
    if hour > newest:
        now = hour_name(newest) if newest > FIRST_HOUR else "not set"
        raise SettingsError(
            "newest", hour_name(hour), f"an hour no later than the newest one, which is {now}"
        )
    return hour


def set_back(state: State, hour: int) -> None:
    """Sets the newest hour back to `hour`, so that documents of expired hours are accepted again. What was dropped
    stays gone, and the verdicts of documents that should be compared with it say `truncated`.
    """
    next_commit = state.next_commit
    last_dropped = hour if hour > FIRST_HOUR else hour_of(now_ms())
    floor = first_living_hour(hour, state.settings.kept_hours) if hour > FIRST_HOUR else FIRST_HOUR
    budget = max(next_commit.budget_hour, min(next_commit.floor_hour, last_dropped + 1))
    state.next_commit = next_commit._replace(
        newest=hour, floor_hour=min(floor, next_commit.floor_hour), budget_hour=budget
    )
