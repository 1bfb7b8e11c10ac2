"""Posting lists in memory: key -> contiguous run of document numbers, growing in place, searched by counting.

Runs are contiguous because linked blocks are 3 to 4 times slower to read. A run that is full moves to one of twice
its size; the room it leaves is kept on a free list of its size class. Most keys of a sketch are seen once: a run of
one lives in the table itself.

    entries[slot] = (key, start << 32 | size_class << 27 | length)     length 0: the slot is free
    pool[start : start + length]                                       document numbers, ascending
    state = [keys used, pool top, head of the free list of size class 0, 1, … 31]   heads and links are start + 1

A text that comes again is not posted again: the document joins the chain of the first one, which is posted for all of
them (`Documents`), and a search that meets the first finds the whole chain.

Kernels that run out of room change nothing they cannot resume: they return a status, the caller grows an array and
calls again with the same `progress`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from neardup.kernels.bitset_cache import (
    SHARE,
    SHORTEST,
    add_counts,
    bitset,
    count_bitsets,
    counted_bits,
    digits_of,
    has,
    write_members,
)
from neardup.kernels.caching import njit

_U = np.uint64
_LENGTH_MASK = _U((1 << 27) - 1)
_CLASS_SHIFT = _U(27)
_CLASS_MASK = _U(31)
_START_SHIFT = _U(32)

STATE_KEYS, STATE_TOP, STATE_FREE = 0, 1, 2
STATE_SIZE = STATE_FREE + 32

SMALL_BITS, LARGE_BITS = 3, 7
"""Bits of a counter that count; the rest of its byte tells whose: 31 searches, or one, between two clearings.

