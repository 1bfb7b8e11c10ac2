"""Normal form to the set of q-gram keys, its sketch and its rarest-first prefix, inside kernels.

A set is built by open addressing, not by sorting: on 4 KB of English the 3,200 windows cost half of a sort, and the
same table then answers "is this key in A?" when a candidate is verified (kernels/overlap.py).
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.hashing import splitmix64, xxh64
from neardup.kernels.text import decode, is_ascii
from neardup.tables.lexicon import QGRAM_SLOT_BITS

_U = np.uint64
KEY_SLOT_SHIFT = 64 - QGRAM_SLOT_BITS
"""A key's slot in the lexicon's q-gram table is its top bits."""
_GUESS_FROM = 16
"""Sets of fewer times the sketch's size are sorted whole: a guess from every eighth of them would be a poor one."""


@njit(cache=True, nogil=True)
def table_size(entries):
    """Power of two giving a load of at most a quarter for `entries` keys: a collision costs a mispredicted branch."""
    size = 64
    while size < 4 * entries:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def gram_key(points, raw, at, q):
    """Key (uint64) of the q-gram `points[at:at + q]` (uint32); `raw` is the same memory as bytes (little-endian)."""
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
def window_keys(text, start, end, q, scratch, out):
    """Writes the key of every window of the normal form `text[start:end]` (UTF-8) to `out` (uint64); their number.

    Repeated ones too, in text order. The loops of the usual case (q = 4, nothing above U+FFFF) have no branch
    and carry nothing from one window to the next: they are vectorised, a rolling key is not.
    """
    if q == 4 and is_ascii(text, start, end):
        for i in range(end - start - 3):
            at = start + i
            high = (_U(text[at]) << _U(48)) | (_U(text[at + 1]) << _U(32))
            out[i] = splitmix64(high | (_U(text[at + 2]) << _U(16)) | _U(text[at + 3]))
        return max(end - start - 3, 0)
    points = scratch.kept
    n, astral = decode(text, start, end, points)
    if q == 4 and not astral:
        for i in range(n - 3):
            high = (_U(points[i]) << _U(48)) | (_U(points[i + 1]) << _U(32))
            out[i] = splitmix64(high | (_U(points[i + 2]) << _U(16)) | _U(points[i + 3]))
    else:
        for i in range(n - q + 1):
            out[i] = gram_key(points, scratch.kept_raw, i, q)
    return max(n - q + 1, 0)


@njit(cache=True, nogil=True)
def key_set(text, start, end, q, scratch, out):
    """Writes the distinct keys of the normal form `text[start:end]` to `out`; returns (how many, mask, zero).

    In order of first occurrence. `out` must have room for every window: keys are written where they will be read,
    and compacted in place. Leaves the set itself in `scratch.table`, an open-addressing table of `mask` + 1 slots,
    for `shared_keys`; `zero`: key 0, which no slot can hold, is in the set. Linear.
    """
    windows = window_keys(text, start, end, q, scratch, out)
    table = scratch.table
    mask = table_size(windows) - 1
    table[: mask + 1] = 0
    at = 0
    zero = False
    for i in range(windows):
        key = out[i]
        if key == 0:  # 0 marks a free slot, so no slot can hold this one key
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
    return at, mask, zero


@njit(cache=True, nogil=True)
def rank(key, ranks):
    """Rank (uint64) of a key in the sketch's order (docs/definitions.md, Sketch): smaller is sampled sooner."""
    return _U(ranks.exponential[key & _U(0xFFFF)]) + _U(
        ranks.weight[ranks.classes[key >> _U(KEY_SLOT_SHIFT)]]
    )


@njit(cache=True, nogil=True)
def _guess(all_ranks, n, size):
    """A rank that about twice `size` of `all_ranks[:n]` lie at or below: that of every eighth, sampled."""
    wanted = size // 4
    smallest = np.full(wanted + 1, 0xFFFFFFFF, np.uint32)
    for i in range(0, n, 8):
        rank_ = all_ranks[i]
        if rank_ < smallest[wanted]:
            j = wanted
            while j > 0 and smallest[j - 1] > rank_:
                smallest[j] = smallest[j - 1]
                j -= 1
            smallest[j] = rank_
    return smallest[wanted]


@njit(cache=True, nogil=True)
def sketch(keys, n, ranks, size, complete_below, scratch, out):
    """Writes the sketch of `keys[:n]` (uint64) to `out`, ordered by (rank, key); returns its length. Linear.

    All keys if there are at most `complete_below`, else the `size` smallest. The ranks are computed in one
    vectorised loop; those at or below a guess are taken out without a branch and sorted. If they are too few,
    everything is sorted: the guess decides how fast, never what.
    """
    limit = n if n <= complete_below else min(size, n)
    all_ranks, chosen, chosen_ranks = scratch.ranks, scratch.chosen, scratch.chosen_ranks
    for i in range(n):
        all_ranks[i] = rank(keys[i], ranks)
    bound = np.uint32(0xFFFFFFFF)
    if n > _GUESS_FROM * size:
        bound = _guess(all_ranks, n, size)
    count = 0
    for i in range(n):
        chosen[count] = keys[i]
        chosen_ranks[count] = all_ranks[i]
        count += np.int64(all_ranks[i] <= bound)
    if count < limit:
        chosen[:n] = keys[:n]
        chosen_ranks[:n] = all_ranks[:n]
        count = n
    kept = 0
    for i in range(count):
        r, key = chosen_ranks[i], chosen[i]
        if kept == limit and (
            r > chosen_ranks[kept - 1] or (r == chosen_ranks[kept - 1] and key > chosen[kept - 1])
        ):
            continue
        j = kept if kept < limit else limit - 1
        while j > 0 and (chosen_ranks[j - 1] > r or (chosen_ranks[j - 1] == r and chosen[j - 1] > key)):
            chosen_ranks[j] = chosen_ranks[j - 1]
            chosen[j] = chosen[j - 1]
            j -= 1
        chosen_ranks[j] = r
        chosen[j] = key
        kept = min(kept + 1, limit)
    out[:kept] = chosen[:kept]
    return kept


@njit(cache=True, nogil=True)
def prefix(keys, start, end, classes, length, out, out_at):
    """Writes the `length` rarest of `keys[start:end]` (uint64) to `out[out_at:]`; returns the next position. Linear.

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
