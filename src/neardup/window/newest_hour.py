"""The newest hour of a window: which document may move it on, how it is set back, and how many hours stay behind it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.errors import SettingsError
from neardup.model.clock import now_ms
from neardup.model.document import format_time
from neardup.model.hours import FIRST_HOUR, first_living_hour, hour_name, hour_of, leap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from neardup.model.document import Prepared
    from neardup.model.settings import Settings
    from neardup.window.base import Expired
    from neardup.window.state import State

log = logging.getLogger("neardup")


LOOKED_PAST: Final = 100
"""Documents without times of their own among which the next one with a time is looked for."""


class Next(NamedTuple):
    """What follows a batch: the next `document` with a time of its own; or none, if that is `known`.

    `undated`: so many follow without one that this is a stream of documents that have none.
    """

    document: Prepared | None = None
    known: bool = False
    undated: bool = False


class Leaps:
    """The documents of a batch whose times are doubted (`neardup.model.hours.leap`).

    `held` is the end of a batch from a doubted one on, if what bears it out or not is not known yet: it belongs to a
    later batch. So a verdict does not depend on where a batch ends.
    """

    def __init__(self) -> None:
        self._documents: Sequence[Prepared] = ()
        self._following = Next()
        self.held: Sequence[Prepared] = ()

    def begin(self, documents: Sequence[Prepared], following: Next) -> None:
        """Takes a batch, and what comes after it."""
        self._documents, self._following, self.held = documents, following, ()

    def doubt(self, at: int, state: State) -> str | None:
        """Why the document `at` that place is not believed, now that it is its turn; None if it is, or is `held`."""
        document, settings = self._documents[at], state.settings
        if settings.advance or not settings.kept_hours:
            return None
        counts = {hour: load[0] for hour, load in state.table.load.items()}
        found = leap(hour_of(document.time), state.newest, settings.kept_hours, counts)
        if found is None or (document.dated and is_current(document.time)):
            return None
        following = self._next(at)
        if not following.known:
            self.held = self._documents[at:]
            return None
        if following.undated and not document.dated and is_current(document.time):
            return None
        after = following.document
        if after is not None and found.borne_out_by(hour_of(after.time)):
            return None
        whose = "" if document.dated else ", which it was given because it has none,"
        return f"time {format_time(document.time)}{whose} {found}"

    def _next(self, at: int) -> Next:
        """The next document with a time of its own, as far as it is known."""
        behind = self._documents[at + 1 : at + 1 + LOOKED_PAST]
        for document in behind:
            if document.dated:
                return Next(document, known=True)
        return Next(known=True, undated=True) if len(behind) == LOOKED_PAST else self._following


def is_current(time: int) -> bool:
    """Whether a time is of the clock's hour or of the one before: a live stream's own."""
    return hour_of(now_ms()) - 1 <= hour_of(time) <= hour_of(now_ms())


def hour_to_set(state: State, time: int | None) -> int:
    """The hour that the newest one can be set back to: that of `time`, or of the newest document that is left.

    Raises `SettingsError` if that would not be back.
    """
    hour = max(state.table.load, default=FIRST_HOUR) if time is None else hour_of(time)
    newest = state.committed.newest
    if hour > newest:
        now = hour_name(newest) if newest > FIRST_HOUR else "not set"
        raise SettingsError(
            "newest", hour_name(hour), f"an hour no later than the newest one, which is {now}"
        )
    return hour


def set_back(state: State, hour: int) -> None:
    """Sets the newest hour back to `hour`: what had expired by it may come again. What was dropped is gone, and whoever
    should be compared with it is told so by `truncated`.
    """
    committed = state.committed
    last_dropped = hour if hour > FIRST_HOUR else hour_of(now_ms())
    floor = first_living_hour(hour, state.settings.kept_hours) if hour > FIRST_HOUR else FIRST_HOUR
    budget = max(committed.budget_hour, min(committed.floor_hour, last_dropped + 1))
    state.committed = committed._replace(
        newest=hour, floor_hour=min(floor, committed.floor_hour), budget_hour=budget
    )


def check_hours(
    where: str, left: Settings, chosen: Settings, beyond: Callable[[int], Expired], *, force: bool
) -> bool:
    """Whether the hours change when `chosen` is remembered instead of `left`; says so if they do.

    Raises `SettingsError` if documents would go by it, which `beyond` counts, and there is no `force`.
    """
    if (left.window_hours, left.kept_hours) == (chosen.window_hours, chosen.kept_hours):
        return False
    if chosen.kept_hours:
        check_narrowing(left.kept_hours, chosen.kept_hours, beyond(chosen.kept_hours), force=force)
    log.warning("%s: %s from now on, no longer %s", where, in_words(chosen), in_words(left))
    return True


def check_narrowing(left: int, kept: int, going: Expired, *, force: bool) -> None:
    """Raises `SettingsError` if documents are `going` because `kept` hours are kept instead of `left`; 0 = all."""
    if is_narrower(left, kept) and going.documents and not force:
        raise SettingsError("keep_hours", kept, would_go(going))


def is_narrower(left: int, kept: int) -> bool:
    """Whether fewer hours are `kept` than there were `left`; 0 = all."""
    return bool(kept) and (not left or kept < left)


def would_go(going: Expired) -> str:
    """Why not to let documents go unasked."""
    hours = "1 hour" if len(going) == 1 else f"{len(going):,} hours"
    return (
        f"more: the window keeps {going.documents:,} documents in {hours} ({going[0]} to {going[-1]}) that would go; "
        "--force (force=True) lets them go, --keep-hours (keep_hours) keeps them without comparing them"
    )


def in_words(settings: Settings) -> str:
    """How far a window looks back, and how long it keeps what it has.

    >>> from neardup.model.settings import Settings
    >>> in_words(Settings(keep_hours=720)), in_words(Settings(window_hours=0))
    ('compares 24 h and keeps 720 h', 'compares and keeps all hours')
    """
    compared, kept = (
        f"{hours} h" if hours else "all hours" for hours in (settings.window_hours, settings.kept_hours)
    )
    return f"compares and keeps {kept}" if compared == kept else f"compares {compared} and keeps {kept}"
