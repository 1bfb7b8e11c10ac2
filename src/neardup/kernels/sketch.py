"""Sketches inside kernels: from the keys of a text's windows to the few keys that it is posted by.

docs/definitions.md, Sketch, says which; `neardup.oracle.definitions.sketch` is the slow way to the same. No set of
q-grams is made of a text that has surely more than the limits ask about: the windows are read as they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bits import ones
from neardup.kernels.inner import inner
from neardup.kernels.qgrams import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
UNCOUNTED = -1
"""|A| of a text whose set was not made: it is larger than every limit of a sketch."""

_GUESS_FROM = 8
"""Fewer grams than so many times the sketch's size are all looked at: a guess would leave out few of them."""
_LETTERS = 256
"""Letters that the size of an alphabet is estimated from."""
_BITS = 4_096
_BLOCK = 256


class SketchRules(NamedTuple):
    """The numbers of a recipe that a sketch depends on (docs/definitions.md, Sketch).

    size                   M
    whole, also_whole      a, and up to what size a set is posted whole
    wide_above, also_middle   512, and up to what size a set has a middle part
    middle                 where the second q-gram of a middle gram begins
    wide_second, wide_third   where those of a wide gram begin; 0: there is no third
    multipliers            C1 to C6, and C7, which is the bitmap's
    """

    size: int
    whole: int
    also_whole: int
    wide_above: int
    also_middle: int
    middle: int
    wide_second: int
    wide_third: int
    multipliers: NDArray[np.uint64]


@inner
def _surely_more(keys, windows, limit, table):
    """Whether `keys[:windows]` are certainly more than `limit` different ones: by a bitset of 4,096 bits.

    Stops as soon as it knows; reads everything where keys repeat so often that it cannot tell.
    """
    words = table[: _BITS // 64]
    words[:] = 0
    for block in range(0, windows, _BLOCK):
        end = min(block + _BLOCK, windows)
        for i in range(block, end):
            bit = (keys[i] >> _U(20)) & _U(_BITS - 1)
            words[bit >> _U(6)] |= _U(1) << (bit & _U(63))
        if end > limit:
            count = 0
            for word in words:
                count += np.int64(ones(word))
            if count > limit:
                return True
    return False


@inner
def count_unless_larger(keys, windows, limit, table):
    """How many different keys there are, or UNCOUNTED if they are surely more than `limit`."""
    if windows > limit and _surely_more(keys, windows, limit, table):
        return np.int64(UNCOUNTED)
    return distinct(keys, windows, table)


@inner
def _insert_smallest(hashes, n, size, out, kept):
    """Puts the smallest of `hashes[:n]` among `out[:kept]`, ascending, each once, `size` at most; returns how many."""
    for i in range(n):
        value = hashes[i]
        if kept == size and value >= out[kept - 1]:
            continue
        at = kept
        while at > 0 and out[at - 1] > value:
            at -= 1
        if at > 0 and out[at - 1] == value:
            continue
        last = kept if kept < size else size - 1
        for j in range(last, at, -1):
            out[j] = out[j - 1]
        out[at] = value
        kept = min(kept + 1, size)
    return kept


@inner
def _smallest(hashes, n, size, chosen, out):
    """Writes the `size` smallest different values of `hashes[:n]` (uint64) to `out`, ascending; how many there are.

    A bound that about twice as many lie below is guessed, those are taken out without a branch, and sorted. If they are
    too few, everything is looked at: the guess decides how fast, never what.
    """
    if n <= _GUESS_FROM * size:
        return _insert_smallest(hashes, n, size, out, 0)
    bound = (~_U(0) // _U(n)) * _U(2 * size)
    count = 0
    for i in range(n):
        chosen[count] = hashes[i]
        count += np.int64(hashes[i] <= bound)
    kept = _insert_smallest(chosen, count, size, out, 0)
    if kept < size:
        kept = _insert_smallest(hashes, n, size, out, 0)
    return kept


@inner
def _whole(keys, n, multiplier, size, scratch, out):
    """Writes the `size` smallest of the keys `keys[:n]` times `multiplier` to `out`; how many there are."""
    hashes = scratch.grams
    for i in range(n):
        hashes[i] = keys[i] * multiplier
    return _smallest(hashes, n, size, scratch.chosen, out)


@inner
def _middle(keys, windows, rules, scratch, out):
    hashes, at = scratch.grams, rules.middle
    first, second = rules.multipliers[1], rules.multipliers[2]
    n = max(windows - at, 0)
    for i in range(n):
        hashes[i] = keys[i] * first + keys[i + at] * second
    return _smallest(hashes, n, rules.size, scratch.chosen, out)


@inner
def _wide(keys, windows, rules, scratch, out):
    hashes, at, last = scratch.grams, rules.wide_second, rules.wide_third
    first, second, third = rules.multipliers[3], rules.multipliers[4], rules.multipliers[5]
    n = max(windows - max(at, last), 0)
    if last == 0:
        for i in range(n):
            hashes[i] = keys[i] * first + keys[i + at] * second
    else:
        for i in range(n):
            hashes[i] = keys[i] * first + keys[i + at] * second + keys[i + last] * third
    return _smallest(hashes, n, rules.size, scratch.chosen, out)


@inner
def possible_qgrams(letters, start, n, q):
    """About how many q-grams an alphabet allows in which two letters are as often the same as in the n `letters` from
    `start` on (uint8 or uint32), of which at most 256 are looked at; infinite if all differ.
    """
    slots = 2 * _LETTERS
    seen = np.zeros(slots, np.uint32)
    counts = np.zeros(slots, np.int64)
    step = (n + _LETTERS - 1) // _LETTERS
    size, pairs = 0, 0
    for i in range(0, n, step):
        letter = np.uint32(letters[start + i])
        slot = np.int64(letter) & (slots - 1)
        while counts[slot] != 0 and seen[slot] != letter:
            slot = (slot + 1) & (slots - 1)
        seen[slot] = letter
        pairs += 2 * counts[slot]  # (c + 1) · c - c · (c - 1)
        counts[slot] += 1
        size += 1
    if pairs == 0:
        return np.inf
    alphabet = (size * (size - 1)) / pairs
    possible = 1.0
    for _ in range(q):
        possible *= alphabet
    return possible


@inner
def fill_sketch(keys, windows, possible, rules, scratch, out):
    """Writes the sketch of a text to `out` (uint64); returns (its length, |A| or UNCOUNTED).

    keys, windows   the key of every window of the normal form, in text order
    possible        `possible_qgrams` of its letters
    rules, scratch  SketchRules; Scratch (kernels/signing.py) for the text, all but `keys` overwritten
    out             with room for 3 · M keys, and for `also_whole` + M

    Linear in the text.
    """
    count = count_unless_larger(keys, windows, rules.also_middle, scratch.table)
    if count == 0:
        return 0, count
    is_narrow = 4 * windows >= possible
    if is_narrow:
        if count == UNCOUNTED:
            count = distinct(keys, windows, scratch.table)
        is_narrow = 4 * count >= possible
    at = 0
    if 0 < count <= rules.also_whole:
        at += _whole(keys, windows, rules.multipliers[0], rules.also_whole, scratch, out)
    if rules.whole < count <= rules.also_middle:
        at += _middle(keys, windows, rules, scratch, out[at:])
    if count > rules.wide_above or count == UNCOUNTED:
        at += _wide(keys, windows, rules, scratch, out[at:])
    if is_narrow and count > rules.also_whole:
        at += _whole(keys, windows, rules.multipliers[0], rules.size, scratch, out[at:])
    return at, count
