"""A text to its normal form with marks, inside kernels: what of it is figures, addresses and ids, quoted, a footer.

The slow counterpart, by regular expressions, is neardup.oracle.kind_marks; docs/definitions.md (Kinds) defines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.quoted_lines import END, LOW, START, WHOSE, find_origins, split_lines
from neardup.kernels.text import decode_nfc
from neardup.tables import signs

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEEP, DIGIT, IN_NAME, VISIBLE = signs.KEEP, signs.DIGIT, signs.IN_NAME, signs.VISIBLE
SHORTEST_ID, LONGEST_WORD, LONGEST_SUFFIX = signs.SHORTEST_ID, signs.LONGEST_WORD, signs.LONGEST_SUFFIX
LONGEST_FIGURE_WORD = signs.LONGEST_FIGURE_WORD
FIGURE, BEGINS, TOKEN, POINT = 1, 2, 4, 32
"""Flags of a code point of a normal form, beside those of its line: in a figure; its first; in a token; before it a
sign of a number was left out.
"""
_U8 = np.uint8
_U32 = np.uint32


class SignTables(NamedTuple):
    """Classes of code points and figure words, in the order that kernels take them (tables/signs.py)."""

    classes: NDArray[np.uint8]
    words: NDArray[np.uint8]
    lengths: NDArray[np.uint32]


class MarkScratch(NamedTuple):
    """Working memory for texts of up to s bytes: 4 · s + 4 code points, and s + 1 lines (`LINE_ROWS` rows)."""

    points: NDArray[np.uint32]
    lines: NDArray[np.int64]


@njit(cache=True, nogil=True)
def mark_text(data, tables, sign_tables, scratch, form, flags):
    """Writes the normal form of the UTF-8 text `data` (uint8) to `form` (uint32), and its marks to `flags` (uint8).

    `tables` as for `decode_nfc`, `sign_tables` SignTables; `form` and `flags` have room for one and a half code points
    a byte, and one more. Returns the number of code points. Linear.
    """
    points, lines, classes, words = scratch.points, scratch.lines, sign_tables.classes, sign_tables.words
    lengths = sign_tables.lengths
    n = decode_nfc(data, 0, len(data), tables, points)
    count = split_lines(points, n, classes, lines)
    find_origins(points, classes, lines, count)
    out = 0
    for line in range(count):
        start, end = lines[START, line], lines[END, line]
        out = _mark_line(
            points,
            start,
            lines[LOW, line],
            end,
            classes,
            words,
            lengths,
            _U8(lines[WHOSE, line]),
            form,
            flags,
            out,
        )
    return out


@inner
def _mark_line(points, start, low, end, classes, words, lengths, whose, form, flags, out):
    """Appends the line `points[start:end]`, which begins at `low` after white space; returns where the form ends.

    A word is looked at when it has ended, and only if something may be to be said of it: few are.
    """
    has_name = has_slash = False
    for at in range(low, end):
        has_name |= points[at] == 0x40
        has_slash |= points[at] == 0x2F
    at, size, digits = low, 0, 0
    while at < end:
        point = points[at]
        kind = classes[point]
        form[out], flags[out] = point, whose
        if kind & KEEP:
            out += 1
            size += 1
            digits += np.int64(kind & DIGIT)
            at += 1
            continue
        stop = at
        if size:
            if _is_special(points, at - size, size, digits, lengths, has_name, has_slash):
                stop, out = _mark_word(
                    points,
                    start,
                    at - size,
                    at,
                    end,
                    digits,
                    classes,
                    words,
                    has_name,
                    whose,
                    form,
                    flags,
                    out,
                )
            size = digits = 0
        if stop == at and has_name and kind & IN_NAME:
            stop = _address_end(points, start, at, end, classes, True)
            out = _append(points, at, stop, classes, whose | _U8(TOKEN), form, flags, out)
        at = max(stop, at + (stop == at))
    if size and _is_special(points, end - size, size, digits, lengths, has_name, has_slash):
        _, out = _mark_word(
            points, start, end - size, end, end, digits, classes, words, has_name, whose, form, flags, out
        )
    return out


@inner
def _is_special(points, at, size, digits, lengths, has_name, has_slash):
    """Whether the word of `size` at `at` may be anything but a plain word. `lengths` as for `figure_word_lengths`."""
    first = points[at] & _U32(31)
    length = lengths[signs_slot(first, points[at + (size > 1)] & _U32(31), points[at + size - 1] & _U32(31))]
    may_be_figure = size <= LONGEST_FIGURE_WORD and (length >> _U32(size)) & _U32(1) != 0
    may_be_address = has_name or (has_slash and (first == 8 or first == 6)) or (first == 23 and size == 3)
    return (digits != 0) | (size > LONGEST_WORD) | may_be_figure | may_be_address


@inner
def signs_slot(first, second, last):
    """See `neardup.tables.signs.letters_slot`."""
    return ((first << _U32(5)) | second) ^ (last << _U32(2))


@inner
def _append(points, start, stop, classes, flag, form, flags, out):
    """Appends what is kept of `points[start:stop]`."""
    for at in range(start, stop):
        if classes[points[at]] & KEEP:
            form[out], flags[out] = points[at], flag
            out += 1
    return out


@inner
def _mark_word(points, start, at, stop, end, twice_digits, classes, words, has_name, whose, form, flags, out):
    """Marks the word or number `points[at:stop]`, which has been appended, or appends all of the address or number that
    begins with it; returns where that ends, and where the form does.
    """
    size, digits = stop - at, twice_digits // DIGIT
    after = _address_end(points, start, at, end, classes, has_name)
    if after > at:
        return after, _append(points, at, after, classes, whose | _U8(TOKEN), form, flags, out - size)
    if digits == size:
        return _mark_number(points, at, stop, end, classes, whose, form, flags, out - size)
    leading, is_ascii = 0, True
    for i in range(at, stop):
        leading += np.int64(leading == i - at and (classes[points[i]] & DIGIT) != 0)
        is_ascii &= points[i] < 0x80
    flag = whose
    is_suffixed = digits > 0 and leading == digits and size - digits <= LONGEST_SUFFIX
    if is_suffixed or (digits == 0 and _is_figure_word(points, at, size, words)):
        flag |= _U8(FIGURE)
    elif is_ascii and (size > LONGEST_WORD or (size >= SHORTEST_ID and digits > 0)):
        flag |= _U8(TOKEN)
    flags[out - size : out] = flag
    if flag & FIGURE:
        flags[out - size] |= _U8(BEGINS)
    return stop, out


@inner
def _mark_number(points, at, stop, end, classes, whose, form, flags, out):
    """Appends the digits from `at` on and what follows them of their number."""
    while stop + 1 < end and _joins(points[stop]) and classes[points[stop + 1]] & DIGIT:
        stop += 1
        while stop < end and classes[points[stop]] & DIGIT:
            stop += 1
    flag = whose | _U8(FIGURE | BEGINS)
    for i in range(at, stop):
        if classes[points[i]] & DIGIT:
            form[out], flags[out] = points[i], flag
            flag = whose | _U8(FIGURE)
            out += 1
        elif not _groups(points, i, stop, classes):
            flag |= _U8(POINT)
    return stop, out


@inner
def _joins(point):
    """Whether it may stand between the digits of a number: .,:/'’-"""
    return point in (0x2E, 0x2C, 0x3A, 0x2F, 0x27, 0x2019, 0x2D)


