"""Exact |A ∩ B| inside kernels, from A's keys and B's stored normal form.

B's key set is never stored (18 KB a document of 4 KB, more than its text) nor rebuilt: its windows are looked up in
A's table, and each key of A is counted the first time it is hit. One pass over B, no sort, no set of B.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from neardup.kernels.hashing import splitmix64
from neardup.kernels.qgrams import gram_key, table_size
from neardup.kernels.text import decode_one

_U = np.uint64


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
def shared_keys(table, mask, zero, seen, data, start, end, q, needed, points, raw):
    """|A ∩ B| for A's `table` and the normal form B = `data[start:end]` (UTF-8), or a smaller number below `needed`.

    Stops as soon as the windows left cannot reach `needed`: pass 0 for the exact count whatever it is.
    `seen` (uint8, as long as the table) and `points`/`raw` (code points, and the same memory as bytes) are scratch.
    """
    seen[: mask + 1] = 0
    n = 0
    at = start
    astral = False
    while at < end:
        point, at = decode_one(data, at)
        points[n] = point
        astral |= point > 0xFFFF
        n += 1
    shared = 0
    fast = q == 4 and not astral and n >= 3
    value = _U(0)
    if fast:
        value = (_U(points[0]) << _U(32)) | (_U(points[1]) << _U(16)) | _U(points[2])
    windows = n - q + 1
    for i in range(windows):
        if shared + windows - i < needed:
            return shared
        if fast:
            value = (value << _U(16)) | _U(points[i + 3])
            key = splitmix64(value)
        else:
            key = gram_key(points, raw, i, q)
            if key == 0:
                shared += np.int64(zero)
                zero = False
                continue
        slot = np.int64(key) & mask
        held = table[slot]
        while held != 0 and held != key:
            slot = (slot + 1) & mask
            held = table[slot]
        if held == key:
            shared += np.int64(1) - np.int64(seen[slot])
            seen[slot] = 1
    return shared


@njit(cache=True, nogil=True)
def verify_pairs(
    queries, keys, key_offsets, candidates, data, text_starts, text_ends, needed, q, table, seen, points, raw, out
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
            mask, zero = build_table(keys, key_offsets[query], key_offsets[query + 1], table)
            last = query
        out[i] = shared_keys(
            table, mask, zero, seen, data, text_starts[i], text_ends[i], q, needed[i], points, raw
        )
