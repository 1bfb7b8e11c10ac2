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
from neardup.kernels.ranges import copy_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64

SMALL_BITS, LARGE_BITS = 3, 7
"""Bits of a counter that count; the rest of its byte tells whose: 31 searches, or one, between two clearings.

A byte is enough even where one search must be cleared for: two bytes a doc leave the first cache level sooner,
and clearing is nothing beside reading the lists of a hundred times as many keys.
"""


_LINE = 16
"""Postings in a line of the cache."""


class Counters(NamedTuple):
    """A counter for every doc that is never cleared between two searches: it holds the stamp it was last used in.

    hits     one a doc: stamp << bits | count
    coarse   counters that docs share, a power of two: that of doc d is d % len(coarse). None where there are so few
             docs that a cache holds `hits`
    bits     how many low bits are the count's: SMALL_BITS or LARGE_BITS
    stamps   the stamp of the last search in `hits`, and in `coarse`
    """

    hits: NDArray[np.uint8]
    coarse: NDArray[np.uint8]
    bits: int
    stamps: NDArray[np.int64]


@inner
def _next_stamp(counts, bits, stamps, which):
    """Starts a new count in `counts`, whose stamp is `stamps[which]`; returns what a counter of 0 is in it. All of them
    are cleared when stamps run out.
    """
    if stamps[which] == (1 << (8 * counts.itemsize - bits)) - 1:
        counts[:] = 0
        stamps[which] = 0
    stamps[which] += 1
    return stamps[which] << bits


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
def _read_lists(lists, packed, located, chosen, size, out, at):
    """Writes the docs of the lists `chosen[:size]` of `located` to `out[at:]`, list by list; returns the next position.

    All are asked for first: they miss the cache one beside the other, not one after the other.
    """
    # Taken out once: an array read through a tuple is counted in and out every time.
    entries, pool, _ = lists
    _, postings, doc_bits = packed
    slots, starts, sizes, _ = located
    mask = (_U(1) << _U(doc_bits)) - _U(1)
    for k in range(size):
        for p in range(starts[chosen[k]], starts[chosen[k]] + sizes[chosen[k]], _LINE):
            prefetch(postings, p)
    for k in range(size):
        at = _read(postings, starts[chosen[k]], sizes[chosen[k]], mask, out, at)
        start, length, inline = list_at(entries, slots[chosen[k]])
        if inline:
            out[at] = start
            at += 1
        else:
            at = _read(pool, start, length, ~_U(0), out, at)
    return at


@inner
def _read(postings, start, length, mask, out, at):
    for p in range(_U(length)):  # without a sign there is no look whether it counts from the end
        out[_U(at) + p] = np.int32(_U(postings[_U(start) + p]) & mask)
    return at + length


@inner
def _count(docs, begin, end, after, enough, hits, at):
    """Counts `docs[begin:end]`; those whose counter comes to `enough` go to `docs[at:]`, which has room for all: it is
    filled without a branch. Returns the next position. `at` is `begin`, or not below `end`.

    after   as `_counted_once_more` gives it. Comparing would be a branch, which is mispredicted now and then; then all
            waits for a counter among millions, which is in no cache.
    """
    position = _U(at)
    for p in range(_U(begin), _U(end)):
        doc = np.uint32(docs[p])
        held = after[hits[doc]]
        hits[doc] = held
        docs[position] = np.int32(doc)
        position += _U(held == enough)
    return np.int64(position)


@inner
def _keep_likely(docs, begin, end, minimum, counters, bitsets, row):
    """Keeps of `docs[begin:end]`, where a doc stands as often as it is in lists, those that may come to the `minimum`
    with the bitset `row`, -1 for none; returns their end.

    By counters that docs share, which a cache holds: none of their docs has more than they say (as in a count-min
    sketch, Cormode & Muthukrishnan 2005, of one row).
    """
    coarse, mask = counters.coarse, _U(len(counters.coarse) - 1)
    base = _next_stamp(coarse, counters.bits, counters.stamps, 1)
    after, enough = _counted_once_more(base, base + minimum), base + minimum
    for p in range(_U(begin), _U(end)):
        counter = _U(docs[p]) & mask
        coarse[counter] = after[coarse[counter]]
    position = _U(begin)
    # A loop of its own: to look for each doc in a bitset of none takes a search a twentieth longer.
    if row < 0:
        for p in range(_U(begin), _U(end)):
            doc = docs[p]
            docs[position] = doc
            position += _U(coarse[_U(doc) & mask] >= enough)
    else:
        bits = bitsets.bits[row]
        for p in range(_U(begin), _U(end)):
            doc = _U(docs[p])
            docs[position] = np.int32(doc)
            inside = (bits[doc >> _U(6)] >> (doc & _U(63))) & _U(1)
            position += _U(_U(coarse[doc & mask]) + inside >= _U(enough))
    for p in range(_U(begin), position):
        prefetch(counters.hits, np.int64(docs[p]))
    return np.int64(position)


