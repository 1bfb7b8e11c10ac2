"""Two texts side by side as a page shows them: differences marked, with the facts that differ."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.model.settings import Recipe
from neardup.reading.excerpts import Piece, marked
from neardup.reading.explanation import Explanation, explain
from neardup.reading.page import in_marks
from neardup.reading.side import Side as ExplainedSide

if TYPE_CHECKING:
    from markupsafe import Markup

    from neardup.reading.facts import Fact

MOST_SHOWN: Final = 20_000
"""How many characters of a text a page with several texts shows; the rest is a link away."""
_REMEMBERED: Final = 256
"""How many pairs' differences are cached: 50 MB at most."""
_SAME: Final = "the same text"
_SIDES: Final = 4
"""How many texts' own values are cached: a thread compares with one head after another."""


class Side(NamedTuple):
    """The beginning of a text as HTML, with differences marked.

    cut           how many characters are not shown
    rest_differs  whether the two texts compared also differ in what is not shown of them
    """

    html: Markup
    cut: int
    rest_differs: bool = False


class Against(NamedTuple):
    """A text compared with another: its side, with the words it lacks, a sentence on the two, and facts that differ."""

    side: Side
    said: str
    facts: tuple[Fact, ...]


class SideBySide(NamedTuple):
    """Two texts, a sentence on their difference, and all facts that differ."""

    first: Side
    second: Side
    said: str
    facts: tuple[Fact, ...]


def whole(text: str) -> Side:
    """The side of a text that is not compared with another."""
    return Side(in_marks([Piece(text[:MOST_SHOWN], "same")]), len(text[MOST_SHOWN:]))


def against(first: str, text: str, recipe: Recipe | None, *, most_facts: int) -> Against:
    """A text compared with the `first`, as far as it is shown, with the first `most_facts` different facts: about 1 ms
    for 4 KB, 10 ms for the longest. The last pairs are cached by their texts, unless one of the two is not shown whole.
    """
    is_short = max(len(first), len(text)) <= MOST_SHOWN
    return (_against if is_short else _against.__wrapped__)(first, text, recipe, most_facts)


@functools.lru_cache(_REMEMBERED)
def _against(first: str, text: str, recipe: Recipe | None, most_facts: int) -> Against:
    if first == text:
        return Against(whole(text), _SAME, ())
    why = Explanation(_side(first[:MOST_SHOWN], recipe), _side(text[:MOST_SHOWN], recipe))
    html = in_marks(marked(why, "b", lacking=True))
    side = Side(html, len(text[MOST_SHOWN:]), _rest_differs(first, text))
    return Against(side, _said(why, first, text, recipe), why.first_facts(most_facts))


def compared(first: str, second: str, recipe: Recipe | None) -> SideBySide:
    """Two texts side by side, as far as they are shown: about 2 ms for 4 KB, 10 ms for the longest."""
    if first == second:
        return SideBySide(whole(first), whole(second), _SAME, ())
    why = explain(first[:MOST_SHOWN], second[:MOST_SHOWN], recipe=recipe)
    differs = _rest_differs(first, second)
    sides = (
        Side(in_marks(marked(why, "a")), len(first[MOST_SHOWN:]), differs),
        Side(in_marks(marked(why, "b")), len(second[MOST_SHOWN:]), differs),
    )
    return SideBySide(*sides, _said(why, first, second, recipe), why.first_facts())


def _rest_differs(first: str, second: str) -> bool:
    """Whether two texts differ in what is not shown of them. What is inserted before it shifts it, and is shown."""
    return not (first.endswith(second[MOST_SHOWN:]) and second.endswith(first[MOST_SHOWN:]))


def _said(why: Explanation, first: str, second: str, recipe: Recipe | None) -> str:
    """The kind of two whole texts, and the reason; `why` explains only the parts that are shown."""
    is_whole = max(len(first), len(second)) <= MOST_SHOWN
    kind = (why if is_whole else explain(first, second, recipe=recipe)).kind
    return f"{kind.name}: {kind.reason}"


def counted_part(text: str, recipe: Recipe | None) -> str:
    """The part of a text without a known source that counts, as in a query of the window."""
    return ExplainedSide(text, recipe or Recipe()).signer.counted.left_out(text, None).rest(text)


@functools.lru_cache(_SIDES)
def _side(text: str, recipe: Recipe | None) -> ExplainedSide:
    """The values computed from one text alone, cached because the head of a group is compared with every version."""
    return ExplainedSide(text, recipe or Recipe())
