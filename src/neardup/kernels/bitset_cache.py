"""Bitsets of the longest posting lists, inside kernels, so that a search need not read its two longest.

Half of all postings that a sketch would read lie in its two longest lists (a third in the longest). A document in at
least m lists is in at least m - 2 of the others: those are counted, and of the few documents that reach m - 2 two
bits tell the rest. The same documents are found; only the order of work differs (as in DivideSkip, Li, Lu & Lu
2008, with bitsets for binary searches).

A bitset is filled when first wanted and caught up with its list, which only ever grows, when wanted again.

In a crowd of copies most lists of a sketch are as long as the crowd. Then all of them are counted at once
(kernels/bit_planes.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bit_planes import AT_ONCE, SIZE, WORDS, add_rows, digits_of
from neardup.kernels.bits import ones
from neardup.kernels.inner import inner
from neardup.kernels.posting_lists import list_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64

MAX_BITSETS = 512
"""Bitsets at most, a power of two: at a million documents 128 KB each, of which there are one or two hundred."""
SHORTEST = 1_024
SHARE = 64
"""A list is long from 1,024 documents and a 64th of all on: shorter ones are read faster than looked up."""
LOOKED_UP_SHARE = 512
"""One of the two longest is worth a bitset from a 512th of all on: reading it costs more than the look-ups."""
MANY = 12
"""Bits of a word from which on it is faster to look at all 64."""


class BitsetCache(NamedTuple):
    """Bitsets by key, at most as many as `filled` is long.

    keys, rows   open-addressing table: row + 1 of the bitset of a key; 0 = free
    filled       by row: postings of the list that are in its bitset
    bits         by row: one bit a doc, that of doc d in word d // 64; the last row, one more, has none
    used         its one value is the number of rows in use
    """

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]
    filled: NDArray[np.int64]
    bits: NDArray[np.uint64]
    used: NDArray[np.int64]


@inner
def long_from(documents):
    """Length from which on a posting list is long among so many documents."""
    return max(SHORTEST, documents // SHARE)


@inner
def looked_up_from(documents):
    """Length from which on a posting list is looked up in a bitset, if it is one of the two longest."""
    return max(SHORTEST, documents // LOOKED_UP_SHARE)


@inner
def bitset_row(bitsets, key, lists, packed, located, j):
    """Row of the bitset of `key`, caught up with its list, which is list j of `located`; -1: no room for another.

    A list keeps the order of its docs when it is packed: what was filled once stays so.
    """
    mask = len(bitsets.keys) - 1
    slot = np.int64((key * _U(0x9E3779B97F4A7C15)) >> _U(32)) & mask
    while bitsets.rows[slot] != 0 and bitsets.keys[slot] != key:
        slot = (slot + 1) & mask
    if bitsets.rows[slot] == 0:
        if bitsets.used[0] == len(bitsets.filled):
            return np.int64(-1)
        bitsets.keys[slot] = key
        bitsets.used[0] += 1
        bitsets.rows[slot] = bitsets.used[0]
    row = bitsets.rows[slot] - 1
    begin, size = located.starts[j], located.sizes[j]
    mask = (np.int64(1) << packed.doc_bits) - 1
    for p in range(begin + bitsets.filled[row], begin + size):
        doc = np.int64(packed.postings[p]) & mask
        bitsets.bits[row, doc >> 6] |= _U(1) << _U(doc & 63)
    start, length, inline = list_at(lists.entries, located.slots[j])
    for p in range(start + max(bitsets.filled[row] - size, 0), start + length):
        doc = start if inline else np.int64(lists.pool[p])
        bitsets.bits[row, doc >> 6] |= _U(1) << _U(doc & 63)
    bitsets.filled[row] = size + length
    return row


@inner
def is_in(bitsets, row, doc):
    """1 if `doc` is in the bitset `row`, else 0."""
    return np.int64((bitsets.bits[row, doc >> 6] >> _U(doc & 63)) & _U(1))


@inner
def count_bitsets(bitsets, rows, size, minimum, words, planes, reached):
    """How many documents are in at least `minimum` of the bitsets `rows[:size]` (int64); who, and of how many.

    rows      with room for `AT_ONCE` more, which are filled
    planes    uint64, digits of `size` and of `minimum` × words: bit d of the words `planes[p]` becomes digit p of the
              number of bitsets that doc d is in
    reached   uint64, words: bit d becomes 1 if that number is `minimum` or more
    """
    digits = max(digits_of(size), digits_of(minimum))
    bits, stride = bitsets.bits.reshape(bitsets.bits.size), bitsets.bits.shape[1]
    end = (size + AT_ONCE - 1) // AT_ONCE * AT_ONCE
    rows[size:end] = len(bitsets.filled)
    sums = np.empty(SIZE, np.uint64)
    documents = 0
    for begin in range(0, words, WORDS):
        add_rows(bits, begin, stride, rows, 0, end, sums)
        for w in range(begin, min(begin + WORDS, words)):
            above, level = _U(0), ~_U(0)
            for p in range(digits - 1, -1, -1):
                digit = sums[WORDS * p + w - begin]
                planes[p, w] = digit
                if (minimum >> p) & 1:
                    level &= digit
                else:
                    above |= level & digit
                    level &= ~digit
            reached[w] = above | level
            documents += np.int64(ones(reached[w]))
    return documents


@inner
def counted_bits(planes, digits, doc):
    """The count of `doc` whose binary digits are `planes[:digits]`."""
    word, bit = doc >> 6, _U(doc & 63)
    count = 0
    for p in range(digits):
        count += np.int64((planes[p, word] >> bit) & _U(1)) << p
    return count


@inner
def write_members(words, bits, out, at):
    """Writes which bits of `bits[:words]` (uint64) are 1 to `out[at:]`, ascending; returns the next position.

    Where many of a word are, a place is written for every bit, and counted only if it is 1: a look for the next one
    costs several times as much. `out` has room for 64 more.
    """
    for w in range(words):
        rest = bits[w]
        if ones(rest) >= MANY:
            for bit in range(64):
                out[at] = 64 * w + bit
                at += np.int64((rest >> _U(bit)) & _U(1))
            continue
        while rest:
            lowest = rest & (~rest + _U(1))
            out[at] = 64 * w + np.int64(ones(lowest - _U(1)))
            at += 1
            rest ^= lowest
    return at
