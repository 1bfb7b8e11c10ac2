"""Which docs that share enough keys with a document are its candidates: one doc, or 64 at a time
(native/candidate_filter.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.batch_search import Documents

_are_certain = Kernel("are_certain")


class Filter(NamedTuple):
    """What a candidate of one document must be.

    low, high        hours that it may lie in, both included
    smallest, most   the size of its set, where that was counted
    fits_uncounted   whether a set that was not counted may be of a size that fits
    is_chained       whether documents of one text are in a chain, of which the first is posted
    half             then the first half of the fingerprint of the text that is searched with
    """

    low: int
    high: int
    smallest: int
    most: int
    fits_uncounted: bool
    is_chained: bool
    half: int


def are_certain(wanted: Filter, documents: Documents, words: NDArray[np.uint64]) -> None:
    """Which of the docs 64 · w to 64 · w + 63 are certain candidates, for each word w of `words`: of the hours and the
    size wanted, and one text each, not that which is searched with. A bit each; a few vector operations for all.
    """
    _are_certain(wanted, documents, words)