A byte is enough even where one search must be cleared for: two bytes a document leave the first cache level sooner,
and clearing is nothing beside reading the runs of a hundred times as many keys.
"""

TALLY_SHORTEST = 256
"""Runs that `tally` counts by bitsets are at least so long."""

DONE, TABLE_FULL, POOL_FULL, CANDIDATES_FULL = 0, 1, 2, 3
"""What a kernel returns: finished, or which array must grow."""


class Lists(NamedTuple):
    """One set of posting lists (see the module's layout)."""

    entries: Any
    pool: Any
    state: Any


class Documents(NamedTuple):
    """Columns that a search filters by, indexed by document number.

    halves        first halves of `fingerprints` (n × 2), side by side: most of them differ already in these
    first_of      the document that stands in the posting lists for all of the same text
    next_of       the next document of that text, -1 after the last: a chain that begins with the one posted
    """

    hours: Any
    counts: Any
    alive: Any
    halves: Any
    fingerprints: Any
    first_of: Any
    next_of: Any


@njit(cache=True, nogil=True)
def find(entries, key):
    """Slot of `key`, or of the free place where it would go.

    Keys are hashed once more: a sketch prefers keys by their low bits and its lexicon by their high ones, so
    neither spread.
    """
    mask = len(entries) - 1
    slot = np.int64((key * _U(0x9E3779B97F4A7C15)) >> _U(32)) & mask
    while entries[slot, 1] != 0 and entries[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def _allocate(pool, state, size_class):
    """Start of a free run of `1 << size_class`, or -1 if the pool must grow first."""
    head = state[STATE_FREE + size_class]
    if head:
        state[STATE_FREE + size_class] = pool[head - 1]
        return head - 1
    start = state[STATE_TOP]
    if start + (1 << size_class) > len(pool):
        return np.int64(-1)
    state[STATE_TOP] = start + (1 << size_class)
    return start


@njit(cache=True, nogil=True)
def add(lists, key, document):
    """Appends `document` to the run of `key`; False (nothing changed) if the pool must grow first."""
    entries, pool, state = lists
    slot = find(entries, key)
    packed = entries[slot, 1]
    length = np.int64(packed & _LENGTH_MASK)
    if length == 0:
        entries[slot, 0] = key
        entries[slot, 1] = (_U(document) << _START_SHIFT) | _U(1)
        state[STATE_KEYS] += 1
        return True
    size_class = np.int64((packed >> _CLASS_SHIFT) & _CLASS_MASK)
    start = np.int64(packed >> _START_SHIFT)
    if length < (1 << size_class):
        pool[start + length] = document
        entries[slot, 1] = packed + _U(1)
        return True
    fresh = _allocate(pool, state, size_class + 1)
    if fresh < 0:
        return False
    if size_class == 0:
        pool[fresh] = start
    else:
        pool[fresh : fresh + length] = pool[start : start + length]
        pool[start] = state[STATE_FREE + size_class]
        state[STATE_FREE + size_class] = start + 1
    pool[fresh + length] = document
    entries[slot, 1] = (_U(fresh) << _START_SHIFT) | (_U(size_class + 1) << _CLASS_SHIFT) | _U(length + 1)
    return True


@njit(cache=True, nogil=True)
def rehash(entries, larger):
    """Moves every used entry of `entries` into the empty, larger table."""
    for i in range(len(entries)):
        if entries[i, 1] != 0:
            slot = find(larger, entries[i, 0])
            larger[slot, 0] = entries[i, 0]
            larger[slot, 1] = entries[i, 1]


@njit(cache=True, nogil=True)
def add_all(lists, keys, key_offsets, documents, progress):
    """Adds document `documents[i]` under `keys[key_offsets[i]:key_offsets[i + 1]]` for every i; -1 is left out.

    Returns a status; `progress` = [i, keys of document i already added] is where to resume.
    """
    while progress[0] < len(documents):
        i = progress[0]
        if documents[i] >= 0:
            first, last = key_offsets[i], key_offsets[i + 1]
            if 10 * (lists.state[STATE_KEYS] + last - first) > 6 * len(lists.entries):
                return TABLE_FULL
            for j in range(first + progress[1], last):
                if not add(lists, keys[j], documents[i]):
                    progress[1] = j - first
                    return POOL_FULL
        progress[0] = i + 1
        progress[1] = 0
    return DONE


@njit(cache=True, nogil=True)
def _next_epoch(hits, bits, epoch):
    """Starts a new count: earlier counts in `hits` are of other epochs. All are cleared when epochs run out."""
    if epoch[0] == (1 << (8 * hits.itemsize - bits)) - 1:
        hits[:] = 0
        epoch[0] = 0
    epoch[0] += 1
    return epoch[0] << bits


@njit(cache=True, nogil=True)
def _holders(lists, packed, documents, low, high):
    """How many living documents of the hours compared a run holds: dead ones must not make a difference."""
    start, length = np.int64(packed >> _START_SHIFT), np.int64(packed & _LENGTH_MASK)
    count = 0
    for p in range(start, start + length):
        document = lists.pool[p]
        inside = low <= documents.hours[document] <= high
        count += np.int64(inside and documents.alive[document] == 1)
    return count


@njit(cache=True, nogil=True)
def _two_longest(entries, slots, size, documents):
    """Places in `slots` of the two longest runs that are heavy among so many documents, longest first; -1 for none."""
    first, second = np.int64(-1), np.int64(-1)
    longest = next_longest = max(SHORTEST, documents // SHARE) - 1
    for j in range(size):
        length = np.int64(entries[slots[j], 1] & _LENGTH_MASK)
        if length > longest:
            second, next_longest = first, max(longest, next_longest)
            first, longest = j, length
        elif length > next_longest:
            second, next_longest = j, length
    return first, second


@njit(cache=True, nogil=True)
def _bitset_at(lists, heavy, slots, place):
    """Row of the bitset of the run at `slots[place]`; -1 if `place` is, or there is no room."""
    if place < 0:
        return np.int64(-1)
    packed = lists.entries[slots[place], 1]
    start, length = np.int64(packed >> _START_SHIFT), np.int64(packed & _LENGTH_MASK)
    return bitset(heavy, lists.entries[slots[place], 0], lists.pool, start, length)


@njit(cache=True, nogil=True)
def _is_crowded(entries, slots, size, documents):
    """Whether counting all heavy runs by their bitsets costs less than reading them, but for the two longest."""
    heaviest = max(SHORTEST, documents // SHARE)
    runs, postings, longest, next_longest = 0, 0, 0, 0
    for j in range(size):
        length = np.int64(entries[slots[j], 1] & _LENGTH_MASK)
        if length >= heaviest:
            runs += 1
            postings += length
            next_longest = max(next_longest, min(length, longest))
            longest = max(longest, length)
    return runs > 2 and postings - longest - next_longest > runs * (documents // 64)


@njit(cache=True, nogil=True)
def _count_crowded(
    lists, heavy, slots, size, minimum, documents, hits, bits, epoch, out, out_at
):  # fmt: skip
    """`count_shared` where many runs are heavy: those are counted by their bitsets, the others are read."""
    entries, pool, _ = lists
    heaviest = max(SHORTEST, documents // SHARE)
    rows = np.empty(size, np.int64)
    light = np.empty(size, np.int64)
    n_rows, n_light, postings = 0, 0, 0
    for j in range(size):
        length = np.int64(entries[slots[j], 1] & _LENGTH_MASK)
        row = _bitset_at(lists, heavy, slots, j) if length >= heaviest else np.int64(-1)
        if row >= 0:
            rows[n_rows] = row
            n_rows += 1
        else:
            light[n_light] = slots[j]
            n_light += 1
            postings += length
    words = (documents + 63) // 64
    digits = max(digits_of(n_rows), digits_of(minimum))
    planes = np.empty((digits, words), np.uint64)
    reached = np.empty(words, np.uint64)
    enough = count_bitsets(heavy, rows, n_rows, minimum, words, planes, reached)
    if out_at + enough + postings > len(out):
        return np.int64(-1), 0, 0
    at = write_members(words, reached, out, out_at)
    base = _next_epoch(hits, bits, epoch)
    goal = base + minimum
    first = at
    early = max(goal - n_rows, base + 1)
    for j in range(n_light):
        packed = entries[light[j], 1]
        start, length = np.int64(packed >> _START_SHIFT), np.int64(packed & _LENGTH_MASK)
        inline = length == 1 and (packed >> _CLASS_SHIFT) & _CLASS_MASK == 0
        for p in range(start, start + length):
            document = start if inline else np.int64(pool[p])
            held = min(max(np.int64(hits[document]), base), goal) + 1
            hits[document] = held
            out[at] = document
            at += np.int64(held == early)
    kept = first
    for p in range(first, at):
        document = out[p]
        others = counted_bits(planes, digits, document)
        out[kept] = document
        kept += np.int64(others < minimum and np.int64(hits[document]) - base + others >= minimum)
    return kept, postings, 0


@njit(cache=True, nogil=True)
def count_shared(
    lists, heavy, slots, size, minimum, longest, documents, number_of_documents, low, high,
    hits, bits, epoch, out, out_at,
):  # fmt: skip
    """Writes to `out[out_at:]` the documents in at least `minimum` of the runs at `slots[:size]`.

    Returns (next position, postings read, runs left out); position -1: `out` is too small. A run of more than
    `longest` living documents in the hours `low` to `high` is left out (0 = no limit). `hits` (one a
    document) holds epoch and count, so that no second pass need clear it; `minimum` must be below 2^bits - 1.
    """
    entries, pool, _ = lists
    if minimum > 2 and longest == 0 and _is_crowded(entries, slots, size, number_of_documents):
        return _count_crowded(
            lists, heavy, slots, size, minimum, number_of_documents, hits, bits, epoch, out, out_at
        )
    at = out_at
    read = 0
    skipped = 0
    one = two = np.int64(-1)
    row_one = row_two = np.int64(-1)
    if minimum > 2 and longest == 0:
        one, two = _two_longest(entries, slots, size, number_of_documents)
        row_one = _bitset_at(lists, heavy, slots, one)
        if (
            minimum > 3
        ):  # at least two of the runs that are read, or every document in them would be looked up
            row_two = _bitset_at(lists, heavy, slots, two)
    base = _next_epoch(hits, bits, epoch)
    goal = base + minimum
    early = goal - np.int64(row_one >= 0) - np.int64(row_two >= 0)
    for j in range(size):
        if (j == one and row_one >= 0) or (j == two and row_two >= 0):
            continue
        packed = entries[slots[j], 1]
        length = np.int64(packed & _LENGTH_MASK)
        if longest and length > longest and _holders(lists, packed, documents, low, high) > longest:
            skipped += 1
            continue
        if at + length > len(out):
            return np.int64(-1), read, skipped
        read += length
        start = np.int64(packed >> _START_SHIFT)
        if length == 1 and (packed >> _CLASS_SHIFT) & _CLASS_MASK == 0:
            held = min(max(np.int64(hits[start]), base), goal) + 1
            hits[start] = held
            out[at] = start
            at += np.int64(held == early)
            continue
        for p in range(start, start + length):
            document = np.int64(pool[p])
            # Counts stop one above the goal, or they would run into the next epoch.
            held = min(max(np.int64(hits[document]), base), goal) + 1
            hits[document] = held
            out[at] = document
            at += np.int64(held == early)
    if early == goal:
        return at, read, skipped
    kept = out_at
    for p in range(out_at, at):
        count = np.int64(hits[out[p]])
        if row_one >= 0:
            count += has(heavy, row_one, out[p])
        if row_two >= 0:
            count += has(heavy, row_two, out[p])
        out[kept] = out[p]
        kept += np.int64(count >= goal)
    return kept, read, skipped


@njit(cache=True, nogil=True)
def write_living(
    candidates, begin, end, documents, low, high, count, fingerprint, numerator, denominator, out, out_at
):  # fmt: skip
    """Writes to `out[out_at:]` whom `candidates[begin:end]` stand for: with a `fingerprint` their chains, as they came,
    else themselves. Left out are the dead, what is outside the hours `low` to `high`, and sizes that cannot do.

    doc_q >= t needs min(|A|, |B|) >= ceil(t · max(|A|, |B|)), t = numerator / denominator. Returns (next position, -1
    if `out` is too small; the candidate of this `fingerprint`, or -1).
    """
    # Taken out once: a column read through the tuple is counted in and out at every document.
    hours, counts, alive, halves, fingerprints, _, next_of = documents
    same = np.int64(-1)
    at = out_at
    chained = len(fingerprint) > 0
    for p in range(begin, end):
        document = candidates[p]
        if chained and halves[document] == fingerprint[0] and fingerprints[document, 1] == fingerprint[1]:
            same = document
        other = np.int64(counts[document])
        if min(other, count) * denominator < numerator * max(other, count):
            continue
        if at == len(out):
            return np.int64(-1), same
        out[at] = document
        at += np.int64((low <= hours[document] <= high) & (alive[document] == 1))
        chain = at
        document = np.int64(next_of[document]) if chained else np.int64(-1)
        while document >= 0:
            if at == len(out):
                return np.int64(-1), same
            out[at] = document
            at += np.int64((low <= hours[document] <= high) & (alive[document] == 1))
            document = np.int64(next_of[document])
        for i in range((at - chain) // 2):  # the chain has the newest next to its first
            out[chain + i], out[at - 1 - i] = out[at - 1 - i], out[chain + i]
    return at, same


@njit(cache=True, nogil=True)
def _widest(offsets):
    widest = 0
    for i in range(len(offsets) - 1):
        widest = max(widest, offsets[i + 1] - offsets[i])
    return widest


@njit(cache=True, nogil=True)
def search_and_add(
    lists, heavy, keys, key_offsets, min_shared, longest, documents, low_hours, high_hours, numbers, counts,
    fingerprints, numerator, denominator, hits, bits, epoch, found, found_offsets, skipped, reads, same_as, progress,
):  # fmt: skip
    """For every document of a batch, in order: who came before it and may match; then it is added itself.

    `found[found_offsets[i]:found_offsets[i + 1]]` = candidates of document i, unordered: in at least
    `min_shared[i]` of its runs, alive, in the hours given, and of a size that fits. `numbers[i]` is its document
    number, -1 if it is searched but not added. With `fingerprints` (n × 2; empty: without) a document of the text of
    one that was posted joins that one's chain instead: `same_as[i]`, -1 before. `skipped[i]` and `reads[0]` count runs
    left out and postings read. Returns a status; `progress` = [i, searched, keys added].
    """
    slots = np.empty(_widest(key_offsets), np.int64)
    total = np.int64(len(hits))
    while progress[0] < len(numbers):
        i = progress[0]
        first, last = key_offsets[i], key_offsets[i + 1]
        if progress[1] == 0:
            begin = found_offsets[i]
            # All look-ups first: they miss the cache one beside the other, not one after the other.
            for j in range(first, last):
                slots[j - first] = find(lists.entries, keys[j])
            end, read, skips = count_shared(
                lists, heavy, slots, last - first, min_shared[i], longest, documents, total,
                low_hours[i], high_hours[i], hits, bits, epoch, found, begin,
            )  # fmt: skip
            if end < 0:
                return CANDIDATES_FULL
            reads[0] += read
            skipped[i] += skips
            own = fingerprints[i] if len(fingerprints) else fingerprints.ravel()
            at, same_as[i] = write_living(
                found, begin, end, documents, low_hours[i], high_hours[i], counts[i], own, numerator, denominator,
                found, end,
            )  # fmt: skip
            if at < 0:
                return CANDIDATES_FULL
            found[begin : begin + at - end] = found[end:at]
            found_offsets[i + 1] = begin + at - end
            progress[1] = 1
        if numbers[i] >= 0 and same_as[i] >= 0:
            documents.first_of[numbers[i]] = same_as[i]
            documents.next_of[numbers[i]] = documents.next_of[same_as[i]]
            documents.next_of[same_as[i]] = numbers[i]
        elif numbers[i] >= 0:
            if 10 * (lists.state[STATE_KEYS] + last - first) > 6 * len(lists.entries):
                return TABLE_FULL
            for j in range(first + progress[2], last):
                if not add(lists, keys[j], numbers[i]):
                    progress[2] = j - first
                    return POOL_FULL
        progress[0] = i + 1
        progress[1] = 0
        progress[2] = 0
    return DONE


@njit(cache=True, nogil=True)
def renumber(lists, numbers, fresh):
    """Copies every run into the empty `fresh` lists with document d as `numbers[d]`; -1 and keys left empty go.

    `fresh` must have a table and a pool as large as those of `lists`: no run gets longer. One pass over all postings.
    """
    entries, pool, _ = lists
    for i in range(len(entries)):
        packed = entries[i, 1]
        length = np.int64(packed & _LENGTH_MASK)
        start = np.int64(packed >> _START_SHIFT)
        inline = length == 1 and (packed >> _CLASS_SHIFT) & _CLASS_MASK == 0
        kept = 0
        single = np.int64(0)
        for p in range(start, start + length):
            number = numbers[start] if inline else numbers[pool[p]]
            if number >= 0:
                kept += 1
                single = number
        if kept == 0:
            continue
        slot = find(fresh.entries, entries[i, 0])
        fresh.entries[slot, 0] = entries[i, 0]
        fresh.state[STATE_KEYS] += 1
        if kept == 1:
            fresh.entries[slot, 1] = (_U(single) << _START_SHIFT) | _U(1)
            continue
        size_class = 1
        while (1 << size_class) < kept:
            size_class += 1
        at = _allocate(fresh.pool, fresh.state, size_class)
        fresh.entries[slot, 1] = (_U(at) << _START_SHIFT) | (_U(size_class) << _CLASS_SHIFT) | _U(kept)
        for p in range(start, start + length):
            if numbers[pool[p]] >= 0:
                fresh.pool[at] = numbers[pool[p]]
                at += 1


@njit(cache=True, nogil=True)
def tally(lists, heavy, keys, salt, step, counts):
    """Adds to `counts[d]` how many of the runs of `keys`, each xor `salt`, document d is in; returns postings read.

    `step` -1 takes away instead. Runs of a 64th of all documents and more are counted by their bitsets.
    """
    entries, pool, _ = lists
    heaviest = max(TALLY_SHORTEST, len(counts) // SHARE)
    rows = np.empty(len(keys), np.int64)
    n_rows, read = 0, 0
    for j in range(len(keys)):
        slot = find(entries, keys[j] ^ salt)
        packed = entries[slot, 1]
        start, length = np.int64(packed >> _START_SHIFT), np.int64(packed & _LENGTH_MASK)
        if step == 1 and length >= heaviest:
            row = bitset(heavy, entries[slot, 0], pool, start, length)
            if row >= 0:
                rows[n_rows] = row
                n_rows += 1
                continue
        read += length
        if length == 1 and (packed >> _CLASS_SHIFT) & _CLASS_MASK == 0:
            counts[start] += step
            continue
        for p in range(start, start + length):
            counts[pool[p]] += step
    if n_rows:
        add_counts(heavy, rows, n_rows, (len(counts) + 63) // 64, counts)
        read += len(counts)
    return read
