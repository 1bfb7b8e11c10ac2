"""The kind of a pair: copy, form, quote, frame, or other (docs/definitions.md, Kinds).

Of each text only its own words count: what it quotes, its signature, and addresses, ids and random strings are left
out. Two texts are copies if their own words are alike by long q-grams, or if only single words differ, all over them;
unless what differs is mostly figures and dates (a form, filled in anew), or each has a passage of its own (a frame
with other content). q-grams of 12 see the order of words, which texts on one subject do not share. Of texts that are
not alike, the kind says what they share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.kernels import pairs as columns
from neardup.kinds.measures import measured
from neardup.kinds.numbers import differing_numbers
from neardup.model.counted import cut
from neardup.model.document import text_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import KindName

ALIKE: Final = 0.72
"""Likeness from which two texts can be copies: the best for four sets of judged pairs together."""
SPREAD_DOC_Q: Final = 0.7
SPREAD_RUN: Final = 60
"""With this doc_q and no run of its own longer than this, words here and there differ: slips of a pen or scanner."""
FORM_SHARE: Final = 0.4
"""Share of figures in a difference from which on it is one of figures."""
FORM_BELOW: Final = 0.85
"""Likeness from which a text is a copy although only figures differ: a date, a counter, a corrected price."""
PASSAGE: Final = 200
"""Code points of a passage that only one of the texts has: some forty words."""
FRAME_BELOW: Final = 0.9
BORROWED_SHARE: Final = 0.5
"""Quoted share, or footer share, of what two texts have in common from which on that is what they share."""
BORROWED_LEAST: Final = 0.2
"""Share of a text that has to be quoted, or a footer, for that."""

DECIDING: Final = columns.Limits(
    FRAME_BELOW, FORM_BELOW, ALIKE, SPREAD_DOC_Q, FORM_SHARE, PASSAGE, SPREAD_RUN
)


@dataclass(frozen=True)
class Kind:
    """What two texts are to each other.

    name       copy, form, quote, frame or other
    reason     why, as a sentence to be shown
    likeness   2 |A ∩ B| / (|A| + |B|) over the q-grams of their own words, 0 to 1
    figures    share of the difference of their own words that is figures and dates, 0 to 1
    quoted     share of a text that is quoted lines which the other text has, the larger of the two, 0 to 1
    passage    code points of the longest passage of its own of the text that has the shorter one
    differing  for equal normal forms, the first number that is a different one in the other text, and that one, as
               "12.5" and "125", each cut to 40 signs; None if there is none
    """

    name: KindName
    reason: str
    likeness: float
    figures: float
    quoted: float
    passage: int
    differing: tuple[str, str] | None = None


class Label(NamedTuple):
    """What a verdict says of a pair: name and `differing` of its Kind."""

    kind: KindName
    differing: tuple[str, str] | None


def kind_of(a: str, b: str, *, fold_case: bool = False) -> Kind:
    """The kind of the pair of texts `a` and `b`; symmetric. With `fold_case` A counts as a. Linear in their lengths;
    about 0.1 ms for two of 4 KB.

    Raises `TypeError` for what is no text, `DocumentError` for an unpaired surrogate.

    >>> kind_of("Closed: 12.5 points up.", "Closed: 125 points up.").reason
    'letters and digits are the same, but 12.5 is 125'
    """
    return kinds_of([(text_argument("a", a), text_argument("b", b))], fold_case=fold_case)[0]


def kinds_of(pairs: Sequence[tuple[bytes, bytes]], *, fold_case: bool = False) -> list[Kind]:
    """The kind of each pair of texts, valid UTF-8; `fold_case` as in `kind_of`."""
    rows = measured([a for a, _ in pairs], [b for _, b in pairs], fold_case=fold_case)
    return [_kind(row, *pair) for row, pair in zip(rows, pairs, strict=True)]


def labels_of(
    pairs: Sequence[tuple[bytes, bytes]], known: Sequence[tuple[int, int]] = (), *, fold_case: bool = False
) -> list[Label]:
    """What verdicts say of the kind of each pair, as `kinds_of` has it; only what decides is computed. Quicker where
    max(|A|, |B|) and |A ∩ B| by q-grams of 4 of the whole texts are `known`, not (0, 0). About 0.04 ms a pair of 4 KB.
    """
    rows = measured([a for a, _ in pairs], [b for _, b in pairs], DECIDING, known, fold_case=fold_case)
    return [_label(row, *pair) for row, pair in zip(rows, pairs, strict=True)]


def _label(row: Sequence[int], a: bytes, b: bytes) -> Label:
    if row[columns.SAME]:
        return Label(*_of_equal(row[columns.SAME], a, b))
    return Label(_judged(row).name, None)


def _kind(row: Sequence[int], a: bytes, b: bytes) -> Kind:
    if row[columns.SAME] == columns.BOTH_EMPTY:
        return Kind("other", "there is no letter or digit in them", 0.0, 0.0, 0.0, 0)
    if row[columns.SAME]:
        name, differing = _of_equal(row[columns.SAME], a, b)
        reason = "letters and digits are the same"
        if differing is not None:
            reason += f", but {differing[0]} is {differing[1]}"
        return Kind(name, reason, 1.0, 0.0, 0.0, 0, differing)
    name, reason, likeness, figures, borrowed, passage = _judged(row)
    shown = cut(likeness, 2)  # just below ALIKE is not shown as ALIKE
    said = reason.format(likeness=shown, figures=figures, borrowed=borrowed, passage=passage, alike=ALIKE)
    return Kind(name, said, likeness, figures, borrowed.quoted, passage)


class _Judged(NamedTuple):
    """What follows from a row of measures; `reason` is to be formatted with the rest, and `alike`."""

    name: KindName
    reason: str
    likeness: float
    figures: float
    borrowed: _Borrowed
    passage: int


def _judged(row: Sequence[int]) -> _Judged:
    likeness, doc_q = _likeness(row), _doc_q(row, columns.PLAIN)
    passage, longer = sorted(row[columns.PASSAGES : columns.PLAIN])
    is_spread = doc_q >= SPREAD_DOC_Q and longer <= SPREAD_RUN
    figures = _figures_share(doc_q, _doc_q(row, columns.WITH_SIGNS))
    borrowed = _NOTHING
    if row[columns.BORROWED_A] or row[columns.BORROWED_B]:
        both = [_borrowed(*row[at : at + 4]) for at in (columns.BORROWED_A, columns.BORROWED_B)]
        borrowed = _Borrowed(*max(each[:2] for each in both), *max(each[2:] for each in both))
    name, reason = _named(likeness, is_spread, figures, borrowed, passage)
    return _Judged(name, reason, likeness, figures, borrowed, passage)


def _likeness(row: Sequence[int]) -> float:
    both = row[columns.LIKENESS] + row[columns.LIKENESS + 1]
    return 2 * row[columns.LIKENESS + 2] / both if both else 0.0


def _doc_q(row: Sequence[int], at: int) -> float:
    """The doc_q of the sizes that begin at this column."""
    larger = max(row[at], row[at + 1])
    return row[at + 2] / larger if larger else 0.0


def _named(
    likeness: float, is_spread: bool, figures: float, borrowed: _Borrowed, passage: int
) -> tuple[KindName, str]:
    """The name, and the reason as `_Judged` has it."""
    alike = likeness >= ALIKE
    if not alike and borrowed.quoted >= BORROWED_LEAST and borrowed.quoted_of_shared >= BORROWED_SHARE:
        return "quote", "{borrowed.quoted:.0%} of one is quoted from the other"
    if figures >= FORM_SHARE and likeness < FORM_BELOW:
        return "form", "{figures:.0%} of what differs is figures and dates"
    if not alike and borrowed.footer >= BORROWED_LEAST and borrowed.footer_of_shared >= BORROWED_SHARE:
        return "frame", "{borrowed.footer_of_shared:.0%} of what is the same is a footer"
    if not alike and is_spread:
        return "copy", "what differs is single words, all over the text"
    if not alike:
        return "other", "{likeness:.0%} of their own words are the same, fewer than {alike:.0%}"
    if passage >= PASSAGE and likeness < FRAME_BELOW:
        return "frame", "each has a passage of its own, of {passage} letters or more"
    return "copy", "{likeness:.0%} of their own words are the same"


def _of_equal(same: int, a: bytes, b: bytes) -> tuple[KindName, tuple[str, str] | None]:
    """Name and differing numbers of two texts with one normal form, or none, or that are surely alike."""
    if same == columns.BOTH_EMPTY:
        return "other", None
    return "copy", differing_numbers(a, b) if same == columns.OTHER_NUMBERS else None


def _figures_share(doc_q: float, with_signs: float) -> float:
    """(doc_q with each figure as one sign − doc_q) / (1 − doc_q) of the own words, not below 0."""
    return max(0.0, (with_signs - doc_q) / (1 - doc_q)) if doc_q < 1 else 0.0


class _Borrowed(NamedTuple):
    """How much of a text is quoted lines, and footers, that the other has: of all of it, and of what both have. For two
    texts, the quoted lines of the one that has more of them, and footers likewise.
    """

    quoted: float = 0.0
    quoted_of_shared: float = 0.0
    footer: float = 0.0
    footer_of_shared: float = 0.0


_NOTHING: Final = _Borrowed()


def _borrowed(length: int, shared: int, quoted: int, footer: int) -> _Borrowed:
    """That of a normal form of `length` code points, of which the other has `shared`, and of these so many."""
    whole, both = max(1, length), max(1, shared)
    return _Borrowed(quoted / whole, quoted / both, footer / whole, footer / both)
