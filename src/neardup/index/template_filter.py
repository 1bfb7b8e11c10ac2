"""Which documents may be copies by their bitmaps, one by one or, of very many that share a template, all at once.

Log lines, forms, records: any two have more keys in common than a search asks for, and where their variable part is
large few are copies. Their bitmaps reject nearly all, but one pair after another: a time that grows with the square of
their number, ten nanoseconds each. By columns of bitmaps it is half a nanosecond. These are made when they would have
helped. What is left out here the bitmap filter leaves out as well: no verdict changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.kernels import bitmap_filter
from neardup.kernels.bit_planes import BITS, WORDS
from neardup.kernels.bitmap_columns import ROWS, BitmapColumns, fill_columns

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.candidates import Passing
    from neardup.index.document_table import DocumentTable
    from neardup.model.settings import Settings
    from neardup.signing.signature import SignedBatch

_MANY: Final = 64
"""So many candidates a document, most of which their bitmaps reject, make columns worth their memory."""


class TemplateFilter:
    """Columns of the bitmaps of a table, if they are wanted.

    Memory: then 64 bytes a document.
    """

    def __init__(self) -> None:
        self._bits: NDArray[np.uint64] = np.zeros((ROWS, 0), np.uint64)
        self._filled = 0
        self._is_wanted = False

    @property
    def memory(self) -> int:
        """Bytes of all columns."""
        return int(self._bits.nbytes)

    def note(self, documents: int, before: int, after: int) -> None:
        """Notes how many candidates there were for so many documents, before their bitmaps were asked and after."""
        self._is_wanted |= before > _MANY * documents and 2 * after < before

    def columns(self, signed: SignedBatch, table: DocumentTable) -> BitmapColumns:
        """The columns of all documents of the table, for a search of this batch."""
        if self._is_wanted:
            self._catch_up(table)
        return BitmapColumns(self._bits, signed.levels, signed.bitmaps)

    def _catch_up(self, table: DocumentTable) -> None:
        words = WORDS * (len(table.counters.hits) // BITS + 1)
        if words != self._bits.shape[1]:
            wider = np.zeros((ROWS, words), np.uint64)
            wider[:, : self._bits.shape[1]] = self._bits
            self._bits = wider
        fill_columns(table.levels, table.bitmaps, self._filled, table.size, self._bits)
        self._filled = table.size


def passing_of(settings: Settings, signed: SignedBatch, table: DocumentTable, threshold: Fraction) -> Passing:
    """Which pairs a search by `settings` compares: those that the bitmap filter passes; all, in a complete search."""
    if settings.retrieval == "complete":
        return lambda _, docs: np.ones(len(docs), np.bool_)
    return lambda queries, docs: passes_bitmap_filter(signed, queries, docs, table, threshold)


def passes_bitmap_filter(
    signed: SignedBatch,
    queries: NDArray[np.int64],
    docs: NDArray[np.int64],
    table: DocumentTable,
    threshold: Fraction,
) -> NDArray[np.bool_]:
    """Which pairs can still be at the threshold, by their bitmaps (kernels/bitmap_filter.py) and sizes."""
    passed = np.empty(len(queries), np.bool_)
    bitmap_filter.passes(
        queries, docs, threshold.as_integer_ratio(), signed.counts, signed.levels, signed.bitmaps,
        table.counts, table.levels, table.bitmaps, passed,
    )  # fmt: skip
    return passed
