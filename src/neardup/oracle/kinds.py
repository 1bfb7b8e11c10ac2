"""What a kind is computed from, of two texts, by sets of strings; the fast path is neardup.kernels.pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.oracle.kind_marks import Marked, mark
from neardup.oracle.nfc import lower
from neardup.oracle.quoting import is_of
from neardup.tables import signs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.oracle.kind_marks import Range

SHORT, LONG, SHORT_TEXT = 4, 12, 200


def measures(a: str, b: str, *, fold_case: bool = False) -> dict[str, tuple[int, ...]]:
    """Of two texts, by name, whole numbers: sizes of sets and what they share, passages, borrowed lines. With
    `fold_case` of lower-cased normal forms.

    likeness, plain, with_signs   |A|, |B|, |A ∩ B| of the own words: the likeness's; by short q-grams; these with
                                  figures as signs
    passages                      the longest passage of its own of either
    borrowed_a, borrowed_b        of a normal form: its length, what the other has, and what of that is quoted, a footer
    """
    marked_a, marked_b = (_cased(mark(text), fold_case) for text in (a, b))
    own_a, own_b = _own(marked_a, ""), _own(marked_b, "")
    q = SHORT if min(len(own_a), len(own_b)) < SHORT_TEXT else LONG
    signs_a, signs_b = _own(marked_a, "#"), _own(marked_b, "#")
    return {
        "likeness": _sizes(_grams(own_a, q), _grams(own_b, q)),
        "plain": _sizes(_grams(own_a, SHORT), _grams(own_b, SHORT)),
        "with_signs": _sizes(_grams(signs_a, SHORT), _grams(signs_b, SHORT)),
        "passages": (_longest_outside(own_a, own_b, q), _longest_outside(own_b, own_a, q)),
        "borrowed_a": _borrowed(marked_a, marked_b),
        "borrowed_b": _borrowed(marked_b, marked_a),
    }


def _cased(marked: Marked, fold_case: bool) -> Marked:
    return replace(marked, form=lower(marked.form)) if fold_case else marked


def differing_numbers(a: str, b: str) -> tuple[str, str] | None:
    """Of two texts of one normal form the first number of `a` that is another one in `b`, and that one."""
    ours, theirs = _numbers(mark(a)), _numbers(mark(b))
    for extent, number in ours.items():
        overlapping = [other for other in theirs if set(other) & set(extent)]
        if overlapping and (overlapping[0] != extent or theirs[overlapping[0]] != number):
            return number, theirs[overlapping[0]]
    return None


def _numbers(marked: Marked) -> dict[range, str]:
    """The digits of each figure that has any, by their place, with a point where a sign that says something was."""
    numbers = {}
    for start, end in marked.figures:
        digits = [at for at in range(start, end) if is_of(marked.form[at], signs.DIGIT)]
        if digits:
            extent = range(start, digits[-1] + 1)
            numbers[extent] = "".join("." * (at in marked.points) + marked.form[at] for at in extent)
    return numbers


def _own(marked: Marked, sign: str) -> str:
    """The own words; with a `sign` in place of each figure."""
    own = [not inside for inside in _inside((*marked.quoted, *marked.footers, *marked.tokens), marked.form)]
    if not any(own):
        own = [True] * len(own)
    letters = list(marked.form)
    for start, end in marked.figures if sign else ():
        letters[start:end] = [sign, *[""] * (end - start - 1)]
    return "".join(letter for letter, is_own in zip(letters, own, strict=True) if is_own)


def _inside(ranges: Iterable[Range], form: str) -> list[bool]:
    inside = [False] * len(form)
    for start, end in ranges:
        inside[start:end] = [True] * (end - start)
    return inside


def _grams(text: str, q: int) -> set[str]:
    return {text[at : at + q] for at in range(len(text) - q + 1)}


def _sizes(a: set[str], b: set[str]) -> tuple[int, int, int]:
    return len(a), len(b), len(a & b)


def _covered(a: str, b: str, q: int) -> list[bool]:
    """For each code point of `a` whether it lies in a q-gram that `b` has, too."""
    shared, covered = _grams(b, q), [False] * len(a)
    for at in range(len(a) - q + 1):
        if a[at : at + q] in shared:
            covered[at : at + q] = [True] * q
    return covered


def _longest_outside(a: str, b: str, q: int) -> int:
    longest = run = 0
    for covered in _covered(a, b, q):
        run = 0 if covered else run + 1
        longest = max(longest, run)
    return longest


def _borrowed(a: Marked, b: Marked) -> tuple[int, int, int, int]:
    covered = _covered(a.form, b.form, LONG)
    quoted, footer = _inside(a.quoted, a.form), _inside(a.footers, a.form)
    return (
        len(a.form),
        sum(covered),
        sum(both for both, is_quoted in zip(covered, quoted, strict=True) if is_quoted),
        sum(both for both, is_footer in zip(covered, footer, strict=True) if is_footer),
    )
