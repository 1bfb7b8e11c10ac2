"""The sieve turns away no pair that reaches the threshold where it can be certain, and almost none elsewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from neardup.kernels import sieve
from neardup.verdict import required_overlap


def bitmaps(sets):
    """Bitmaps and sample sizes of key sets, each at its own level."""
    filled = np.zeros((len(sets), sieve.WORDS), np.uint64)
    samples = [
        int(sieve.fill(keys, 0, len(keys), sieve.level_of(len(keys)), filled[i])) for i, keys in enumerate(sets)
    ]
    return filled, np.array(samples, np.int64)


def passing(queries, documents, threshold):
    """Whether pair i, `queries[i]` against `documents[i]`, is let through at the threshold."""
    sizes = np.array([len(keys) for keys in queries])
    counts = np.array([len(keys) for keys in documents], np.int32)
    needed = [required_overlap(threshold, int(max(pair))) for pair in zip(sizes, counts, strict=True)]
    own, samples = bitmaps(queries)
    held, _ = bitmaps(documents)
    out = np.zeros(len(queries), np.bool_)
    places = np.arange(len(queries))
    sieve.passes(
        places, places, np.array(needed), np.concatenate(queries), np.concatenate([[0], np.cumsum(sizes)]),
        own, samples, counts, held, out,
    )  # fmt: skip
    return out


def pair_with(numbers, size, other, shared):
    """Two random key sets of these sizes that share so many keys."""
    keys = numbers.integers(0, 2**64, size + other - shared, np.uint64)
    return numbers.permutation(keys[:size]), numbers.permutation(keys[size - shared :])


@pytest.mark.parametrize("threshold", [Fraction(3, 10), Fraction(7, 10), Fraction(95, 100), Fraction(1)])
def test_at_level_0_nothing_at_the_threshold_is_turned_away(threshold):
    numbers = np.random.default_rng(1)
    pairs = []
    for _ in range(400):
        larger = int(numbers.integers(1, 2 * sieve.SAMPLE))
        shared = required_overlap(threshold, larger)
        smaller = int(numbers.integers(shared, larger + 1))
        pair = pair_with(numbers, larger, smaller, shared)
        pairs += [pair, pair[::-1]]
    assert passing(*zip(*pairs, strict=True), threshold).all()


@pytest.mark.parametrize("threshold", [Fraction(5, 10), Fraction(7, 10), Fraction(9, 10)])
def test_above_almost_nothing_at_the_threshold_is_turned_away(threshold):
    # At five standard deviations one in three million: none of these 2,000.
    numbers = np.random.default_rng(2)
    pairs = []
    for _ in range(1_000):
        larger = int(numbers.integers(2 * sieve.SAMPLE, 6_000))
        shared = required_overlap(threshold, larger)
        smaller = int(numbers.integers(shared, larger + 1))
        pair = pair_with(numbers, larger, smaller, shared)
        pairs += [pair, pair[::-1]]
    assert passing(*zip(*pairs, strict=True), threshold).all()


@pytest.mark.parametrize("size", [100, 400, 3_000, 40_000])
def test_what_has_little_in_common_is_turned_away(size):
    numbers = np.random.default_rng(3)
    pairs = [pair_with(numbers, size, size, size * 3 // 10) for _ in range(50)]
    assert not passing(*zip(*pairs, strict=True), Fraction(7, 10)).any()


def test_one_query_against_documents_of_every_level():
    numbers = np.random.default_rng(4)
    query = numbers.integers(0, 2**64, 1_500, np.uint64)
    documents = [query[:size] for size in (1_500, 1_050, 1_300)]
    documents += [np.concatenate([query, numbers.integers(0, 2**64, more, np.uint64)]) for more in (10, 600)]
    own, samples = bitmaps([query])
    held, _ = bitmaps(documents)
    counts = np.array([len(keys) for keys in documents], np.int32)
    needed = np.array([required_overlap(Fraction(7, 10), max(1_500, int(count))) for count in counts])
    out = np.zeros(len(documents), np.bool_)
    offsets = np.array([0, 1_500])
    sieve.passes(
        np.zeros(len(documents), np.int64), np.arange(len(documents)), needed, query, offsets, own, samples,
        counts, held, out,
    )  # fmt: skip
    assert out.all()


@pytest.mark.parametrize(("count", "level"), [
    (0, 0), (1, 0), (255, 0), (256, 0), (511, 0), (512, 1), (1_023, 1), (1_024, 2), (2**20, 12), (10_000_000, 15),
])  # fmt: skip
def test_level_leaves_256_to_511_keys(count, level):
    assert sieve.level_of(count) == level
    assert count < 2 * sieve.SAMPLE or sieve.SAMPLE <= count >> level < 2 * sieve.SAMPLE


def test_a_bitmap_holds_its_sample_and_nothing_else():
    keys = np.random.default_rng(5).integers(0, 2**64, 2_000, np.uint64)
    level = sieve.level_of(len(keys))
    filled, samples = bitmaps([keys])
    sample = [key for key in keys.tolist() if key >> 16 & ((1 << level) - 1) == 0]
    bits = {(key >> 32) & 0x7FF for key in sample}
    assert samples[0] == len(sample)
    assert {64 * word + bit for word in range(32) for bit in range(64) if int(filled[0, word]) >> bit & 1} == bits
