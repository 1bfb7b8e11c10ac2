"""A text to its normal form with marks, inside kernels: what of it is figures, addresses and ids, quoted, a footer.

The slow counterpart, by regular expressions, is neardup.oracle.kind_marks; docs/definitions.md (Kinds) defines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.addresses import address_end
from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.quoted_lines import END, LOW, START, WHOSE, find_origins, split_lines
from neardup.kernels.text import decode_nfc
from neardup.tables import signs

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEEP, DIGIT, BREAK, IN_NAME = signs.KEEP, signs.DIGIT, signs.BREAK, signs.IN_NAME
SHORTEST_ID, LONGEST_WORD, LONGEST_SUFFIX = signs.SHORTEST_ID, signs.LONGEST_WORD, signs.LONGEST_SUFFIX
LONGEST_FIGURE_WORD = signs.LONGEST_FIGURE_WORD
SLOT_FACTOR, SLOT_SHIFT = signs.SLOT_FACTOR, signs.SLOT_SHIFT
FIGURE, BEGINS, TOKEN, POINT = 1, 2, 4, 32
"""Flags of a code point of a normal form, beside those of its line: in a figure; its first; in a token; before it a
sign of a number was left out.
"""
_U8 = np.uint8
_U32 = np.uint32
_U64 = np.uint64
"""As in kernels/gram_sets.py."""
_INDEX = (1 << 32) - 1
"""The bits of an index into a form; above them the digits before it are counted."""
_TO_COUNT = 32 - DIGIT.bit_length() + 1


class SignTables(NamedTuple):
    """Classes of code points and figure words, in the order that kernels take them (tables/signs.py)."""

    classes: NDArray[np.uint8]
    words: NDArray[np.uint8]
    lengths: NDArray[np.uint32]


class MarkScratch(NamedTuple):
    """Working memory for texts of up to s bytes, whose normal forms have up to n code points.

    points   4 · s + 4: the text in NFC
    lines    `LINE_ROWS` rows, a line and one more each
    starts   n + 1: where each word begins in `points`
    chosen   n: words
    """

    points: NDArray[np.uint32]
    lines: NDArray[np.int64]
    starts: NDArray[np.int64]
    chosen: NDArray[np.int64]


class MarkedForm(NamedTuple):
    """Room for a marked normal form of n code points.

    form     n: code points
    flags    n: flags of each
    indexes  n + 1: where each word begins, in the lower half; in the upper one, how many digits are before it
    """

    form: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    indexes: NDArray[np.int64]


@njit(cache=True, nogil=True)
def mark_text(data, tables, sign_tables, scratch, out):
    """Writes the normal form of the UTF-8 text `data` (uint8) to `out` (MarkedForm), with its marks, but for those of
    figure words: see `mark_figure_words`.

    `tables` as for `decode_nfc`, `sign_tables` SignTables; `out` has room for one and a half code points a byte, and
    one more. Returns how many code points there are, and how many words. Linear.
    """
    points, lines, starts = scratch.points, scratch.lines, scratch.starts
    form, flags, indexes = out.form, out.flags, out.indexes
    classes, figures = sign_tables.classes, sign_tables.words
    n = decode_nfc(data, 0, len(data), tables, points)
    words, breaks, size = _scan(points, n, classes, form, starts, indexes, lines)
    count = split_lines(points, n, classes, lines, breaks)
    find_origins(points, classes, lines, count)
    has_at = _U8(0)
    for byte in data:
        has_at |= _U8(byte == 0x40)
    word = 0
    for line in range(count):
        word = _mark_line(
            points, lines[LOW, line], lines[END, line], lines[START, line], word, words, starts, indexes, classes,
            figures, has_at != 0, _U8(lines[WHOSE, line]), flags, scratch.chosen,
        )  # fmt: skip
    return size, words


@njit(cache=True, nogil=True)
def mark_figure_words(text, words, sign_tables):
    """Marks the words of a MarkedForm of so many `words` that are figures though none has a digit: months, numerals."""
    form, flags, indexes = text
    lengths = sign_tables.lengths
    for word in range(words):
        at = indexes[word] & _INDEX
        size = (indexes[word + 1] & _INDEX) - at
        second, third = form[at + (size > 1)] & _U32(31), form[at + min(size - 1, 2)] & _U32(31)
        slot = signs_slot(form[at] & _U32(31), second, third, form[at + size - 1] & _U32(31))
        may_be = (size <= LONGEST_FIGURE_WORD) & (np.int64(lengths[slot]) >> min(size, 31) & 1 != 0)
        if may_be and not flags[at] & (FIGURE | TOKEN) and _is_figure_word(form, at, size, sign_tables.words):
            flags[at] |= _U8(BEGINS)
            for i in range(at, at + size):
                flags[i] |= _U8(FIGURE)


@inner
def _scan(points, n, classes, form, starts, indexes, lines):
    """Writes the normal form; where each word, a run of what is kept, begins in `points`, to `starts`, and to `indexes`
    where it does in the form, and how many digits are before it; and where each line breaks. Returns how many words
    and breaks there are, and the length of the form.

    Written always, counted only if it is so: a branch would be mispredicted at every word's end.
    """
    words = breaks = index = np.int64(0)
    before = np.int64(0)
    for at in range(n):
        point = points[at]
        kind = np.int64(classes[point])
        keep = kind & KEEP
        form[index & _INDEX] = point
        starts[words], indexes[words] = at, index
        words += keep & ~before
        lines[END, breaks] = at
        breaks += (kind // BREAK) & 1
        index += keep + ((kind & DIGIT) << _TO_COUNT)
        before = keep
    starts[words], indexes[words] = n, index
    return words, breaks, index & _INDEX


@inner
def _mark_line(
    points,
    low,
    end,
    start,
    word,
    words,
    starts,
    indexes,
    classes,
    figures,
    any_name,
    whose,
    flags,
    chosen,
):
    """Marks the line `points[start:end]`, which begins at `low` after white space, and whose first word is `word`;
    returns the first word behind it.

    A word is looked at more closely only if something may be to be said of it: few are.
    """
    first = word
    while word < words and starts[word] < end:
        word += 1
    flags[indexes[first] & _INDEX : indexes[word] & _INDEX] = whose
    has_name = False
    if any_name:
        for at in range(low, end):
            has_name |= points[at] == 0x40
    special = _special(points, first, word, end, starts, indexes, has_name, chosen)
    done = low  # up to where all is marked
    for i in range(special):
        each = chosen[i]
        at, index = starts[each], indexes[each] & _INDEX
        stop = at + (indexes[each + 1] & _INDEX) - index
        if has_name:
            done = _mark_names(points, start, done, at, end, classes, whose, flags, index)
        if at < done < stop:
            at, index = done, index + done - at
        while done < stop:  # once, but for what an address or a number leaves of a word
            done, index = _mark_word(
                points, start, at, stop, end, classes, figures, has_name, whose, flags, index
            )
            at = stop = done
            while done > low and stop < end and classes[points[done - 1]] & classes[points[stop]] & KEEP:
                stop += 1
    return word


@inner
def _special(points, first, last, end, starts, indexes, has_name, chosen):
    """Writes to `chosen` which words from `first` on and before `last` may have a digit, be an address or a random
    string; returns how many.
    """
    count = np.int64(0)
    begins = starts[first:last]
    ahead = indexes[first : last + 1]
    for each in range(last - first):
        at, rest = begins[each], ahead[each + 1] - ahead[each]
        size = rest & _INDEX
        is_web = (points[_U64(at)] & points[_U64(at + 1)] & _U32(23) == 23) & (size == 3)
        is_scheme = points[_U64(min(at + size, end - 1))] == 0x3A
        chosen[_U64(count)] = first + each
        count += np.int64(has_name | is_web | is_scheme | (rest > _INDEX) | (size > LONGEST_WORD))
    return count


@inner
def _mark_names(points, start, at, stop, end, classes, whose, flags, index):
    """Marks what from `at` on, before `stop`, no letter or digit, begins an address; returns where all is marked."""
    while at < stop:
        after = at
        if classes[points[at]] & IN_NAME:
            after = address_end(points, start, at, end, classes, True)
            _flag(points, at, after, classes, whose | _U8(TOKEN), flags, index)
        at = max(after, at + 1)
    return at


@inner
def _flag(points, at, stop, classes, flag, flags, index):
    """Flags what is kept of `points[at:stop]`, which is in the form from `index` on; returns where that ends."""
    for i in range(at, stop):
        if classes[points[i]] & KEEP:
            flags[index] = flag
            index += 1
    return index


@inner
def signs_slot(first, second, third, last):
    """See `neardup.tables.signs.letters_slot`."""
    letters = first | (second << _U32(5)) | (third << _U32(10)) | (last << _U32(15))
    return _U32(letters * _U32(SLOT_FACTOR)) >> _U32(SLOT_SHIFT)


@inner
def _mark_word(points, start, at, stop, end, classes, words, has_name, whose, flags, index):
    """Marks the word or number `points[at:stop]`, in the form from `index` on, or the address that begins with it;
    returns where that ends, and where in the form.
    """
    after = address_end(points, start, at, end, classes, has_name)
    if after > at:
        return after, _flag(points, at, after, classes, whose | _U8(TOKEN), flags, index)
    size, digits, leading, is_ascii = stop - at, 0, 0, True
    for i in range(at, stop):
        is_digit = (classes[points[i]] & DIGIT) != 0
        leading += np.int64(is_digit and leading == i - at)
        digits += np.int64(is_digit)
        is_ascii &= points[i] < 0x80
    if digits == size:
        return _mark_number(points, at, stop, end, classes, whose, flags, index)
    flag = whose
    is_suffixed = digits > 0 and leading == digits and size - digits <= LONGEST_SUFFIX
    if is_suffixed or (digits == 0 and _is_figure_word(points, at, size, words)):
        flag |= _U8(FIGURE)
    elif is_ascii and (size > LONGEST_WORD or (size >= SHORTEST_ID and digits > 0)):
        flag |= _U8(TOKEN)
    flags[index : index + size] = flag
    if flag & FIGURE:
        flags[index] |= _U8(BEGINS)
    return stop, index + size


@inner
def _mark_number(points, at, stop, end, classes, whose, flags, index):
    """Marks the digits from `at` on and what follows them of their number; see `_mark_word`."""
    while stop + 1 < end and _joins(points[stop]) and classes[points[stop + 1]] & DIGIT:
        stop += 1
        while stop < end and classes[points[stop]] & DIGIT:
            stop += 1
    flag = whose | _U8(FIGURE | BEGINS)
    for i in range(at, stop):
        if classes[points[i]] & DIGIT:
            flags[index] = flag
            flag = whose | _U8(FIGURE)
            index += 1
        elif not _groups(points, i, stop, classes):
            flag |= _U8(POINT)
    return stop, index


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
