"""Budgets: how many documents, or how much memory, a window may take; what is given up when one is reached."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.budget_bytes import budget_bytes_of
from neardup.model.hours import hour_name
from neardup.window.signed_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.window.state import State

log = logging.getLogger("neardup")


def within_budgets(state: State, documents: Sequence[Prepared], signed: SignedQueryBatch, first: int) -> int:
    """How many documents from `first` on may be added before the budgets are checked again.

    At least one, for which the oldest hours are given up if necessary.
    """
    settings = state.settings
    if not settings.max_documents and not settings.max_memory:
        return len(documents)
    rows = rows_of(documents, signed, partial=settings.partial)
    sizes = budget_bytes_of(rows, state.table.held_texts)[first:]
    count, memory = state.table.budgeted
    while count and (0 < settings.max_documents <= count or 0 < settings.max_memory < memory + int(sizes[0])):
        _give_up_oldest(state)
        count, memory = state.table.budgeted
    free_documents = settings.max_documents - count if settings.max_documents else len(sizes)
    if settings.max_memory:
        fits = np.searchsorted(memory + np.cumsum(sizes), settings.max_memory, side="right")
        free_documents = min(free_documents, int(fits))
    return max(free_documents, 1)


def _give_up_oldest(state: State) -> None:
    """Shrinks the window by its oldest hour; by the older half of it, if it is the only one."""
    hours = sorted(state.table.by_hour.documents)
    if len(hours) > 1:
        log.warning(
            "budget reached: hour %s is dropped, the window now begins at %s",
            hour_name(hours[0]), hour_name(hours[1]),
        )  # fmt: skip
        state.expire_before(hours[1])
        _note_given_up(state, hours[1])
        return
    log.warning("budget reached within hour %s: its older half is dropped", hour_name(hours[0]))
    before, since_opened = state.table.present, state.since_opened
    state.evict_half()
    since_opened.left = since_opened.left.with_more({hours[0]: before - state.table.present})
    _note_given_up(state, hours[0] + 1)


def _note_given_up(state: State, hour: int) -> None:
    """Records that documents before `hour` were given up; the latest hour recorded counts."""
    state.next_commit = state.next_commit._replace(budget_hour=max(state.next_commit.budget_hour, hour))
