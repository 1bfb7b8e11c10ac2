"""Overlaps of sorted sets and bags, of one pair or of one set with all in posting lists (native/counting.h).

For the methods in `neardup.baselines`, and for boilerplate, which count every shared feature (list_counters in
Montanari & Puglisi 2012, Fig. 2). The engine's own search stops at the few that make a candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

FREQUENCY_BITS: Final = 8
"""How many low bits of a bag's posting hold the frequency of the feature; the other bits are the doc."""
FREQUENCY_MASK: Final = (1 << FREQUENCY_BITS) - 1

_shared = Kernel("shared")
_overlap = Kernel("overlap")
_product = Kernel("product")
_count_all = Kernel("count_all")
_sum_products = Kernel("sum_products")


def shared(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int:
    """|A ∩ B| of two ascending arrays without repetitions: one pass over both."""
    return _shared(a, b)


def overlap(
    a: NDArray[np.uint64], a_counts: NDArray[Any], b: NDArray[np.uint64], b_counts: NDArray[Any]
) -> int:
    """Sum of min(count in A, count in B) over the features of two bags: ascending keys, and their counts."""
    return _overlap(a, a_counts.astype(np.int64, copy=False), b, b_counts.astype(np.int64, copy=False))


def product(
    a: NDArray[np.uint64], a_weights: NDArray[np.float64], b: NDArray[np.uint64], b_weights: NDArray[np.float64],
    closeness: float,
) -> float:  # fmt: skip
    """The sum of weight in A times weight in B, over the features whose weights are close; keys are ascending.

    Weights x and y are close if x/y + y/x < `closeness`; 0: all are. Summed in the order of the keys, so that the
    result is symmetric.
    """
    total = np.empty(1)
    _product(a, a_weights, b, b_weights, float(closeness), total)
    return float(total[0])


def count_all(
    entries: NDArray[np.uint64], pool: NDArray[np.uint32], keys: NDArray[np.uint64], counts: NDArray[np.int32]
) -> None:
    """Adds to `counts[d]`, for every doc d, how many of `keys` it has; about 1 ns a posting.

    `entries` and `pool` are the arrays of posting lists (kernels/posting_lists.py).
    """
    _count_all(entries, pool, keys, counts)


def sum_products(
    entries: NDArray[np.uint64], pool: NDArray[np.uint32], keys: NDArray[np.uint64], frequencies: NDArray[Any],
    weights: NDArray[np.float64], closeness: float, sums: NDArray[np.float64],
) -> None:  # fmt: skip
    """Adds to `sums[d]`, for every bag d, weight times frequency in d of each of `keys` that it has.

    `closeness` as in `product`. Postings are doc << FREQUENCY_BITS | frequency.
    """
    _sum_products(
        entries, pool, keys, frequencies.astype(np.float64, copy=False), weights, float(closeness), sums
    )
