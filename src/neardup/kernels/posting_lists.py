r"""Posting lists in memory, inside kernels: key -> the docs that hold it, side by side, growing in place.

The docs of a list lie side by side because linked blocks are 3 to 4 times slower to read. A list that is full moves
to a room of twice its size; the room it leaves is kept on a free list of its size class. Most keys of a sketch are
held by one doc: such a list lies in the table itself ("inline").

    entries[slot] = (key, start << 32 | size_class << 27 | length)     length 0: the slot is free
    pool[start : start + length]                                       docs, in the order in which they were added
    inline: length 1 and size class 0; `start` is the doc
    state = [keys used, pool top, head of the free list of size class 0, 1, … 31]   heads and links are start + 1

A doc is the number of a document in a table (`neardup.index.document_table`), below 2^32.

Kernels that run out of room change nothing they cannot resume: they return a status, the caller grows an array and
calls again with the same `progress`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.ranges import copy_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
_LENGTH_MASK = _U((1 << 27) - 1)
CLASS_SHIFT = _U(27)
CLASS_MASK = _U(31)
START_SHIFT = _U(32)

STATE_KEYS, STATE_TOP, STATE_FREE = 0, 1, 2
STATE_SIZE = STATE_FREE + 32

DONE, TABLE_FULL, POOL_FULL, CANDIDATES_FULL = 0, 1, 2, 3
"""What a kernel returns: finished, or which array must grow."""


class Lists(NamedTuple):
    """One set of posting lists (see the module's layout).

    entries   n × 2, n a power of two: the table
    pool      docs of all lists that are not inline
    state     STATE_SIZE counters
    """

    entries: NDArray[np.uint64]
    pool: NDArray[np.uint32]
    state: NDArray[np.int64]


@inner
def first_slot(entries, key):
    """The first slot where `key` (uint64) may be.

    Keys are hashed once more: those of a sketch are the smallest, whose high bits are alike, and a lexicon knows
    q-grams by their high ones.
    """
    return np.int64((key * _U(0x9E3779B97F4A7C15)) >> _U(32)) & (len(entries) - 1)


@inner
def find(entries, key):
    """Slot of `key` (uint64), or of the free place where it would go."""
    mask = len(entries) - 1
    slot = first_slot(entries, key)
    while entries[slot, 1] != 0 and entries[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def length_at(entries, slot):
    """Docs in the posting list at `slot`; 0: the slot is free."""
    return np.int64(entries[slot, 1] & _LENGTH_MASK)


@inner
def list_at(entries, slot):
    """(start, length, inline) of the posting list at `slot`: `pool[start:start + length]`, or, inline, doc `start`."""
    packed = entries[slot, 1]
    length = np.int64(packed & _LENGTH_MASK)
    inline = length == 1 and (packed >> CLASS_SHIFT) & CLASS_MASK == 0
    return np.int64(packed >> START_SHIFT), length, inline


@inner
def _allocate(pool, state, size_class):
    """Start of a free room for `1 << size_class` docs, or -1 if the pool must grow first."""
    head = state[STATE_FREE + size_class]
    if head:
        state[STATE_FREE + size_class] = pool[head - 1]
        return head - 1
    start = state[STATE_TOP]
    if start + (1 << size_class) > len(pool):
        return np.int64(-1)
    state[STATE_TOP] = start + (1 << size_class)
    return start


@inner
def add(lists, key, doc):
    """Appends `doc` to the list of `key`; False (nothing changed) if the pool must grow first. Constant on average."""
    return add_at(lists, find(lists.entries, key), key, doc)


@inner
def add_at(lists, slot, key, doc):
    """As `add`, of the key whose `slot` is known."""
    entries, pool, state = lists
    packed = entries[slot, 1]
    length = np.int64(packed & _LENGTH_MASK)
    if length == 0:
        entries[slot, 0] = key
        entries[slot, 1] = (_U(doc) << START_SHIFT) | _U(1)
        state[STATE_KEYS] += 1
        return True
    size_class = np.int64((packed >> CLASS_SHIFT) & CLASS_MASK)
    start = np.int64(packed >> START_SHIFT)
    if length < (1 << size_class):
        pool[start + length] = doc
        entries[slot, 1] = packed + _U(1)
        return True
    fresh = _allocate(pool, state, size_class + 1)
    if fresh < 0:
        return False
    if size_class == 0:
        pool[fresh] = start
    else:
        copy_range(pool, start, start + length, pool, fresh)
        pool[start] = state[STATE_FREE + size_class]
        state[STATE_FREE + size_class] = start + 1
    pool[fresh + length] = doc
    entries[slot, 1] = (_U(fresh) << START_SHIFT) | (_U(size_class + 1) << CLASS_SHIFT) | _U(length + 1)
    return True


@njit(cache=True, nogil=True)
def rehash(entries, larger):
    """Moves every used entry of `entries` into the empty table `larger`."""
    for i in range(len(entries)):
        if entries[i, 1] != 0:
            slot = find(larger, entries[i, 0])
            larger[slot, 0] = entries[i, 0]
            larger[slot, 1] = entries[i, 1]


@inner
def add_doc(lists, keys, first, last, doc, progress):
    """Adds `doc` under `keys[first:last]`; returns a status. `progress[1]`: how many of these keys have it already."""
    if 10 * (lists.state[STATE_KEYS] + last - first) > 6 * len(lists.entries):
        return TABLE_FULL
    for j in range(first + progress[1], last):
        if not add(lists, keys[j], doc):
            progress[1] = j - first
            return POOL_FULL
    return DONE


@njit(cache=True, nogil=True)
def add_all(lists, keys, key_offsets, docs, progress):
    """Adds `docs[i]` under `keys[key_offsets[i]:key_offsets[i + 1]]` for every i; a doc of -1 is left out.

    keys          uint64
    key_offsets   int64, one more than docs (int64)
    progress      int64: [i, keys of document i already added], where to resume

    Returns a status.
    """
    while progress[0] < len(docs):
        i = progress[0]
        if docs[i] >= 0:
            status = add_doc(lists, keys, key_offsets[i], key_offsets[i + 1], docs[i], progress)
            if status != DONE:
                return status
        progress[0] = i + 1
        progress[1] = 0
    return DONE


@njit(cache=True, nogil=True)
def renumber(lists, docs, fresh):
    """Copies every list into the empty `fresh` lists with doc d as `docs[d]`; -1 and keys left empty go.

    `fresh` must have a table and a pool as large as those of `lists`: no list gets longer. One pass over all postings.
    """
    entries, pool, _ = lists
    for i in range(len(entries)):
        start, length, inline = list_at(entries, i)
        kept = 0
        single = np.int64(0)
        for p in range(start, start + length):
            doc = docs[start] if inline else docs[pool[p]]
            if doc >= 0:
                kept += 1
                single = doc
        if kept == 0:
            continue
        slot = find(fresh.entries, entries[i, 0])
        fresh.entries[slot, 0] = entries[i, 0]
        fresh.state[STATE_KEYS] += 1
        if kept == 1:
            fresh.entries[slot, 1] = (_U(single) << START_SHIFT) | _U(1)
            continue
        size_class = 1
        while (1 << size_class) < kept:
            size_class += 1
        at = _allocate(fresh.pool, fresh.state, size_class)
        fresh.entries[slot, 1] = (_U(at) << START_SHIFT) | (_U(size_class) << CLASS_SHIFT) | _U(kept)
        for p in range(start, start + length):
            if docs[pool[p]] >= 0:
                fresh.pool[at] = docs[pool[p]]
                at += 1