@inner
def _groups(points, at, stop, classes):
    """Whether the sign at `at` groups digits: one of .,'’ before exactly three."""
    if points[at] not in (0x2E, 0x2C, 0x27, 0x2019):
        return False
    count = 0
    while at + 1 + count < stop and count < 4 and classes[points[at + 1 + count]] & DIGIT:
        count += 1
    return count == 3


@inner
def _is_figure_word(points, at, size, words):
    if size > LONGEST_FIGURE_WORD:
        return False
    value = _U32(0)
    for i in range(at, at + size):
        letter = _lowered(points[i])
        if letter > 0xFF:
            return False
        value = _U32(value * _U32(31) + letter)
    mask = words.shape[0] - 1
    slot = np.int64(value) & mask
    while words[slot, 0]:
        same = words[slot, 0] == size
        i = 0
        while same and i < size:
            same = words[slot, i + 1] == _lowered(points[at + i])
            i += 1
        if same:
            return True
        slot = (slot + 1) & mask
    return False


@inner
def _lowered(point):
    """See `neardup.tables.signs.lowered`."""
    if 0x41 <= point <= 0x5A or (0xC0 <= point <= 0xDE and point != 0xD7):
        return _U32(point + _U32(0x20))
    return _U32(0xDF) if point == 0x1E9E else _U32(point)


