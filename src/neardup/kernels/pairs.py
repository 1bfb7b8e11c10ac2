"""What a kind is computed from, of two marked normal forms, inside kernels (docs/definitions.md, Kinds).

Whole numbers: sizes of sets of q-grams and what they share, passages, what is quoted from the other. The slow
counterpart is neardup.oracle.kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.gram_sets import LONG, SHORT, count_sets, is_shared, longest_outside
from neardup.kernels.inner import inner
from neardup.kernels.marks import BEGINS, FIGURE, POINT, TOKEN, mark_figure_words, mark_text
from neardup.kernels.quoted_lines import FOOTER, QUOTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.gram_sets import GramScratch
    from neardup.kernels.marks import MarkedForm, MarkScratch

SHORT_TEXT = 200
"""Own words of fewer code points than `SHORT_TEXT` are compared by q-grams of `SHORT`, else of `LONG`."""
SIGN = 0x23
"""What stands for a figure: no normal form has it."""
_NOT_OWN = TOKEN | QUOTED | FOOTER


(
    SAME, LIKENESS, PASSAGES, PLAIN, WITH_SIGNS, BORROWED_A, BORROWED_B, COLUMNS,
) = 0, 1, 4, 6, 9, 12, 16, 20  # fmt: skip
"""Where in a row of measures what begins; see `measure_pairs`."""
SAME_TEXT, OTHER_NUMBERS, BOTH_EMPTY, ENOUGH = 1, 2, 3, 4


class PairScratch(NamedTuple):
    """Working memory for texts of up to s bytes and normal forms of up to n code points.

    mark            s: `MarkScratch`
    a, b            n: `MarkedForm`
    own_a, own_b    n: own words
    grams           n: `GramScratch`
    """

    mark: MarkScratch
    a: MarkedForm
    b: MarkedForm
    own_a: NDArray[np.uint32]
    own_b: NDArray[np.uint32]
    grams: GramScratch


class Limits(NamedTuple):
    """Up to where what is asked for is to be known (docs/definitions.md, Kinds); all of it: `EVERYTHING`."""

    enough: float
    form_below: float
    alike: float
    spread: float
    form_share: float
    passage: int
    spread_run: int


EVERYTHING = Limits(2.0, 2.0, 2.0, -1.0, -1.0, -1, 1 << 62)
"""What no two texts reach, and all do."""


@njit(cache=True, nogil=True)
def measure_pairs(data, offsets, first, second, known, limits, tables, sign_tables, scratch, out):
    """Fills a row of `out` (int64, `COLUMNS`) for each pair of texts.

    data, offsets   uint8, int64: text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    first, second   int64: the texts of each pair; one that is the second of several pairs in a row is marked once
    known           int64, two of each pair: max(|A|, |B|) and |A ∩ B| of the short q-grams of the normal forms, or 0
    limits          `Limits`: what cannot change a kind then is left 0
    tables, sign_tables   as for `mark_text`
    scratch         PairScratch for the largest text

    SAME            0: the normal forms differ; `SAME_TEXT`: they are one; `OTHER_NUMBERS`: they are, but perhaps not
                    the numbers in them; `BOTH_EMPTY`; `ENOUGH`: they are as alike as that. Where it is not 0 the
                    rest says nothing
    LIKENESS        |A|, |B|, |A ∩ B| of the own words
    PASSAGES        the longest passage of its own of either
    PLAIN, WITH_SIGNS   as likeness, by short q-grams, of the own words and of these with signs for figures
    BORROWED_A, BORROWED_B   code points of its normal form; those that the other has; of these quoted; in footers

    Linear in the texts.
    """
    last, n_b, words_b = -1, 0, 0
    mark = scratch.mark
    for i in range(len(first)):
        a, b = first[i], second[i]
        n_a, words_a = mark_text(data[offsets[a] : offsets[a + 1]], tables, sign_tables, mark, scratch.a)
        if b != last:
            n_b, words_b = mark_text(data[offsets[b] : offsets[b + 1]], tables, sign_tables, mark, scratch.b)
            last = b
        if _measure(n_a, n_b, known[i, 0], known[i, 1], limits, scratch, out[i]):
            mark_figure_words(scratch.a, words_a, sign_tables)
            mark_figure_words(scratch.b, words_b, sign_tables)
            _measure_figures(n_a, n_b, limits, scratch, out[i])


@inner
def _measure(n_a, n_b, larger, shared, limits, scratch, row):
    """Fills the row of a pair of marked normal forms of so many code points, but for what figures decide, and what is
    borrowed; returns whether that is to be known.
    """
    row[:] = 0
    form_a, flags_a = scratch.a.form[:n_a], scratch.a.flags[:n_a]
    form_b, flags_b = scratch.b.form[:n_b], scratch.b.flags[:n_b]
    row[SAME] = _sameness(form_a, flags_a, form_b, flags_b)
    if row[SAME]:
        return False
    grams, own_a, own_b, size_a, size_b = scratch.grams, form_a, form_b, n_a, n_b
    if (_marks_of(flags_a) | _marks_of(flags_b)) & _NOT_OWN:
        own_a, own_b = scratch.own_a, scratch.own_b
        size_a, size_b = own_words(form_a, flags_a, False, own_a), own_words(form_b, flags_b, False, own_b)
    is_known = larger > 0 and size_a == n_a and size_b == n_b
    q = SHORT if min(size_a, size_b) < SHORT_TEXT else LONG
    ends = _common_ends(own_a, size_a, own_b, size_b, q)
    if is_known and _is_surely(limits.enough, size_a + size_b - 2 * (q - 1), ends, larger + shared):
        row[SAME] = ENOUGH
        return False
    passage = count_sets(own_a, size_a, own_b, size_b, q, grams, row[LIKENESS:])
    likeness = _likeness(row)
    if likeness >= limits.enough:
        row[SAME] = ENOUGH
        return False
    is_spread = likeness < limits.alike and (not is_known or shared >= limits.spread * larger * (1 - 1e-9))
    row[PASSAGES + 1] = passage
    may_be_frame = likeness >= limits.alike and passage >= limits.passage
    if may_be_frame or (is_spread and passage <= limits.spread_run):
        row[PASSAGES] = longest_outside(size_a, q, grams)
    if likeness >= limits.form_below:
        return False
    if is_known:
        row[PLAIN], row[PLAIN + 1], row[PLAIN + 2] = larger, larger, shared
    else:
        count_sets(own_a, size_a, own_b, size_b, SHORT, grams, row[PLAIN:])
    return True


@inner
def _measure_figures(n_a, n_b, limits, scratch, row):
    """Fills in the rest of a row, of texts whose figure words are marked, too."""
    form_a, flags_a = scratch.a.form[:n_a], scratch.a.flags[:n_a]
    form_b, flags_b = scratch.b.form[:n_b], scratch.b.flags[:n_b]
    grams, own_a, own_b = scratch.grams, scratch.own_a, scratch.own_b
    if _may_be_form(flags_a, flags_b, row[PLAIN:], limits.form_share):
        size_a, size_b = own_words(form_a, flags_a, True, own_a), own_words(form_b, flags_b, True, own_b)
        count_sets(own_a, size_a, own_b, size_b, SHORT, grams, row[WITH_SIGNS:])
    if _likeness(row) < limits.alike and (_marks_of(flags_a) | _marks_of(flags_b)) & (QUOTED | FOOTER):
        count_sets(form_a, n_a, form_b, n_b, LONG, grams, row[BORROWED_A:])
        _borrowed(n_a, flags_a, 0, grams, row[BORROWED_A:])
        _borrowed(n_b, flags_b, max(n_a - LONG + 1, 0), grams, row[BORROWED_B:])


@inner
def _likeness(row):
    both, sizes = row[LIKENESS + 2], row[LIKENESS] + row[LIKENESS + 1]
    return 2 * both / sizes if sizes else 0.0


@inner
def _is_surely(enough, windows, ends, short):
    """Whether two texts are as alike as `enough` by their common `ends` alone. They have at most so many `windows`, of
    which those that do not lie in an end may be in one alone; and at least as many q-grams as short ones, of which
    there are `short` at least, but for eight of each text.
    """
    least = short - 2 * (LONG - SHORT)
    return least > 0 and 1 - (windows - 2 * (ends[0] + ends[1])) / least >= enough


@inner
def _may_be_form(flags_a, flags_b, plain, form_share):
    """Whether figures can be that share of what differs, of whose q-grams `plain` has |A|, |B|, |A ∩ B|, or twice the
    larger of the first: no more than four q-grams a figure have its sign, and only those that touch a figure go. A
    sign's q-gram that both have is one of either text, too, so that it stands above the line and below.
    """
    signs_a, touched_a = _figures(flags_a)
    signs_b, touched_b = _figures(flags_b)
    larger = max(plain[0], plain[1])
    rest = larger - max(touched_a, touched_b)
    if rest <= 0:
        return True
    most = SHORT * min(signs_a, signs_b)
    masked, score = (plain[2] + most) / (rest + most), plain[2] / larger
    return masked - score >= form_share * (1 - score) * (1 - 1e-9)


@inner
def _figures(flags):
    """How many figures there are, and how many short q-grams at most touch one."""
    count = inside = 0
    for flag in flags:
        count += np.int64((flag & BEGINS) != 0)
        inside += np.int64((flag & FIGURE) != 0)
    return count, inside + (SHORT - 1) * count


@inner
def _sameness(form_a, flags_a, form_b, flags_b):
    """See SAME of `measure_pairs`."""
    if len(form_a) != len(form_b):
        return 0
    differ = False
    for at in range(len(form_a)):
        if form_a[at] != form_b[at]:
            return 0
        differ |= ((flags_a[at] ^ flags_b[at]) & (FIGURE | BEGINS | POINT)) != 0
    if len(form_a) == 0:
        return BOTH_EMPTY
    return OTHER_NUMBERS if differ else SAME_TEXT


@inner
def _marks_of(flags):
    """What any of the flags has."""
    marks = np.uint8(0)
    for flag in flags:
        marks |= flag
    return marks


@njit(cache=True, nogil=True)
def own_words(form, flags, with_signs, out):
    """Writes the own words of a marked normal form to `out`, perhaps with signs for figures; returns how many.

    All of it, if none were its own.
    """
    marks, any_own = _marks_of(flags), False
    if marks & _NOT_OWN:
        for flag in flags:
            any_own |= (flag & _NOT_OWN) == 0
    if not (any_own or with_signs):
        out[: len(form)] = form
        return len(form)
    n = 0
    for at in range(len(form)):
        flag = flags[at]
        if any_own and flag & _NOT_OWN:
            continue
        if with_signs and flag & FIGURE:
            out[n] = SIGN
            n += np.int64((flag & BEGINS) != 0)
            continue
        out[n] = form[at]
        n += 1
    return n


@inner
def _common_ends(a, n_a, b, n_b, q):
    """How many q-grams `a[:n_a]` and `b[:n_b]` both begin with, and how many they end with, none counted twice."""
    least = min(n_a, n_b)
    before = behind = 0
    while before < least and a[before] == b[before]:
        before += 1
    while behind < least - before and a[n_a - 1 - behind] == b[n_b - 1 - behind]:
        behind += 1
    return max(before - q + 1, 0), max(behind - q + 1, 0)


@inner
def _borrowed(n, flags, first, grams, out):
    """Sets out[:4] to how many code points a normal form has, and how many lie in long q-grams, at the indexes from
    `first` on, that both have: of all, of quoted lines, of footers.
    """
    same, shared = grams.same, grams.shared
    out[0], out[1], out[2], out[3] = n, 0, 0, 0
    last = n - LONG + 1
    covered = 0
    for at in range(n):
        if at < last and is_shared(same, shared, first + at):
            covered = at + LONG
        if at < covered:
            out[1] += 1
            out[2] += np.int64((flags[at] & QUOTED) != 0)
            out[3] += np.int64((flags[at] & FOOTER) != 0)
