"""Sieve: a small bitmap of every key set, by which most candidates are turned away before their texts are read.

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
from numba import njit, types
from numba.extending import intrinsic

_U = np.uint64

WORDS = 32
"""64-bit words of a bitmap."""
SAMPLE = 256
SPREAD = 5.0
_LEVELS = 64


@intrinsic
def _ones(typing_context, value):
    """Number of 1 bits of a uint64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@njit(cache=True, nogil=True)
def level_of(count):
    """Level of a set of `count` keys: the largest that leaves an expected sample of at least 256, or 0."""
    level = 0
    while (count >> (level + 1)) >= SAMPLE:
        level += 1
    return level


@njit(cache=True, nogil=True)
def fill(keys, start, end, level, bitmap):
    """Sets `bitmap` (WORDS uint64) to the sample of `keys[start:end]` at `level`; returns the sample's size."""
    bitmap[:] = 0
    mask = (_U(1) << _U(level)) - _U(1)
    size = 0
    for i in range(start, end):
        key = keys[i]
        sampled = _U((key >> _U(16)) & mask == 0)  # no branch: it would be mispredicted once a sampled key
        size += np.int64(sampled)
        bitmap[(key >> _U(38)) & _U(WORDS - 1)] |= sampled << ((key >> _U(32)) & _U(63))
    return size


@njit(cache=True, nogil=True)
def passes(queries, numbers, needed, keys, key_offsets, sieves, samples, counts, bitmaps, out):
    """`out[i]`: whether pair i can still have `needed[i]` shared keys.

    Pair i is the set `queries[i]` of the batch (its keys at `key_offsets`, its own bitmap and sample in
    `sieves` and `samples`) and document `numbers[i]`, of which `counts` and `bitmaps` are held. Pairs of one
    query must be adjacent: its bitmap at another document's level is made once.
    """
    own = np.empty((_LEVELS, WORDS), np.uint64)
    sizes = np.empty(_LEVELS, np.int64)
    last = np.int64(-1)
    for i in range(len(numbers)):
        query = queries[i]
        if query != last:
            sizes[:] = -1
            last = query
            level = level_of(key_offsets[query + 1] - key_offsets[query])
            own[level] = sieves[query]
            sizes[level] = samples[query]
        number = numbers[i]
        level = level_of(counts[number])
        first, end = key_offsets[query], key_offsets[query + 1]
        if sizes[level] < 0:
            sizes[level] = fill(keys, first, end, level, own[level])
        lacking = 0
        for word in range(WORDS):
            lacking += np.int64(_ones(own[level, word] & ~bitmaps[number, word]))
        if level == 0:
            out[i] = lacking <= end - first - needed[i]
        else:
            share = needed[i] / (end - first)
            size = sizes[level]
            out[i] = lacking <= (1 - share) * size + SPREAD * math.sqrt(size * share * (1 - share)) + 1
