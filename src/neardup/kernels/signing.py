"""A batch of texts to what a decision needs: normal forms, key sets, sketches, sieves, fingerprints. One call a batch.

Documents are worked one after another, each through all steps, so that its arrays stay in the first two cache
levels; steps over a whole batch are slower (1,000 documents an array leave the second level).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from neardup.kernels.bitmap_filter import fill_around
from neardup.kernels.caching import njit
from neardup.kernels.hashing import xxh64_pair
from neardup.kernels.qgrams import key_set, prefix, sketch
from neardup.kernels.text import normal_form


class RankTables(NamedTuple):
    """Sketch order: rank of a key = exponential[its low 16 bits] + weight[classes[its top 22 bits]]."""

    exponential: Any
    weight: Any
    classes: Any


class Scratch(NamedTuple):
    """Working memory for texts of up to a given number of bytes; one per thread."""

    points: Any
    kept: Any
    kept_raw: Any
    keys: Any
    chosen: Any
    chosen_ranks: Any
    table: Any
    seen: Any
    ranks: Any


@njit(cache=True, nogil=True)
def sign_batch(
    data, offsets, normal, q, fold, tables, ranks, sketch_size, complete_below, scratch,
    out_text, out_text_offsets, out_counts, out_sketch, out_sketch_offsets, out_fingerprints, out_sieves, out_samples,
):  # fmt: skip
    """Signs the UTF-8 texts `data[offsets[i]:offsets[i + 1]]`, writing into the `out_` arrays.

    `out_text`: normal forms, UTF-8, and `out_sketch`: sketches in their order, both one after another with n + 1
    offsets; `out_counts[i]`: |A|; `out_fingerprints[i]`: xxh64 with seeds 0 and 1; `out_sieves[i]`: its sieves, made
    of `out_samples[i]` keys (bitmap_filter.py). `normal`: the texts are normal forms already and are taken as they
    are (a second normal form may differ: it composes marks with letters that a space stood between).

    The keys themselves stay in scratch memory: writing 18 KB of them for every document costs as much as half of
    all the rest, and few documents need them again (`key_sets`).
    """
    keys = scratch.keys
    out_text_offsets[0] = 0
    out_sketch_offsets[0] = 0
    for i in range(len(offsets) - 1):
        begin = out_text_offsets[i]
        if normal:
            stop = begin + offsets[i + 1] - offsets[i]
            out_text[begin:stop] = data[offsets[i] : offsets[i + 1]]
        else:
            stop = normal_form(
                data, offsets[i], offsets[i + 1], tables, fold, scratch.points, out_text, begin
            )
        out_text_offsets[i + 1] = stop
        n, _, _ = key_set(out_text, begin, stop, q, scratch, keys)
        out_counts[i] = n
        sampled = out_sketch_offsets[i]
        size = sketch(keys, n, ranks, sketch_size, complete_below, scratch, out_sketch[sampled:])
        out_sketch_offsets[i + 1] = sampled + size
        fill_around(keys, n, out_sieves[i], out_samples[i])
        out_fingerprints[i, 0], out_fingerprints[i, 1] = xxh64_pair(out_text, begin, stop)


@njit(cache=True, nogil=True)
def key_sets(texts, offsets, q, scratch, out, out_offsets):
    """The distinct keys of every normal form `texts[offsets[i]:offsets[i + 1]]`, one after another."""
    out_offsets[0] = 0
    for i in range(len(offsets) - 1):
        first = out_offsets[i]
        n, _, _ = key_set(texts, offsets[i], offsets[i + 1], q, scratch, out[first:])
        out_offsets[i + 1] = first + n


@njit(cache=True, nogil=True)
def prefix_batch(keys, key_offsets, classes, numerator, denominator, slack, out, out_offsets):
    """The prefix of every key set that a lossless search at t = numerator / denominator needs.

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
