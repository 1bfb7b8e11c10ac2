"""A text to its normal form, with figures, addresses and ids, quoted lines and footers marked (native/marks.h).

The slow counterpart, by regular expressions, is neardup.oracle.kind_marks; docs/definitions.md (Kinds) defines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.tables.unicode import UnicodeTable

FIGURE, BEGINS, TOKEN, POINT = 1, 2, 4, 32
"""Flags of a code point of a normal form, beside those of its line: in a figure; the first of a figure; in a token;
after a sign of a number that was left out.
"""

_mark_text = Kernel("mark_text")
_mark_figure_words = Kernel("mark_figure_words")


class SignTables(NamedTuple):
    """Classes of code points and figure words, in the order in which kernels take them (tables/signs.py)."""

    classes: NDArray[np.uint8]
    words: NDArray[np.uint8]
    lengths: NDArray[np.uint32]


class MarkScratch(NamedTuple):
    """Working memory for texts of up to s bytes, whose normal forms have up to n code points.

    points   4 · s + 4: the text in NFC
    classes  n + 1: the class of each of these code points
    lines    `LINE_ROWS` rows, each with a value for every line and one more
    starts   n + 1: where each word begins in `points`
    maybe    n + 1: words
    chosen   n: words
    """

    points: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    lines: NDArray[np.int64]
    starts: NDArray[np.int64]
    maybe: NDArray[np.int64]
    chosen: NDArray[np.int64]


class MarkedForm(NamedTuple):
    """Room for a marked normal form of n code points.

    form     n: code points
    flags    n: flags of each
    indexes  n + 1: for each word, its start in the lower half, the number of digits before it in the upper half
    """

    form: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    indexes: NDArray[np.int64]


def mark_text(
    data: NDArray[np.uint8],
    tables: UnicodeTable,
    sign_tables: SignTables,
    scratch: MarkScratch,
    out: MarkedForm,
) -> tuple[int, int]:
    """Writes the normal form of the UTF-8 text `data` to `out`, with all marks but those of figure words, which
    `mark_figure_words` sets.

    `out` has room for one and a half code points a byte, and one more. Returns (how many code points, how many words).
    Linear.
    """
    words = np.empty(1, np.int64)
    return _mark_text(data, tables, sign_tables, scratch, out, words), int(words[0])


def mark_figure_words(text: MarkedForm, words: int, sign_tables: SignTables) -> None:
    """Marks as figures the words of `text` without a digit that stand for figures: months, numerals. `words`: how many
    words `text` has.
    """
    _mark_figure_words(text, words, sign_tables)
