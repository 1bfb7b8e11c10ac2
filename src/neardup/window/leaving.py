"""What leaves a window: hours, whole, when they are old enough, and documents by their ids, many in one commit."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from neardup.model.clock import now_ms
from neardup.model.counted import counted, some_of
from neardup.model.hours import FIRST_HOUR, first_living_hour, hour_name, hour_of
from neardup.model.settings import check_boolean, check_whole
from neardup.model.times import time_argument
from neardup.stores.base import drop_all
from neardup.stores.records import text_sizes
from neardup.window.base import Expired
from neardup.window.newest_hour import hour_to_set, set_back
from neardup.window.session import refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from neardup.window.session import Session

log = logging.getLogger("neardup")

_BYTES_AT_ONCE: Final = 16_000_000
"""Bytes of text that one commit deletes: in a cluster they are kept until the commit, so that they can be put back."""


def expire(session: Session, now: Any, keep_hours: int | None, *, dry_run: bool) -> Expired:
    """See `Window.expire`."""
    time = now_ms() if now is None else time_argument("now", now)
    kept = session.state.settings.kept_hours if keep_hours is None else keep_hours
    first = first_living_hour(hour_of(time), check_whole("keep_hours", kept, 0))
    if check_boolean("dry_run", dry_run):
        session.load()
        return _going(session, first)
    with session.writing():
        going = _going(session, first)
        with session.changing():
            session.state.expire_before(first)
            session.commit()
        _drop_left_behind(session, going)
    return going


def expirable(session: Session, kept_hours: int) -> Expired:
    """See `WindowEngine.expirable`."""
    session.load()
    first = first_living_hour(session.state.newest, kept_hours)
    return Expired() if first <= session.state.next_commit.floor_hour else _before(session, first)


def apply_hours(session: Session) -> None:
    """See `WindowEngine.apply_hours`."""
    with session.writing(), session.changing():
        state = session.state
        state.expire_before(first_living_hour(state.newest, state.settings.kept_hours))
        session.commit()


def set_newest(session: Session, time: Any) -> str | None:
    """See `Window.set_newest`."""
    with session.writing():
        hour = hour_to_set(session.state, None if time is None else time_argument("newest", time))
        with session.changing():
            _drop_left_behind(session)  # otherwise what had expired would come back
            set_back(session.state, hour)
            session.state.table.rebuild_stands()
            session.commit()
    newest = session.state.newest
    return hour_name(newest) if newest > FIRST_HOUR else None


def delete_documents(session: Session, ids: Iterable[str]) -> list[str]:
    """See `Window.delete_many`."""
    waiting, missing, refused = deque(dict.fromkeys(ids)), list[str](), dict[str, str]()
    count = len(waiting)
    while waiting:
        with session.writing():
            going = _next_going(session, waiting, missing)
            if going:
                with session.changing():
                    reasons = _deleted(session, going.values())
                refused |= reasons
                waiting.extendleft(id for id in reversed(going) if reasons and id not in reasons)
            elif session.store.make_others_reread():  # as they do after every deletion
                with session.changing():
                    session.commit()
    if refused:
        others = count - len(missing) - len(refused)
        raise refusal(refused, f"; {counted(others, 'other')} deleted" if others else "")
    return missing


def _next_going(session: Session, waiting: deque[str], missing: list[str]) -> dict[str, int]:
    """The documents, by id, of those that are `waiting` that go next at once; the ids of none join the `missing`."""
    table, going, size = session.state.table, dict[str, int](), 0
    while waiting and len(going) < session.state.settings.documents_at_once and size < _BYTES_AT_ONCE:
        id = waiting.popleft()
        doc = table.ids.get(id)
        if doc is None:
            missing.append(id)
        else:
            going[id] = doc
            size += int(text_sizes(table.rows[doc : doc + 1])[0])
    return going


def _deleted(session: Session, docs: Collection[int]) -> Mapping[str, str]:
    """Deletes `docs` and makes that lasting, unless the store refuses some, as a cluster that takes no request as large
    as one: then none. Why, by their ids.
    """
    state = session.state
    before, names = state.next_commit, {state.table.ids[doc] for doc in docs}
    for doc in docs:
        state.remove(doc)
    refused = state.commit()
    if refused:
        if not refused.keys() <= names:
            raise refusal(refused)
        session.forget_batch(before)
    return refused


def _going(session: Session, hour: int) -> Expired:
    """What would be dropped with every hour before `hour`, including hours that have expired but are still there."""
    return _before(session, max(hour, session.state.next_commit.floor_hour))


def _before(session: Session, hour: int) -> Expired:
    """The hours before `hour`, and what is in them."""
    known = sum(count for old, count in session.state.table.by_hour.documents.items() if old < hour)
    hours = [hour_name(old) for old in session.store.hours() if old < hour]
    return Expired(hours, known + session.store.others_before(hour))


def _drop_left_behind(session: Session, going: Sequence[str] = ()) -> None:
    """Drops the hours that have expired but are still there, because a writer died between its commit and the drop, or
    a cluster did not delete them. If some still cannot be dropped, drops all others, logs which of the hours `going`
    have been dropped, and raises the error of the first that was not.
    """
    floor = session.state.next_commit.floor_hour
    stay = drop_all(session.store, [hour for hour in session.store.hours() if hour < floor])
    if stay:
        left = set(map(hour_name, stay))
        if dropped := [name for name in going if name not in left]:
            log.warning(
                "hours dropped (%d): %s; the others could not be dropped",
                len(dropped),
                some_of(dropped, most=100),
            )
        raise next(iter(stay.values()))
