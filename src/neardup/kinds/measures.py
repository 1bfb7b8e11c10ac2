"""The measures that kinds are computed from, for many pairs of texts: calls the kernels, and keeps their working
memory.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.gram_sets import GramScratch
from neardup.kernels.marks import MarkedForm, MarkScratch, SignTables, mark_figure_words, mark_text
from neardup.kernels.pairs import COLUMNS, EVERYTHING, Limits, PairScratch, measure_pairs
from neardup.kernels.pairs import own_words as kernel_own_words
from neardup.kernels.quoted_lines import LINE_ROWS, most_lines
from neardup.kernels.text import most_points
from neardup.tables import signs
from neardup.tables import unicode as unicode_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_AT_ONCE: Final = 1 << 22
"""The most bytes of texts that are measured in one call, unless one pair has more."""
_HELD_BYTES: Final = 1 << 16
"""Working memory is kept for texts of up to so many bytes; it takes some 10 MB."""


@functools.cache
def _tables() -> tuple[unicode_table.UnicodeTable, SignTables]:
    return unicode_table.load(), SignTables(
        signs.classes(), signs.figure_words(), signs.figure_word_lengths()
    )


def measured(
    texts: Sequence[bytes],
    others: Sequence[bytes],
    limits: Limits = EVERYTHING,
    known: Sequence[tuple[int, int]] = (),
    *,
    fold_case: bool = False,
) -> Iterator[list[int]]:
    """The rows of `measure_pairs` for each pair `texts[i]`, `others[i]`, all valid UTF-8, in their order. With
    `limits`, and with the overlaps `known`, only what decides is computed. `fold_case`: normal forms are lower-cased.
    About 50 to 100 µs for two texts of 4 KB.
    """
    first = 0
    while first < len(texts):
        last, size = first + 1, len(texts[first]) + len(others[first])
        while last < len(texts) and (size := size + len(texts[last]) + len(others[last])) <= _AT_ONCE:
            last += 1
        overlaps = np.zeros((last - first, 2), np.int64)
        if known:
            overlaps[:] = known[first:last]
        yield from _measured(texts[first:last], others[first:last], limits, overlaps, fold_case).tolist()
        first = last


def _measured(
    texts: Sequence[bytes],
    others: Sequence[bytes],
    limits: Limits,
    known: NDArray[np.int64],
    fold_case: bool,
) -> NDArray[np.int64]:
    """The rows of some pairs. Each text object is copied into one array once, and pairs with the same other text are
    measured one after another.
    """
    objects = {id(text): text for text in (*others, *texts)}
    laid = objects.values()
    index_of = {key: at for at, key in enumerate(objects)}
    second = np.array([index_of[id(text)] for text in others], np.int64)
    order = np.argsort(second, kind="stable")
    first = np.array([index_of[id(text)] for text in texts], np.int64)
    offsets = np.zeros(len(laid) + 1, np.int64)
    np.cumsum([len(text) for text in laid], out=offsets[1:])
    data = np.frombuffer(b"".join(laid), np.uint8)
    scratch = _scratch(int(np.diff(offsets).max()), most_lines(data))
    rows, out = np.empty((2, len(texts), COLUMNS), np.int64)
    which = first[order], second[order], known[order]
    measure_pairs(data, offsets, *which, fold_case, limits, *_tables(), scratch, rows)
    out[order] = rows
    return out


class _Held(threading.local):
    """The working memory of a thread, for texts of up to `size` bytes and so many `lines`."""

    size = lines = 1
    scratch: PairScratch | None = None


_held: Final = _Held()


def _scratch(size: int, lines: int) -> PairScratch:
    """Working memory for texts of up to `size` bytes and so many `lines`; kept for the next call unless it is large."""
    if _held.scratch is None or size > _held.size or lines > _held.lines:
        if max(size, lines) > _HELD_BYTES:
            return _new_scratch(size, lines)
        _held.size, _held.lines = (
            1 << (most - 1).bit_length() for most in (max(size, _held.size), max(lines, _held.lines))
        )
        _held.scratch = _new_scratch(_held.size, _held.lines)
    return _held.scratch


def _new_scratch(size: int, lines: int) -> PairScratch:
    points, slots = most_points(size), 64
    while slots < 2 * points:
        slots *= 2
    return PairScratch(
        _mark_scratch(size, lines),
        _marked_form(size),
        _marked_form(size),
        np.empty(points, np.uint32),
        np.empty(points, np.uint32),
        GramScratch(
            np.empty(2 * points, np.uint32),
            np.empty(2 * points, np.int32),
            np.empty(2 * points, np.int32),
            np.empty(2 * points, np.uint8),
            np.empty(slots, np.int32),
            np.empty(slots // 4, np.uint64),
        ),
    )


def _mark_scratch(size: int, lines: int) -> MarkScratch:
    words = most_points(size)
    return MarkScratch(
        np.empty(4 * size + 4, np.uint32),
        np.empty(words, np.uint8),
        np.empty((LINE_ROWS, lines), np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
    )


def _marked_form(size: int) -> MarkedForm:
    points = most_points(size)
    return MarkedForm(np.empty(points, np.uint32), np.empty(points, np.uint8), np.empty(points, np.int64))


class Marked(NamedTuple):
    """A normal form as code points, and the flags of each (kernels/marks.py)."""

    form: NDArray[np.uint32]
    flags: NDArray[np.uint8]


def marked(text: bytes) -> Marked:
    """The marked normal form of one text."""
    out, data = _marked_form(len(text)), np.frombuffer(text, np.uint8)
    tables, sign_tables = _tables()
    n, words = mark_text(data, tables, sign_tables, _mark_scratch(len(text), most_lines(data)), out)
    mark_figure_words(out, words, sign_tables)
    return Marked(out.form[:n], out.flags[:n])


def own_words(text: bytes) -> bytes:
    """The own words of one text, as UTF-8; the whole normal form if it has none."""
    form, flags = marked(text)
    own = np.empty(len(form), np.uint32)
    return own[: kernel_own_words(form, flags, own)].tobytes().decode("utf-32-le").encode()