# ---- addresses ----


@inner
def _address_end(points, start, at, end, classes, has_name):
    """Where the address that begins at `at` ends; `at` if none does."""
    first = points[at] | _U32(0x20)
    if first == 0x68 or first == 0x66:
        stop = _after_scheme(points, at, end)
        if stop > at and stop < end and classes[points[stop]] & VISIBLE:
            return _visible_end(points, stop, end, classes)
    follows_word = at > start and (classes[points[at - 1]] & KEEP) != 0
    if first == 0x77 and not follows_word and at + 4 < end and points[at + 3] == 0x2E:
        is_web = (points[at + 1] | _U32(0x20)) == 0x77 and (points[at + 2] | _U32(0x20)) == 0x77
        if is_web and classes[points[at + 4]] & VISIBLE:
            return _visible_end(points, at + 4, end, classes)
    if has_name and not (at > start and classes[points[at - 1]] & (KEEP | IN_NAME)):
        return _mail_end(points, at, end, classes)
    return at


@inner
def _visible_end(points, at, end, classes):
    while at < end and classes[points[at]] & VISIBLE:
        at += 1
    return at


@inner
def _after_scheme(points, at, end):
    """Where http://, https:// or ftp:// at `at` ends; `at` if it is none of them."""
    if points[at] | _U32(0x20) == 0x68:
        is_scheme = at + 3 < end and _is_letters(points, at + 1, 0x74, 0x74) and points[at + 3] | 0x20 == 0x70
        stop = at + 4
        if is_scheme and stop < end and points[stop] | _U32(0x20) == 0x73:
            stop += 1
    else:
        is_scheme = at + 2 < end and _is_letters(points, at + 1, 0x74, 0x70)
        stop = at + 3
    if not is_scheme or stop + 2 >= end:
        return at
    has_slashes = points[stop] == 0x3A and points[stop + 1] == 0x2F and points[stop + 2] == 0x2F
    return stop + 3 if has_slashes else at


@inner
def _is_letters(points, at, first, second):
    """Whether two letters stand at `at`, of whatever case."""
    return (points[at] | _U32(0x20)) == first and (points[at + 1] | _U32(0x20)) == second


@inner
def _mail_end(points, at, end, classes):
    """Where the address of mail that begins at `at` ends: name@host.part; `at` if none does."""
    stop = at
    while stop < end and classes[points[stop]] & (KEEP | IN_NAME):
        stop += 1
    if stop == at or stop + 1 >= end or points[stop] != 0x40 or not _in_host(points[stop + 1], classes):
        return at
    stop = _host_end(points, stop + 1, end, classes)
    parts = 0
    while stop + 1 < end and points[stop] == 0x2E and _in_host(points[stop + 1], classes):
        stop = _host_end(points, stop + 1, end, classes)
        parts += 1
    return stop if parts else at


@inner
def _host_end(points, at, end, classes):
    while at < end and _in_host(points[at], classes):
        at += 1
    return at


@inner
def _in_host(point, classes):
    return point == 0x2D or point == 0x5F or (classes[point] & KEEP) != 0