@inner
def _count_by_bitsets(
    lists, packed, bitsets, keys, located, size, minimum, documents, wanted, counters, out, out_at
):
    """`count_shared` where many lists are long: those are counted by their bitsets, the others are read."""
    lengths, hits = located.lengths, counters.hits
    total = len(hits)
    shortest = long_from(total)
    rows = np.empty(size + AT_ONCE, np.int64)
    others = np.empty(size, np.int64)
    n_rows, n_others, postings = 0, 0, 0
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
            postings += lengths[j]
    words = (total + 63) // 64
    digits = max(digits_of(n_rows), digits_of(minimum))
    planes = np.empty((digits, words), np.uint64)
    reached = np.empty(words, np.uint64)
    reaching = count_bitsets(bitsets, rows, n_rows, minimum, words, planes, reached)
    if out_at + reaching + 64 > len(out):
        return np.int64(-1), np.int64(-1)
    rest = reached.copy()
    certain = write_members(words, _take_plain(rest, documents, wanted), out, out_at)
    by_list = write_members(words, rest, out, certain)
    if by_list + postings > len(out):
        return np.int64(-1), np.int64(-1)
    base = _next_stamp(hits, counters.bits, counters.stamps, 0)
    goal = base + minimum
    at = _read_lists(lists, packed, located, others, n_others, out, by_list)
    enough = max(goal - n_rows, base + 1)
    at = _count(out, by_list, at, _counted_once_more(base, goal), enough, hits, by_list)
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
def count_shared(
    lists, packed, bitsets, keys, located, size, minimum, limit, documents, wanted, counters, out, out_at
):  # fmt: skip
    """Writes to `out[out_at:]` (int32) the docs in at least `minimum` of the lists of `keys[:size]`, each once.

    `located`: where these lists lie in `lists` and `packed` (kernels/packed_lists.py).

    Returns (position behind those that are known to be all that is `wanted`, a Filter (kernels/candidate_filter.py);
    position behind all, -1: `out` is too small; lists left out). A list of more than `limit` living docs in the hours
    wanted is left out (0 = no limit). `minimum` is from 1 to 2^bits - 2, `bits` those of
    `counters`. Costs 1 to 3 ns a posting read; where a list is long, of the two longest only those docs are looked up
    that the others leave.
    """
    lengths, hits = located.lengths, counters.hits
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
    if out_at + 2 * to_read > len(out):
        return out_at, np.int64(-1), left_out
    end = _read_lists(lists, packed, located, read, n_read, out, out_at)
    likely, begin = minimum - np.int64(row_one >= 0), out_at
    is_coarse = likely > 1 and to_read <= len(counters.coarse)
    if is_coarse:
        begin = end = _keep_likely(out, out_at, end, likely, counters, bitsets, row_two)
    base = _next_stamp(hits, counters.bits, counters.stamps, 0)
    goal = base + minimum
    enough = goal - np.int64(row_one >= 0) - np.int64(row_two >= 0)
    at = _count(out, out_at, end, _counted_once_more(base, goal), enough, hits, begin)
    if enough < goal:
        at = _keep_reaching(bitsets, row_one, row_two, goal, hits, out, begin, at)
    if is_coarse:
        at = _forget(counters, out, out_at, begin, at)
    return out_at, at, left_out


@inner
def _forget(counters, docs, begin, end, last):
    """Clears the counters of `docs[begin:end]`, all that were counted last, so that their stamp is free again; moves
    `docs[end:last]` to `docs[begin:]` and returns their end.
    """
    for p in range(begin, end):
        counters.hits[np.uint32(docs[p])] = 0
    counters.stamps[0] -= 1
    copy_range(docs, end, last, docs, begin)
    return begin + last - end


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
