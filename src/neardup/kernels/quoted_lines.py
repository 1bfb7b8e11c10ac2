"""Lines of a text inside kernels, and which of them are quoted, or a footer (docs/definitions.md, Kinds).

By the conventions of mail and news, not by words of any language. The slow counterpart is neardup.oracle.quoting.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.tables import signs

SPACE, RULE, KEEP, DIGIT = signs.SPACE, signs.RULE, signs.KEEP, signs.DIGIT
MOST_INITIALS, MOST_ATTRIBUTION, MOST_FOOTER = (
    signs.MOST_INITIALS,
    signs.MOST_ATTRIBUTION,
    signs.MOST_FOOTER,
)
SHORTEST_RULE, LOOKED_AT, HEADERS_LOOKED_AT = signs.SHORTEST_RULE, signs.LOOKED_AT, signs.HEADERS_LOOKED_AT
LONGEST_HEADER = signs.LONGEST_HEADER
OWN, QUOTED, FOOTER = 0, 8, 16
"""Whose words a line has; as flags of the code points in it."""
START, END, LOW, HIGH, WHOSE, MARKED = 0, 1, 2, 3, 4, 5
"""Rows of an array of lines: where each begins and ends, where without white space; whose it is; its mark."""
LINE_ROWS = 6
_CR = 0x0D


@njit(cache=True, nogil=True)
def most_lines(data):
    """How many lines the UTF-8 `data` (uint8) has at most: one more than controls up to CR, and last bytes of NEL, LS
    and PS. Linear, some 0.05 µs for 1 KB.
    """
    count = 1
    for byte in data:
        count += np.int64((byte <= _CR) | (byte == 0x85) | (byte == 0xA8) | (byte == 0xA9))
    return count


@inner
def split_lines(points, n, classes, lines, breaks):
    """Fills the first four rows of `lines` (int64) from the code points `points[:n]`; returns how many lines. The row
    `END` says where the `breaks` are that end lines, of CR LF both.
    """
    count = start = 0
    for i in range(breaks):
        at = lines[END, i]
        if at < start:
            continue
        _add_line(points, start, at, classes, lines, count)
        count += 1
        start = at + 1 + (points[at] == 0x0D and at + 1 < n and points[at + 1] == 0x0A)
    if start < n:
        _add_line(points, start, n, classes, lines, count)
        count += 1
    return count


@inner
def _add_line(points, start, end, classes, lines, at):
    low, high = start, end
    while low < high and classes[points[low]] & SPACE:
        low += 1
    while low < high and classes[points[high - 1]] & SPACE:
        high -= 1
    lines[START, at], lines[END, at], lines[LOW, at], lines[HIGH, at] = start, end, low, high


@inner
def find_origins(points, classes, lines, count):
    """Fills the last two rows of `lines`: whose words each of the `count` lines has."""
    for at in range(count):
        has_mark = _is_marked(points, lines[LOW, at], lines[HIGH, at])
        lines[MARKED, at] = has_mark or _is_weakly_marked(points, lines, count, at)
        lines[WHOSE, at] = QUOTED if lines[MARKED, at] else OWN
    _add_attributions(points, lines, count)
    footer = _footer_from(points, classes, lines, count)
    forwarded = _forwarded_from(points, classes, lines, count)
    for at in range(footer, count):
        lines[WHOSE, at] = FOOTER
    for at in range(forwarded, count):
        lines[WHOSE, at] = QUOTED


@inner
def _is_marked(points, low, high):
    """A line between two bars is a row of a table."""
    if low == high:
        return False
    first = points[low]
    if first == 0x7C:
        return points[high - 1] != 0x7C
    if first == 0x3A and high - low > 1 and points[low + 1] == 0x20:
        return True
    at = low
    while at < high and at - low < MOST_INITIALS and _is_letter(points[at]):
        at += 1
    return at < high and points[at] == 0x3E


@inner
def _is_letter(point):
    return 0x41 <= point <= 0x5A or 0x61 <= point <= 0x7A


@inner
def _is_weakly_marked(points, lines, count, at):
    """Whether a line begins with a weak mark, and the one before or behind it with the same."""
    mark = _weak_mark(points, lines, at)
    if mark == 0:
        return False
    if at > 0 and _weak_mark(points, lines, at - 1) == mark:
        return True
    return at + 1 < count and _weak_mark(points, lines, at + 1) == mark


@inner
def _weak_mark(points, lines, at):
    """The weak mark that a line begins with, 0 if there is none: one of :}]!%~"""
    if lines[LOW, at] == lines[HIGH, at]:
        return 0
    first = points[lines[LOW, at]]
    is_weak = first in (0x3A, 0x7D, 0x5D, 0x21, 0x25, 0x7E)
    return first if is_weak else 0


@inner
def _add_attributions(points, lines, count):
    """Marks the paragraph right before quoted lines that says whose they are; of a long one its last line."""
    for at in range(1, count):
        if not lines[MARKED, at] or lines[MARKED, at - 1]:
            continue
        last = at - 1 if not _is_blank(lines, at - 1) else at - 2
        if last < 0 or lines[MARKED, last] or not _ends_open(points, lines[LOW, last], lines[HIGH, last]):
            continue
        first = last
        while (
            last - first < MOST_ATTRIBUTION
            and first
            and not _is_blank(lines, first - 1)
            and not lines[MARKED, first - 1]
        ):
            first -= 1
        if last - first == MOST_ATTRIBUTION:
            first = last
        for i in range(first, last + 1):
            lines[WHOSE, i] = QUOTED


@inner
def _is_blank(lines, at):
    return lines[LOW, at] == lines[HIGH, at]


@inner
def _ends_open(points, low, high):
    """Whether a line ends with a colon, "..." or "…"."""
    if low == high:
        return False
    last = points[high - 1]
    if last == 0x3A or last == 0x2026:
        return True
    return high - low >= 3 and last == 0x2E and points[high - 2] == 0x2E and points[high - 3] == 0x2E


@inner
def _footer_from(points, classes, lines, count):
    """Where a signature or footer begins: at the first mark behind which few lines are left."""
    start, left = count, 0
    for at in range(count - 1, 0, -1):
        low, high = lines[LOW, at], lines[HIGH, at]
        is_mark = high - low == 2 and points[low] == 0x2D and points[low + 1] == 0x2D
        if is_mark or _is_rule(points, classes, low, high):
            start = at
        left += low < high
        if left > MOST_FOOTER:
            break
    return start


@inner
def _is_rule(points, classes, low, high):
    if high - low < SHORTEST_RULE or not classes[points[low]] & RULE:
        return False
    count = 0
    for at in range(low, high):
        count += (classes[points[at]] & RULE) != 0
    return 3 * count >= 2 * (high - low)


@inner
def _forwarded_from(points, classes, lines, count):
    """Where a whole message follows, divided off and with its headers; the number of lines if none does."""
    for at in range(1, count):
        if not _divides(points, classes, lines[LOW, at], lines[HIGH, at]):
            continue
        seen = headers = 0
        for i in range(at + 1, min(at + 1 + LOOKED_AT, count)):
            if _is_blank(lines, i) or seen == HEADERS_LOOKED_AT:
                continue
            seen += 1
            headers += _is_header(points, classes, lines[LOW, i], lines[END, i])
        if headers >= 2:
            return at
    return count


@inner
def _divides(points, classes, low, high):
    """Whether a line begins and ends with three signs of a rule."""
    if high - low < 3:
        return False
    both = RULE
    for at in range(3):
        both &= classes[points[low + at]] & classes[points[high - 1 - at]]
    return both != 0


@inner
def _is_header(points, classes, low, end):
    """Whether a line begins as a header: a name, a colon, white space."""
    if not classes[points[low]] & KEEP or classes[points[low]] & DIGIT:
        return False
    at = low + 1
    while at < end and at - low < LONGEST_HEADER and _in_header(points[at], classes):
        at += 1
    if at - low < 2 or at + 1 >= end or points[at] != 0x3A:
        return False
    return (classes[points[at + 1]] & SPACE) != 0


@inner
def _in_header(point, classes):
    return point == 0x2D or point == 0x5F or (classes[point] & KEEP) != 0
