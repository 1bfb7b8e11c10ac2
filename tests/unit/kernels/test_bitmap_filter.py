"""The bitmap filter rejects no pair that reaches the threshold where it can be certain, and almost none elsewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing.index_parts import line, search_of, signed, table_of

from neardup.elastic.window.codec import first_fields
from neardup.index.template_filter import passes_bitmap_filter
from neardup.kernels import bitmap_filter
from neardup.model.verdict import required_overlap
from neardup.oracle import bitmap_filter as oracle


def passing(pairs, threshold, *, counted=False):
    """Whether pair i, of two normal forms, is let through at the threshold; `counted`: |A| and |B| are known."""
    table = table_of(signed([other for _, other in pairs], counted=counted), search_of())
    queries = signed([own for own, _ in pairs], counted=counted)
    places = np.arange(len(pairs))
    return passes_bitmap_filter(queries, places, places, table, threshold)


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
    pairs = pairs_at(np.random.default_rng(1), threshold, 400, 1, 2 * oracle.SAMPLE)
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize(
    "threshold", [Fraction(3, 10), Fraction(5, 10), Fraction(7, 10), Fraction(9, 10), Fraction(1)]
)
def test_above_almost_nothing_at_the_threshold_is_turned_away(threshold):
    # At five standard deviations one in three million: none of these 1,200.
    pairs = pairs_at(np.random.default_rng(2), threshold, 600, 2 * oracle.SAMPLE, 6_000)
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize("threshold", [Fraction(5, 10), Fraction(7, 10), Fraction(9, 10)])
def test_nor_where_samples_are_largest_and_keys_share_bits(threshold):
    """As if no two keys of a set shared a bit, one in 20 to one in 150 of these 3,000 would be turned away."""
    largest = (oracle.SAMPLE << 4) - 1
    pairs = []
    for i in range(1_500):
        shared = required_overlap(threshold, largest - i % 9)
        pair = pair_with(np.random.default_rng(i), largest - i % 9, largest - i % 9, shared)
        pairs += [pair, pair[::-1]]
    assert passing(pairs, threshold).all()


@pytest.mark.parametrize("threshold", [Fraction(5, 10), Fraction(7, 10), Fraction(9, 10)])
def test_around_a_change_of_level(threshold):
    pairs = []
    for level in (1, 2, 3):
        edge = oracle.SAMPLE << level
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


def random_text(numbers, length):
    """Letters and digits of one byte each; hardly a q-gram twice."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "".join(letters[i] for i in numbers.integers(0, len(letters), length))


