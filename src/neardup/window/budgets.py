"""Budgets: how many documents, or how much memory, a window may take; what is given up when one is reached."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.budget_bytes import budget_bytes_of
from neardup.model.hours import hour_name
from neardup.window.signed_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.window.state import State

log = logging.getLogger("neardup")

_MOST_TOLD: Final = 10
"""How many hours are each named when they are dropped."""


def budget_sizes(state: State, documents: Sequence[Prepared], signed: SignedQueryBatch) -> NDArray[np.int64]:
    """The bytes that each document of a batch will count towards `max_memory`; 0 if there is no such budget."""
    if not state.settings.max_memory:
        return np.zeros(len(documents), np.int64)
    rows = rows_of(documents, signed, partial=state.settings.partial)
    return budget_bytes_of(rows, state.table.held_texts)


def give_up_for(state: State, size: int) -> None:
    """Gives up the oldest hours until one more document, of this size, fits into the budgets, or none is left."""
    settings = state.settings
    if not settings.max_documents and not settings.max_memory:
        return
    count, memory = state.table.budgeted
    while count and (0 < settings.max_documents <= count or 0 < settings.max_memory < memory + size):
        _give_up_oldest(state)
        count, memory = state.table.budgeted


def fitting(state: State, sizes: NDArray[np.int64]) -> int:
    """How many of the next documents, of these sizes, fit into the budgets, of which the first one always does: where
    it alone exceeds them, all else has been given up for it.
    """
    settings = state.settings
    most = len(sizes)
    if settings.max_documents or settings.max_memory:
        count, memory = state.table.budgeted
        if settings.max_documents:
            most = settings.max_documents - count
        if settings.max_memory:
            fit = np.searchsorted(memory + np.cumsum(sizes), settings.max_memory, side="right")
            most = min(most, int(fit))
    return max(most, 1)


def _give_up_oldest(state: State) -> None:
    """Shrinks the window by its oldest hour; by the older half of it, if it is the only one."""
    hours = sorted(state.table.by_hour.documents)
    first, since_opened = hour_name(hours[0]), state.since_opened
    if len(hours) > 1:
        state.expire_before(hours[1])
        _note_given_up(state, hours[1])
        text = f"budget reached: hour {first} is dropped, the window now begins at {hour_name(hours[1])}"
    else:
        before = state.table.present
        state.evict_half()
        since_opened.left = since_opened.left.with_more({hours[0]: before - state.table.present})
        _note_given_up(state, hours[0] + 1)
        text = f"budget reached within hour {first}: its older half is dropped"
    _log_dropped(text, since_opened.left.hours)


def _log_dropped(text: str, dropped: int) -> None:
    """Logs `text` about the last of the hours `dropped` so far: about each of the first ones, then whenever their
    number has doubled. A stream that is much longer than its budget drops thousands.
    """
    if dropped <= _MOST_TOLD:
        log.warning("%s", text)
    elif dropped.bit_count() == 1:
        log.warning("%s (%s hours have been dropped, not all of which are named here)", text, f"{dropped:,}")


def _note_given_up(state: State, hour: int) -> None:
    """Records that documents before `hour` were given up; the latest hour recorded counts."""
    state.next_commit = state.next_commit._replace(budget_hour=max(state.next_commit.budget_hour, hour))
