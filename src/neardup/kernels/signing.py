"""A batch of texts to what a decision needs, in one call: normal forms, sketches, bitmaps.

Documents are worked one after another, each through all steps, so that its arrays stay in the first two cache
levels; steps over a whole batch are slower (1,000 documents an array leave the second level).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bitmap_filter import fill_three_levels, level_of
from neardup.kernels.caching import njit
from neardup.kernels.qgrams import distinct, key_set, prefix, window_keys
from neardup.kernels.ranges import copy_range
from neardup.kernels.sketch import UNCOUNTED, fill_sketch, possible_qgrams
from neardup.kernels.text import is_ascii, normal_form

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Scratch(NamedTuple):
    """Working memory for texts of up to s bytes; one per thread.

    points                4 · s + 4: code points before and in normalization
    kept, kept_raw        4 · s + 4: code points of a normal form; the same memory as bytes
    keys, grams, chosen   s + 1: keys of q-grams and of grams
    table, others         slots of open-addressing tables, a power of two of 4 · s or more
    seen                  flags of the slots of `table`, and one more
    ascii, positions      as many slots: q-grams of an ASCII text, and where each stands (kernels/common_runs.py)
    """

    points: NDArray[np.uint32]
    kept: NDArray[np.uint32]
    kept_raw: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    grams: NDArray[np.uint64]
    chosen: NDArray[np.uint64]
    table: NDArray[np.uint64]
    others: NDArray[np.uint64]
    seen: NDArray[np.uint8]
    ascii: NDArray[np.uint32]
    positions: NDArray[np.int32]


@njit(cache=True, nogil=True)
def sign_batch(data, offsets, normal, counted, q, fold, tables, rules, scratch, out):
    """Fills `out`, the arrays of a `SignedBatch` but its fingerprints, with what a decision needs of n texts.

    data, offsets   uint8, int64 n + 1: text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    normal          the texts are normal forms already and are taken as they are (a second normal form may differ: it
                    composes marks with letters that a space stood between)
    counted         |A| is wanted of all of them
    q, fold         length of a q-gram; whether case is folded
    tables, rules   TextTables (kernels/text.py), SketchRules (kernels/sketch.py)
    scratch         Scratch for the longest of the texts and of their normal forms
    out             `texts` with room for all normal forms, `sketches` for the longest sketch of each; offsets n + 1

    Linear in the texts. No set is made of a text of which none need be: that costs as much as half of all the rest,
    and few documents ever have to be verified.
    """
    keys = scratch.keys
    texts, text_offsets, counts, sketches, sketch_offsets, levels, bitmaps = out
    text_offsets[0] = 0
    sketch_offsets[0] = 0
    for i in range(len(offsets) - 1):
        begin = text_offsets[i]
        if normal:
            stop = begin + offsets[i + 1] - offsets[i]
            copy_range(data, offsets[i], offsets[i + 1], texts, begin)
        else:
            stop = normal_form(data, offsets[i], offsets[i + 1], tables, fold, scratch.points, texts, begin)
        text_offsets[i + 1] = stop
        windows = window_keys(texts, begin, stop, q, scratch, keys)
        possible = np.inf
        if windows > rules.also_whole:
            if is_ascii(texts, begin, stop):
                possible = possible_qgrams(texts, begin, stop - begin, q)
            else:
                possible = possible_qgrams(scratch.kept, 0, windows + q - 1, q)
        first = sketch_offsets[i]
        size, count = fill_sketch(keys, windows, possible, rules, scratch, sketches[first:])
        if counted and count == UNCOUNTED:
            count = distinct(keys, windows, scratch.table)
        counts[i] = count
        sketch_offsets[i + 1] = first + size
        levels[i] = level_of(stop - begin)
        fill_three_levels(
            keys, windows, rules.multipliers[6], np.int64(levels[i]), scratch.chosen, bitmaps[i]
        )


@njit(cache=True, nogil=True)
def count_qgrams(texts, offsets, which, q, scratch, counts):
    """Sets `counts[i]` (any integers) to |A| of the normal form `texts[offsets[i]:offsets[i + 1]]` for i in `which`.

    scratch   Scratch for the longest of the texts
    """
    for i in which:
        windows = window_keys(texts, offsets[i], offsets[i + 1], q, scratch, scratch.keys)
        counts[i] = distinct(scratch.keys, windows, scratch.table)


@njit(cache=True, nogil=True)
def key_sets(texts, offsets, q, scratch, out, out_offsets):
    """Writes the distinct keys of every normal form `texts[offsets[i]:offsets[i + 1]]` to `out`, one after another.

    texts, offsets     uint8, int64 n + 1
    out, out_offsets   uint64, with a value more than `texts`, and int64 n + 1
    scratch            Scratch for the longest of the texts
    """
    out_offsets[0] = 0
    for i in range(len(offsets) - 1):
        first = out_offsets[i]
        n, _, _ = key_set(texts, offsets[i], offsets[i + 1], q, scratch, out[first:])
        out_offsets[i + 1] = first + n


@njit(cache=True, nogil=True)
def prefix_batch(keys, key_offsets, classes, numerator, denominator, slack, out, out_offsets):
    """Writes the prefix of every key set that a lossless search at t = numerator / denominator needs to `out`.

    keys, key_offsets   uint64, int64 n + 1: the key sets
    classes             uint8: frequency class by q-gram slot
    out, out_offsets    uint64, as long as `keys`, and int64 n + 1

    |A| - ceil(t · |A|) + `slack` rarest keys: two sets with doc_q >= t share at least min(slack, ceil(t ·
    |A|)) of them.
    """
    out_offsets[0] = 0
    for i in range(len(key_offsets) - 1):
        size = key_offsets[i + 1] - key_offsets[i]
        required = (numerator * size + denominator - 1) // denominator
        length = min(size, size - required + slack)
        out_offsets[i + 1] = prefix(
            keys, key_offsets[i], key_offsets[i + 1], classes, length, out, out_offsets[i]
        )
