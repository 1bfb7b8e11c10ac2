"""Exact |A ∩ B| of two ASCII texts that are alike, inside kernels, along the runs that they have in common; q = 4.

|A ∩ B| = |B| less the different q-grams of B that are not in A. From a q-gram that both have on, as far as the texts go
on alike, every window of B is in A: eight bytes are compared at once. Only between such runs are windows looked up, in
a filter of A's q-grams that lies in the first cache level, and in A's table where that lets one pass.

A q-gram is its four bytes as one number; so nothing is hashed to a key, and tables have half the size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bits import eight_bytes, four_bytes, low_zeros
from neardup.kernels.inner import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
_MULTIPLIER = _U(0x9E3779B1)
_HASH = _U(0xFFFFFFFF)
_HASH_BITS = 32
FILTER_WORDS = 1_024
_IN_USE = _U(0x80000000)
"""Set in every q-gram, of which no byte has it: 0 is a free slot."""


class Grams(NamedTuple):
    """The q-grams of A.

    table      open addressing, a power of two of slots, four for every window or more: the q-gram; 0 = free
    positions  by slot: where it stands in A
    passing    FILTER_WORDS: a bit for every 16 high bits of a hash that some q-gram has
    """

    table: NDArray[np.uint32]
    positions: NDArray[np.int32]
    passing: NDArray[np.uint64]


@inner
def _bits_for(windows):
    """Binary digits of the slots of a table for so many q-grams."""
    bits = 6
    while (1 << bits) < 4 * windows:
        bits += 1
    return bits


@inner
def _hashed(gram):
    return (gram * _MULTIPLIER) & _HASH


@inner
def _slot(table, bits, gram, hashed):
    """Slot of a q-gram in the first 2^bits slots of a table, or the free one where it would go."""
    mask = (np.int64(1) << bits) - 1
    slot = np.int64(hashed >> _U(_HASH_BITS - bits))
    held = table[slot]
    while (held != 0) & (held != np.uint32(gram)):
        slot = (slot + 1) & mask
        held = table[slot]
    return slot


@inner
def gram_set(text, start, end, grams):
    """Fills `grams` (Grams) with A = `text[start:end]` (uint8), ASCII. Returns (|A|, what `shared_along_runs` takes as
    `bits`). Linear.
    """
    table, positions, passing = grams
    bits = _bits_for(end - start)
    table[: 1 << bits] = 0
    passing[:] = 0
    size = np.int64(0)
    for at in range(start, end - 3):
        gram = four_bytes(text, at) | _IN_USE
        hashed = _hashed(gram)
        passing[np.int64(hashed >> _U(22))] |= _U(1) << ((hashed >> _U(16)) & _U(63))
        slot = _slot(table, bits, gram, hashed)
        size += np.int64(table[slot] == 0)
        table[slot] = np.uint32(gram)
        positions[slot] = at
    return size, bits


@inner
def shared_along_runs(grams, bits, text, text_end, data, start, end, size, needed, others):
    """|A ∩ B|, or a number from it up to below `needed`, for A of `gram_set`, which ends at `text[text_end]`, and
    B = `data[start:end]` (uint8), ASCII, of `size` q-grams, `needed` or more.

    `others` (uint32): a free table for what is not in A, as large as A's would be for B.
    """
    table, positions, passing = grams
    other_bits = _bits_for(min(size - needed + 1, size))  # no more of them before it stops
    others[: 1 << other_bits] = 0
    outside = np.int64(0)
    at = start
    while at < end - 3:
        gram = four_bytes(data, at) | _IN_USE
        hashed = _hashed(gram)
        slot = np.int64(-1)
        if (passing[np.int64(hashed >> _U(22))] >> ((hashed >> _U(16)) & _U(63))) & _U(1):
            slot = _slot(table, bits, gram, hashed)
        if slot >= 0 and table[slot] != 0:
            at = _end_of_run(text, positions[slot] + 4, text_end, data, at + 4, end) - 3
            continue
        slot = _slot(others, other_bits, gram, hashed)
        outside += np.int64(others[slot] == 0)
        others[slot] = np.uint32(gram)
        if size - outside < needed:
            return size - outside
        at += 1
    return size - outside


@inner
def _end_of_run(text, behind, text_end, data, at, end):
    """Up to where `data[at:end]` goes on as `text[behind:text_end]` does."""
    while at + 8 <= end and behind + 8 <= text_end:
        differing = eight_bytes(data, at) ^ eight_bytes(text, behind)
        if differing != 0:
            return at + np.int64(low_zeros(differing) >> _U(3))  # the first byte is the lowest
        at += 8
        behind += 8
    while at < end and behind < text_end and data[at] == text[behind]:
        at += 1
        behind += 1
    return at
