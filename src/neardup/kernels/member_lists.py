"""Posting lists of the members of a crowd, by number, inside kernels: the long ones are bitsets.

The table and the short lists are those of `kernels/posting_lists.py`. A list that holds many of all members becomes a
row of `bits` for good, and its room is free again: a comparison then costs a look-up a key, and 64 members a word.

    entries[slot] = (key, row << 32 | BITSET << 27 | length)     of a list that is a bitset
    bits[b, row]    8 words: the bits of members 512 · b on; row 0 has none

Rows are counted block by block, for many documents at once: then a block of all rows stays in the second cache level.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.bit_planes import AT_ONCE, BITS, SIZE, WORDS, add_rows, set_counts
from neardup.kernels.bits import prefetch
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
    add_at,
    find,
    first_slot,
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
BLOCK = BITS
"""Places of a block."""
_LINE = 16
"""Postings of a cache line."""


@njit(cache=True, nogil=True)
def add_members(lists, bits, used, most, keys, offsets, members, progress):
    """Adds `members[i]` (int64) under `keys[offsets[i]:offsets[i + 1]]` for every i; returns a status. -1: left out.

    bits, used   rows, and how many of them are in use (int64, one value: row 0 is), changed
    most         rows at most: other lists are read, whatever their length
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
    entries, pool, state = lists
    if 10 * (state[STATE_KEYS] + last - first) > 6 * len(entries):
        return TABLE_FULL
    shortest = max(SHORTEST, member // SHARE)
    table = entries.reshape(entries.size)
    # What is to be read is asked for first: each step misses the cache, and misses go on beside one another.
    slots = np.empty(last - first, np.int64)
    for j in range(first + progress[1], last):
        prefetch(table, 2 * first_slot(entries, keys[j]))
    rows, block = bits.reshape(bits.size), member // BLOCK * bits.shape[1] * WORDS
    for j in range(first + progress[1], last):
        slot = find(entries, keys[j])
        start, length, inline = list_at(entries, slot)
        slots[j - first] = slot
        if not inline and length:
            if length >= shortest:
                prefetch(rows, block + start * WORDS)
            else:
                prefetch(pool, start + length)
    for j in range(first + progress[1], last):
        progress[1] = j - first
        slot = slots[j - first]
        if entries[slot, 0] != keys[j] or entries[slot, 1] == 0:  # another may have taken a free one
            slot = find(entries, keys[j])
        row, length, _ = list_at(entries, slot)
        if not _is_bitset(entries[slot, 1]):
            if length < shortest or used[0] == most:
                if not add_at(lists, slot, keys[j], member):
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
    """Sets `counts[i, p]` to how many of the lists of `keys[offsets[i]:offsets[i + 1]]` member p is in.

    Rows of `counts` (uint16, or int32 where a set has more keys than that counts) are of whole blocks, for all members.
    """
    size = len(counts)
    rows, begins = np.zeros(len(keys) + AT_ONCE * size, np.int64), np.zeros(size + 1, np.int64)
    slots, ends = np.empty(len(keys), np.int64), np.empty(size, np.int64)
    for i in range(size):
        first = offsets[i]
        end, ends[i] = _find_lists(lists, keys, first, offsets[i + 1], rows, begins[i], slots)
        begins[i + 1] = begins[i] + (end - begins[i] + AT_ONCE - 1) // AT_ONCE * AT_ONCE
    words, numbers = bits.reshape(bits.size), counts.reshape(counts.size)
    planes = np.empty(SIZE, np.uint64)
    for block in range(counts.shape[1] // BLOCK):
        for i in range(size):
            base = block * bits.shape[1] * WORDS
            add_rows(words, base, WORDS, rows, begins[i], begins[i + 1], planes)
            set_counts(planes, numbers, i * counts.shape[1] + block * BLOCK)
    for i in range(size):
        _read_lists(lists, slots[offsets[i] : ends[i]], counts[i])


@inner
def _find_lists(lists, keys, first, last, rows, row, slots):
    """Writes which lists `keys[first:last]` have: those that are bitsets to `rows[row:]`, others to `slots[first:]`.

    Returns the ends of both.
    """
    entries = lists.entries
    for j in range(first, last):
        slots[j] = find(entries, keys[j])
    at = first
    for j in range(first, last):
        slot = slots[j]
        if _is_bitset(entries[slot, 1]):
            rows[row] = np.int64(entries[slot, 1] >> START_SHIFT)
            row += 1
        else:
            slots[at] = slot
            at += 1
    return row, at


@inner
def _read_lists(lists, slots, counts):
    """Adds to `counts` what the lists at `slots` hold. Step by step for all of them: each step misses the cache, and
    misses go on beside one another.
    """
    entries, pool, _ = lists
    for slot in slots:
        start, length, inline = list_at(entries, slot)
        if inline:
            counts[start] += 1
        else:
            for line in range(start, start + length, _LINE):
                prefetch(pool, line)
    for slot in slots:
        start, length, inline = list_at(entries, slot)
        if not inline:
            for p in range(start, start + length):
                counts[pool[p]] += 1
