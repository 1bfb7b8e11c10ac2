"""The kind of a pair: copy, form, quote, frame, or other (docs/definitions.md, Kinds).

Of each text only its own words count: what it quotes, its signature, and addresses, ids and random strings are left
out. Two texts are copies if their own words are alike by long q-grams, for q-grams of 12 see the order of words, which
texts on one subject do not share, or if only single words differ, all over them; unless what differs is mostly
figures and dates (a form, filled in anew), or each has a passage of its own (a frame with other content). Of texts
that are not alike the kind says what they share.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from neardup.kinds.grams import Grams
from neardup.kinds.marks import Marked, Range, mark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Name = Literal["copy", "form", "quote", "frame", "other"]

LONG: Final = 12
SHORT: Final = 4
SHORT_TEXT: Final = 200
"""Own words of fewer code points are compared by q-grams of `SHORT`: one word touches half of their long ones."""
ALIKE: Final = 0.72
"""Likeness from which two texts can be copies: the best for four sets of judged pairs together."""
SPREAD_DOC_Q: Final = 0.7
SPREAD_RUN: Final = 60
"""With that doc_q, and no run of its own longer than that, words here and there differ: slips of a pen or a scanner."""
FORM_SHARE: Final = 0.4
"""Share of the difference from which it is one of figures."""
FORM_BELOW: Final = 0.85
"""Likeness from which a text is a copy though only figures differ: a date, a counter, a price put right."""
PASSAGE: Final = 200
"""Code points that a passage has that only one of the texts has: some forty words."""
FRAME_BELOW: Final = 0.9
BORROWED_SHARE: Final = 0.5
"""Share of what two texts have in common that is quoted, or a footer, from which that is what they share."""
BORROWED_LEAST: Final = 0.2
"""Share of a text that must be so for it."""


@dataclass(frozen=True)
class Kind:
    """What two texts are to each other.

    name       copy, form, quote, frame or other
    reason     why, as a sentence to be shown
    likeness   2 |A ∩ B| / (|A| + |B|) over the q-grams of their own words, 0 to 1
    figures    share of the difference of their own words that is figures and dates, 0 to 1
    quoted     the larger share of a text that is quoted lines which the other text has, 0 to 1
    passage    code points of the longest passage of its own of the text that has the shorter one
    differing  of texts with equal normal forms the first numbers that differ, as "12.5" and "125"; else None
    """

    name: Name
    reason: str
    likeness: float
    figures: float
    quoted: float
    passage: int
    differing: tuple[str, str] | None = None


class Side:
    """One text of a pair, with what is computed from it alone: worth keeping where it is compared with many.

    Raises nothing; each property is computed when it is first asked for, in linear time.
    """

    def __init__(self, marked: Marked) -> None:
        self.marked = marked

    @functools.cached_property
    def own(self) -> NDArray[np.uint32]:
        """The code points of the text's own words."""
        return _points(self.marked.form)[self._is_own]

    @functools.cached_property
    def _is_own(self) -> NDArray[np.bool_]:
        """For each code point whether it is one of the text's own words; all are, if none were."""
        marked = self.marked
        own = ~_inside((*marked.quoted, *marked.footers, *marked.tokens), len(marked.form))
        return own if own.any() else ~own

    @functools.cached_property
    def short(self) -> Grams:
        """The q-grams of `SHORT` of the own words."""
        return Grams(self.own, SHORT)

    @functools.cached_property
    def long(self) -> Grams:
        """The q-grams of `LONG` of the own words."""
        return Grams(self.own, LONG)

    @functools.cached_property
    def whole(self) -> Grams:
        """The q-grams of `LONG` of the normal form."""
        return Grams(_points(self.marked.form), LONG)

    @functools.cached_property
    def with_signs(self) -> Grams:
        """The q-grams of `SHORT` of the own words, each figure in them one sign that no normal form has."""
        points, own = _points(self.marked.form).copy(), self._is_own.copy()
        for start, end in self.marked.figures:
            points[start] = ord("#")
            own[start + 1 : end] = False
        return Grams(points[own], SHORT)


def _points(form: str) -> NDArray[np.uint32]:
    return np.frombuffer(form.encode("utf-32-le"), np.uint32)


def _inside(ranges: Iterable[Range], length: int) -> NDArray[np.bool_]:
    """For each code point of a normal form whether it lies in one of the `ranges`."""
    inside = np.zeros(length, bool)
    for start, end in ranges:
        inside[start:end] = True
    return inside


