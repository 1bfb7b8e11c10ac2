"""What kinds are computed from, of many pairs of texts: the kernels' rows, with their working memory."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.gram_sets import GramScratch
from neardup.kernels.marks import MarkScratch, SignTables, mark_text
from neardup.kernels.pairs import COLUMNS, EVERYTHING, Limits, PairScratch, measure_pairs
from neardup.kernels.pairs import own_words as kernel_own_words
from neardup.kernels.quoted_lines import LINE_ROWS
from neardup.kernels.text import TextTables, text_tables
from neardup.tables import signs
from neardup.tables import unicode as unicode_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_AT_ONCE: Final = 1 << 22
"""Bytes of texts that are measured in one call, unless a pair has more."""
_CR: Final = 0x0D
_ABOVE_ASCII: Final = 0x80
_BREAKS: Final = (0x85, 0xA8, 0xA9)
"""The last byte of what ends a line, in UTF-8, but for the controls up to CR."""


@functools.cache
def _tables() -> tuple[TextTables, SignTables]:
    return text_tables(unicode_table.load()), SignTables(
        signs.classes(), signs.figure_words(), signs.figure_word_lengths()
    )


def measured(
    texts: Sequence[bytes],
    others: Sequence[bytes],
    limits: Limits = EVERYTHING,
    known: Sequence[tuple[int, int]] = (),
) -> Iterator[list[int]]:
    """The row of `measure_pairs` of each text with the other one, all of them valid UTF-8, in their order; with
    `limits` (and what is `known` of each) only what decides. About 50 to 100 µs for two texts of 4 KB.
    """
    first = 0
    while first < len(texts):
        last, size = first + 1, len(texts[first]) + len(others[first])
        while last < len(texts) and (size := size + len(texts[last]) + len(others[last])) <= _AT_ONCE:
            last += 1
        overlaps = np.zeros((last - first, 2), np.int64)
        if known:
            overlaps[:] = known[first:last]
        yield from _measured(texts[first:last], others[first:last], limits, overlaps).tolist()
        first = last


def _measured(
    texts: Sequence[bytes], others: Sequence[bytes], limits: Limits, known: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those of texts that are laid side by side, each once: pairs of one text follow one another."""
    index_of = {text: at for at, text in enumerate(dict.fromkeys([*others, *texts]))}
    second = np.array([index_of[text] for text in others], np.int64)
    order = np.argsort(second, kind="stable")
    first = np.array([index_of[text] for text in texts], np.int64)
    sizes = np.array([len(text) for text in index_of], np.int64)
    joined = b"".join(index_of)
    out = np.empty((len(texts), COLUMNS), np.int64)
    data = np.frombuffer(joined, np.uint8)
    scratch = _scratch(int(sizes.max()), _most_lines(data))
    rows = np.empty_like(out)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    measure_pairs(data, offsets, first[order], second[order], known[order], limits, *_tables(), scratch, rows)
    out[order] = rows
    return out


def _most_lines(data: NDArray[np.uint8]) -> int:
    """How many lines there are at most."""
    count = np.count_nonzero(data <= _CR)
    if (data & _ABOVE_ASCII).any():
        count += sum(np.count_nonzero(data == last) for last in _BREAKS)
    return 1 + int(count)


def _scratch(size: int, lines: int) -> PairScratch:
    """For texts of up to `size` bytes, whose normal forms have one and a half times as many code points at most, and so
    many lines.
    """
    points, slots = 3 * size // 2 + 1, 64
    while slots < 4 * points:
        slots *= 2
    return PairScratch(
        _mark_scratch(size, lines),
        np.empty(points, np.uint32),
        np.empty(points, np.uint32),
        np.empty(points, np.uint8),
        np.empty(points, np.uint8),
        np.empty(points, np.uint32),
        np.empty(points, np.uint32),
        GramScratch(
            np.empty(2 * points, np.uint64),
            np.empty(2 * points, np.int32),
            np.empty(2 * points, np.uint8),
            np.empty(slots, np.int32),
        ),
    )


def _mark_scratch(size: int, lines: int) -> MarkScratch:
    words = 3 * size // 2 + 1
    return MarkScratch(
        np.empty(4 * size + 4, np.uint32),
        np.empty((LINE_ROWS, lines), np.int64),
        *(np.empty(words, np.int64) for _ in range(3)),
    )


class Marked(NamedTuple):
    """A normal form as code points, and the flags of each (kernels/marks.py)."""

    form: NDArray[np.uint32]
    flags: NDArray[np.uint8]


def marked(text: bytes) -> Marked:
    """The marked normal form of one text."""
    points = 3 * len(text) // 2 + 1
    form, flags = np.empty(points, np.uint32), np.empty(points, np.uint8)
    data = np.frombuffer(text, np.uint8)
    n = mark_text(data, *_tables(), _mark_scratch(len(text), _most_lines(data)), form, flags)
    return Marked(form[:n], flags[:n])


def own_words(text: bytes) -> bytes:
    """The own words of one text, as UTF-8; the whole normal form, if none are."""
    form, flags = marked(text)
    own = np.empty(len(form), np.uint32)
    return own[: kernel_own_words(form, flags, False, own)].tobytes().decode("utf-32-le").encode()
