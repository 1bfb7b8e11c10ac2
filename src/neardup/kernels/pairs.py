"""The measures of two marked normal forms that a kind is computed from (native/pairs.h; docs/definitions.md, Kinds).

They are whole numbers: sizes and overlaps of sets of q-grams, lengths of passages, amounts of quoted text. The slow
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
    DECIDED, LIKENESS, PASSAGES, PLAIN, WITH_SIGNS, BORROWED_A, BORROWED_B, COLUMNS,
) = 0, 1, 4, 6, 9, 12, 16, 20  # fmt: skip
"""The columns of a row of measures; see `measure_pairs`."""
SAME_TEXT, OTHER_NUMBERS, BOTH_EMPTY, ENOUGH = 1, 2, 3, 4


class PairScratch(NamedTuple):
    """Working memory for texts of up to s bytes and normal forms of up to n code points.

    mark            `MarkScratch` for s and n
    a, b            `MarkedForm` of n code points
    own_a, own_b    n: own words
    grams           `GramScratch` for n
    """

    mark: MarkScratch
    a: MarkedForm
    b: MarkedForm
    own_a: NDArray[np.uint32]
    own_b: NDArray[np.uint32]
    grams: GramScratch


class Limits(NamedTuple):
    """The limits beyond which a measure cannot change the kind (docs/definitions.md, Kinds) and need not be computed;
    `EVERYTHING` has all computed.
    """

    enough: float
    form_below: float
    alike: float
    spread: float
    form_share: float
    passage: int
    spread_run: int


EVERYTHING = Limits(2.0, 2.0, 2.0, -1.0, -1.0, -1, 1 << 62)
"""Limits that no two texts reach, or that all do, so that nothing is skipped."""

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
    """Fills a row of `out`, of `COLUMNS` values, for each pair of texts.

    data, offsets   text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    first, second   the texts of each pair; a text that is the second of several successive pairs is marked only once
    known           two values for each pair: max(|A|, |B|) and |A ∩ B| by short q-grams of the normal forms, or 0
    fold_case       whether the normal forms are lower-cased after marking
    limits          `Limits`: measures that cannot change a kind are left 0
    tables, sign_tables   as for `mark_text`
    scratch         PairScratch for the largest text

    DECIDED         why the other columns are not needed, and mean nothing; 0: they are. `SAME_TEXT`: the normal forms
                    are equal; `OTHER_NUMBERS`: they are equal, but perhaps not the numbers in the texts; `BOTH_EMPTY`;
                    `ENOUGH`: their likeness reaches `limits.enough`, or `limits.form_below` if one has no passage of
                    length `limits.passage`
    LIKENESS        |A|, |B|, |A ∩ B| of the own words
    PASSAGES        for each text, its longest passage that the other does not have
    PLAIN, WITH_SIGNS   as LIKENESS, by short q-grams: of the own words, and of these with a sign for each figure
    BORROWED_A, BORROWED_B   code points of its normal form; how many the other has; of these, quoted; in footers

    Linear in the texts.
    """
    _measure_pairs(data, offsets, first, second, known, fold_case, limits, tables, sign_tables, scratch, out)


def own_words(form: NDArray[np.uint32], flags: NDArray[np.uint8], out: NDArray[np.uint32]) -> int:
    """Writes the own words of a marked normal form to `out`; returns how many code points these are.

    If it has no own words, the whole normal form is written.
    """
    return _own_words(form, flags, out)
