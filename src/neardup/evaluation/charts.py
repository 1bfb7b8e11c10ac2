"""Line charts and scatter plots as SVG, for a page that loads nothing from elsewhere.

Colours and type come from the page's style sheet: a series has the classes `series s<n>`, so that one chart serves
light and dark. Every point carries its figures as a title, which browsers show and screen readers read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = 10
"""How many colours the style sheet has; further series repeat them with other dashes."""
DASHES: Final = ("", "7 4", "2 3")

WIDTH: Final = 1000
HEIGHT: Final = 480
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 16, 52
LETTER, LINE = 6.8, 15.0
"""The width of a letter and the height of a line of a label, in units of the drawing."""
DOT: Final = 6.0
MOST_NAMES: Final = 30
"""How many points can have their names beside them; more need a `legend`."""


@dataclass(frozen=True)
class Mark:
    """One point, and its figures as text."""

    x: float
    y: float
    title: str


@dataclass(frozen=True)
class Series:
    """The points of one method, in the order in which they are joined.

    `number` gives its colour, the same in every chart. `level`: it has no x of its own, so its one point is drawn as a
    line from edge to edge.
    """

    name: str
    number: int
    marks: tuple[Mark, ...]
    level: bool = False


@dataclass(frozen=True)
class Axis:
    """One axis: its label, its range from `low` to `high`, and the values of its ticks."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False
    shown: Callable[[float], str] = "{:g}".format

    def part(self, value: float) -> float:
        """The position of `value` on the axis, from 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def share_axis(label: str, values: Iterable[float]) -> Axis:
    """An axis for shares, from just below the lowest value to 1, in steps of a tenth (a fiftieth if all are close to
    1).

    >>> share_axis("F1", [0.72, 0.95]).ticks
    (0.7, 0.8, 0.9, 1.0)
    """
    lowest = min(values, default=0.0)
    step = 50 if lowest >= 0.9 else 10
    first = min(math.floor(lowest * step + 1e-9), step - 1)
    every = 2 if step == 10 and first < 3 else 1
    ticks = tuple(tick / step for tick in range(first, step + 1) if (step - tick) % every == 0)
    return Axis(label, first / step, 1.0, ticks, shown="{:.2f}".format if step == 50 else "{:.1f}".format)


def threshold_axis(label: str, values: Iterable[float]) -> Axis:
    """An axis from the lowest to the highest of `values`, with a little room at either end."""
    ordered = sorted(set(values)) or [0.5, 1.0]
    low, high = ordered[0], ordered[-1]
    margin = 0.05 * (high - low) or 0.05
    step = next(step for step in (0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 11)
    ticks = tuple(
        round(at * step, 6) for at in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    )
    return Axis(label, low - margin, high + margin, ticks)


def log_axis(label: str, values: Iterable[float], shown: Callable[[float], str]) -> Axis:
    """A logarithmic axis over whole powers of ten."""
    positive = [value for value in values if value > 0] or [1.0]
    low = math.floor(math.log10(min(positive)) - 0.05)
    high = max(math.ceil(math.log10(max(positive)) + 0.05), low + 1)
    return Axis(label, 10.0**low, 10.0**high, tuple(10.0**at for at in range(low, high + 1)), True, shown)


def chart(title: str, series: Sequence[Series], x: Axis, y: Axis, *, joined: bool = True) -> str:
    """The SVG of `series`: lines with their points if `joined`, with the names left to a `legend`; else points, with
    their names beside them if there are not too many.
    """
    drawn = [one for one in series if one.marks]
    body = [*_grid(x, y)]
    for one in drawn:
        body.append(f'<g class="series s{one.number % COLOURS}" data-series="{one.number}">')
        body += _series(one, x, y, joined)
        body.append("</g>")
    if not joined and len(drawn) <= MOST_NAMES:
        body += _names(drawn, x, y)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(title)}" tabindex="0">'
        + "\n".join(body)
        + "</svg>"
    )


def legend(series: Sequence[Series]) -> str:
    """The names of `series` with their colours and dashes, as a list in HTML."""
    items = (
        f'<li class="s{one.number % COLOURS}" data-series="{one.number}">{key(one.number)}{escape(one.name)}</li>'
        for one in series
        if one.marks
    )
    return '<ul class="legend">' + "".join(items) + "</ul>"


def key(number: int) -> str:
    """A short piece of the line of series `number`."""
    return (
        f'<svg class="key s{number % COLOURS}" viewBox="0 0 28 10" aria-hidden="true">'
        f'<line x1="0" x2="28" y1="6" y2="6"{_dashes(number)}/></svg>'
    )


def _dashes(number: int) -> str:
    dash = DASHES[number // COLOURS % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _across(x: Axis, value: float) -> float:
    return LEFT + x.part(value) * (WIDTH - LEFT - RIGHT)


def _down(y: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - y.part(value) * (HEIGHT - TOP - BOTTOM)


def _grid(x: Axis, y: Axis) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for tick in y.ticks:
        at = _down(y, tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text class="tick" x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(y.shown(tick))}</text>'
    for tick in x.ticks:
        at = _across(x, tick)
        yield f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}"/>'
        yield (
            f'<text class="tick" x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(x.shown(tick))}</text>'
        )
    yield f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    middle = (LEFT + right) / 2
    yield f'<text class="label" x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x.label)}</text>'
    centre = (TOP + bottom) / 2
    yield (
        f'<text class="label" transform="translate(16 {centre}) rotate(-90)" text-anchor="middle">'
        f"{escape(y.label)}</text>"
    )


def _series(one: Series, x: Axis, y: Axis, joined: bool) -> Iterator[str]:
    dash = _dashes(one.number)
    if one.level:
        at = _down(y, one.marks[0].y)
        yield f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"{dash}/>'
        yield _point((LEFT + WIDTH - RIGHT) / 2, at, one.marks[0].title, 4)
        return
    points = [(_across(x, mark.x), _down(y, mark.y)) for mark in one.marks]
    if joined and len(points) > 1:
        line = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
        yield f'<polyline points="{line}"{dash}/>'
    size = (3.5 if len(points) < 16 else 2.2) if joined else DOT
    for (across, down), mark in zip(points, one.marks, strict=True):
        yield _point(across, down, mark.title, size)


def _point(across: float, down: float, title: str, size: float) -> str:
    shown = f"<title>{escape(title)}</title>"
    return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{size}">{shown}</circle>'


def _names(drawn: Sequence[Series], x: Axis, y: Axis) -> Iterator[str]:
    """The name of each series beside its one point, as near as the other names allow."""
    points = {one.number: (_across(x, one.marks[0].x), _down(y, one.marks[0].y)) for one in drawn}
    occupied = [(across - DOT - 2, across + DOT + 2, down) for across, down in points.values()]
    for one in sorted(drawn, key=lambda one: (-one.marks[0].y, one.marks[0].x)):
        across, down = points[one.number]
        width = LETTER * len(one.name)
        left = across + 11 if across + 11 + width < WIDTH else across - 11 - width
        label = _free(occupied, left, left + width, down)
        occupied.append((left, left + width, label))
        series = f'data-series="{one.number}"'
        if abs(label - down) > LINE / 2:
            yield (
                f'<path class="leader s{one.number % COLOURS}" {series} '
                f'd="M{across:.1f},{down:.1f} L{left - 2 if left > across else left + width + 2:.1f},{label:.1f}"/>'
            )
        yield (
            f'<text class="name s{one.number % COLOURS}" {series} x="{left:.1f}" y="{label + 4:.1f}">'
            f"{escape(one.name)}</text>"
        )


def _free(occupied: Sequence[tuple[float, float, float]], left: float, right: float, wanted: float) -> float:
    """The height nearest to `wanted` at which a name from `left` to `right` overlaps none placed before."""
    for step in range(2 * HEIGHT):
        height = wanted + (step + 1) // 2 * (1 if step % 2 else -1)
        inside = TOP <= height <= HEIGHT - BOTTOM - LINE / 2
        if inside and all(
            end <= left or right <= start or abs(height - other) >= LINE for start, end, other in occupied
        ):
            return height
    return wanted
