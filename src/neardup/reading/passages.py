"""Passages in common: the stretches that two normal forms share, wherever they are.

Read from left to right, each passage begins after the one before, or within its last characters, and extends as long as
both forms are the same. So every common stretch of `SHORTEST` characters or more is covered by passages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Points = NDArray[np.uint32]

SHORTEST: Final = 12
"""The fewest characters of the normal form in a passage: shorter stretches are in common by chance."""
_TRIED: Final = 64
"""How many beginnings of one passage are tried, the nearest ones: it may then be cut into several, and none is lost."""
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)


class Passage(NamedTuple):
    """The same `size` characters in both normal forms, at `a` of one and at `b` of the other."""

    a: int
    b: int
    size: int


def passages(a: Points, b: Points) -> list[Passage]:
    """The passages in common, in order of `a`, including further occurrences in `b`.

    About 2 s for two texts of a million characters that differ in a thousand spots.
    """
    if min(len(a), len(b)) < SHORTEST:
        return []
    keys_a, keys_b = stretch_keys(a), stretch_keys(b)
    first = _passages(a, b, keys_a, keys_b, np.ones(len(keys_a), np.bool_))
    covered = covered_by([(each.b, each.b + each.size) for each in first], len(b))
    bare = np.concatenate([[0], np.cumsum(~covered)])
    wanted = bare[SHORTEST:] > bare[:-SHORTEST]
    again = _passages(b, a, keys_b, keys_a, wanted)
    return sorted([*first, *(Passage(each.b, each.a, each.size) for each in again)])


def covered_by(spans: Iterable[tuple[int, int]], size: int) -> NDArray[np.bool_]:
    """Which of `size` positions lie in one of `spans`."""
    edges = np.zeros(size + 1, np.int64)
    for start, end in spans:
        edges[start] += 1
        edges[end] -= 1
    covered: NDArray[np.bool_] = np.cumsum(edges)[:size] > 0
    return covered


def stretch_keys(points: Points) -> NDArray[np.uint64]:
    """A key of every stretch of `SHORTEST` characters, by where it begins; 25 µs for 4 KB."""
    if len(points) < SHORTEST:
        return np.zeros(0, np.uint64)
    one = points + np.uint64(1)
    two = _followed(one, one, 1)
    four = _followed(two, two, 2)
    eight = _followed(four, four, 4)
    return _followed(eight, four, SHORTEST - 4)


def _followed(keys: NDArray[np.uint64], following: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """The keys of stretches of `size` characters, each combined with the key in `following` of the stretch after it."""
    then = following[size:]
    with np.errstate(over="ignore"):
        mixed = (keys[: len(then)] * _FACTOR + then) * _FACTOR
    joined: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(29))
    return joined


def in_common(
    keys: NDArray[np.uint64], ordered: NDArray[np.uint64], wanted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the `wanted` characters of a normal form lie in passages that another has, too. `keys` are those of the
    stretches of the one, `ordered` those of the other, sorted.
    """
    if not (len(ordered) and len(keys)):
        return np.zeros_like(wanted)
    before = np.concatenate([[0], np.cumsum(wanted)])
    begins = np.flatnonzero(before[SHORTEST : SHORTEST + len(keys)] > before[: len(keys)])
    lows, highs = _looked_up(ordered, keys[begins])
    there = begins[highs > lows]
    inside = np.zeros(len(before), np.int64)
    inside[there] += 1
    inside[there + SHORTEST] -= 1
    covered: NDArray[np.bool_] = wanted & (np.cumsum(inside)[:-1] > 0)
    return covered


def _looked_up(
    ordered: NDArray[np.uint64], keys: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each of `keys`, (its first place among the `ordered` ones; the place after its last).

    They are looked up in sorted order: in random order each look-up would wait for memory, the longer the more keys
    there are.
    """
    by_key = np.argsort(keys)
    lows, highs = np.empty((2, len(keys)), np.int64)
    lows[by_key] = np.searchsorted(ordered, keys[by_key], "left")
    highs[by_key] = np.searchsorted(ordered, keys[by_key], "right")
    return lows, highs


def _passages(
    a: Points,
    b: Points,
    keys_a: NDArray[np.uint64],
    keys_b: NDArray[np.uint64],
    wanted: NDArray[np.bool_],
) -> list[Passage]:
    """The passages that begin at the `wanted` positions of `a`."""
    order = np.argsort(keys_b, kind="stable")
    begins = np.flatnonzero(wanted)
    lows, highs = _looked_up(keys_b[order], keys_a[begins])
    there = highs > lows
    begins, lows, highs = begins[there], lows[there], highs[there]
    listed: list[Passage] = []
    at, end, expected = 0, 0, 0
    while at < len(begins):
        position = int(begins[at])
        candidates = order[lows[at] : highs[at]]
        best = _longest(a, b, position, _nearest(candidates, expected))
        if best.size < SHORTEST or position + best.size <= end:
            at += 1
            continue
        listed.append(best)
        end, expected = position + best.size, best.b + best.size
        at = max(at + 1, int(np.searchsorted(begins, end - SHORTEST + 1)))
    return listed


def _nearest(candidates: NDArray[np.int64], expected: int) -> list[int]:
    """The candidates nearest to where a passage is expected; all of them, up to `_TRIED`."""
    if len(candidates) <= _TRIED:
        return [int(each) for each in candidates]
    middle = int(np.searchsorted(candidates, expected))
    low = min(max(middle - _TRIED // 2, 0), len(candidates) - _TRIED)
    return [int(each) for each in candidates[low : low + _TRIED]]


def _longest(a: Points, b: Points, position: int, candidates: list[int]) -> Passage:
    """The longest passage at a position; of equally long ones the first."""
    sizes = [_common_size(a, b, position, other) for other in candidates]
    best = int(np.argmax(sizes))
    return Passage(position, candidates[best], sizes[best])


def _common_size(a: Points, b: Points, at_a: int, at_b: int) -> int:
    """How many characters from `at_a` and from `at_b` on are the same."""
    limit = min(len(a) - at_a, len(b) - at_b)
    size, step = 0, 64
    while size < limit:
        step = min(2 * step, limit - size)
        differs = a[at_a + size : at_a + size + step] != b[at_b + size : at_b + size + step]
        if differs.any():
            return size + int(np.argmax(differs))
        size += step
    return size
