"""Exact |A ∩ B| inside kernels, from the stored normal forms.

B's key set is never stored (18 KB a document of 4 KB, more than its text) nor rebuilt: its windows are looked up in
A's table, and each key of A is counted the first time it is hit. One pass over B, no sort, no set of B.
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.qgrams import key_set, window_keys

_BLOCK = 128
"""Windows between two looks at whether the threshold can still be reached."""


@njit(cache=True, nogil=True)
def shared_keys(table, mask, zero, data, start, end, q, needed, scratch):
    """|A ∩ B| for A's `table` and the normal form B = `data[start:end]` (UTF-8), or a smaller number below `needed`.

    `table`, `mask`, `zero` as `key_set` makes them.
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
def verify_pairs(queries, texts, text_offsets, data, starts, ends, needed, q, scratch, out):
    """Sets `out[i]` (int64) to |A ∩ B| of pair i, or to a smaller number below `needed[i]` (int64).

    A is the normal form `queries[i]` (int64) of a batch, B the normal form `data[starts[i]:ends[i]]`.

    texts, text_offsets   uint8, int64 n + 1: the batch
    data, starts, ends    uint8, int64, int64
    q                     length of a q-gram
    scratch               Scratch (kernels/signing.py) for the longest of all texts

    Pairs of one query must be adjacent, so that its set is made once. One pass over every B.
    """
    last = np.int64(-1)
    mask = np.int64(0)
    zero = False
    for i in range(len(queries)):
        query = queries[i]
        if query != last:
            begin, end = text_offsets[query], text_offsets[query + 1]
            _, mask, zero = key_set(texts, begin, end, q, scratch, scratch.chosen)
            last = query
        out[i] = shared_keys(scratch.table, mask, zero, data, starts[i], ends[i], q, needed[i], scratch)
