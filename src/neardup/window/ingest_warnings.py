"""Warnings about ingested documents: that one came too late, or has moved the window ahead of the clock, or that most
replaced others, because their ids do not tell them apart.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from neardup.model.clock import now_ms
from neardup.model.counted import counted
from neardup.model.escapes import escaped
from neardup.model.hours import hour_name
from neardup.model.settings import HOUR_MS
from neardup.model.times import format_time
from neardup.window.newest_hour import why_too_late

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from neardup.model.document import Prepared
    from neardup.model.verdict import Verdict
    from neardup.window.state import State

log = logging.getLogger("neardup")

FEWEST_REPLACED: Final = 100
"""So many documents may be replaced in one call without a warning: somebody has edited them."""


def warn_of_late(state: State, verdicts: Iterable[Verdict]) -> None:
    """Logs once that a document came too late, as all do while a clock is set back by days, or after a document with a
    wrong time has moved the window on. `verdicts` are those of the last batch.
    """
    first = state.since_opened.first_late
    if first is None or "late" in state.warned:
        return
    state.warned.add("late")
    verdict = next(verdict for verdict in verdicts if verdict.id == first.id)
    if verdict.status == "unscored":
        compared = "is unscored: the hours that it would be compared with were dropped"
    else:
        compared = "came after its hour was dropped: it was compared with what is left of the hours around it"
    log.warning(
        "document %s of %s %s%s (reported for the first such document only; %s)",
        escaped(first.id), verdict.time, compared, "" if first.is_foreign else ", and is not stored",
        why_too_late(state.newest, state.settings.kept_hours, first.hour),
    )  # fmt: skip


def warn_of_ahead(state: State, documents: Sequence[Prepared], *, newest: int, left: int) -> None:
    """Logs once that one of these `documents` is over an hour ahead of the clock and has moved the newest hour on.

    `newest`, `left`: the newest hour before them, and how many documents had left the window by then.
    """
    if state.newest <= newest or not state.settings.kept_hours or "ahead" in state.warned:
        return
    leader = max(
        (document for document in documents if document.hour == state.newest), key=lambda each: each.time
    )
    hours = (leader.time - now_ms()) // HOUR_MS
    if hours < 1:
        return
    state.warned.add("ahead")
    leaving = state.since_opened.left.documents - left
    log.warning(
        "document %s of %s is %s ahead of the clock, and has moved the newest hour of the window to %s%s (reported "
        "once; if its time is wrong, `neardup expire --newest TIME` sets the newest hour back, and a lower ahead_hours "
        "rejects such documents)",
        escaped(leader.id), format_time(leader.time), counted(hours, "hour"), hour_name(state.newest),
        f": {counted(leaving, 'document')} left it" if leaving else "",
    )  # fmt: skip


class RepeatedIds:
    """Counts how many documents of one call of `ingest` replaced another text."""

    def __init__(self) -> None:
        self._count, self._replaced = 0, 0

    def add(self, documents: Sequence[Prepared], replaced: int) -> None:
        """Counts a batch of documents, of which so many `replaced` another text. Documents of other clients are left
        out: their ids tell them apart, because their index has only one document of an id.
        """
        if documents[0].origin is None:
            self._count += len(documents)
            self._replaced += replaced

    def warn_once(self, state: State) -> None:
        """Logs, once a window, that most documents of the call replaced another text."""
        if self._replaced < FEWEST_REPLACED or 2 * self._replaced <= self._count or "ids" in state.warned:
            return
        state.warned.add("ids")
        log.warning(
            "%s of the %s documents given to ingest replaced a document with the same id and another text (reported "
            "once). Unless they are new versions of the same documents, the earlier ones are lost because ids repeat, "
            "as row numbers do from file to file: give each document an id of its own, such as FILE:ROW",
            f"{self._replaced:,}", f"{self._count:,}",
            extra={"is_of_ids": True},
        )  # fmt: skip
