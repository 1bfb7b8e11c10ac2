"""Normal form to the keys of its windows, the set of them and its rarest-first prefix, inside kernels.

A set is built by open addressing, not by sorting: on 4 KB of English the 3,200 windows cost half of a sort, and the
same table then answers "is this key in A?" when a candidate is verified (kernels/overlap.py).
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.hashing import splitmix64, xxh64
from neardup.kernels.inner import inner
from neardup.kernels.text import decode, is_ascii
from neardup.tables.lexicon import QGRAM_SLOT_BITS

_U = np.uint64
KEY_SLOT_SHIFT = 64 - QGRAM_SLOT_BITS
"""A key's slot in the lexicon's q-gram table is its top bits."""


@inner
def table_size(entries):
    """Power of two giving a load of at most a quarter for `entries` keys: a collision costs a mispredicted branch."""
    size = 64
    while size < 4 * entries:
        size *= 2
    return size


@inner
def slot_of(table, mask, key):
    """Slot of `key` (uint64) in an open-addressing `table` of `mask` + 1 slots, or the free one where it would go.

    0 marks a free slot, so key 0 is in no table.
    """
    slot = np.int64(key) & mask
    held = table[slot]
    while (held != 0) & (held != key):
        slot = (slot + 1) & mask
        held = table[slot]
    return slot


@inner
def insert(table, mask, key):
    """Puts `key` (uint64) into such a table; returns 1 if it is new, else 0 (int64). Key 0 leaves it as it is: 1.

    Written whether new or not: a branch here would be mispredicted at every third window.
    """
    slot = slot_of(table, mask, key)
    is_new = np.int64(table[slot] == 0)
    table[slot] = key
    return is_new


@inner
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


@inner
def ascii_key(text, at):
    """Key (uint64) of the 4-gram `text[at:at + 4]` (uint8) in ASCII, as `gram_key` has it."""
    high = (_U(text[at]) << _U(48)) | (_U(text[at + 1]) << _U(32))
    return splitmix64(high | (_U(text[at + 2]) << _U(16)) | _U(text[at + 3]))


@njit(cache=True, nogil=True)
def window_keys(text, start, end, q, scratch, out):
    """Writes the key of every window of the normal form `text[start:end]` (UTF-8) to `out` (uint64); their number.

    Repeated ones too, in text order. The loops of the usual case (q = 4, nothing above U+FFFF) have no branch
    and carry nothing from one window to the next: they are vectorised, a rolling key is not.
    """
    if q == 4 and is_ascii(text, start, end):
        for i in range(end - start - 3):
            out[i] = ascii_key(text, start + i)
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


@inner
def key_set(text, start, end, q, scratch, out):
    """Writes the distinct keys of the normal form `text[start:end]` to `out`; returns (how many, mask, zero).

    In order of first occurrence. `out` must have room for every window: keys are written where they will be read,
    and compacted in place. Leaves the set itself in `scratch.table`, an open-addressing table of `mask` + 1 slots,
    for `shared_keys`; `zero`: key 0, which no slot can hold, is in the set. Linear.
    """
    windows = window_keys(text, start, end, q, scratch, out)
    mask = table_size(windows) - 1
    at, zero = _compacted(out, windows, scratch.table, mask, out, 0)
    return at, mask, zero


@inner
def write_distinct(keys, n, table, out, at):
    """Writes the different ones among `keys[:n]` to `out[at:]`, with room for all; returns the next position. Leaves
    the set in `table`, as `key_set` does. Linear.
    """
    return _compacted(keys, n, table, table_size(n) - 1, out, at)[0]


@inner
def _compacted(keys, n, table, mask, out, at):
    """(where `out[at:]` ends with the different ones of `keys[:n]`, whether key 0 is among them)."""
    table[: mask + 1] = 0
    zero = False
    for i in range(n):
        key = keys[i]
        if key == 0:  # 0 marks a free slot, so no slot can hold this one key
            if not zero:
                zero = True
                out[at] = key
                at += 1
            continue
        out[at] = key
        at += insert(table, mask, key)
    return at, zero


@inner
def distinct(keys, n, table):
    """How many different keys there are among `keys[:n]`. Leaves the set in `table`, as `key_set` does. Linear."""
    mask = table_size(n) - 1
    table[: mask + 1] = 0
    count = np.int64(0)
    zero = False
    for i in range(n):
        key = keys[i]
        zero |= key == 0
        count += insert(table, mask, key) * np.int64(key != 0)
    return count + np.int64(zero)


@inner
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
