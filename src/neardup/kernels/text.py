"""UTF-8 to normal form inside kernels: decode, NFC, keep letters, marks and numbers (docs/definitions.md, Normal form).

Almost every text is NFC already, which one table bit a code point shows; only the stretches around a code point with
that bit are decomposed, reordered and composed (Unicode Standard Annex #15), all from the frozen Unicode 16 tables.
Input bytes must be valid UTF-8: Python's own encoder made them, so nothing is checked again here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.hashing import read64
from neardup.kernels.inner import inner
from neardup.kernels.ranges import first_not_below
from neardup.tables.unicode import KEEP, NFC_CHECK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.tables.unicode import UnicodeTable

_U32 = np.uint32
_NOT_ASCII = np.uint64(0x8080808080808080)
"""Of eight bytes the bits that those above 0x7F have."""

HANGUL_S, HANGUL_L, HANGUL_V, HANGUL_T = 0xAC00, 0x1100, 0x1161, 0x11A7
HANGUL_L_COUNT, HANGUL_V_COUNT, HANGUL_T_COUNT = 19, 21, 28
HANGUL_S_COUNT = HANGUL_L_COUNT * HANGUL_V_COUNT * HANGUL_T_COUNT

MAX_GROWTH = 5
"""UTF-8 bytes of a normal form per byte of its text at most: 3 by NFC (U+1D160), 1.5 by folding (U+023A)."""


class TextTables(NamedTuple):
    """The frozen Unicode tables in the order kernels take them; see `neardup.tables.unicode.UnicodeTable`."""

    classes: NDArray[np.uint8]
    lower: NDArray[np.uint32]
    ccc: NDArray[np.uint8]
    decomp_keys: NDArray[np.uint32]
    decomp_start: NDArray[np.int32]
    decomp_values: NDArray[np.uint32]
    compose_keys: NDArray[np.uint64]
    compose_values: NDArray[np.uint32]


def text_tables(table: UnicodeTable) -> TextTables:
    """The kernels' view of `table`; shares its arrays."""
    return TextTables(*(getattr(table, name) for name in TextTables._fields))


@inner
def decode_one(data, at):
    """(code point as uint32, next position) of the UTF-8 sequence at `data[at]` (uint8)."""
    lead = data[at]
    if lead < 0x80:
        return _U32(lead), at + 1
    if lead < 0xE0:
        return (_U32(lead & 0x1F) << _U32(6)) | _U32(data[at + 1] & 0x3F), at + 2
    if lead < 0xF0:
        high = (_U32(lead & 0x0F) << _U32(12)) | (_U32(data[at + 1] & 0x3F) << _U32(6))
        return high | _U32(data[at + 2] & 0x3F), at + 3
    high = (_U32(lead & 0x07) << _U32(18)) | (_U32(data[at + 1] & 0x3F) << _U32(12))
    return high | (_U32(data[at + 2] & 0x3F) << _U32(6)) | _U32(data[at + 3] & 0x3F), at + 4


@inner
def encode_one(point, out, at):
    """Writes `point` as UTF-8 at `out[at]`; returns the next position."""
    if point < 0x80:
        out[at] = np.uint8(point)
        return at + 1
    if point < 0x800:
        out[at] = np.uint8(0xC0 | (point >> 6))
        out[at + 1] = np.uint8(0x80 | (point & 0x3F))
        return at + 2
    if point < 0x10000:
        out[at] = np.uint8(0xE0 | (point >> 12))
        out[at + 1] = np.uint8(0x80 | ((point >> 6) & 0x3F))
        out[at + 2] = np.uint8(0x80 | (point & 0x3F))
        return at + 3
    out[at] = np.uint8(0xF0 | (point >> 18))
    out[at + 1] = np.uint8(0x80 | ((point >> 12) & 0x3F))
    out[at + 2] = np.uint8(0x80 | ((point >> 6) & 0x3F))
    out[at + 3] = np.uint8(0x80 | (point & 0x3F))
    return at + 4


@inner
def _decompose(point, tables, out, at):
    """Appends the full canonical decomposition of `point` to `out`; returns the next position."""
    if HANGUL_S <= point < HANGUL_S + HANGUL_S_COUNT:
        index = np.int64(point) - HANGUL_S
        out[at] = HANGUL_L + index // (HANGUL_V_COUNT * HANGUL_T_COUNT)
        out[at + 1] = HANGUL_V + (index % (HANGUL_V_COUNT * HANGUL_T_COUNT)) // HANGUL_T_COUNT
        if index % HANGUL_T_COUNT == 0:
            return at + 2
        out[at + 2] = HANGUL_T + index % HANGUL_T_COUNT
        return at + 3
    slot = first_not_below(tables.decomp_keys, point)
    if slot < len(tables.decomp_keys) and tables.decomp_keys[slot] == point:
        for i in range(tables.decomp_start[slot], tables.decomp_start[slot + 1]):
            out[at] = tables.decomp_values[i]
            at += 1
        return at
    out[at] = point
    return at + 1


@inner
def _compose_pair(first, second, tables):
    """The primary composite of two code points, or 0."""
    a, b = np.int64(first), np.int64(second)
    if HANGUL_L <= a < HANGUL_L + HANGUL_L_COUNT and HANGUL_V <= b < HANGUL_V + HANGUL_V_COUNT:
        return _U32(HANGUL_S + ((a - HANGUL_L) * HANGUL_V_COUNT + (b - HANGUL_V)) * HANGUL_T_COUNT)
    is_lv = HANGUL_S <= a < HANGUL_S + HANGUL_S_COUNT and (a - HANGUL_S) % HANGUL_T_COUNT == 0
    if is_lv and HANGUL_T < b < HANGUL_T + HANGUL_T_COUNT:
        return _U32(a + (b - HANGUL_T))
    pair = (np.uint64(first) << np.uint64(32)) | np.uint64(second)
    slot = first_not_below(tables.compose_keys, pair)
    if slot < len(tables.compose_keys) and tables.compose_keys[slot] == pair:
        return tables.compose_values[slot]
    return _U32(0)


