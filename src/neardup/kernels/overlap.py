"""Exact |A ∩ B| inside kernels, from the stored normal forms.

B's key set is never stored (18 KB a document of 4 KB, more than its text) nor made: its windows are looked up in A's
table, and each key of A is counted the first time it is hit. What is not in A is gathered in a table of its own, which
is small where the two are alike; so |B| comes out as well. One pass over B, no sort.

Where |B| is known already and A has several such pairs, ASCII texts are compared along what they have in common
(kernels/common_runs.py).
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.common_runs import FILTER_WORDS, Grams, gram_set, shared_along_runs
from neardup.kernels.inner import inner
from neardup.kernels.qgrams import insert, key_set, slot_of, table_size, window_keys
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

    Pairs of one query must be adjacent, so that its set is made once, or twice where only some are ASCII. One pass over
    every B.
    """
    numerator, denominator = ratio
    grams = Grams(scratch.ascii, scratch.positions, np.empty(FILTER_WORDS, np.uint64))
    beyond = scratch.others.view(np.uint32)
    last = np.int64(-1)
    count = bits = mask = begin = end = np.int64(0)
    zero = by_runs = has_keys = False
    for i in range(len(queries)):
        query = queries[i]
        if query != last:
            begin, end = text_offsets[query], text_offsets[query + 1]
            last = query
            has_keys = False
            is_one_of_several = i + 1 < len(queries) and queries[i + 1] == query
            by_runs = q == 4 and is_one_of_several and is_ascii(texts, begin, end)
            if by_runs:
                count, bits = gram_set(texts, begin, end, grams)
        if by_runs and others[i] >= 0 and is_ascii(data, starts[i], ends[i]):
            wanted = _wanted(needed[i], count, others[i], numerator, denominator)
            out[i] = 0
            if others[i] >= wanted:
                out[i] = shared_along_runs(
                    grams, bits, texts, end, data, starts[i], ends[i], others[i], wanted, beyond
                )
        else:
            if not has_keys:
                count, mask, zero = key_set(texts, begin, end, q, scratch, scratch.chosen)
                has_keys = True
            wanted = _wanted(needed[i], count, others[i], numerator, denominator)
            table = scratch.table
            out[i], size = shared_keys(table, mask, zero, data, starts[i], ends[i], q, wanted, scratch)
            if size >= 0:
                others[i] = size
        counts[query] = count


@inner
def _wanted(needed, count, other, numerator, denominator):
    """`needed`, or, if it is negative, what doc_q >= t needs of sets of these sizes, of which the second may not be
    known.
    """
    if needed >= 0:
        return needed
    return (numerator * max(count, other) + denominator - 1) // denominator
