"""How an explanation is shown: both texts with differences marked, or each difference in its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.reading.changes import Change
    from neardup.reading.explanation import Explanation

Mark = Literal["same", "cut", "changed", "removed", "added", "moved", "lacking"]

AROUND: Final = 60
"""How many characters are shown before and after a difference."""


class Piece(NamedTuple):
    """A stretch of text as shown; "cut": something is left out here; "lacking": words that only the other text has."""

    text: str
    mark: Mark


def marked(explanation: Explanation, side: Literal["a", "b"], *, lacking: bool = False) -> list[Piece]:
    """One of the two texts, whole, in pieces; with `lacking`, also the words that only the other text has."""
    is_first = side == "a"
    other = explanation.b if is_first else explanation.a
    text = explanation.a if is_first else explanation.b
    moved = explanation.moved
    pieces, at = [], 0
    for position, (kind, a, b, _) in enumerate(explanation.changes):
        start, end = a if is_first else b
        if start < end:
            if at < start:
                pieces.append(Piece(text[at:start], "same"))
            pieces.append(Piece(text[start:end], "moved" if position in moved else kind))
            at = end
        elif lacking and position not in moved:
            pieces += [
                Piece(text[at:start], "same"),
                Piece(_shortened(other[slice(*(b if is_first else a))]), "lacking"),
            ]
            at = start
    if at < len(text):
        pieces.append(Piece(text[at:], "same"))
    return pieces


def _shortened(text: str) -> str:
    """Lacking words, shortened to be shown within the other text."""
    half = AROUND // 2
    return text if len(text) <= 2 * AROUND else f"{text[:half]} … {text[-half:]}"


class Difference(NamedTuple):
    """A change with its surroundings in text A: text `before`, the words `a` and `b` of both texts, text `after`."""

    before: str
    a: str
    b: str
    after: str
    mark: Mark
    coarse: bool


def differences(explanation: Explanation) -> Iterator[Difference]:
    """Every change in its surroundings."""
    changes, a = explanation.changes, explanation.a
    for at, change in enumerate(changes):
        last = changes[at - 1].a.end if at else 0
        following = changes[at + 1].a.start if at + 1 < len(changes) else len(a)
        yield Difference(
            _before(a, last, change),
            a[slice(*change.a)],
            explanation.b[slice(*change.b)],
            _after(a, following, change),
            "moved" if at in explanation.moved else change.kind,
            change.coarse,
        )


def _before(a: str, last: int, change: Change) -> str:
    start = max(last, change.a.start - AROUND)
    return ("…" if start else "") + a[start : change.a.start]


def _after(a: str, following: int, change: Change) -> str:
    end = min(following, change.a.end + AROUND)
    return a[change.a.end : end] + ("…" if end < len(a) else "")
