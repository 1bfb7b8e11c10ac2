"""The pairs of a window that a threshold would decide on: each document with its best match among those before it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.window.base import Window


class ScoredPair(NamedTuple):
    """A document, the one before it that it is most like, and their doc_q."""

    id: str
    earlier: str
    score: float


class WindowPairs(NamedTuple):
    """The pairs, how many documents were asked for them, and how many there are; what left the window meanwhile is in
    neither.
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
    """Each document of `window` with its best earlier match at `lowest` or above, in order of the window: of the hours
    that it is compared with, though more may be kept.

    If there are more than `most` documents, of so many, drawn by `seed`. A query each, about 1 ms, in a cluster
    several; `on_progress` is told after each how many were asked, and of how many.
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
        except KeyError:  # a window of a cluster goes on meanwhile, and its hours expire
            if id in window:
                raise
            matches, left = (), left + 1
        before = (match for match in matches if arrival.get(match.id, arrival[id]) < arrival[id])
        if (best := next(before, None)) is not None:
            pairs.append(ScoredPair(id, best.id, best.score))
        on_progress(count, len(chosen))
    return WindowPairs(pairs, len(chosen) - left, len(ids) - left)
