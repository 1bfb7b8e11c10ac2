"""The kind of a pair: copy, form, quote, frame, or other (docs/definitions.md, Kinds).

Of each text only its own words count: quoted lines, its signature, and addresses, ids and random strings are left out.
Two texts are copies if their own words are alike by long q-grams, or if only single words differ, all over the text.
They are no copies if the difference is mostly figures and dates (a form, filled in anew), or if each has a passage of
its own (a frame with other content). q-grams of 12 capture the order of words, which texts on one subject do not share.
For texts that are not alike, the kind says what they share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.kernels import pairs as columns
from neardup.kernels.gram_sets import SHORT
from neardup.kinds.measures import measured
from neardup.kinds.numbers import differing_numbers
from neardup.model.counted import cut
from neardup.model.document import text_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import KindName

ALIKE: Final = 0.72
"""Two texts are alike from this likeness on: the best value for four sets of judged pairs together."""
SPREAD_DOC_Q: Final = 0.7
SPREAD_RUN: Final = 60
"""With this doc_q, and no run of more than this many code points that only one text has, single words differ here and
there: errors of typing or scanning.
"""
FORM_SHARE: Final = 0.4
"""From this share of figures in a difference on, it is a difference of figures."""
FORM_BELOW: Final = 0.85
"""From this likeness on a text is a copy even if only figures differ: a date, a counter, a corrected price."""
PASSAGE: Final = 200
"""The fewest code points of a passage that only one of the texts has: some forty words."""
FRAME_BELOW: Final = 0.9
BORROWED_SHARE: Final = 0.5
"""If at least this share of what two texts have in common is quoted, or a footer, they share a quotation, or a footer.
"""
BORROWED_LEAST: Final = 0.2
"""And at least this share of a whole text must be quoted, or a footer."""

DECIDING: Final = columns.Limits(
    FRAME_BELOW, FORM_BELOW, ALIKE, SPREAD_DOC_Q, FORM_SHARE, PASSAGE, SPREAD_RUN
)


@dataclass(frozen=True)
class Kind:
    """The kind of a pair of texts.

    name       copy, form, quote, frame or other
    reason     the reason, as a sentence to be shown
    likeness   2 |A ∩ B| / (|A| + |B|) over the q-grams of their own words, 0 to 1
    figures    share of the difference of their own words that is figures and dates, 0 to 1
    quoted     share of a text that consists of quoted lines which the other text has; the larger of the two shares, 0
               to 1
    passage    code points of each text's longest passage that the other text does not have; the smaller of the two
    differing  for equal normal forms, the first number that differs in the other text, and the number there, as "12.5"
               and "125", each cut to 40 characters; None if there is none
    """

    name: KindName
    reason: str
    likeness: float
    figures: float
    quoted: float
    passage: int
    differing: tuple[str, str] | None = None


class Label(NamedTuple):
    """The part of a Kind that a verdict holds: its name and `differing`."""

    kind: KindName
    differing: tuple[str, str] | None


def kind_of(a: str, b: str, *, fold_case: bool = False) -> Kind:
    """The kind of the pair of texts `a` and `b`; symmetric. With `fold_case` case is ignored. Linear in their lengths;
    about 0.1 ms for two of 4 KB.

    Raises `TypeError` if one is no text, `DocumentError` for an unpaired surrogate.

    >>> kind_of("Closed: 12.5 points up.", "Closed: 125 points up.").reason
    'letters and digits are the same, but 12.5 is 125'
    """
    return kinds_of([(text_argument("a", a), text_argument("b", b))], fold_case=fold_case)[0]


def kinds_of(pairs: Sequence[tuple[bytes, bytes]], *, fold_case: bool = False) -> list[Kind]:
    """The kind of each pair of texts, valid UTF-8; `fold_case` as in `kind_of`."""
    rows = measured([a for a, _ in pairs], [b for _, b in pairs], fold_case=fold_case)
    return [_kind(row, *pair) for row, pair in zip(rows, pairs, strict=True)]


def labels_of(
    pairs: Sequence[tuple[bytes, bytes]],
    known: Sequence[tuple[int, int]] = (),
    *,
    q: int = SHORT,
    fold_case: bool = False,
) -> list[Label]:
    """The labels of pairs for verdicts, equal to those of `kinds_of`, but computing only what decides. Faster if
    `known` has max(|A|, |B|) and |A ∩ B| of each pair, by q-grams of the whole texts, and q = 4. About 0.04 ms a pair
    of 4 KB.
    """
    known = known if q == SHORT else ()
    rows = measured([a for a, _ in pairs], [b for _, b in pairs], DECIDING, known, fold_case=fold_case)
    return [_label(row, *pair) for row, pair in zip(rows, pairs, strict=True)]


def _label(row: Sequence[int], a: bytes, b: bytes) -> Label:
    if row[columns.DECIDED]:
        return Label(*_of_equal(row[columns.DECIDED], a, b))
    return Label(_judged(row).name, None)


def _kind(row: Sequence[int], a: bytes, b: bytes) -> Kind:
    if row[columns.DECIDED] == columns.BOTH_EMPTY:
        return Kind("other", "there is no letter or digit in them", 0.0, 0.0, 0.0, 0)
    if row[columns.DECIDED]:
        name, differing = _of_equal(row[columns.DECIDED], a, b)
        reason = "letters and digits are the same"
        if differing is not None:
            reason += f", but {differing[0]} is {differing[1]}"
        return Kind(name, reason, 1.0, 0.0, 0.0, 0, differing)
    name, reason, likeness, figures, borrowed, passage = _judged(row)
    shown = cut(likeness, 2)  # just below ALIKE is not shown as ALIKE
    said = reason.format(likeness=shown, figures=figures, borrowed=borrowed, passage=passage, alike=ALIKE)
    return Kind(name, said, likeness, figures, borrowed.quoted, passage)


class _Judged(NamedTuple):
    """The judgement on a row of measures; `reason` is a format string for the other fields, and `alike`."""

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
    """The doc_q from the three columns of `row` that begin at `at`."""
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


def _of_equal(decided: int, a: bytes, b: bytes) -> tuple[KindName, tuple[str, str] | None]:
    """The name and the differing numbers of two texts whose normal forms are equal, both empty, or surely alike."""
    if decided == columns.BOTH_EMPTY:
        return "other", None
    return "copy", differing_numbers(a, b) if decided == columns.OTHER_NUMBERS else None


def _figures_share(doc_q: float, with_signs: float) -> float:
    """(`with_signs` − `doc_q`) / (1 − `doc_q`), at least 0; `with_signs`: the doc_q of own words with each figure as
    one sign.
    """
    return max(0.0, (with_signs - doc_q) / (1 - doc_q)) if doc_q < 1 else 0.0


class _Borrowed(NamedTuple):
    """The share of a text that is quoted lines, or footers, that the other text has too: of the whole text, and of the
    part that both have. For a pair, the quoted shares of the text that has more of them, and likewise for footers.
    """

    quoted: float = 0.0
    quoted_of_shared: float = 0.0
    footer: float = 0.0
    footer_of_shared: float = 0.0


_NOTHING: Final = _Borrowed()


def _borrowed(length: int, shared: int, quoted: int, footer: int) -> _Borrowed:
    """The shares for a normal form of `length` code points, of which the other text has `shared`; of these, `quoted`
    are quoted and `footer` in footers.
    """
    whole, both = max(1, length), max(1, shared)
    return _Borrowed(quoted / whole, quoted / both, footer / whole, footer / both)
