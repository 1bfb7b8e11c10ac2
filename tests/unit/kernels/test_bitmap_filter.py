"""The bitmap filter rejects no pair that reaches the threshold where it can be certain, and almost none elsewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from testing.index_parts import line, search_of, signed, table_of

from neardup.index.candidates import Candidates
from neardup.index.query_batch import SignedQueryBatch
from neardup.kernels import bitmap_filter
from neardup.model.verdict import required_overlap


def passing(pairs, threshold):
    """Whether pair i, of two normal forms, is let through at the threshold."""
    search = search_of()
    table = table_of(signed([other for _, other in pairs]), search)
    queries = SignedQueryBatch(signed([own for own, _ in pairs]), None, None)
    places = np.arange(len(pairs))
    candidates = Candidates(places, places, np.zeros(len(pairs), np.bool_))
    kept = search._filtered(candidates, queries, table, threshold)
    return np.isin(places, kept.queries)


def pair_with(numbers, size, other, shared):
    """Two normal forms of so many q-grams that share so many."""
    first = int(numbers.integers(0, 900_000))
    return line(first, first + size), line(first + size - shared, first + size - shared + other)


def pairs_at(numbers, threshold, count, least, most):
    """Pairs just at the threshold, of sets of all sizes; each of them both ways."""
    pairs = []
    for _ in range(count):
        larger = int(numbers.integers(least, most))
        shared = required_overlap(threshold, larger)
        pair = pair_with(numbers, larger, int(numbers.integers(shared, larger + 1)), shared)
        pairs += [pair, pair[::-1]]
    return pairs


@pytest.mark.parametrize(
    "threshold", [Fraction(1, 10), Fraction(3, 10), Fraction(7, 10), Fraction(95, 100), Fraction(1)]
)
def test_at_level_0_nothing_at_the_threshold_is_turned_away(threshold):
    pairs = pairs_at(np.random.default_rng(1), threshold, 400, 1, 2 * bitmap_filter.SAMPLE)
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize(
    "threshold", [Fraction(3, 10), Fraction(5, 10), Fraction(7, 10), Fraction(9, 10), Fraction(1)]
)
def test_above_almost_nothing_at_the_threshold_is_turned_away(threshold):
    # At five standard deviations one in three million: none of these 1,200.
    pairs = pairs_at(np.random.default_rng(2), threshold, 600, 2 * bitmap_filter.SAMPLE, 6_000)
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize("threshold", [Fraction(5, 10), Fraction(7, 10), Fraction(9, 10)])
def test_around_a_change_of_level(threshold):
    pairs = []
    for level in (1, 2, 3):
        edge = bitmap_filter.SAMPLE << level
        pairs += pairs_at(np.random.default_rng(level), threshold, 60, edge - 3, edge + 3)
        numbers = np.random.default_rng(level)
        for larger, smaller in (
            (edge, edge - 1),
            (edge + 9, edge - 9),
            (edge - 1, edge - 1),
            (2 * edge, edge),
        ):
            shared = required_overlap(threshold, larger)
            if smaller >= shared:
                pair = pair_with(numbers, larger, smaller, shared)
                pairs += [pair, pair[::-1]]
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize("size", [100, 400, 3_000, 40_000])
def test_what_has_little_in_common_is_turned_away(size):
    numbers = np.random.default_rng(3)
    pairs = [pair_with(numbers, size, size, size * 3 // 10) for _ in range(50)]
    assert not passing(pairs, Fraction(7, 10)).any()


@pytest.mark.parametrize(("count", "level"), [
    (0, 0), (1, 0), (255, 0), (256, 0), (511, 0), (512, 1), (1_023, 1), (1_024, 2), (2**20, 12), (10_000_000, 15),
])  # fmt: skip
def test_level_leaves_256_to_511_keys(count, level):
    assert bitmap_filter.level_of(count) == level
    assert (
        count < 2 * bitmap_filter.SAMPLE or bitmap_filter.SAMPLE <= count >> level < 2 * bitmap_filter.SAMPLE
    )


@pytest.mark.parametrize("size", [1, 63, 300, 511, 512, 700, 1_023, 1_024, 5_000])
def test_bitmaps_hold_their_samples_and_nothing_else(size):
    batch = signed([line(7 * size, 8 * size)])
    keys = key_set(batch)
    own = bitmap_filter.level_of(size)
    for place, level in enumerate((own - 1, own, own + 1)):
        if level < 0:
            continue
        sample = [key for key in keys if key >> 16 & ((1 << level) - 1) == 0]
        words = batch.bitmaps[0, place].tolist()
        bits = {64 * at + bit for at, word in enumerate(words) for bit in range(64) if word >> bit & 1}
        assert bits == {(key >> 32) & 0x7FF for key in sample}
        assert batch.samples[0, place] == len(sample)


def key_set(batch):
    from neardup.model.settings import Recipe
    from neardup.signing.signer import signer_for

    return signer_for(Recipe()).key_sets(batch)[0].tolist()
