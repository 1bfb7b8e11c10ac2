"""The numbers of texts with equal normal forms, which leave out signs between digits: 12.5 and 125 are equal there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.kernels.marks import BEGINS, FIGURE, POINT
from neardup.kinds.measures import marked
from neardup.tables import signs

if TYPE_CHECKING:
    from neardup.kinds.measures import Marked

LONGEST_SHOWN: Final = 40


def differing_numbers(a: bytes, b: bytes) -> tuple[str, str] | None:
    """For two texts with equal normal forms, valid UTF-8: the first number of `a` in whose place `b` has another
    number, and the number of `b`; None if there is none. Longer numbers are cut to 40 characters. Linear.
    """
    ours, theirs = _numbers(marked(a)), _numbers(marked(b))
    at = 0
    for start, end, number in ours:
        while at < len(theirs) and theirs[at][1] <= start:
            at += 1
        if at < len(theirs) and theirs[at][0] < end and theirs[at] != (start, end, number):
            return number[:LONGEST_SHOWN], theirs[at][2][:LONGEST_SHOWN]
    return None


def _numbers(text: Marked) -> list[tuple[int, int, str]]:
    """(start, end, digits) of each number. The digits have a point wherever a meaningful sign stood between them; which
    sign it was is not kept.
    """
    form, flags = text
    digits = np.flatnonzero((flags & FIGURE != 0) & (signs.classes()[form] & signs.DIGIT != 0))
    begins = (flags[digits] & BEGINS != 0) | (np.diff(digits, prepend=-2) != 1)
    runs = np.split(digits, np.flatnonzero(begins)[1:]) if len(digits) else []
    return [
        (
            int(run[0]),
            int(run[-1]) + 1,
            "".join("." * bool(flags[at] & POINT) + chr(form[at]) for at in run.tolist()),
        )
        for run in runs
    ]
