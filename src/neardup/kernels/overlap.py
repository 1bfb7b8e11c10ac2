"""Exact |A ∩ B| from the stored normal forms (native/overlap.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.signing import Scratch

_verify_pairs = Kernel("verify_pairs")


def verify_pairs(
    queries: NDArray[np.int64],
    texts: NDArray[np.uint8],
    text_offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    others: NDArray[np.int64],
    needed: NDArray[np.int64],
    ratio: tuple[int, int],
    q: int,
    scratch: Scratch,
    out: NDArray[np.int64],
) -> None:
    """Sets `out[i]` to |A ∩ B| of pair i; if that is below `needed[i]`, to some number below `needed[i]`.

    A is the normal form `queries[i]` of a batch, B the normal form `data[starts[i]:ends[i]]`.

    texts, text_offsets   the normal forms of the batch, and n + 1 offsets
    counts                |A| of the batch's documents; set for all queries
    others                |B| of each pair, negative if not known; set if `needed` is reached
    needed                negative: the overlap that doc_q >= t needs, with t as numerator and denominator in `ratio`
    q                     length of a q-gram
    scratch               for the longest of all texts

    Pairs of one query must be adjacent, so that its set is built once, or twice if only some B are ASCII. One pass over
    every B.
    """
    _verify_pairs(
        queries, texts, text_offsets, counts, data, starts, ends, others, needed, ratio, q, scratch, out
    )
