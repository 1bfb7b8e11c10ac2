"""Bitmap filter: a small bitmap of every key set, by which most candidates are rejected before their texts are read.

A bitmap filter (Sandes, Teodoro & Melo 2020), over a uniform sample of the set so that 256 bytes do for any
length: the keys whose bits 16 … 16+level are 0, one bit each at bits 32 … 42. The level leaves 256 to 511
keys. Each key of A's sample that B lacks leaves at most one bit of A without its like in B; so more such bits
than keys that A may lack speak against doc_q >= t. At level 0 the sample is the set and the answer is
certain. Above, the number of sampled keys that B lacks has at most the binomial's spread, and five standard
deviations are allowed: a pair at the threshold is lost once in three million.
"""

from __future__ import annotations

import math

import numpy as np

from neardup.kernels.bits import ones
from neardup.kernels.caching import njit

_U = np.uint64

WORDS = 32
"""64-bit words of a bitmap."""
SAMPLE = 256
SPREAD = 5.0


@njit(cache=True, nogil=True)
def level_of(count):
    """Level of a set of `count` keys: the largest that leaves an expected sample of at least 256, or 0."""
    level = 0
    while (count >> (level + 1)) >= SAMPLE:
        level += 1
    return level


@njit(cache=True, nogil=True)
def fill_bitmap(keys, n, level, bitmap):
    """Sets `bitmap` (WORDS uint64) to the sample of `keys[:n]` (uint64) at `level`; returns the sample's size."""
    bitmap[:] = 0
    mask = (_U(1) << _U(level)) - _U(1)
    size = 0
    for i in range(n):
        key = keys[i]
        sampled = _U((key >> _U(16)) & mask == 0)  # no branch: it would be mispredicted once a sampled key
        size += np.int64(sampled)
        bitmap[(key >> _U(38)) & _U(WORDS - 1)] |= sampled << ((key >> _U(32)) & _U(63))
    return size


@njit(cache=True, nogil=True)
def fill_three_levels(keys, n, bitmaps, sizes):
    """Sets `bitmaps` (uint64, 3 × WORDS) to those of `keys[:n]` at the level below their own, at their own, and at the
    one above, and `sizes` (int64, 3) to the sizes of the samples. There is none below level 0.

    Three rounds over all keys: taking each level's sample from the one below costs more than it saves.
    """
    own = level_of(n)
    bitmaps[0] = 0
    sizes[0] = 0
    for i in range(max(1 - own, 0), 3):
        sizes[i] = fill_bitmap(keys, n, own + i - 1, bitmaps[i])


@njit(cache=True, nogil=True)
def passes(
    queries, docs, needed, query_counts, query_bitmaps, query_samples, counts, bitmaps, out
):  # fmt: skip
    """Sets `out[i]` (bool): whether pair i can still have `needed[i]` (int64) shared keys. 32 words a pair are read.

    Pair i is document `queries[i]` (int64) of a batch and `docs[i]` (int64) of a table.

    query_counts    int64: |A| of each document of the batch
    query_bitmaps   uint64, n × 3 × WORDS, and query_samples, int64, n × 3: as `fill_three_levels` makes them
    counts          int32: |B| by doc
    bitmaps         uint64, docs × WORDS: at each set's own level

    Sets of levels further apart all pass: they differ in size by more than two, which no threshold from 0.5 on allows.
    """
    for i in range(len(docs)):
        query, doc = queries[i], docs[i]
        level, count = level_of(counts[doc]), query_counts[query]
        at = level - level_of(count) + 1
        if at < 0 or at > 2:
            out[i] = True
            continue
        lacking = 0
        for word in range(WORDS):
            lacking += np.int64(ones(query_bitmaps[query, at, word] & ~bitmaps[doc, word]))
        if level == 0:
            out[i] = lacking <= count - needed[i]
        else:
            share = needed[i] / count
            size = query_samples[query, at]
            out[i] = lacking <= (1 - share) * size + SPREAD * math.sqrt(size * share * (1 - share)) + 1
