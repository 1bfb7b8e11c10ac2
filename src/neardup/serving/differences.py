"""Two texts as a page shows them beside each other: what differs marked, and which facts do."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from neardup.model.settings import Recipe
from neardup.reading.excerpts import Piece, marked
from neardup.reading.explanation import Explanation, explain
from neardup.reading.page import in_marks
from neardup.reading.side import Side as ExplainedSide

if TYPE_CHECKING:
    from markupsafe import Markup

    from neardup.reading.facts import Fact

MOST_SHOWN: Final = 20_000
"""Characters of a text on a page that shows several; the rest is a link away."""
_REMEMBERED: Final = 256
"""Pairs whose differences are remembered: 50 MB at most."""
_SAME: Final = "the same text"
_SIDES: Final = 4
"""Texts of which what is computed from them alone is: a thread compares one head after another."""


class Side(NamedTuple):
    """The beginning of a text as HTML, with what differs marked; `cut`: characters that are not shown."""

    html: Markup
    cut: int


class Against(NamedTuple):
    """A text as against another one: it, with what it lacks, what is said of both, and facts in which they differ."""

    side: Side
    said: str
    facts: tuple[Fact, ...]


class Compared(NamedTuple):
    """Two texts, what is said of their difference, and all facts in which they differ."""

    first: Side
    second: Side
    said: str
    facts: tuple[Fact, ...]


def whole(text: str) -> Side:
    """A text that is compared with none."""
    return Side(in_marks([Piece(text[:MOST_SHOWN], "same")]), len(text[MOST_SHOWN:]))


def against(first: str, text: str, recipe: Recipe | None, *, most_facts: int) -> Against:
    """A text as against the `first`, as far as it is shown, with the first `most_facts` different facts: about 1 ms for
    4 KB, 10 ms for the most; those compared last are remembered, by what they say, unless one is not shown whole.
    """
    is_short = max(len(first), len(text)) <= MOST_SHOWN
    return (_against if is_short else _against.__wrapped__)(first, text, recipe, most_facts)


@functools.lru_cache(_REMEMBERED)
def _against(first: str, text: str, recipe: Recipe | None, most_facts: int) -> Against:
    if first == text:
        return Against(whole(text), _SAME, ())
    why = Explanation(_side(first[:MOST_SHOWN], recipe), _side(text[:MOST_SHOWN], recipe))
    html = in_marks(marked(why, "b", lacking=True))
    return Against(
        Side(html, len(text[MOST_SHOWN:])), _said(why, first, text, recipe), why.first_facts(most_facts)
    )


def compared(first: str, second: str, recipe: Recipe | None) -> Compared:
    """Two texts beside each other, as far as they are shown: about 2 ms for 4 KB, 10 ms for the most."""
    if first == second:
        return Compared(whole(first), whole(second), _SAME, ())
    why = explain(first[:MOST_SHOWN], second[:MOST_SHOWN], recipe=recipe)
    sides = _shown(why, "a", first), _shown(why, "b", second)
    return Compared(*sides, _said(why, first, second, recipe), why.first_facts())


def _shown(why: Explanation, side: Literal["a", "b"], text: str) -> Side:
    return Side(in_marks(marked(why, side)), len(text[MOST_SHOWN:]))


def _said(why: Explanation, first: str, second: str, recipe: Recipe | None) -> str:
    """What two whole texts are to each other; `why` is of what is shown of them."""
    is_whole = max(len(first), len(second)) <= MOST_SHOWN
    kind = (why if is_whole else explain(first, second, recipe=recipe)).kind
    return f"{kind.name}: {kind.reason}"


def counted_part(text: str, recipe: Recipe | None) -> str:
    """What counts of a text of no known source, as where a window is asked about it."""
    return ExplainedSide(text, recipe or Recipe()).signer.counted.left_out(text, None).rest(text)


@functools.lru_cache(_SIDES)
def _side(text: str, recipe: Recipe | None) -> ExplainedSide:
    """What is computed of one text alone: the head of a group is compared with every version."""
    return ExplainedSide(text, recipe or Recipe())
