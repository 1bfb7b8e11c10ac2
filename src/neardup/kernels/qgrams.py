"""Normal form to the set of q-gram keys, its sketch and its rarest-first prefix, inside kernels.

A set is built by open addressing, not by sorting: on 4 KB of English the 3,200 windows cost half of a sort, and the
same table then answers "is this key in A?" when a candidate is verified (kernels/overlap.py).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from neardup.kernels.hashing import splitmix64, xxh64

_U = np.uint64
KEY_SLOT_SHIFT = 42
"""A key's slot in the lexicon's q-gram table is its top 22 bits."""


@njit(cache=True, nogil=True)
def table_size(entries):
    """Power of two giving a load of at most a quarter for `entries` keys: a collision costs a mispredicted branch."""
    size = 64
    while size < 4 * entries:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def gram_key(points, raw, at, q):
    """Key of the q-gram `points[at:at + q]`; `raw` is the same memory as bytes (little-endian)."""
    packable = q <= 4
    value = _U(0)
    if packable:
        for i in range(at, at + q):
            packable &= points[i] < 0x10000
            value = (value << _U(16)) | _U(points[i])
    if packable:
        return splitmix64(value)
    return xxh64(raw, 4 * at, 4 * (at + q), _U(0))


@njit(cache=True, nogil=True)
def window_keys(points, raw, n, q, astral, out):
    """Writes the key of every window of the n code points, n - q + 1 of them, repeated ones too, to `out`."""
    if q == 4 and not astral:
        # No branch and no carry from one window to the next: this loop is vectorised, a rolling one is not.
        for i in range(n - 3):
            high = (_U(points[i]) << _U(48)) | (_U(points[i + 1]) << _U(32))
            out[i] = splitmix64(high | (_U(points[i + 2]) << _U(16)) | _U(points[i + 3]))
    else:
        for i in range(n - q + 1):
            out[i] = gram_key(points, raw, i, q)


@njit(cache=True, nogil=True)
def distinct_keys(points, raw, n, q, astral, table, out, out_at):
    """Writes the distinct keys of `points[:n]` to `out[out_at:]` in order of first occurrence; returns the
    next position.

    `table` is scratch of at least `table_size(n)` uint64; `out` must have room for n keys, repeated ones too:
    they are written where they will be read, and compacted in place.
    """
    if n < q:
        return out_at
    window_keys(points, raw, n, q, astral, out[out_at:])
    mask = table_size(n - q + 1) - 1
    table[: mask + 1] = 0
    at = out_at
    zero = False
    for i in range(out_at, out_at + n - q + 1):
        key = out[i]
        if key == 0:  # 0 marks a free slot, so this one key is kept apart
            if not zero:
                zero = True
                out[at] = key
                at += 1
            continue
        slot = np.int64(key) & mask
        held = table[slot]
        while (held != 0) & (held != key):
            slot = (slot + 1) & mask
            held = table[slot]
        # Written whether new or not: a branch here would be mispredicted at every third window.
        table[slot] = key
        out[at] = key
        at += np.int64(held == 0)
    return at


@njit(cache=True, nogil=True)
def rank(key, ranks):
    """Rank of a key in the sketch's order (DESIGN.md, Sketch): smaller is sampled sooner."""
    return _U(ranks.exponential[key & _U(0xFFFF)]) + _U(
        ranks.weight[ranks.classes[key >> _U(KEY_SLOT_SHIFT)]]
    )


@njit(cache=True, nogil=True)
def sketch(keys, start, end, ranks, size, complete_below, out, out_ranks):
    """Writes the sketch of `keys[start:end]` to `out`, ordered by (rank, key); returns its length.

    All keys if there are at most `complete_below`, else the `size` smallest. `out_ranks` is scratch as long as `out`.
    """
    limit = end - start if end - start <= complete_below else min(size, end - start)
    n = 0
    worst = _U(0xFFFFFFFFFFFFFFFF)
    for i in range(start, end):
        key = keys[i]
        r = rank(key, ranks)
        if r > worst or (n == limit and r == worst and key > out[n - 1]):
            continue
        j = n if n < limit else limit - 1
        while j > 0 and (out_ranks[j - 1] > r or (out_ranks[j - 1] == r and out[j - 1] > key)):
            out_ranks[j] = out_ranks[j - 1]
            out[j] = out[j - 1]
            j -= 1
        out_ranks[j] = r
        out[j] = key
        if n < limit:
            n += 1
        if n == limit:
            worst = out_ranks[n - 1]
    return n


@njit(cache=True, nogil=True)
def prefix(keys, start, end, classes, length, out, out_at):
    """Writes the `length` rarest of `keys[start:end]` to `out[out_at:]`; returns the next position.

    Rarest first: unknown, then by frequency class, ties by key: a total order, which the prefix argument needs
    (Chaudhuri, Ganti & Kaushik 2006; Bayardo, Ma & Srikant 2007). Order inside the prefix is by class only.
    """
    if length >= end - start:
        for i in range(start, end):
            out[out_at + i - start] = keys[i]
        return out_at + end - start
    counts = np.zeros(257, np.int64)
    for i in range(start, end):
        counts[np.uint8(classes[keys[i] >> _U(KEY_SLOT_SHIFT)] + np.uint8(1))] += 1  # 255 wraps to 0
    cut = 0
    below = 0
    while below + counts[cut] < length:
        below += counts[cut]
        cut += 1
    at = out_at
    edge = np.empty(counts[cut], np.uint64)
    n_edge = 0
    for i in range(start, end):
        bucket = np.int64(np.uint8(classes[keys[i] >> _U(KEY_SLOT_SHIFT)] + np.uint8(1)))
        if bucket < cut:
            out[at] = keys[i]
            at += 1
        elif bucket == cut:
            edge[n_edge] = keys[i]
            n_edge += 1
    edge.sort()
    for i in range(length - below):
        out[at] = edge[i]
        at += 1
    return at
