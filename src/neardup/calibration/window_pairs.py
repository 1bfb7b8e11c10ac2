"""The pairs of a window on which a threshold would decide: each document with its best match among those before it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.window.base import Window


class ScoredPair(NamedTuple):
    """A document, the earlier document most like it, and their doc_q."""

    id: str
    earlier: str
    score: float


class WindowPairs(NamedTuple):
    """The pairs, how many documents were queried for them, and how many the window has; documents that left the window
    meanwhile count in neither.
    """

    pairs: list[ScoredPair]
    sampled: int
    documents: int


def pairs_of(
    window: Window,
    lowest: Any,
    *,
    most: int,
    seed: int = 0,
    on_progress: Callable[[int, int], None],
) -> WindowPairs:
    """Each document of `window` with its best earlier match at `lowest` or above, in order of the window. Matches are
    in the hours that the document is compared with, though more hours may be kept.

    If there are more than `most` documents, only that many are queried, drawn at random by `seed`. One query for each,
    about 1 ms, in a cluster several; after each, `on_progress` is called with how many have been queried, and of how
    many.
    """
    ids = list(window)
    chosen = ids
    if len(ids) > most:
        positions = sorted(random.Random(seed).sample(range(len(ids)), most))  # noqa: S311 - a sample
        chosen = [ids[position] for position in positions]
    arrival = {id: number for number, id in enumerate(ids)}
    is_limited = window.settings.window_hours > 0
    pairs, left = [], 0
    for count, id in enumerate(chosen, 1):
        try:
            verdict = window.get(id) if is_limited else None
            time = None if verdict is None else verdict.time
            matches = window.query(id=id, threshold=lowest, matches=None, time=time).matches
        except KeyError:  # in a cluster, hours may expire meanwhile
            if id in window:
                raise
            matches, left = (), left + 1
        before = (match for match in matches if arrival.get(match.id, arrival[id]) < arrival[id])
        if (best := next(before, None)) is not None:
            pairs.append(ScoredPair(id, best.id, best.score))
        on_progress(count, len(chosen))
    return WindowPairs(pairs, len(chosen) - left, len(ids) - left)
