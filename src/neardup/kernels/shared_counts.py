"""How many of some posting lists each doc is in, inside kernels: by reading them, the long ones by their bitsets.

A list is long, and has a bitset, as `kernels/bitset_cache.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bit_planes import AT_ONCE, digits_of
from neardup.kernels.bits import ones, prefetch
from neardup.kernels.bitset_cache import (
    MANY,
    bitset_row,
    count_bitsets,
    counted_bits,
    is_in,
    long_from,
    looked_up_from,
    write_members,
)
from neardup.kernels.candidate_filter import are_plain
from neardup.kernels.inner import inner
from neardup.kernels.posting_lists import list_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64

SMALL_BITS, LARGE_BITS = 3, 7
"""Bits of a counter that count; the rest of its byte tells whose: 31 searches, or one, between two clearings.

A byte is enough even where one search must be cleared for: two bytes a doc leave the first cache level sooner,
and clearing is nothing beside reading the lists of a hundred times as many keys.
"""


_DOC_BITS = 32
"""Bits of a doc in the pool of a table: all of a word, where a packed posting has a part of the key beside it."""
_LINE = 16
"""Postings in a line of the cache."""


class Counters(NamedTuple):
    """A counter for every doc that is never cleared between two searches: it holds the stamp it was last used in.

    hits    one a doc: stamp << bits | count
    bits    how many low bits are the count's: SMALL_BITS or LARGE_BITS
    stamp   its one value is the stamp of the last search
    """

    hits: NDArray[np.uint8]
    bits: int
    stamp: NDArray[np.int64]


@inner
def _next_stamp(counters):
    """Starts a new count; returns what a counter of 0 is in it. All counters are cleared when stamps run out."""
    hits, bits, stamp = counters
    if stamp[0] == (1 << (8 * hits.itemsize - bits)) - 1:
        hits[:] = 0
        stamp[0] = 0
    stamp[0] += 1
    return stamp[0] << bits


@inner
def _living(lists, packed, located, j, documents, low, high):
    """How many living docs of the hours `low` to `high` list j holds: dead ones must not make a difference."""
    start, length, inline = list_at(lists.entries, located.slots[j])
    begin, size, mask = located.starts[j], located.sizes[j], (np.int64(1) << packed.doc_bits) - 1
    count = 0
    for p in range(size + length):
        if p < size:
            doc = np.int64(packed.postings[begin + p]) & mask
        else:
            doc = start if inline else np.int64(lists.pool[start + p - size])
        inside = low <= documents.hours[doc] <= high
        count += np.int64(inside and documents.alive[doc] == 1)
    return count


@inner
def _two_longest(lengths, size, documents):
    """Which two of the lists of `lengths[:size]` are the longest of those worth a bitset among so many documents: the
    longest first, -1 for none; and how long the others are together.
    """
    first, second = np.int64(-1), np.int64(-1)
    total = np.int64(0)
    longest = next_longest = looked_up_from(documents) - 1
    for j in range(size):
        if lengths[j] > longest:
            second, next_longest = first, max(longest, next_longest)
            first, longest = j, lengths[j]
        elif lengths[j] > next_longest:
            second, next_longest = j, lengths[j]
        total += lengths[j]
    if first >= 0:
        total -= longest
    if second >= 0:
        total -= next_longest
    return first, second, total


@inner
def _is_crowded(lengths, size, documents):
    """Whether counting all long lists by their bitsets costs less than reading them, but for the two longest."""
    shortest = long_from(documents)
    many, postings, longest, next_longest = 0, 0, 0, 0
    for j in range(size):
        if lengths[j] >= shortest:
            many += 1
            postings += lengths[j]
            next_longest = max(next_longest, min(lengths[j], longest))
            longest = max(longest, lengths[j])
    return many > 2 and postings - longest - next_longest > many * (documents // 64)


@inner
def _counted_once_more(base, goal):
    """What each value of a counter (uint8) becomes when its doc is in one list more: one below `base` is of an earlier
    search, and it stops one above the `goal`, or it would run into the next stamp.
    """
    after = np.empty(256, np.uint8)
    for held in range(256):
        after[held] = min(max(held, base), goal) + 1
    return after


@inner
def _count_packed(postings, doc_bits, begin, end, after, enough, hits, out, at):
    """Counts the docs of `postings[begin:end]`, packed; those whose counter comes to `enough` go to `out[at:]`, which
    has room for all: it is filled without a branch. Returns the next position.

    after   as `_counted_once_more` gives it. Comparing would be a branch, which is mispredicted now and then; then all
            waits for a counter among millions, which is in no cache.
    """
    mask, position = (_U(1) << _U(doc_bits)) - _U(1), _U(at)
    for p in range(_U(begin), _U(end)):  # without a sign there is no look whether it counts from the end
        doc = _U(postings[p]) & mask
        held = after[hits[doc]]
        hits[doc] = held
        out[position] = np.int32(doc)
        position += _U(held == enough)
    return np.int64(position)


@inner
def _count_list(entries, pool, slot, after, enough, hits, out, at):
    """As `_count_packed`, of a list of the table."""
    start, length, inline = list_at(entries, slot)
    if inline:
        held = after[hits[start]]
        hits[start] = held
        out[at] = start
        return at + np.int64(held == enough)
    return _count_packed(pool, _DOC_BITS, start, start + length, after, enough, hits, out, at)


@inner
def _count_by_bitsets(
    lists, packed, bitsets, keys, located, size, minimum, documents, wanted, counters, out, out_at
):
    """`count_shared` where many lists are long: those are counted by their bitsets, the others are read."""
    # Taken out once: an array read through a tuple is counted in and out every time.
    entries, pool, _ = lists
    _, postings, doc_bits = packed
    slots, starts, sizes, lengths = located
    hits = counters.hits
    total = len(hits)
    shortest = long_from(total)
    rows = np.empty(size + AT_ONCE, np.int64)
    others = np.empty(size, np.int64)
    n_rows, n_others = 0, 0
    for j in range(size):
        row = np.int64(-1)
        if lengths[j] >= shortest:
            row = bitset_row(bitsets, keys[j], lists, packed, located, j)
        if row >= 0:
            rows[n_rows] = row
            n_rows += 1
        else:
            others[n_others] = j
            n_others += 1
    words = (total + 63) // 64
    digits = max(digits_of(n_rows), digits_of(minimum))
    planes = np.empty((digits, words), np.uint64)
    reached = np.empty(words, np.uint64)
    reaching = count_bitsets(bitsets, rows, n_rows, minimum, words, planes, reached)
    if out_at + reaching + 64 > len(out):
        return np.int64(-1), np.int64(-1)
    rest = reached.copy()
    certain = write_members(words, _take_plain(rest, documents, wanted), out, out_at)
    by_list = at = write_members(words, rest, out, certain)
    base = _next_stamp(counters)
    goal = base + minimum
    enough = max(goal - n_rows, base + 1)
    after = _counted_once_more(base, goal)
    for k in range(n_others):
        j = others[k]
        if at + lengths[j] > len(out):
            return np.int64(-1), np.int64(-1)
        at = _count_packed(postings, doc_bits, starts[j], starts[j] + sizes[j], after, enough, hits, out, at)
        at = _count_list(entries, pool, slots[j], after, enough, hits, out, at)
    kept = by_list
    for p in range(by_list, at):
        doc = np.int64(out[p])
        if (reached[doc >> 6] >> _U(doc & 63)) & _U(1):
            continue  # written already
        out[kept] = doc
        kept += np.int64(np.int64(hits[doc]) - base + counted_bits(planes, digits, doc) >= minimum)
    return certain, kept


@inner
def _take_plain(reached, documents, wanted):
    """Takes out of `reached` the bits of plain candidates, where there are many; returns these."""
    plain = np.zeros_like(reached)
    for word in range(min(len(documents.alive) // 64, len(reached))):
        if ones(reached[word]) >= MANY:
            plain[word] = reached[word] & are_plain(wanted, documents, word)
            reached[word] &= ~plain[word]
    return plain


@inner
def _ask_for(postings, starts, sizes, read, n_read):
    """Asks for the packed parts of the lists `read[:n_read]`, all at once: they miss the cache one beside the other,
    not one after the other.
    """
    for k in range(n_read):
        for p in range(starts[read[k]], starts[read[k]] + sizes[read[k]], _LINE):
            prefetch(postings, p)


@inner
def count_shared(
    lists, packed, bitsets, keys, located, size, minimum, limit, documents, wanted, counters, out, out_at
):  # fmt: skip
    """Writes to `out[out_at:]` (int32) the docs in at least `minimum` of the lists of `keys[:size]`, each once.

    `located`: where these lists lie in `lists` and `packed` (kernels/packed_lists.py).

    Returns (position behind those that are known to be all that is `wanted`, a Filter (kernels/candidate_filter.py);
    position behind all, -1: `out` is too small; lists left out). A list of more than `limit` living docs in the hours
    wanted is left out (0 = no limit). `minimum` is from 1 to 2^bits - 2, `bits` those of
    `counters`. Costs 1 to 2 ns a posting read, several among millions of docs, whose counters no cache holds; where a
    list is long, of the two longest only those docs are looked up that the others leave.
    """
    # Taken out once: an array read through a tuple is counted in and out every time.
    entries, pool, _ = lists
    _, postings, doc_bits = packed
    slots, starts, sizes, lengths = located
    hits = counters.hits
    total = len(hits)
    one = two = row_one = row_two = np.int64(-1)
    if minimum > 2 and limit == 0:
        if _is_crowded(lengths, size, total):
            certain, at = _count_by_bitsets(
                lists, packed, bitsets, keys, located, size, minimum, documents, wanted, counters, out, out_at
            )
            return certain, at, 0
        one, two, others = _two_longest(lengths, size, total)
        if one >= 0:
            row_one = bitset_row(bitsets, keys[one], lists, packed, located, one)
        # With both looked up, one shared key of the others is enough at m = 3: every doc of these is looked up.
        if two >= 0 and (minimum > 3 or 3 * lengths[two] > 2 * others):
            row_two = bitset_row(bitsets, keys[two], lists, packed, located, two)
    base = _next_stamp(counters)
    goal = base + minimum
    enough = goal - np.int64(row_one >= 0) - np.int64(row_two >= 0)
    after = _counted_once_more(base, goal)
    read, n_read, to_read, left_out = np.empty(size, np.int64), 0, 0, 0
    for j in range(size):
        if lengths[j] == 0 or (j == one and row_one >= 0) or (j == two and row_two >= 0):
            continue
        too_long = limit > 0 and lengths[j] > limit
        if too_long and _living(lists, packed, located, j, documents, wanted.low, wanted.high) > limit:
            left_out += 1
            continue
        read[n_read] = j
        n_read += 1
        to_read += lengths[j]
    if out_at + to_read > len(out):
        return out_at, np.int64(-1), left_out
    _ask_for(postings, starts, sizes, read, n_read)
    at = out_at
    for k in range(n_read):
        j = read[k]
        at = _count_packed(postings, doc_bits, starts[j], starts[j] + sizes[j], after, enough, hits, out, at)
        at = _count_list(entries, pool, slots[j], after, enough, hits, out, at)
    if enough < goal:
        at = _keep_reaching(bitsets, row_one, row_two, goal, hits, out, out_at, at)
    return out_at, at, left_out


@inner
def _keep_reaching(bitsets, row_one, row_two, goal, hits, out, begin, end):
    """Keeps of the docs `out[begin:end]` those that come to the `goal` with two bitsets, -1 for none, by rows; returns
    their end.
    """
    none = len(bitsets.filled)  # the row of the bitset of no doc
    row_one = row_one if row_one >= 0 else none
    row_two = row_two if row_two >= 0 else none
    likely = begin
    for p in range(begin, end):
        doc = np.int64(out[p])
        out[likely] = doc
        likely += np.int64(np.int64(hits[doc]) + is_in(bitsets, row_two, doc) >= goal - 1)
    # Few are left, of which few lie in the longest list too: its bitset is not looked at for the others.
    at = begin
    for p in range(begin, likely):
        doc = np.int64(out[p])
        count = np.int64(hits[doc]) + is_in(bitsets, row_one, doc) + is_in(bitsets, row_two, doc)
        out[at] = doc
        at += np.int64(count >= goal)
    return at
