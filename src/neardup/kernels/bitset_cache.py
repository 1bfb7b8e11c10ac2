"""Bitsets of the longest posting runs, so that a search need not read its two longest.

Half of all postings that a sketch would read lie in its two longest runs (a third in the longest). A document in at
least m runs is in at least m - 2 of the others: those are counted, and of the few documents that reach m - 2 two
bits tell the rest. The same documents are found; only the order of work differs (as in DivideSkip, Li, Lu & Lu
2008, with bitsets for binary searches).

A bitset is filled when first wanted and caught up with its run, which only ever grows, when wanted again.

In a crowd of copies most runs of a sketch are as long as the crowd. Then all of them are counted at once, 64 documents
a word: one bit plane for every binary digit of the counts, and every bitset added to them with carries (Rinfret, O'Neil
& O'Neil 2001, "Bit-sliced index arithmetic").
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from neardup.kernels.bits import ones
from neardup.kernels.caching import njit

_U = np.uint64

MOST = 512
"""Bitsets at most, a power of two: at a million documents 128 KB each, of which there are about a hundred."""
SHORTEST = 1_024
SHARE = 64
"""A run is heavy from 1,024 documents and a 64th of all on: shorter ones are read faster than looked up."""


class Heavy(NamedTuple):
    """Bitsets by key: `keys` and `rows` are a table (row + 1; 0 = free), `bits[row]` one bit a document number.

    `filled[row]`: postings of the run that are in it; `used[0]`: rows in use.
    """

    keys: Any
    rows: Any
    filled: Any
    bits: Any
    used: Any


@njit(cache=True, nogil=True)
def bitset(heavy, key, pool, start, length):
    """Row of the bitset of `key`, whose run is `pool[start:start + length]`; -1 if there is no room for another."""
    mask = len(heavy.keys) - 1
    slot = np.int64((key * _U(0x9E3779B97F4A7C15)) >> _U(32)) & mask
    while heavy.rows[slot] != 0 and heavy.keys[slot] != key:
        slot = (slot + 1) & mask
    if heavy.rows[slot] == 0:
        if heavy.used[0] == len(heavy.filled):
            return np.int64(-1)
        heavy.keys[slot] = key
        heavy.used[0] += 1
        heavy.rows[slot] = heavy.used[0]
    row = heavy.rows[slot] - 1
    for p in range(start + heavy.filled[row], start + length):
        document = pool[p]
        heavy.bits[row, document >> 6] |= _U(1) << _U(document & 63)
    heavy.filled[row] = length
    return row


@njit(cache=True, nogil=True)
def has(heavy, row, document):
    """1 if `document` is in the bitset `row`, else 0."""
    return np.int64((heavy.bits[row, document >> 6] >> _U(document & 63)) & _U(1))


BLOCK = 64
"""Words of every bit plane that are worked at once: a block of all planes stays in the first cache level."""


@njit(cache=True, nogil=True)
def digits_of(count):
    """Binary digits of `count`: how many planes hold counts up to it."""
    digits = 0
    while count >> digits:
        digits += 1
    return digits


@njit(cache=True, nogil=True)
def count_bitsets(heavy, rows, size, minimum, words, planes, reached):
    """How many of the bitsets `rows[:size]` each document is in, as binary digits; how many documents reach `minimum`.

    Bit d of the words `planes[p]` is digit p of document d's count; bit d of `reached`: its count is `minimum` or more.
    `planes` has room for the digits of `size` and of `minimum`; both arrays are overwritten up to `words`.
    """
    digits = max(digits_of(size), digits_of(minimum))
    carry = np.empty(BLOCK, np.uint64)
    documents = 0
    for begin in range(0, words, BLOCK):
        end = min(begin + BLOCK, words)
        planes[:digits, begin:end] = 0
        for j in range(size):
            row = rows[j]
            for w in range(begin, end):
                carry[w - begin] = heavy.bits[row, w]
            for p in range(digits_of(j + 1)):
                for w in range(begin, end):
                    digit = planes[p, w]
                    planes[p, w] = digit ^ carry[w - begin]
                    carry[w - begin] &= digit
        for w in range(begin, end):
            above, level = _U(0), ~_U(0)
            for p in range(digits - 1, -1, -1):
                if (minimum >> p) & 1:
                    level &= planes[p, w]
                else:
                    above |= level & planes[p, w]
                    level &= ~planes[p, w]
            reached[w] = above | level
            documents += np.int64(ones(reached[w]))
    return documents


@njit(cache=True, nogil=True)
def _full_adder(x, y, z):
    """(sum, carry) of three bits, 64 at a time."""
    half = x ^ y
    return half ^ z, (x & y) | (half & z)


@njit(cache=True, nogil=True)
def add_counts(heavy, rows, size, words, counts):
    """Adds to `counts[d]` how many of the bitsets `rows[:size]` document d is in, for d below 64 · `words`.

    Eight at a time by seven adders (Harley & Seal; Muła, Kurz & Lemire 2018), so that only every eighth carries on:
    about two operations a bitset and word.
    """
    digits = max(digits_of(size), 4)
    planes = np.empty((digits, BLOCK), np.uint64)
    carry = np.empty(BLOCK, np.uint64)
    bits = heavy.bits
    for begin in range(0, words, BLOCK):
        length = min(BLOCK, words - begin)
        planes[:] = 0
        j = 0
        while j + 8 <= size:
            for w in range(length):
                at = begin + w
                ones_, twos, fours = planes[0, w], planes[1, w], planes[2, w]
                ones_, two_a = _full_adder(ones_, bits[rows[j], at], bits[rows[j + 1], at])
                ones_, two_b = _full_adder(ones_, bits[rows[j + 2], at], bits[rows[j + 3], at])
                twos, four_a = _full_adder(twos, two_a, two_b)
                ones_, two_a = _full_adder(ones_, bits[rows[j + 4], at], bits[rows[j + 5], at])
                ones_, two_b = _full_adder(ones_, bits[rows[j + 6], at], bits[rows[j + 7], at])
                twos, four_b = _full_adder(twos, two_a, two_b)
                fours, carry[w] = _full_adder(fours, four_a, four_b)
                planes[0, w], planes[1, w], planes[2, w] = ones_, twos, fours
            for p in range(3, max(digits_of(j + 8), 4)):
                for w in range(length):
                    digit = planes[p, w]
                    planes[p, w] = digit ^ carry[w]
                    carry[w] &= digit
            j += 8
        while j < size:
            for w in range(length):
                carry[w] = bits[rows[j], begin + w]
            for p in range(digits):
                for w in range(length):
                    digit = planes[p, w]
                    planes[p, w] = digit ^ carry[w]
                    carry[w] &= digit
            j += 1
        _add_planes(planes, digits, length, counts, 64 * begin)


@njit(cache=True, nogil=True)
def _add_planes(planes, digits, words, counts, first):
    """Adds the numbers whose binary digits the planes hold to `counts[first:]`.

    Eight documents at a time: a byte of a plane becomes eight bytes of 0 or 1, one a document; the lower eight digits
    and the higher ones are gathered in a word each.
    """
    for w in range(words):
        for byte in range(8):
            low, high = _U(0), _U(0)
            for p in range(digits):
                bits = (planes[p, w] >> _U(8 * byte)) & _U(0xFF)
                spread = (bits * _U(0x0101010101010101)) & _U(0x8040201008040201)
                spread = ((spread + _U(0x7F7F7F7F7F7F7F7F)) >> _U(7)) & _U(0x0101010101010101)
                if p < 8:
                    low |= spread << _U(p)
                else:
                    high |= spread << _U(p - 8)
            at = first + 64 * w + 8 * byte
            for b in range(min(8, len(counts) - at)):
                shift = _U(8 * b)
                counts[at + b] += np.int32((low >> shift) & _U(0xFF)) + (
                    np.int32((high >> shift) & _U(0xFF)) << 8
                )


@njit(cache=True, nogil=True)
def counted_bits(planes, digits, document):
    """The count of `document` in `planes`."""
    word, bit = document >> 6, _U(document & 63)
    count = 0
    for p in range(digits):
        count += np.int64((planes[p, word] >> bit) & _U(1)) << p
    return count


@njit(cache=True, nogil=True)
def write_members(words, bits, out, at):
    """Writes the places of the 1 bits of `bits[:words]` to `out[at:]`, ascending; returns the next position."""
    for w in range(words):
        rest = bits[w]
        while rest:
            lowest = rest & (~rest + _U(1))
            out[at] = 64 * w + np.int64(ones(lowest - _U(1)))
            at += 1
            rest ^= lowest
    return at
