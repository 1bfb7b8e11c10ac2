"""Bars as a page shows them: counts over time, and counts by score."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.model.settings import HOUR_MS
from neardup.model.times import MIN_TIME_MS, format_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDTH: Final = 720
HEIGHT: Final = 160
MOST_BARS: Final = 120
_PERIODS: Final = (1, 2, 3, 6, 12, 24, 48, 168, 336, 672, 2_184, 8_760)
"""The numbers of hours that a bar may stand for."""
_STEPS: Final = 50
"""How many bars a histogram of scores has between 0 and 1."""


class Bar(NamedTuple):
    """One bar: its place in a picture of `WIDTH` by `HEIGHT`, its label, and how many it counts."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: int


class Chart(NamedTuple):
    """Bars, the names of the first and the last, and the largest count."""

    bars: tuple[Bar, ...]
    first: str
    last: str
    most: int


def over_time(counts: Mapping[int, int], hours: Iterable[int]) -> tuple[Chart, int]:
    """(Counts by hour, since 1970, as bars over all `hours`; how many hours each bar stands for: as many as are needed
    to have at most `MOST_BARS` bars).
    """
    known = sorted({*counts, *hours})
    if not known:
        return chart((), ()), 1
    begin, end = known[0], known[-1]
    periods = (each for each in _PERIODS if end // each - begin // each < MOST_BARS)
    period = next(periods, -(-(end - begin + 1) // (MOST_BARS - 1)))
    first = begin // period
    values = [0] * (end // period - first + 1)
    for hour, count in counts.items():
        values[hour // period - first] += count
    # The first bar may begin before the year 1, which has no name.
    starts = (max((first + at) * period * HOUR_MS, MIN_TIME_MS) for at in range(len(values)))
    names = [format_time(start)[:13].replace("T", " ") + ":00" for start in starts]
    return chart(values, names), period


def of_scores(scores: Iterable[float]) -> Chart:
    """Scores from 0 to 1 as bars of two hundredths each, from the lowest that there is; 1 has a bar of its own."""
    counts = Counter(min(int(score * _STEPS + 1e-9), _STEPS) for score in scores)
    steps = range(min(counts), _STEPS + 1) if counts else ()
    names = [f"{at / _STEPS:.2f} to {(at + 1) / _STEPS:.2f}" if at < _STEPS else "1.00" for at in steps]
    return chart([counts[at] for at in steps], names)


def chart(values: Sequence[int], names: Sequence[str]) -> Chart:
    """Bars of these heights and names, in order."""
    if not values:
        return Chart((), "", "", 0)
    most, step = max(values), WIDTH / len(values)
    bars = tuple(
        Bar(
            round(at * step, 2), round(HEIGHT * (1 - value / max(most, 1)), 2), round(max(step - 1, step * 0.8), 2),
            round(HEIGHT * value / max(most, 1), 2), name, value,
        )
        for at, (value, name) in enumerate(zip(values, names, strict=True))
    )  # fmt: skip
    return Chart(bars, names[0], names[-1], most)
