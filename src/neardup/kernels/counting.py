"""Overlaps of sorted sets and bags, one pair at a time or one against all that posting lists hold.

For the methods in `neardup.baselines`: they count every shared feature (list_counters in Montanari & Puglisi 2012,
Fig. 2), where the engine's own search stops at the few that make a candidate.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.posting_lists import find, list_at

_U = np.uint64

FREQUENCY_BITS = 8
"""Low bits of a posting of a bag that hold how often the feature occurs; the rest is the doc."""
FREQUENCY_MASK = (1 << FREQUENCY_BITS) - 1


@njit(cache=True, nogil=True)
def shared(a, b):
    """|A ∩ B| of two ascending uint64 arrays without repetitions: one pass over both.

    No branch: each would be mispredicted half of the time.
    """
    i, j, count = 0, 0, 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        count += np.int64(x == y)
        i += np.int64(x <= y)
        j += np.int64(y <= x)
    return count


@njit(cache=True, nogil=True)
def overlap(a, a_counts, b, b_counts):
    """Sum of min(count in A, count in B) over the features of two bags: ascending uint64 keys, and their counts."""
    i, j, total = 0, 0, 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        if x == y:
            total += min(a_counts[i], b_counts[j])
        i += np.int64(x <= y)
        j += np.int64(y <= x)
    return total


@njit(cache=True, nogil=True)
def product(a, a_weights, b, b_weights, closeness):
    """Sum (float64) of weight in A times weight in B, over the features whose weights differ little enough.

    Keys are ascending uint64, weights float64.

    That is x/y + y/x < `closeness`; 0: however much. Summed in the order of the keys, so that it is symmetric.
    """
    i, j, total = 0, 0, 0.0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        if x == y:
            v, w = a_weights[i], b_weights[j]
            if closeness == 0 or v / w + w / v < closeness:
                total += v * w
        i += np.int64(x <= y)
        j += np.int64(y <= x)
    return total


@njit(cache=True, nogil=True)
def count_all(entries, pool, keys, counts):
    """Adds to `counts[d]` (int32), for every doc d, how many of `keys` it holds; about 1 ns a posting.

    `entries` and `pool` are those of the posting lists (kernels/posting_lists.py).
    """
    for k in range(len(keys)):
        start, length, inline = list_at(entries, find(entries, keys[k]))
        if inline:
            counts[start] += 1
            continue
        for p in range(start, start + length):
            counts[pool[p]] += 1


@njit(cache=True, nogil=True)
def sum_products(entries, pool, keys, frequencies, weights, closeness, sums):
    """Adds to `sums[d]` (float64) the weight of each key that bag d holds, times how often it does.

    `closeness` as in `product`. Postings are doc << FREQUENCY_BITS | frequency.
    """
    for k in range(len(keys)):
        start, length, inline = list_at(entries, find(entries, keys[k]))
        for p in range(start, start + length):
            posting = start if inline else np.int64(pool[p])
            frequency = np.float64(posting & FREQUENCY_MASK)
            ratio = frequencies[k] / frequency
            if closeness == 0 or ratio + 1 / ratio < closeness:
                sums[posting >> FREQUENCY_BITS] += weights[k] * frequency
