"""The sets of q-grams of two texts inside kernels: how large they are, what they share, and where.

Two texts that are compared share most of what they say, in the same order. So the q-grams of one are put into a table,
and those of the other are looked up only where the two part: in a run of what both have the next q-gram of one is that
of the other. Exact: where names of q-grams are equal their code points are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.inner import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORT, LONG = 4, 12
_U32 = np.uint32
_U64 = np.uint64
"""Of indexes that are never below 0, so that none is counted from the end, which costs a check each."""
_FACTORS = _U32(0x9E3779B1), _U32(0x85EBCA77), _U32(0xC2B2AE3D), _U32(0x27D4EB2F)
_MIX, _LAST = _U32(0x2C1B3C6D), _U32(0x297A2D39)


class GramScratch(NamedTuple):
    """Working memory for two texts of up to n code points each.

    names   2 · n: names of q-grams, those of the second text behind those of the first
    same    2 · n: for each q-gram the first index of one that is equal
    shared  2 · n: at these indexes, whether both texts have it
    table   a power of two of 4 · n slots or more: indexes, and 1 more
    """

    names: NDArray[np.uint32]
    same: NDArray[np.int32]
    shared: NDArray[np.uint8]
    table: NDArray[np.int32]


@inner
def count_sets(a, n_a, b, n_b, q, scratch, out):
    """Sets out[:3] to |A|, |B|, |A ∩ B| of the q-grams of `a[:n_a]` and `b[:n_b]` (uint32), q = 4 or 12; `scratch` then
    says where they are, for `longest_outside` and `is_shared`. Returns what `longest_outside` has of `b`. Linear.
    """
    names, same, shared, table = scratch.names, scratch.same, scratch.shared, scratch.table
    last_a, last_b = max(n_a - q + 1, 0), max(n_b - q + 1, 0)
    bits = 6
    while (1 << bits) < 2 * (last_a + last_b):
        bits += 1
    table[: 1 << bits] = 0
    shared[: last_a + last_b] = 0
    _fill_names(a, last_a, q, names)
    _fill_names(b, last_b, q, names[last_a:])
    own_a = _enter(a, last_a, q, names, same, table, bits)
    own_b, both, longest = _follow(a, last_a, b, last_b, q, names, same, shared, table, bits)
    out[0], out[1], out[2] = own_a, own_b + both, both
    return longest if last_b else np.int64(n_b)


@inner
def _enter(a, last, q, names, same, table, bits):
    """Puts the q-grams of the first text into the table; returns how many there are."""
    mask, shift = (np.int64(1) << bits) - 1, _U32(32 - bits)
    own = np.int64(0)
    for at in range(last):
        name = names[at]
        slot = np.int64(name >> shift)
        held = np.int64(table[_U64(slot)])
        while held != 0 and not (names[_U64(held - 1)] == name and _is_equal(a, held - 1, a, at, q)):
            slot = (slot + 1) & mask
            held = np.int64(table[_U64(slot)])
        if held == 0:
            own += 1
            table[_U64(slot)] = at + 1
            held = at + 1
        same[at] = held - 1
    return own


@inner
def _follow(a, last_a, b, last_b, q, names, same, shared, table, bits):
    """Finds the q-grams of `b` among those of `a`; returns how many are `b`'s alone, how many both have, and what
    `longest_outside` has of `b`, which every q-gram of both is in a run of.
    """
    mask, shift = (np.int64(1) << bits) - 1, _U32(32 - bits)
    own = both = at = longest = free = np.int64(0)
    while at < last_b:
        name = names[_U64(last_a + at)]
        slot = np.int64(name >> shift)
        held = np.int64(table[_U64(slot)])
        while held != 0:
            if names[_U64(held - 1)] == name:
                if held <= last_a:
                    if _is_equal(a, held - 1, b, at, q):
                        break
                elif _is_equal(b, held - 1 - last_a, b, at, q):
                    break
            slot = (slot + 1) & mask
            held = np.int64(table[_U64(slot)])
        if held == 0:
            own += 1
            table[_U64(slot)] = last_a + at + 1
            held = last_a + at + 1
        if held > last_a:
            same[_U64(last_a + at)] = held - 1
            at += 1
            continue
        other = held - 1
        longest = max(longest, at - free)
        most = min(last_b - at, last_a - other)
        run = _run(a[other + q : other + q - 1 + most], b[at + q : at + q - 1 + most])
        both += _share(same[other : other + run], shared, same[last_a + at : last_a + at + run])
        at += run
        free = at + q - 1
    return own, both, max(longest, last_b + q - 1 - free)


@inner
def _run(a, b):
    """One more than how many code points `a` and `b`, of one length, begin with that are the same."""
    size = len(a)
    run = 0
    while run < size and a[_U64(run)] == b[_U64(run)]:
        run += 1
    return run + 1


@inner
def _share(firsts, shared, same):
    """Notes that both texts have the q-grams at the indexes `firsts`, which are written to `same`; returns how many of
    them that was not known of.
    """
    new = np.int64(0)
    for at in range(len(firsts)):
        index = _U64(firsts[at])
        new += 1 - np.int64(shared[index])
        shared[index] = 1
        same[at] = firsts[at]
    return new


@inner
def _is_equal(points, at, others, there, q):
    same = 0
    while same < q and points[at + same] == others[there + same]:
        same += 1
    return same == q


@inner
def _fill_names(points, last, q, names):
    """Writes the names of the first `last` q-grams, of which the highest bits differ most."""
    if last <= 0:
        return
    for at in range(last + q - SHORT):
        mixed = _U32(
            points[at] * _FACTORS[0]
            + points[at + 1] * _FACTORS[1]
            + points[at + 2] * _FACTORS[2]
            + points[at + 3] * _FACTORS[3]
        )
        names[at] = _U32((mixed ^ (mixed >> _U32(15))) * _MIX)
    if q == LONG:
        for at in range(last):
            mixed = _U32(
                names[at]
                + (names[at + 4] >> _U32(7)) * _FACTORS[1]
                + (names[at + 8] >> _U32(13)) * _FACTORS[2]
            )
            names[at] = _U32((mixed ^ (mixed >> _U32(14))) * _LAST)


@inner
def is_shared(same, shared, index):
    """Whether both texts have the q-gram at `index`: of the second text behind those of the first."""
    return shared[same[index]] != 0


@inner
def longest_outside(n, q, scratch):
    """The most code points in a row of the first text, of `n`, of which none lies in a q-gram of both texts."""
    same, shared = scratch.same, scratch.shared
    if n < q:
        return n
    longest, free = 0, 0  # `free`: from where on none is covered so far
    for at in range(n - q + 1):
        if is_shared(same, shared, at):
            longest = max(longest, at - free)
            free = at + q
    return max(longest, n - free)
