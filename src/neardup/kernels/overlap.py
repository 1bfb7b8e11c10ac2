"""Exact |A ∩ B| inside kernels, from A's keys and B's stored normal form.

B's key set is never stored (18 KB a document of 4 KB, more than its text) nor rebuilt: its windows are looked up in
A's table, and each key of A is counted the first time it is hit. One pass over B, no sort, no set of B.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from neardup.kernels.qgrams import table_size, window_keys

_BLOCK = 128
"""Windows between two looks at whether the threshold can still be reached."""


@njit(cache=True, nogil=True)
def build_table(keys, start, end, table):
    """Fills the scratch `table` with the distinct `keys[start:end]`; returns (mask, whether key 0 is among them)."""
    mask = table_size(end - start) - 1
    table[: mask + 1] = 0
    zero = False
    for i in range(start, end):
        key = keys[i]
        if key == 0:
            zero = True
            continue
        slot = np.int64(key) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = key
    return mask, zero


@njit(cache=True, nogil=True)
def shared_keys(table, mask, zero, data, start, end, q, needed, scratch):
    """|A ∩ B| for A's `table` and the normal form B = `data[start:end]` (UTF-8), or a smaller number below `needed`.

    Stops when the windows left cannot reach `needed`: pass 0 for the exact count whatever it is.
    """
    keys, seen = scratch.keys, scratch.seen
    windows = window_keys(data, start, end, q, scratch, keys)
    seen[: mask + 1] = 0
    shared = 0
    for block in range(0, windows, _BLOCK):
        if shared + windows - block < needed:
            return shared
        for i in range(block, min(block + _BLOCK, windows)):
            key = keys[i]
            slot = np.int64(key) & mask
            held = table[slot]
            while (held != 0) & (held != key):
                slot = (slot + 1) & mask
                held = table[slot]
            if held == key:
                if key == 0:
                    shared += np.int64(zero)
                    zero = False
                else:
                    shared += np.int64(1) - np.int64(seen[slot])
                    seen[slot] = 1
    return shared


@njit(cache=True, nogil=True)
def verify_pairs(
    queries, keys, key_offsets, candidates, data, text_starts, text_ends, needed, q, scratch, out
):
    """`out[i]` = |A ∩ B| of pair i, or a smaller number below `needed[i]`.

    A is the document `queries[i]` of the batch (its keys at `key_offsets`), B the normal form
    `data[text_starts[i]:text_ends[i]]`. Pairs of one query must be adjacent, so that its table is built once.
    """
    last = -1
    mask = np.int64(0)
    zero = False
    for i in range(len(candidates)):
        query = queries[i]
        if query != last:
            mask, zero = build_table(keys, key_offsets[query], key_offsets[query + 1], scratch.table)
            last = query
        out[i] = shared_keys(
            scratch.table, mask, zero, data, text_starts[i], text_ends[i], q, needed[i], scratch
        )
