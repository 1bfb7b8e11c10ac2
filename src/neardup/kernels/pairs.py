"""What a kind is computed from, of two marked normal forms, inside kernels (docs/definitions.md, Kinds).

Whole numbers: sizes of sets of q-grams and what they share, passages, what is quoted from the other. Sets are made by
62-bit names of q-grams, packed code points through splitmix64's finaliser. The slow counterpart is
neardup.oracle.kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.hashing import splitmix64
from neardup.kernels.inner import inner
from neardup.kernels.marks import BEGINS, FIGURE, POINT, TOKEN, mark_text
from neardup.kernels.quoted_lines import FOOTER, QUOTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.marks import MarkScratch

SHORT, LONG, SHORT_TEXT = 4, 12, 200
"""Own words of fewer code points than `SHORT_TEXT` are compared by q-grams of `SHORT`, else of `LONG`."""
SIGN = 0x23
"""What stands for a figure: no normal form has it."""
_NOT_OWN = TOKEN | QUOTED | FOOTER
_U = np.uint64
IN_A, IN_B = _U(1), _U(2)
_NAME = ~_U(3)
_FIRST, _SECOND, _FOURTH = _U(0x9E3779B97F4A7C15), _U(0xC2B2AE3D27D4EB4F), _U(0x165667B19E3779F9)


(
    SAME, LIKENESS, PASSAGES, PLAIN, WITH_SIGNS, BORROWED_A, BORROWED_B, COLUMNS,
) = 0, 1, 4, 6, 9, 12, 16, 20  # fmt: skip
"""Where in a row of measures what begins; see `measure_pairs`."""
SAME_TEXT, OTHER_NUMBERS, BOTH_EMPTY, ENOUGH = 1, 2, 3, 4


class PairScratch(NamedTuple):
    """Working memory for texts of up to s bytes and normal forms of up to n code points.

    mark            s: `MarkScratch`
    form_a, form_b, flags_a, flags_b   n: the marked normal forms of both
    own_a, own_b    n: own words
    names_a, names_b   n: names of q-grams
    table           a power of two of 6 · n slots or more: names and, in their lowest two bits, whose they are
    """

    mark: MarkScratch
    form_a: NDArray[np.uint32]
    form_b: NDArray[np.uint32]
    flags_a: NDArray[np.uint8]
    flags_b: NDArray[np.uint8]
    own_a: NDArray[np.uint32]
    own_b: NDArray[np.uint32]
    names_a: NDArray[np.uint64]
    names_b: NDArray[np.uint64]
    table: NDArray[np.uint64]


class Limits(NamedTuple):
    """Up to where what is asked for is to be known (docs/definitions.md, Kinds); all of it: `EVERYTHING`."""

    enough: float
    form_below: float
    alike: float
    spread: float
    form_share: float


EVERYTHING = Limits(2.0, 2.0, 2.0, -1.0, -1.0)
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
                    the numbers in them; `BOTH_EMPTY`; `ENOUGH`: they are surely as alike as that. The rest is 0 but
                    for the first
    LIKENESS        |A|, |B|, |A ∩ B| of the own words
    PASSAGES        the longest passage of its own of either
    PLAIN, WITH_SIGNS   as likeness, by short q-grams, of the own words and of these with signs for figures
    BORROWED_A, BORROWED_B   code points of its normal form; those that the other has; of these quoted; in footers

    Linear in the texts.
    """
    last, n_b = -1, 0
    for i in range(len(first)):
        a, b = first[i], second[i]
        n_a = mark_text(
            data[offsets[a] : offsets[a + 1]],
            tables,
            sign_tables,
            scratch.mark,
            scratch.form_a,
            scratch.flags_a,
        )
        if b != last:
            n_b = mark_text(
                data[offsets[b] : offsets[b + 1]],
                tables,
                sign_tables,
                scratch.mark,
                scratch.form_b,
                scratch.flags_b,
            )
            last = b
        _measure(n_a, n_b, known[i, 0], known[i, 1], limits, scratch, out[i])


