"""Exact |A ∩ B| inside kernels, from the stored normal forms.

B's key set is never stored (18 KB a document of 4 KB, more than its text) nor made: its windows are looked up in A's
table, and each key of A is counted the first time it is hit. What is not in A is gathered in a table of its own, which
is small where the two are alike; so |B| comes out as well. One pass over B, no sort.

Where |B| is known already and A has several such pairs, only what is not in A is counted: from a q-gram that both have
on, as far as the texts go on alike, every window of B is in A, which takes a look at each character and no look-up.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner
from neardup.kernels.qgrams import ascii_key, insert, key_set, slot_of, table_size, window_keys
from neardup.kernels.text import is_ascii

_BLOCK = 128
"""Windows between two looks at whether the threshold can still be reached."""


@inner
def shared_keys(table, mask, zero, data, start, end, q, needed, scratch):
    """(|A ∩ B|, |B|) for A's `table` and the normal form B = `data[start:end]`; or (a number below `needed`, -1).

    `table`, `mask`, `zero` as `key_set` makes them.
    Stops when the windows left cannot reach `needed`: pass 0 for the exact numbers whatever they are.
    """
    keys, seen, others = scratch.keys, scratch.seen, scratch.others
    windows = window_keys(data, start, end, q, scratch, keys)
    if windows < needed:
        return np.int64(0), np.int64(-1)
    seen[: mask + 2] = 0  # the last one is for key 0
    # No more windows than these can lie outside A before it stops, but for one block.
    other_mask = table_size(min(windows - needed + _BLOCK, windows)) - 1
    others[: other_mask + 1] = 0
    shared = beyond = 0
    zero_beyond = False
    for block in range(0, windows, _BLOCK):
        if shared + windows - block < needed:
            return shared, np.int64(-1)
        for i in range(block, min(block + _BLOCK, windows)):
            key = keys[i]
            if key == 0:  # marks a free slot
                shared += np.int64(zero)
                zero_beyond |= not zero and not seen[mask + 1]
                zero = False
                seen[mask + 1] = 1
                continue
            slot = slot_of(table, mask, key)
            if table[slot] == key:
                shared += np.int64(1) - np.int64(seen[slot])
                seen[slot] = 1
                continue
            beyond += insert(others, other_mask, key)
    if shared < needed:
        return shared, np.int64(-1)
    return shared, shared + beyond + np.int64(zero_beyond)


@inner
def note_positions(table, mask, text, start, end, positions):
    """Sets `positions` to where the q-gram of each slot of A's `table` is in A = `text[start:end]`, ASCII, q = 4."""
    for at in range(start, end - 3):
        key = ascii_key(text, at)
        if key != 0:
            positions[slot_of(table, mask, key)] = at


@inner
def shared_by_runs(table, mask, zero, positions, text, text_end, data, start, end, size, needed, others):
    """|A ∩ B|, or a number below `needed`, for A of `shared_keys` and `note_positions`, B = `data[start:end]`, ASCII,
    q = 4, and |B| = `size`. `others`: the free table for what is not in A.

    |A ∩ B| = |B| less the different q-grams of B that are not in A.
    """
    other_mask = table_size(min(size - needed + 1, size)) - 1  # no more of them before it stops
    others[: other_mask + 1] = 0
    outside = np.int64(0)
    zero_outside = False
    at = start
    while at < end - 3:
        key = ascii_key(data, at)
        if key == 0:  # marks a free slot
            outside += np.int64(not zero and not zero_outside)
            zero_outside |= not zero
            at += 1
            continue
        slot = slot_of(table, mask, key)
        at += 1
        if table[slot] != key:
            outside += insert(others, other_mask, key)
            if size - outside < needed:
                return size - outside
            continue
        behind = positions[slot] + 4
        while at < end - 3 and behind < text_end and data[at + 3] == text[behind]:
            at += 1
            behind += 1
    return size - outside


@njit(cache=True, nogil=True)
def verify_pairs(
    queries, texts, text_offsets, counts, data, starts, ends, others, needed, ratio, q, scratch, out
):  # fmt: skip
    """Sets `out[i]` (int64) to |A ∩ B| of pair i, or to a smaller number below `needed[i]` (int64).

    A is the normal form `queries[i]` (int64) of a batch, B the normal form `data[starts[i]:ends[i]]`.

    texts, text_offsets   uint8, int64 n + 1: the batch
    counts                int64: |A| of the batch's documents, set for all queries
    data, starts, ends    uint8, int64, int64
    others                int64: |B| of each pair, negative where it is not known; set where `needed` is reached
    needed                negative: what doc_q >= t needs, by `ratio`, the numerator and the denominator of t
    q                     length of a q-gram
    scratch               Scratch (kernels/signing.py) for the longest of all texts

    Pairs of one query must be adjacent, so that its set is made once. One pass over every B.
    """
    numerator, denominator = ratio
    last = np.int64(-1)
    count = mask = begin = end = np.int64(0)
    zero = by_runs = False
    for i in range(len(queries)):
        query = queries[i]
        if query != last:
            begin, end = text_offsets[query], text_offsets[query + 1]
            count, mask, zero = key_set(texts, begin, end, q, scratch, scratch.chosen)
            counts[query] = count
            last = query
            by_runs = (
                q == 4 and i + 1 < len(queries) and queries[i + 1] == query and is_ascii(texts, begin, end)
            )
            if by_runs:
                note_positions(scratch.table, mask, texts, begin, end, scratch.positions)
        wanted = needed[i]
        if wanted < 0:
            wanted = (numerator * max(count, others[i]) + denominator - 1) // denominator
        if by_runs and others[i] >= wanted and is_ascii(data, starts[i], ends[i]):
            out[i] = shared_by_runs(
                scratch.table, mask, zero, scratch.positions, texts, end, data, starts[i], ends[i], others[i], wanted,
                scratch.others,
            )  # fmt: skip
            continue
        shared, size = shared_keys(scratch.table, mask, zero, data, starts[i], ends[i], q, wanted, scratch)
        out[i] = shared
        if size >= 0:
            others[i] = size
