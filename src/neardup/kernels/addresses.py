"""Where addresses end, of the web and of mail, inside kernels (docs/definitions.md, Kinds).

By the signs of which they are made; the slow counterpart, by regular expressions, is neardup.oracle.kind_marks.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.inner import inner
from neardup.tables import signs

KEEP, IN_NAME, VISIBLE = signs.KEEP, signs.IN_NAME, signs.VISIBLE
_U32 = np.uint32


@inner
def address_end(points, start, at, end, classes, has_name):
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