@inner
def _measure(n_a, n_b, larger, shared, limits, scratch, row):
    """Fills the row of a pair of marked normal forms of so many code points."""
    row[:] = 0
    form_a, flags_a = scratch.form_a[:n_a], scratch.flags_a[:n_a]
    form_b, flags_b = scratch.form_b[:n_b], scratch.flags_b[:n_b]
    row[SAME] = _sameness(form_a, flags_a, form_b, flags_b)
    if row[SAME]:
        return
    own_a, own_b, names_a, names_b = scratch.own_a, scratch.own_b, scratch.names_a, scratch.names_b
    table = scratch.table
    size_a, size_b = own_words(form_a, flags_a, False, own_a), own_words(form_b, flags_b, False, own_b)
    is_known = larger > 0 and size_a == n_a and size_b == n_b
    q = SHORT if min(size_a, size_b) < SHORT_TEXT else LONG
    ends = _common_ends(own_a, size_a, own_b, size_b, q)
    if is_known and _is_surely(limits.enough, size_a + size_b - 2 * (q - 1), ends, larger + shared):
        row[SAME] = ENOUGH
        return
    mask = _count_sets(own_a, size_a, own_b, size_b, q, ends, names_a, names_b, table, row[LIKENESS:])
    both, sizes = row[LIKENESS + 2], row[LIKENESS] + row[LIKENESS + 1]
    likeness = 2 * both / sizes if sizes else 0.0
    if likeness >= limits.enough:
        return
    is_spread = likeness < limits.alike and (not is_known or shared >= limits.spread * larger * (1 - 1e-9))
    if likeness >= limits.alike or is_spread:
        row[PASSAGES] = _longest_outside(size_a, q, names_a, table, mask, ends)
        row[PASSAGES + 1] = _longest_outside(size_b, q, names_b, table, mask, ends)
    if likeness >= limits.form_below:
        return
    may_be_form = True
    if is_known:
        row[PLAIN], row[PLAIN + 1], row[PLAIN + 2] = larger, larger, shared
        may_be_form = _may_be_form(flags_a, flags_b, row[PLAIN:], limits.form_share)
    if may_be_form:
        ends = _common_ends(own_a, size_a, own_b, size_b, SHORT)
        _count_sets(own_a, size_a, own_b, size_b, SHORT, ends, names_a, names_b, table, row[PLAIN:])
        may_be_form = _may_be_form(flags_a, flags_b, row[PLAIN:], limits.form_share)
    if may_be_form:
        size_a, size_b = own_words(form_a, flags_a, True, own_a), own_words(form_b, flags_b, True, own_b)
        ends = _common_ends(own_a, size_a, own_b, size_b, SHORT)
        _count_sets(own_a, size_a, own_b, size_b, SHORT, ends, names_a, names_b, table, row[WITH_SIGNS:])
    if likeness < limits.alike and (_any_borrowed(flags_a) or _any_borrowed(flags_b)):
        ends = _common_ends(form_a, n_a, form_b, n_b, LONG)
        mask = _count_sets(form_a, n_a, form_b, n_b, LONG, ends, names_a, names_b, table, row[BORROWED_A:])
        _borrowed(n_a, flags_a, names_a, table, mask, ends, row[BORROWED_A:])
        _borrowed(n_b, flags_b, names_b, table, mask, ends, row[BORROWED_B:])


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
    larger of the first: no more than four q-grams a figure have its sign, and only those that touch a figure go.
    """
    signs_a, touched_a = _figures(flags_a)
    signs_b, touched_b = _figures(flags_b)
    larger = max(plain[0], plain[1])
    rest = larger - max(touched_a, touched_b)
    if rest <= 0:
        return True
    masked, score = (plain[2] + SHORT * min(signs_a, signs_b)) / rest, plain[2] / larger
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
def _any_borrowed(flags):
    both = np.uint8(0)
    for flag in flags:
        both |= flag
    return (both & (QUOTED | FOOTER)) != 0


@njit(cache=True, nogil=True)
def own_words(form, flags, with_signs, out):
    """Writes the own words of a marked normal form to `out`, perhaps with signs for figures; returns how many.

    All of it, if none were its own.
    """
    any_own = False
    for at in range(len(form)):
        any_own |= (flags[at] & _NOT_OWN) == 0
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
def _fill_names(points, first, last, q, names):
    """Writes the names of the q-grams that begin from `first` on and before `last`, q = 4 or 12, to the same places of
    `names`; their lowest two bits are 0, and none is 0.
    """
    if first >= last:
        return
    for at in range(first, last + q - SHORT):
        low = _U(points[at]) | (_U(points[at + 1]) << _U(21)) | (_U(points[at + 2]) << _U(42))
        names[at] = splitmix64(low ^ (_U(points[at + 3]) * _FOURTH))
    if q == LONG:
        for at in range(first, last):
            names[at] = splitmix64(names[at] + names[at + 4] * _FIRST + names[at + 8] * _SECOND)
    for at in range(first, last):
        names[at] = (names[at] | _U(4)) & _NAME


@inner
def _slot(table, mask, name):
    slot = np.int64(name >> _U(20)) & mask
    held = table[slot] & _NAME
    while (held != 0) & (held != name):
        slot = (slot + 1) & mask
        held = table[slot] & _NAME
    return slot


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
def _count_sets(a, n_a, b, n_b, q, ends, names_a, names_b, table, out):
    """Sets out[:3] to |A|, |B|, |A ∩ B| of the q-grams of `a[:n_a]` and `b[:n_b]`, which stay in `table`, and their
    names in `names_a` and `names_b`; returns the mask of the table.

    Those of the common `ends` are looked up once, and named in `names_a` alone: copies differ in little.
    """
    last_a, last_b = max(n_a - q + 1, 0), max(n_b - q + 1, 0)
    first, stop = ends
    mask = _cleared(table, last_a + last_b - first - stop)
    _fill_names(a, 0, last_a, q, names_a)
    _fill_names(b, first, last_b - stop, q, names_b)
    both = IN_A | IN_B
    new, _ = _insert(names_a, 0, first, both, table, mask)
    more, _ = _insert(names_a, last_a - stop, last_a, both, table, mask)
    own_a, _ = _insert(names_a, first, last_a - stop, IN_A, table, mask)
    own_b, joined = _insert(names_b, first, last_b - stop, IN_B, table, mask)
    shared = new + more + joined
    out[0], out[1], out[2] = new + more + own_a, own_b + shared, shared
    return mask


@inner
def _cleared(table, entries):
    """The mask of a table for so many q-grams, whose slots are set free."""
    size = 64
    while size < 3 * entries:
        size *= 2
    table[:size] = 0
    return size - 1


@inner
def _insert(names, first, last, whose, table, mask):
    """Puts the names from `first` on and before `last` into a table as of `whose`; returns how many were new, and how
    many were another's alone.
    """
    new = joined = 0
    for at in range(first, last):
        slot = _slot(table, mask, names[at])
        held = table[slot]
        new += np.int64(held == 0)
        joined += np.int64((held != 0) & (held & whose == 0))
        table[slot] = held | names[at] | whose
    return new, joined


@inner
def _is_shared(names, at, last, table, mask, ends):
    """Whether the q-gram at `at` of the `last` is in both sets."""
    if at < ends[0] or at >= last - ends[1]:
        return True
    return table[_slot(table, mask, names[at])] & _U(3) == _U(3)


@inner
def _longest_outside(n, q, names, table, mask, ends):
    """The most code points in a row of which none lies in a q-gram of both sets in `table`."""
    if n < q:
        return n
    longest, free = 0, 0  # `free`: from where on none is covered so far
    for at in range(n - q + 1):
        if _is_shared(names, at, n - q + 1, table, mask, ends):
            longest = max(longest, at - free)
            free = at + q
    return max(longest, n - free)


@inner
def _borrowed(n, flags, names, table, mask, ends, out):
    """Sets out[:4] to how many code points a normal form has, and how many lie in long q-grams of both sets in `table`:
    of all, of quoted lines, of footers.
    """
    out[0], out[1], out[2], out[3] = n, 0, 0, 0
    last = n - LONG + 1
    covered = 0
    for at in range(n):
        if at < last and _is_shared(names, at, last, table, mask, ends):
            covered = at + LONG
        if at < covered:
            out[1] += 1
            out[2] += np.int64((flags[at] & QUOTED) != 0)
            out[3] += np.int64((flags[at] & FOOTER) != 0)
