"""Bitsets of the longest posting runs, so that a search need not read its two longest.

Half of all postings that a sketch would read lie in its two longest runs (a third in the longest). A document in at
least m runs is in at least m - 2 of the others: those are counted, and of the few documents that reach m - 2 two
bits tell the rest. The same documents are found; only the order of work differs (as in DivideSkip, Li, Lu & Lu
2008, with bitsets for binary searches).

A bitset is filled when first wanted and caught up with its run, which only ever grows, when wanted again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from neardup.kernels.caching import njit

_U = np.uint64

SLOTS = 1_024
MOST = 512
"""Bitsets at most: at a million documents 128 KB each, of which there are about a hundred."""
SHORTEST = 1_024
SHARE = 64
"""A run is heavy from 1,024 documents and a 64th of all on: shorter ones are read faster than looked up."""


class Heavy(NamedTuple):
    """Bitsets by key: `keys` and `rows` are a table (row + 1; 0 = free), `bits[row]` one bit a document number.

    `filled[row]`: postings of the run that are in it; `used[0]`: rows in use.
    """

    keys: Any
    rows: Any
    filled: Any
    bits: Any
    used: Any


@njit(cache=True, nogil=True)
def bitset(heavy, key, pool, start, length):
    """Row of the bitset of `key`, whose run is `pool[start:start + length]`; -1 if there is no room for another."""
    slot = np.int64((key * _U(0x9E3779B97F4A7C15)) >> _U(32)) & (SLOTS - 1)
    while heavy.rows[slot] != 0 and heavy.keys[slot] != key:
        slot = (slot + 1) & (SLOTS - 1)
    if heavy.rows[slot] == 0:
        if heavy.used[0] == MOST:
            return np.int64(-1)
        heavy.keys[slot] = key
        heavy.used[0] += 1
        heavy.rows[slot] = heavy.used[0]
    row = heavy.rows[slot] - 1
    for p in range(start + heavy.filled[row], start + length):
        document = pool[p]
        heavy.bits[row, document >> 6] |= _U(1) << _U(document & 63)
    heavy.filled[row] = length
    return row


@njit(cache=True, nogil=True)
def has(heavy, row, document):
    """1 if `document` is in the bitset `row`, else 0."""
    return np.int64((heavy.bits[row, document >> 6] >> _U(document & 63)) & _U(1))
