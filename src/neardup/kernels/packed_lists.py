r"""Packed posting lists, inside kernels: sorted by key, four bytes a posting, changed only as a whole.

    starts[b] : starts[b + 1]     where bucket b lies in `postings`: the keys whose high bits are b
    postings[p]                   low bits of the key << doc_bits | doc

A key has `KEY_BITS`; the number of its high bits grows with the packed, so that a bucket holds some eight postings, and
what is left of a key fits beside the doc. So a posting costs 4.25 to 4.5 bytes, however long its list, where a table
costs 16 bytes a slot, a third to half of them free (kernels/posting_lists.py).

New postings go to such a table, and from it to these when they have become many (`absorb`): as in a log-structured
merge (O'Neil et al. 1996) of two levels. Both keep the order in which docs were added to a list, and the packed were
added first: a list is its packed part, then its part of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bits import prefetch
from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.posting_lists import find, length_at, list_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
KEY_BITS = 30
"""How many bits packed keys have."""
_WORD_BITS = 32
_BUCKET_BITS = 3
_SEVERAL = 1 << 32
_SCANNED = 32
"""A bucket of so many postings is read from its beginning; of longer ones the place is searched by halves."""


class PackedLists(NamedTuple):
    """Packed lists (see the module's layout); without postings they have one bucket and `doc_bits` 0.

    starts     uint32, 2^high bits + 1
    postings   uint32
    doc_bits   how many bits of a posting are its doc's
    """

    starts: NDArray[np.uint32]
    postings: NDArray[np.uint32]
    doc_bits: int


def nothing_packed() -> PackedLists:
    """Packed lists without postings."""
    return PackedLists(np.zeros(2, np.uint32), np.empty(0, np.uint32), 0)


def shape_of(postings: int, docs: int) -> tuple[int, int]:
    """(high bits, `doc_bits`) of so many postings of docs below `docs`."""
    wanted = postings.bit_length() - 1 - _BUCKET_BITS
    high_bits = min(max(wanted, docs.bit_length() + KEY_BITS - _WORD_BITS, 0), KEY_BITS)
    return high_bits, _WORD_BITS - (KEY_BITS - high_bits)


class Located(NamedTuple):
    """Where the posting lists of some keys lie, of each its two parts.

    slots     where its part in the table is, or would be (kernels/posting_lists.py)
    starts, sizes   its packed part: `postings[start:start + size]`
    lengths   docs in both parts
    """

    slots: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]


@inner
def room_to_locate(size):
    """Room for so many keys, which `locate` fills."""
    return Located(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    )


@inner
def _first_not_below(postings, begin, end, value):
    """Where the first of the ascending `postings[begin:end]` is that is at least `value`, or `end`."""
    while end - begin > _SCANNED:
        middle = (begin + end) >> 1
        if np.int64(postings[middle]) < value:
            begin = middle + 1
        else:
            end = middle
    while begin < end and np.int64(postings[begin]) < value:
        begin += 1
    return begin


@inner
def locate(lists, packed, keys, first, last, located):
    """Finds the lists of `keys[first:last]` (uint64) in `lists`, a table, and in `packed`.

    All look-ups of a kind first: they miss the cache one beside the other, not one after the other.
    """
    entries = lists.entries
    slots, starts, sizes, lengths = located
    buckets, postings, doc_bits = packed
    low_bits, size = _WORD_BITS - doc_bits, last - first
    if len(postings) == 0:
        for j in range(size):
            slots[j] = find(entries, keys[first + j])
        for j in range(size):
            starts[j], sizes[j], lengths[j] = 0, 0, length_at(entries, slots[j])
        return
    for j in range(size):
        prefetch(buckets, np.int64(keys[first + j] >> _U(low_bits)))
    for j in range(size):
        key = keys[first + j]
        slots[j] = find(entries, key)
        bucket = np.int64(key >> _U(low_bits))
        starts[j], sizes[j] = np.int64(buckets[bucket]), np.int64(buckets[bucket + 1])
        prefetch(postings, starts[j])
    low_mask = (np.int64(1) << low_bits) - 1
    for j in range(size):
        part = (np.int64(keys[first + j]) & low_mask) << doc_bits
        begin = _first_not_below(postings, starts[j], sizes[j], part)
        end = _first_not_below(postings, begin, sizes[j], part + (1 << doc_bits))
        starts[j], sizes[j] = begin, end - begin
        lengths[j] = end - begin + length_at(entries, slots[j])


@njit(cache=True, nogil=True)
def unordered_lists(entries, out):
    """Writes every list of a table to `out` (uint64) as key << 33 | doc, one of several docs as key << 33 | 1 << 32 |
    slot; returns how many postings there are.
    """
    at, postings = 0, 0
    for slot in range(len(entries)):
        start, length, inline = list_at(entries, slot)
        if length == 0:
            continue
        out[at] = (entries[slot, 0] << _U(33)) | (_U(start) if inline else _U(slot) | _U(_SEVERAL))
        postings += length
        at += 1
    return postings


@njit(cache=True, nogil=True)
def unordered_postings(keys, offsets, docs, out):
    """Writes `docs[i]` under each of `keys[offsets[i]:offsets[i + 1]]` to `out` (uint64) as `unordered_lists` writes a
    list of one; a doc of -1 is left out. Returns how many were written.
    """
    at = 0
    for i in range(len(docs)):
        if docs[i] < 0:
            continue
        for j in range(offsets[i], offsets[i + 1]):
            out[at] = (keys[j] << _U(33)) | _U(docs[i])
            at += 1
    return at


@inner
def _write_list(entries, pool, value, part, postings, at):
    """Writes a list that `unordered_lists` has as `value` to `postings`, so that it ends before `at`; returns where it
    begins. `part`: what of its key is in each posting.
    """
    if not value & _SEVERAL:
        postings[at - 1] = part | (value & 0xFFFFFFFF)
        return at - 1
    start, length, _ = list_at(entries, value & 0xFFFFFFFF)
    for p in range(length):
        postings[at - length + p] = part | np.int64(pool[start + p])
    return at - length


@njit(cache=True, nogil=True)
def absorb(packed, size, lists, order, starts, doc_bits):
    """Adds the lists of a table to `packed`, in its own memory.

    packed    PackedLists, whose `postings` have room for all: the first `size` are its own
    lists     Lists (kernels/posting_lists.py), read
    order     uint64, ascending: each list as `unordered_lists` writes it; a key may come again, its docs ascending
    starts    uint32, 2^high bits + 1: those of the new lists, filled
    doc_bits  new, too

    From the last posting to the first, so that nothing is overwritten before it is moved. Linear in both.
    """
    old_starts, postings, old_doc_bits = packed
    entries, pool, _ = lists
    old_low_bits, low_bits = _WORD_BITS - old_doc_bits, _WORD_BITS - doc_bits
    old_mask, low_mask = (np.int64(1) << old_doc_bits) - 1, (np.int64(1) << low_bits) - 1
    at, waiting, listed = len(postings), size, len(order)
    known = len(starts) - 1  # from this bucket on, starts are known
    starts[known] = at
    old_bucket = len(old_starts) - 2
    while waiting > 0 or listed > 0:
        key = list_key = listed_value = np.int64(-1)
        if waiting > 0:
            while np.int64(old_starts[old_bucket]) >= waiting:
                old_bucket -= 1
            key = (old_bucket << old_low_bits) | (np.int64(postings[waiting - 1]) >> old_doc_bits)
        if listed > 0:
            listed_value = np.int64(order[listed - 1])
            list_key = listed_value >> 33
        last = max(key, list_key)
        while known > (last >> low_bits) + 1:
            known -= 1
            starts[known] = at
        part = (last & low_mask) << doc_bits
        if list_key >= key:
            listed -= 1
            at = _write_list(entries, pool, listed_value, part, postings, at)
        else:
            waiting -= 1
            at -= 1
            postings[at] = part | (np.int64(postings[waiting]) & old_mask)
    starts[:known] = 0


@njit(cache=True, nogil=True)
def insert(packed, size, lists, order, starts):
    """As `absorb`, where the shape stays the same: what lies between two of the lists is moved as it is."""
    old_starts, postings, doc_bits = packed
    entries, pool, _ = lists
    low_bits = _WORD_BITS - doc_bits
    low_mask = (np.int64(1) << low_bits) - 1
    at, waiting = len(postings), size
    known = len(starts) - 1
    starts[known] = at
    for listed in range(len(order) - 1, -1, -1):
        value = np.int64(order[listed])
        bucket, part = value >> 33 >> low_bits, ((value >> 33) & low_mask) << doc_bits
        end = min(np.int64(old_starts[bucket + 1]), waiting)
        first = _first_not_below(postings, np.int64(old_starts[bucket]), end, part + (1 << doc_bits))
        while known > bucket + 1:
            known -= 1
            starts[known] = np.int64(old_starts[known]) + at - waiting
        moved = at - waiting
        for p in range(waiting - 1, first - 1, -1):
            postings[p + moved] = postings[p]
        at, waiting = first + moved, first
        at = _write_list(entries, pool, value, part, postings, at)
    for b in range(known):
        starts[b] = old_starts[b]


@njit(cache=True, nogil=True)
def count_kept(packed, docs):
    """How many postings of `packed` are of docs d whose `docs[d]` (int64) is not -1."""
    _, postings, doc_bits = packed
    mask = (np.int64(1) << doc_bits) - 1
    kept = 0
    for p in range(len(postings)):
        kept += np.int64(docs[np.int64(postings[p]) & mask] >= 0)
    return kept


@njit(cache=True, nogil=True)
def renumber_packed(packed, docs, starts, doc_bits):
    """Makes doc d of `packed` `docs[d]`, in its own memory; postings of those with -1 go.

    starts, doc_bits   as in `absorb`: those of what is left, the first `starts[-1]` postings
    """
    old_starts, postings, old_doc_bits = packed
    old_low_bits, low_bits = _WORD_BITS - old_doc_bits, _WORD_BITS - doc_bits
    old_mask, low_mask = (np.int64(1) << old_doc_bits) - 1, (np.int64(1) << low_bits) - 1
    at, known = 0, 0  # up to this bucket, starts are known
    starts[0] = 0
    for old_bucket in range(len(old_starts) - 1):
        for p in range(np.int64(old_starts[old_bucket]), np.int64(old_starts[old_bucket + 1])):
            doc = docs[np.int64(postings[p]) & old_mask]
            if doc < 0:
                continue
            key = (old_bucket << old_low_bits) | (np.int64(postings[p]) >> old_doc_bits)
            while known < key >> low_bits:
                known += 1
                starts[known] = at
            postings[at] = ((key & low_mask) << doc_bits) | doc
            at += 1
    starts[known + 1 :] = at


@njit(cache=True, nogil=True)
def count_keys(packed, entries):
    """How many different keys packed lists and a table have."""
    starts, postings, doc_bits = packed
    low_bits = _WORD_BITS - doc_bits
    count = 0
    for bucket in range(len(starts) - 1):
        last = np.int64(-1)
        for p in range(np.int64(starts[bucket]), np.int64(starts[bucket + 1])):
            part = np.int64(postings[p]) >> doc_bits
            count += np.int64(part != last)
            last = part
    for slot in range(len(entries)):
        if entries[slot, 1] == 0:
            continue
        count += 1
        if len(postings) == 0:
            continue
        key = entries[slot, 0]
        bucket, part = np.int64(key >> _U(low_bits)), (np.int64(key) & ((1 << low_bits) - 1)) << doc_bits
        begin, end = np.int64(starts[bucket]), np.int64(starts[bucket + 1])
        at = _first_not_below(postings, begin, end, part)
        count -= np.int64(at < end and np.int64(postings[at]) >> doc_bits == part >> doc_bits)
    return count