@inner
def _sort_marks(points, start, end, ccc):
    """Sorts `points[start:end]` by combining class, stably, by counting: there are 256 classes at most."""
    marks = np.empty(end - start, np.int64)
    firsts = np.zeros(257, np.int64)
    for i in range(start, end):
        marks[i - start] = points[i]
        firsts[np.int64(ccc[points[i]]) + 1] += 1
    for k in range(256):
        firsts[k + 1] += firsts[k]
    for mark in marks:
        k = np.int64(ccc[mark])
        points[start + firsts[k]] = mark
        firsts[k] += 1


@inner
def _reorder(points, start, end, ccc):
    """Canonical ordering in place: combining marks side by side stably sorted by combining class.

    Insertion sort is enough for text; more than 30 (an attack) are sorted in linear time.
    """
    at = start
    while at < end:
        if ccc[points[at]] == 0:
            at += 1
            continue
        stop = at
        while stop < end and ccc[points[stop]] != 0:
            stop += 1
        if stop - at > 30:
            _sort_marks(points, at, stop, ccc)
        else:
            for i in range(at + 1, stop):
                mark, j = points[i], i
                while j > at and ccc[points[j - 1]] > ccc[mark]:
                    points[j] = points[j - 1]
                    j -= 1
                points[j] = mark
        at = stop


@inner
def _compose(points, start, end, tables):
    """Canonical composition in place of `points[start:end]`; returns the new end."""
    starter = -1
    last_class = 0
    out = start
    for i in range(start, end):
        point = points[i]
        ccc = np.int64(tables.ccc[point])
        blocked = starter < 0 or (last_class >= ccc and out - starter > 1)
        if not blocked:
            composite = _compose_pair(points[starter], point, tables)
            if composite != 0:
                points[starter] = composite
                continue
        if ccc == 0:
            starter = out
        last_class = ccc
        points[out] = point
        out += 1
    return out


@inner
def decode_nfc(data, start, end, tables, points):
    """Decodes `data[start:end]` into `points` (uint32) in NFC; returns how many code points.

    `points` must hold 4 · (end − start) + 4 values: no code point decomposes into more than four.
    """
    n = 0
    at = start
    pending = -1  # where the stretch to normalise starts in `points`, or -1
    while at < end:
        while pending < 0 and at + 8 <= end and read64(data, at) & _NOT_ASCII == 0:
            _widen(data[at : at + 8], points[n : n + 8])
            at += 8
            n += 8
        if at == end:
            break
        point, at = decode_one(data, at)
        if tables.classes[point] & NFC_CHECK:
            if pending < 0:
                # The code point before may compose with this one; earlier ones cannot.
                pending = max(n - 1, 0)
                if n > 0:
                    n = _decompose(points[n - 1], tables, points, n - 1)
            n = _decompose(point, tables, points, n)
            continue
        if pending >= 0:
            _reorder(points, pending, n, tables.ccc)
            n = _compose(points, pending, n, tables)
            pending = -1
        points[n] = point
        n += 1
    if pending >= 0:
        _reorder(points, pending, n, tables.ccc)
        n = _compose(points, pending, n, tables)
    return n


@inner
def _widen(ascii, out):
    """Writes eight bytes as code points: of views, whose indexes need no check, the compiler makes one instruction."""
    for i in range(8):
        out[i] = ascii[i]


@inner
def normal_form(data, start, end, tables, fold, points, out, out_at):
    """Writes the normal form of the UTF-8 text `data[start:end]` (uint8), as UTF-8, to `out[out_at:]` (uint8).

    Returns the next position. One pass when the text is NFC already and case is kept, else two. `points` is scratch
    as for `decode_nfc`.
    """
    o = out_at
    at = start
    while at < end and not fold:
        byte = data[at]
        if byte < 0x80:
            # Written always, counted only if kept: a branch here would be mispredicted at every word's end.
            out[o] = byte
            o += np.int64(tables.classes[byte] & KEEP)
            at += 1
            continue
        point, at = decode_one(data, at)
        flags = tables.classes[point]
        if flags & NFC_CHECK:
            break
        if flags & KEEP:
            o = encode_one(point, out, o)
    else:
        if not fold:
            return o
    count = decode_nfc(data, start, end, tables, points)
    return _kept(points, count, tables, fold, out, out_at)


@inner
def _kept(points, count, tables, fold, out, at):
    """Writes the letters, marks and numbers among `points[:count]` to `out[at:]`; returns the next position."""
    for i in range(count):
        point = points[i]
        if tables.classes[point] & KEEP:
            at = encode_one(tables.lower[point] if fold else point, out, at)
    return at


@inner
def is_ascii(data, start, end):
    """Whether `data[start:end]` (uint8) has no byte above 0x7F, eight at a time."""
    seen = np.uint64(0)
    at = start
    while at + 8 <= end:
        seen |= read64(data, at)
        at += 8
    for i in range(at, end):
        seen |= np.uint64(data[i])
    return seen & _NOT_ASCII == 0


@inner
def decode(data, start, end, points):
    """Decodes `data[start:end]` into `points` (uint32); returns (how many, whether any is above U+FFFF)."""
    n = 0
    at = start
    astral = False
    while at < end:
        point, at = decode_one(data, at)
        points[n] = point
        astral |= point > 0xFFFF
        n += 1
    return n, astral
