"""Posting lists of the members of a crowd, by number, inside kernels: the long ones are bitsets.

The table and the short lists are those of `kernels/posting_lists.py`. A list that holds many of all members becomes a
row of `bits` for good, and its room is free again: a comparison then costs a look-up a key, and 64 members a word.

    entries[slot] = (key, row << 32 | BITSET << 27 | length)     of a list that is a bitset
    bits[b, row]    32 words: the bits of members 2,048 · b on

Rows are counted block by block, for many documents at once: then a block of all rows stays in the second cache level.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.bits import prefetch
from neardup.kernels.bitset_cache import digits_of
from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.posting_lists import (
    CLASS_MASK,
    CLASS_SHIFT,
    DONE,
    POOL_FULL,
    START_SHIFT,
    STATE_FREE,
    STATE_KEYS,
    TABLE_FULL,
    add,
    find,
    list_at,
)

_U = np.uint64
BITSET = _U(31)
"""The size class that tells a bitset: no list has a room of 2^31."""
ROWS_FULL = 4
"""What `add_members` returns, beside the status of `kernels/posting_lists.py`, where there must be more rows."""
SHORTEST = 64
SHARE = 64
"""A list becomes a bitset from 64 members and a 64th of all on: then it takes twice the memory at most."""
WORDS = 32
"""Words of a row in a block."""
BLOCK = 64 * WORDS
"""Places of a block."""


@njit(cache=True, nogil=True)
def add_members(lists, bits, used, most, keys, offsets, members, progress):
    """Adds `members[i]` (int64) under `keys[offsets[i]:offsets[i + 1]]` for every i; returns a status. -1: left out.

    bits, used   rows, and how many of them are in use (int64, one value), changed
    most         lists that are bitsets at most: the others are read, whatever their length
    progress     int64: [i, keys of it already added], where to resume
    """
    while progress[0] < len(members):
        i = progress[0]
        if members[i] >= 0:
            status = _add_member(
                lists, bits, used, most, keys, offsets[i], offsets[i + 1], members[i], progress
            )
            if status != DONE:
                return status
        progress[0] = i + 1
        progress[1] = 0
    return DONE


@inner
def _add_member(lists, bits, used, most, keys, first, last, member, progress):
    entries, _, state = lists
    if 10 * (state[STATE_KEYS] + last - first) > 6 * len(entries):
        return TABLE_FULL
    shortest = max(SHORTEST, member // SHARE)
    for j in range(first + progress[1], last):
        progress[1] = j - first
        slot = find(entries, keys[j])
        row, length, _ = list_at(entries, slot)
        if not _is_bitset(entries[slot, 1]):
            if length < shortest or used[0] == most:
                if not add(lists, keys[j], member):
                    return POOL_FULL
                continue
            if used[0] == bits.shape[1]:
                return ROWS_FULL
            row = used[0]
            _become_bitset(lists, slot, bits, row)
            used[0] += 1
        _set(bits, row, member)
        entries[slot, 1] += _U(1)
    return DONE


@inner
def _is_bitset(packed):
    return (packed >> CLASS_SHIFT) & CLASS_MASK == BITSET


@inner
def _set(bits, row, member):
    bits[member // BLOCK, row, (member % BLOCK) >> 6] |= _U(1) << _U(member & 63)


@inner
def _become_bitset(lists, slot, bits, row):
    """Makes the list at `slot`, which is not inline, the bitset `row`."""
    entries, pool, state = lists
    start, length, _ = list_at(entries, slot)
    for p in range(start, start + length):
        _set(bits, row, np.int64(pool[p]))
    size_class = np.int64((entries[slot, 1] >> CLASS_SHIFT) & CLASS_MASK)
    pool[start] = state[STATE_FREE + size_class]
    state[STATE_FREE + size_class] = start + 1
    entries[slot, 1] = (_U(row) << START_SHIFT) | (BITSET << CLASS_SHIFT) | _U(length)


@njit(cache=True, nogil=True)
def tally(lists, bits, keys, offsets, counts):
    """Sets `counts[i, p]` (int32) to how many of the lists of `keys[offsets[i]:offsets[i + 1]]` member p is in.

    Rows of `counts` are of whole blocks, for all members.
    """
    rows, ends = np.empty(len(keys), np.int64), np.empty(len(counts), np.int64)
    counts[:] = 0
    for i in range(len(counts)):
        ends[i] = _read_lists(lists, keys, offsets[i], offsets[i + 1], rows, counts, i)
    most = 0
    for i in range(len(counts)):
        most = max(most, ends[i] - offsets[i])
    work = np.empty(_PLANES + max(digits_of(most), 4) * WORDS, np.uint64)
    low, high = np.empty(8 * WORDS, np.uint64), np.empty(8 * WORDS, np.uint64)
    for block in range(counts.shape[1] // BLOCK):
        for i in range(len(counts)):
            if ends[i] > offsets[i]:
                digits = _add_rows(bits, block, rows, offsets[i], ends[i], work)
                _add_planes(work.view(np.uint8), digits, low, high, counts, i, block * BLOCK)


@inner
def _read_lists(lists, keys, first, last, rows, counts, i):
    """Adds to `counts[i]` what the lists of `keys[first:last]` hold; those that are bitsets go to `rows[first:]`.

    Returns the end of these. Step by step for all keys: each step misses the cache, and misses go on beside one
    another.
    """
    entries, pool, _ = lists
    slots = np.empty(last - first, np.int64)
    for j in range(first, last):
        slots[j - first] = find(entries, keys[j])
    end, short = first, 0
    for j in range(len(slots)):
        start, length, inline = list_at(entries, slots[j])
        if _is_bitset(entries[slots[j], 1]):
            rows[end] = start
            end += 1
        elif inline:
            counts[i, start] += 1
        elif length:
            prefetch(pool, start)
            slots[short] = slots[j]
            short += 1
    for j in range(short):
        start, length, _ = list_at(entries, slots[j])
        for p in range(start, start + length):
            counts[i, pool[p]] += 1
    return end


_EIGHT = 8
_CARRY = _EIGHT * WORDS
_PLANES = _CARRY + WORDS
"""Where the working memory of `_add_rows` holds what: eight rows, what is carried on from them, and the planes: bit d
of the words of plane p is digit p of what member d counts.