@pytest.mark.parametrize("size", [100, 400, 3_000, 40_000])
def test_what_has_little_in_common_is_turned_away(size):
    numbers = np.random.default_rng(3)
    pairs = []
    for _ in range(50):
        common = random_text(numbers, size * 3 // 10)
        pair = [common + random_text(numbers, size - len(common)) for _ in range(2)]
        pairs += [(pair[0], pair[1]), (pair[1], pair[0])]
    assert not passing(pairs, Fraction(7, 10)).any()


@pytest.mark.parametrize("size", [200, 800, 3_000])
def test_a_text_is_turned_away_for_what_it_has_alone_and_for_what_it_lacks(size):
    """In both directions: of a text and one of nearly twice its length that holds it, neither is a copy at 0.7."""
    numbers = np.random.default_rng(4)
    pairs = []
    for _ in range(50):
        part = random_text(numbers, size)
        whole = part + random_text(numbers, size * 9 // 10)
        pairs += [(part, whole), (whole, part)]
    passed = passing(pairs, Fraction(95, 100)).reshape(-1, 2)
    assert not passed.any()


def test_levels_further_apart_than_one_let_everything_pass():
    numbers = np.random.default_rng(5)
    pair = random_text(numbers, 400), random_text(numbers, 2_000)
    assert passing([pair, pair[::-1]], Fraction(1)).all()


def test_of_a_document_that_was_stored_without_a_bitmap_none_is_told():
    """One of zeros, written beside a document that comes again, would turn all of its copies away from then on."""
    table = table_of(signed([line(0, 600), line(0, 600)]), search_of())
    first = table.extend(table.rows[:1].copy(), table.hours[:1].astype(np.int64), None)
    queries, docs = signed([line(7_000, 7_600)] * 2), np.array([0, first])
    passed = passes_bitmap_filter(queries, np.arange(2), docs, table, Fraction(7, 10))
    assert passed.tolist() == [False, True]
    (fields,) = first_fields(table.rows[first : first + 1], [np.empty(0, np.uint64)], ["scorer"])
    assert fields["sieve"] is None


def test_a_set_without_a_qgram_is_turned_away_where_the_other_has_some():
    pairs = [("abc", line(0, 30)), (line(0, 30), "abc"), ("abc", "xyz")]
    assert passing(pairs, Fraction(1, 10)).tolist() == [False, False, True]


def test_a_set_that_was_not_counted_is_judged_by_its_bits_alone():
    """Whether |A| and |B| are known changes no answer above level 0, so no verdict depends on who counted."""
    numbers = np.random.default_rng(6)
    texts = [random_text(numbers, int(size)) for size in numbers.integers(1_000, 6_000, 40)]
    pairs = [(one, one[int(numbers.integers(0, len(one) // 2)) :]) for one in texts]
    plain = passing(pairs, Fraction(85, 100))
    counted = passing(pairs, Fraction(85, 100), counted=True)
    assert (plain == counted).all()
    assert 5 < plain.sum() < 40


@pytest.mark.parametrize(("size", "level"), [
    (0, 0), (1, 0), (255, 0), (256, 0), (511, 0), (512, 1), (1_023, 1), (1_024, 2), (2**20, 12), (10_000_000, 15),
])  # fmt: skip
def test_a_level_leaves_256_to_511_of_so_many_windows(size, level):
    assert levels_of([size], np.int64) == [level]
    assert size < 2 * oracle.SAMPLE or oracle.SAMPLE <= size >> level < 2 * oracle.SAMPLE


def test_levels_of_many_sizes_are_those_of_each():
    sizes = range(0, 5_000, 7)
    assert levels_of(sizes, np.uint32) == [levels_of([size], np.int64)[0] for size in sizes]


def levels_of(sizes, dtype):
    levels = np.empty(len(sizes), np.uint8)
    bitmap_filter.fill_levels(np.array(sizes, dtype), levels)
    return levels.tolist()


@pytest.mark.parametrize("size", [1, 63, 300, 511, 512, 700, 1_023, 1_024, 5_000])
def test_bitmaps_hold_their_samples_and_nothing_else(size):
    form = line(7 * size, 8 * size)
    batch, own = signed([form]), oracle.level(form)
    assert batch.levels[0] == own
    for place, level in enumerate((own - 1, own, own + 1)):
        if level >= 0:
            words = batch.bitmaps[0, place].tolist()
            bits = {64 * at + bit for at, word in enumerate(words) for bit in range(64) if word >> bit & 1}
            assert bits == oracle.bitmap(form, level)


@settings(max_examples=100, deadline=None)
@given(
    size=st.integers(1, 400) | st.integers(400, 2_000),
    ratio=st.just(1) | st.floats(0.4, 2.5),
    threshold=st.sampled_from([Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1)]),
    is_ascii=st.booleans(),
    is_reversed=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_the_pairs_let_through_are_those_of_the_oracle(size, ratio, threshold, is_ascii, is_reversed, seed):
    """Pairs just at the limit of the rule: two parts of one text, which overlap by more or less than it demands."""
    numbers, other = np.random.default_rng(seed), max(int(ratio * size), 1)
    whole = random_text(numbers, size + other) if is_ascii else line(0, size + other)
    pairs, expected = [], []
    low, high = 0, min(size, other) + 1
    while low < high:
        shared = (low + high) // 2
        pair = whole[:size], whole[size - shared : size - shared + other]
        pairs.append(pair[::-1] if is_reversed else pair)
        expected.append(oracle.may_match(*pairs[-1], threshold))
        low, high = (low, shared) if expected[-1] else (shared + 1, high)
    assert passing(pairs, threshold).tolist() == expected
