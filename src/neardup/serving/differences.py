"""Two texts as a page shows them beside each other: what differs marked, and which facts do."""

from __future__ import annotations

import functools
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.model.settings import Recipe
from neardup.reading.excerpts import Piece, marked
from neardup.reading.explanation import Explanation, explain
from neardup.reading.side import Side as ExplainedSide

if TYPE_CHECKING:
    from neardup.reading.facts import Fact

MOST_SHOWN: Final = 20_000
"""Characters of a text on a page that shows several; the rest is a link away."""
_REMEMBERED: Final = 256
"""Pairs whose differences are remembered: 50 MB at most."""
_SIDES: Final = 4
"""Texts of which what is computed from them alone is: a thread compares one head after another."""


class Side(NamedTuple):
    """The beginning of a text in pieces; `cut`: characters that are not shown."""

    pieces: list[Piece]
    cut: int


class Compared(NamedTuple):
    """Two texts, what is said of their difference, and the facts in which they differ."""

    first: Side
    second: Side
    said: str
    facts: tuple[Fact, ...]


def whole(text: str) -> Side:
    """A text that is compared with none."""
    return Side([Piece(text[:MOST_SHOWN], "same")], len(text[MOST_SHOWN:]))


def compared(first: str, second: str, recipe: Recipe | None) -> Compared:
    """Two texts beside each other, as far as they are shown: about 2 ms for 4 KB, 10 ms for the most; those compared
    last are remembered, by what they say.
    """
    if first == second:
        return Compared(whole(first), whole(second), "the same text", ())
    pieces_first, pieces_second, facts = _marked(first[:MOST_SHOWN], second[:MOST_SHOWN], recipe or Recipe())
    cut_first, cut_second = len(first[MOST_SHOWN:]), len(second[MOST_SHOWN:])
    kind = kind_of_pair(first, second)
    said = f"{kind['name']}: {kind['reason']}"
    return Compared(Side(pieces_first, cut_first), Side(pieces_second, cut_second), said, facts)


def exact_doc_q(first: str, second: str, recipe: Recipe | None) -> float:
    """The exact score of two texts."""
    return explain(first, second, recipe=recipe).doc_q


def kind_of_pair(first: str, second: str) -> dict[str, Any]:
    """What two texts are to each other, as `neardup.kinds` has it: about 0.1 ms for two of 4 KB."""
    return asdict(explain(first, second).kind)


@functools.lru_cache(_REMEMBERED)
def _marked(first: str, second: str, recipe: Recipe) -> tuple[list[Piece], list[Piece], tuple[Fact, ...]]:
    why = Explanation(_side(first, recipe), _side(second, recipe))
    return marked(why, "a"), marked(why, "b"), why.facts


@functools.lru_cache(_SIDES)
def _side(text: str, recipe: Recipe) -> ExplainedSide:
    """What is computed of one text alone: the head of a group is compared with every version."""
    return ExplainedSide(text, recipe)