def kind_of(a: str, b: str) -> Kind:
    """The kind of the pair of texts `a` and `b`; symmetric. Linear in their lengths; about 5 ms for two of 4 KB.

    Raises `ValueError` for an unpaired surrogate.

    >>> kind_of("Closed: 12.5 points up.", "Closed: 125 points up.").reason
    'letters and digits are the same, but 12.5 is 125'
    """
    return kind_of_sides(Side(mark(a)), Side(mark(b)))


def kind_of_sides(a: Side, b: Side) -> Kind:
    """The kind of the pair of the texts of `a` and `b`."""
    if a.marked.form == b.marked.form:
        return _of_equal(a.marked, b.marked)
    if min(len(a.own), len(b.own)) < SHORT_TEXT:
        grams_a, grams_b = a.short, b.short
    else:
        grams_a, grams_b = a.long, b.long
    likeness, doc_q = grams_a.likeness(grams_b), a.short.doc_q(b.short)
    passage, longer = sorted((grams_a.longest_outside(grams_b), grams_b.longest_outside(grams_a)))
    is_spread = doc_q >= SPREAD_DOC_Q and longer <= SPREAD_RUN
    figures = _figures_share(doc_q, a.with_signs.doc_q(b.with_signs))
    borrowed = max(_borrowed(a, b), _borrowed(b, a))
    name, reason = _judged(likeness, is_spread, figures, borrowed, passage)
    return Kind(name, reason, likeness, figures, borrowed.quoted, passage)


def _judged(
    likeness: float, is_spread: bool, figures: float, borrowed: _Borrowed, passage: int
) -> tuple[Name, str]:
    """The name and the reason."""
    alike = likeness >= ALIKE
    if not alike and borrowed.quoted >= BORROWED_LEAST and borrowed.quoted_of_shared >= BORROWED_SHARE:
        return "quote", f"{borrowed.quoted:.0%} of one is quoted from the other"
    if figures >= FORM_SHARE and likeness < FORM_BELOW:
        return "form", f"{figures:.0%} of what differs is figures and dates"
    if not alike and borrowed.footer >= BORROWED_LEAST and borrowed.footer_of_shared >= BORROWED_SHARE:
        return "frame", f"{borrowed.footer_of_shared:.0%} of what is the same is a footer"
    if not alike and is_spread:
        return "copy", "what differs is single words, all over the text"
    if not alike:
        return "other", f"{likeness:.0%} of their own words are the same, fewer than {ALIKE:.0%}"
    if passage >= PASSAGE and likeness < FRAME_BELOW:
        return "frame", f"each has a passage of its own, of {passage} letters or more"
    return "copy", f"{likeness:.0%} of their own words are the same"


def _of_equal(a: Marked, b: Marked) -> Kind:
    if not a.form:
        return Kind("other", "there is no letter or digit in them", 0.0, 0.0, 0.0, 0)
    ours, theirs = _numbers(a), _numbers(b)
    if ours == theirs:
        return Kind("copy", "letters and digits are the same", 1.0, 0.0, 0.0, 0)
    one, other = next(pair for pair in zip([*ours, ""], [*theirs, ""], strict=False) if pair[0] != pair[1])
    reason = f"letters and digits are the same, but {one} is {other}"
    return Kind("copy", reason, 1.0, 0.0, 0.0, 0, (one, other))


def _numbers(marked: Marked) -> list[str]:
    """The figures, with a sign where one stood between digits; which one is not kept."""
    points = set(marked.points)
    return [
        "".join(f".{marked.form[at]}" if at in points else marked.form[at] for at in range(*figure))
        for figure in marked.figures
    ]


def _figures_share(doc_q: float, with_signs: float) -> float:
    """(doc_q with each figure as one sign − doc_q) / (1 − doc_q) of the own words, not below 0."""
    return max(0.0, (with_signs - doc_q) / (1 - doc_q)) if doc_q < 1 else 0.0


class _Borrowed(NamedTuple):
    """How much of a text is quoted lines, and footers, that the other has: of all of it, and of what both have."""

    quoted: float = 0.0
    quoted_of_shared: float = 0.0
    footer: float = 0.0
    footer_of_shared: float = 0.0


def _borrowed(a: Side, b: Side) -> _Borrowed:
    """That of `a`."""
    form, quoted_ranges, footers = a.marked.form, a.marked.quoted, a.marked.footers
    if not (quoted_ranges or footers):
        return _Borrowed()
    shared = a.whole.inside(b.whole)
    both = max(1, int(np.count_nonzero(shared)))
    quoted, footer = (
        int(np.count_nonzero(shared & _inside(ranges, len(form)))) for ranges in (quoted_ranges, footers)
    )
    return _Borrowed(quoted / len(form), quoted / both, footer / len(form), footer / both)
