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
    """The conditions that a candidate of one document must meet.

    low, high        hours that the candidate may lie in, both included
    smallest, most   bounds of the size of its set, if it was counted
    fits_uncounted   whether a set that was not counted may fit
    is_chained       whether documents of one text are in a chain, of which the first is posted
    half             if so, the first half of the fingerprint of the document that is searched for
    """

    low: int
    high: int
    smallest: int
    most: int
    fits_uncounted: bool
    is_chained: bool
    half: int


def are_certain(wanted: Filter, documents: Documents, words: NDArray[np.uint64]) -> None:
    """Sets each word w of `words` to one bit for each of the docs 64 · w to 64 · w + 63: whether it is a certain
    candidate. That is a doc that is alive, in the hours and of the size `wanted`, the only one of its text, and not of
    the text that is searched for. Costs a few vector operations a word.
    """
    _are_certain(wanted, documents, words)
