"""What a kind is computed from, of two marked normal forms (native/pairs.h; docs/definitions.md, Kinds).

Whole numbers: sizes of sets of q-grams and what they share, passages, what is quoted from the other. The slow
counterpart is neardup.oracle.kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.gram_sets import GramScratch
    from neardup.kernels.marks import MarkedForm, MarkScratch, SignTables
    from neardup.tables.unicode import UnicodeTable

(
    SAME, LIKENESS, PASSAGES, PLAIN, WITH_SIGNS, BORROWED_A, BORROWED_B, COLUMNS,
) = 0, 1, 4, 6, 9, 12, 16, 20  # fmt: skip
"""Where in a row of measures what begins; see `measure_pairs`."""
SAME_TEXT, OTHER_NUMBERS, BOTH_EMPTY, ENOUGH = 1, 2, 3, 4


class PairScratch(NamedTuple):
    """Working memory for texts of up to s bytes and normal forms of up to n code points.

    mark            s: `MarkScratch`
    a, b            n: `MarkedForm`
    own_a, own_b    n: own words
    grams           n: `GramScratch`
    """

    mark: MarkScratch
    a: MarkedForm
    b: MarkedForm
    own_a: NDArray[np.uint32]
    own_b: NDArray[np.uint32]
    grams: GramScratch


class Limits(NamedTuple):
    """Up to where what is asked for is to be known (docs/definitions.md, Kinds); all of it: `EVERYTHING`."""

    enough: float
    form_below: float
    alike: float
    spread: float
    form_share: float
    passage: int
    spread_run: int


EVERYTHING = Limits(2.0, 2.0, 2.0, -1.0, -1.0, -1, 1 << 62)
"""What no two texts reach, and all do."""

_measure_pairs = Kernel("measure_pairs")
_own_words = Kernel("own_words")


def measure_pairs(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    known: NDArray[np.int64],
    fold_case: bool,
    limits: Limits,
    tables: UnicodeTable,
    sign_tables: SignTables,
    scratch: PairScratch,
    out: NDArray[np.int64],
) -> None:
    """Fills a row of `out`, of `COLUMNS`, for each pair of texts.

    data, offsets   text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    first, second   the texts of each pair; one that is the second of several pairs in a row is marked once
    known           two of each pair: max(|A|, |B|) and |A ∩ B| of the short q-grams of the normal forms, or 0
    fold_case       whether these are lower-cased once they are marked
    limits          `Limits`: what cannot change a kind then is left 0
    tables, sign_tables   as for `mark_text`
    scratch         PairScratch for the largest text

    SAME            0: the normal forms differ; `SAME_TEXT`: they are one; `OTHER_NUMBERS`: they are, but perhaps not
                    the numbers in them; `BOTH_EMPTY`; `ENOUGH`: they are as alike as that, or as `form_below`, and one
                    has no such passage. Where it is not 0 the rest says nothing
    LIKENESS        |A|, |B|, |A ∩ B| of the own words
    PASSAGES        the longest passage of its own of either
    PLAIN, WITH_SIGNS   as likeness, by short q-grams, of the own words and of these with signs for figures
    BORROWED_A, BORROWED_B   code points of its normal form; those that the other has; of these quoted; in footers

    Linear in the texts.
    """
    _measure_pairs(data, offsets, first, second, known, fold_case, limits, tables, sign_tables, scratch, out)


def own_words(form: NDArray[np.uint32], flags: NDArray[np.uint8], out: NDArray[np.uint32]) -> int:
    """Writes the own words of a marked normal form to `out`; returns how many.

    All of it, if none were its own.
    """
    return _own_words(form, flags, out)
