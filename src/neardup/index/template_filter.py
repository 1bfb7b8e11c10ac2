"""Filters candidates by their bitmaps, one by one, or all at once if very many share a template.

Log lines, forms, records: any two have more keys in common than a search asks for, and if their variable part is large,
few are copies. Their bitmaps reject nearly all, but pair by pair: the time grows with the square of their number, at
ten nanoseconds a pair. With columns of bitmaps a pair takes half a nanosecond. Columns are made after the first search
that they would have helped. They leave out only pairs that the bitmap filter leaves out too: no verdict changes.
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
"""With more candidates a document than this, if bitmaps reject most of them, columns are worth their memory."""


class TemplateFilter:
    """Columns of the bitmaps of a table, made only if they are worth it.

    Memory: none, or 64 bytes a document.
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
        """Notes how many candidates a search had for so many `documents`, before the bitmap filter and after it."""
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
    """The filter of pairs for `settings`: the bitmap filter; for a complete search one that passes all."""
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
    """Which pairs may reach the threshold, by their bitmaps (kernels/bitmap_filter.py) and sizes."""
    passed = np.empty(len(queries), np.bool_)
    bitmap_filter.passes(
        queries, docs, threshold.as_integer_ratio(), signed.counts, signed.levels, signed.bitmaps,
        table.counts, table.levels, table.bitmaps, passed,
    )  # fmt: skip
    return passed
