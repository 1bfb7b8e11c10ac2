"""Bitmap filter: a small bitmap of every key set, by which most candidates are rejected before their texts are read.

A bitmap filter (Sandes, Teodoro & Melo 2020), over a uniform sample of the set so that 128 bytes do for any length: the
keys that times a multiplier have the bits 16 … 16 + level 0, one bit each at bits 32 … 41 of the product. With a salt
nobody else knows the multiplier: who did could edit what the sample takes and nothing else. The level goes by the bytes
of the normal form, so that no set need be made for it, and leaves some 200 to 500 keys.

A key of A's sample that B lacks leaves a bit of A without its like in B, unless a key of B lies there by chance. How
many such bits of A there are on average, at the threshold, follows from how many bits both have; there may be as
many and five standard deviations, nor of B's in A, nor of both together, which says more, being twice as many: a
pair at the threshold is lost once in three million. At level 0 the sample is the set, so that its numbers tell more.

In memory a bitmap is folded, bits 512 and on laid over those below: it rejects a little less, in half the memory and
one cache line.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from neardup.kernels.bits import AHEAD, ones, prefetch
from neardup.kernels.caching import njit
from neardup.kernels.inner import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64

WORDS = 16
"""64-bit words of a bitmap, as it is stored."""
HELD_WORDS = WORDS // 2
"""Words of a bitmap as it is compared: its two halves, one laid over the other."""
BITS = 64 * HELD_WORDS
LEVELS = 3
"""Bitmaps of a document that is compared: at the level below its own, at its own, and at the one above."""
SAMPLE = 256
SPREAD = 5.0


@inner
def level_of(size):
    """Level of a normal form of `size` bytes: the largest that leaves 256 or more of so many windows, or 0."""
    level = 0
    while (size >> (level + 1)) >= SAMPLE:
        level += 1
    return level


def folded(bitmaps: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The two halves of each of some bitmaps (n × WORDS), one laid over the other: n × HELD_WORDS."""
    return bitmaps[:, :HELD_WORDS] | bitmaps[:, HELD_WORDS:]


@njit(cache=True, nogil=True)
def fill_levels(of, out):
    """Writes the level of each of so many bytes `of` (any integers) to `out` (uint8)."""
    for i in range(len(of)):
        out[i] = level_of(np.int64(of[i]))


@inner
def fill_three_levels(keys, n, multiplier, level, chosen, bitmaps):
    """Sets `bitmaps` (uint64, LEVELS × WORDS) to those of `keys[:n]` (uint64, repeated ones do no harm) times
    `multiplier` (odd) at the level below `level`, at it, and at the one above; there is none below level 0.

    `chosen` (uint64, n) is working memory: the sample at the lowest level, the others are taken from.
    """
    lowest = max(level - 1, 0)
    mask = (_U(1) << _U(lowest)) - _U(1)
    size = 0
    for i in range(n):
        key = keys[i] * multiplier
        chosen[size] = key
        size += np.int64(
            (key >> _U(16)) & mask == 0
        )  # no branch: it would be mispredicted once a sampled key
    bitmaps[:] = 0
    for i in range(size):
        key = chosen[i]
        word, bit = (key >> _U(38)) & _U(WORDS - 1), _U(1) << ((key >> _U(32)) & _U(63))
        for at in range(max(1 - level, 0), LEVELS):
            sampled = (key >> _U(16)) & ((_U(1) << _U(level + at - 1)) - _U(1)) == 0
            bitmaps[at, word] |= bit if sampled else _U(0)


@inner
def _alone(others, set_by_share):
    """How many bits a set of so many `others` lacks on average, of the share of those that keys not in it set."""
    return BITS * (1 - others / BITS) * set_by_share


@inner
def _set_by_share_of(share):
    """Of sets of 0 to BITS bits each: the share of all bits that a `share` of their keys sets.

    Keys that fall on bits at random leave 1 - bits / BITS of them 0; a part of these keys leaves that to its power.
    """
    set_by_share = np.empty(BITS + 1)
    for bits in range(BITS + 1):
        set_by_share[bits] = 1 - (1 - bits / BITS) ** share
    return set_by_share


@inner
def _at_most(expected, variance):
    """How many bits may lack where so many do on average, and vary by so much of that."""
    return expected + SPREAD * math.sqrt(expected * variance) + 1


@njit(cache=True, nogil=True)
def passes(
    queries, docs, numerator, denominator, query_counts, query_levels, query_bitmaps, counts, levels, bitmaps, out
):  # fmt: skip
    """Sets `out[i]` (bool): whether pair i can still be at the threshold numerator / denominator.

    Pair i is document `queries[i]` (int64) of a batch and `docs[i]` (int64) of a table.

    query_counts, counts   int64 and int32: |A| of each document of the batch, |B| by doc; known at level 0
    query_levels, levels   uint8: their levels
    query_bitmaps          uint64, n × LEVELS × WORDS: as `fill_three_levels` makes them
    bitmaps                uint64, docs × HELD_WORDS: at each set's own level, `folded`

    Of levels further apart all pass: their sizes differ by more than two, which few thresholds allow.
    """
    share = numerator / denominator
    set_by_rest = _set_by_share_of(1 - share)
    words = bitmaps.reshape(bitmaps.size)
    for i in range(len(docs)):
        ahead = docs[min(i + AHEAD, len(docs) - 1)]
        prefetch(levels, ahead)
        prefetch(words, HELD_WORDS * ahead)
        query, doc = queries[i], docs[i]
        level = np.int64(levels[doc])
        at = level - np.int64(query_levels[query]) + 1
        if at < 0 or at > 2:
            out[i] = True
            continue
        own, others, mine_alone, theirs_alone = 0, 0, 0, 0
        for word in range(HELD_WORDS):
            mine = query_bitmaps[query, at, word] | query_bitmaps[query, at, word + HELD_WORDS]
            theirs = bitmaps[doc, word]
            own += np.int64(ones(mine))
            others += np.int64(ones(theirs))
            mine_alone += np.int64(ones(mine & ~theirs))
            theirs_alone += np.int64(ones(theirs & ~mine))
        if level == 0 and at == 1:  # both are short, and so both are counted
            count, other = query_counts[query], np.int64(counts[doc])
            needed = (numerator * max(count, other) + denominator - 1) // denominator
            if mine_alone > count - needed or theirs_alone > other - needed:
                out[i] = False
                continue
        mine_expected, theirs_expected = _alone(others, set_by_rest[own]), _alone(own, set_by_rest[others])
        out[i] = (
            mine_alone <= _at_most(mine_expected, share)
            and theirs_alone <= _at_most(theirs_expected, share)
            and mine_alone + theirs_alone <= _at_most(mine_expected + theirs_expected, (1 + share) / 2)
        )
