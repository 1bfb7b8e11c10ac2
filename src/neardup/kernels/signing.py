"""A batch of texts to what a decision needs, in one call: normal forms, sketches, bitmaps, fingerprints.

Documents are worked one after another, each through all steps, so that its arrays stay in the first two cache
levels; steps over a whole batch are slower (1,000 documents an array leave the second level).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.kernels.bitmap_filter import fill_three_levels
from neardup.kernels.caching import njit
from neardup.kernels.hashing import xxh64_pair
from neardup.kernels.qgrams import key_set, prefix, sketch
from neardup.kernels.text import normal_form

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RankTables(NamedTuple):
    """Sketch order: rank of a key = exponential[its low 16 bits] + weight[classes[its top 22 bits]]."""

    exponential: NDArray[np.uint16]
    weight: NDArray[np.uint16]
    classes: NDArray[np.uint8]


class Scratch(NamedTuple):
    """Working memory for texts of up to s bytes; one per thread.

    points                4 · s + 4: code points before and in normalization
    kept, kept_raw        4 · s + 4: code points of a normal form; the same memory as bytes
    keys, chosen          s + 1: keys of q-grams
    chosen_ranks, ranks   s + 1: ranks of keys
    table, seen           slots of an open-addressing table, a power of two of 4 · s or more
    """

    points: NDArray[np.uint32]
    kept: NDArray[np.uint32]
    kept_raw: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    chosen: NDArray[np.uint64]
    chosen_ranks: NDArray[np.uint32]
    table: NDArray[np.uint64]
    seen: NDArray[np.uint8]
    ranks: NDArray[np.uint32]


@njit(cache=True, nogil=True)
def sign_batch(
    data, offsets, normal, q, fold, sketch_size, complete_below, tables, ranks, scratch, out
):  # fmt: skip
    """Fills `out` (`neardup.signing.signature.SignedBatch`) with what a decision needs of n texts.

    data, offsets   uint8, int64 n + 1: text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    normal          the texts are normal forms already and are taken as they are (a second normal form may differ: it
                    composes marks with letters that a space stood between)
    q, fold         length of a q-gram; whether case is folded
    sketch_size, complete_below   keys of a sketch; sets of at most so many are their own
    tables, ranks   TextTables (kernels/text.py), RankTables
    scratch         Scratch for the longest of the texts and of their normal forms
    out             `texts` with room for all normal forms, `sketches` for the larger of sketch_size and complete_below
                    of each text; offsets n + 1

    Linear in the texts. The keys themselves stay in scratch memory: writing 18 KB of them for every document costs
    as much as half of all the rest, and few documents need them again (`key_sets`).
    """
    keys = scratch.keys
    texts, text_offsets, counts, sketches, sketch_offsets, fingerprints, bitmaps, samples = out
    text_offsets[0] = 0
    sketch_offsets[0] = 0
    for i in range(len(offsets) - 1):
        begin = text_offsets[i]
        if normal:
            stop = begin + offsets[i + 1] - offsets[i]
            texts[begin:stop] = data[offsets[i] : offsets[i + 1]]
        else:
            stop = normal_form(data, offsets[i], offsets[i + 1], tables, fold, scratch.points, texts, begin)
        text_offsets[i + 1] = stop
        n, _, _ = key_set(texts, begin, stop, q, scratch, keys)
        counts[i] = n
        first = sketch_offsets[i]
        size = sketch(keys, n, ranks, sketch_size, complete_below, scratch, sketches[first:])
        sketch_offsets[i + 1] = first + size
        fill_three_levels(keys, n, bitmaps[i], samples[i])
        fingerprints[i, 0], fingerprints[i, 1] = xxh64_pair(texts, begin, stop)


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
