"""Which hours are alive when a document comes, and which of them it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.model.hours import FIRST_HOUR, LAST_HOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.window.state import State


class ComparedHours(NamedTuple):
    """The hours of a run of new documents, one value a document.

    floors       the oldest hour that is alive when the document comes
    lows, highs  the first and the last hour that it is compared with
    late         whether its own hour has expired, so that it is not kept
    incomplete   whether hours that it should be compared with are missing
    """

    floors: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    late: NDArray[np.bool_]
    incomplete: NDArray[np.bool_]

    def part(self, first: int, last: int) -> ComparedHours:
        """The hours of documents `first` to `last` (excluded)."""
        part = slice(first, last)
        return ComparedHours(
            self.floors[part], self.lows[part], self.highs[part], self.late[part], self.incomplete[part]
        )


def compared_hours_of(state: State, hour_list: Sequence[int]) -> ComparedHours:
    """The hours that the next documents of a window are compared with; `hour_list` has the documents' own hours. Each
    document may advance the newest hour for those behind it.
    """
    settings, next_commit = state.settings, state.next_commit
    window = settings.window_hours
    hours = np.array(hour_list, np.int64)
    newest = np.maximum.accumulate(np.maximum(hours, state.newest))
    floors = np.full(len(hours), next_commit.floor_hour)
    lows, highs = floors, np.full(len(hours), LAST_HOUR)
    wanted = np.full(len(hours), FIRST_HOUR)
    if settings.kept_hours:
        floors = np.maximum(floors, newest - settings.kept_hours)
        lows = floors
    if window:
        wanted = hours - window
        lows, highs = np.maximum(wanted, floors), hours + window
    late = hours < floors
    return ComparedHours(floors, lows, highs, late, late | (wanted < next_commit.budget_hour))