One array with constant offsets: only so does the compiler see that nothing overlaps, and works several words at once.
"""


@inner
def _add_rows(bits, block, rows, first, last, work):
    """Writes to the planes how many of `rows[first:last]` each member of a block is in; returns how many planes.

    Eight at a time by seven adders (Harley & Seal; Muła, Kurz & Lemire 2018), so that only every eighth carries on:
    about two operations a bitset and word.
    """
    digits = max(digits_of(last - first), 4)
    work[_PLANES : _PLANES + digits * WORDS] = 0
    for j in range(first, last, _EIGHT):
        for k in range(_EIGHT):
            if j + k < last:
                row = rows[j + k]
                for w in range(WORDS):
                    work[k * WORDS + w] = bits[block, row, w]
            else:
                work[k * WORDS : (k + 1) * WORDS] = 0
        _add_eight(work)
        for p in range(3, min(max(digits_of(j + _EIGHT - first), 4), digits)):
            at = _PLANES + p * WORDS
            for w in range(WORDS):
                digit, carry = work[at + w], work[_CARRY + w]
                work[at + w] = digit ^ carry
                work[_CARRY + w] = digit & carry
    return digits


@inner
def _full_adder(x, y, z):
    """(sum, carry) of three bits, 64 at a time."""
    half = x ^ y
    return half ^ z, (x & y) | (half & z)


@inner
def _add_eight(work):
    """Adds the eight rows to the three lowest planes; eights are left as what is carried on."""
    for w in range(WORDS):
        ones, twos = work[_PLANES + w], work[_PLANES + WORDS + w]
        ones, two_a = _full_adder(ones, work[w], work[WORDS + w])
        ones, two_b = _full_adder(ones, work[2 * WORDS + w], work[3 * WORDS + w])
        twos, four_a = _full_adder(twos, two_a, two_b)
        ones, two_a = _full_adder(ones, work[4 * WORDS + w], work[5 * WORDS + w])
        ones, two_b = _full_adder(ones, work[6 * WORDS + w], work[7 * WORDS + w])
        twos, four_b = _full_adder(twos, two_a, two_b)
        fours, eights = _full_adder(work[_PLANES + 2 * WORDS + w], four_a, four_b)
        work[_PLANES + w], work[_PLANES + WORDS + w] = ones, twos
        work[_PLANES + 2 * WORDS + w], work[_CARRY + w] = fours, eights


@inner
def _add_planes(work, digits, low, high, counts, i, first):
    """Adds the numbers whose binary digits the planes are (in `work`, as bytes) to `counts[i, first:]`.

    Eight members at a time: a byte of a plane becomes eight bytes of 0 or 1, one a member; the lower eight digits are
    gathered in `low`, the higher ones in `high` (uint64).
    """
    low[:] = 0
    high[:] = 0
    for p in range(digits):
        into, shift = (low, _U(p)) if p < 8 else (high, _U(p - 8))
        at = 8 * (_PLANES + p * WORDS)
        for k in range(8 * WORDS):
            spread = (_U(work[at + k]) * _U(0x0101010101010101)) & _U(0x8040201008040201)
            spread = ((spread + _U(0x7F7F7F7F7F7F7F7F)) >> _U(7)) & _U(0x0101010101010101)
            into[k] |= spread << shift
    lows, highs = low.view(np.uint8), high.view(np.uint8)
    for p in range(BLOCK):
        counts[i, first + p] += np.int32(lows[p]) + (np.int32(highs[p]) << 8)
