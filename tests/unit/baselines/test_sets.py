"""Sets, bags and counts against Python's own, and the kernels that count overlaps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.baselines import collection, tokens
from neardup.baselines.collection import FeatureFrequencies
from neardup.baselines.sets import Measure, OverlapIndex, needed
from neardup.baselines.tokens import Bag
from neardup.kernels.counting import overlap, product, shared

SMALL = st.lists(st.integers(0, 40) | st.sampled_from([2**63, 2**64 - 1]), max_size=60)
compiled = settings(deadline=None)  # the first example waits for the kernels


def keys(values):
    return np.array(values, np.uint64)


@given(a=SMALL, b=SMALL)
@compiled
def test_shared_counts_the_intersection(a, b):
    assert shared(tokens.distinct(keys(a)), tokens.distinct(keys(b))) == len(set(a) & set(b))


@given(a=SMALL, b=SMALL)
@compiled
def test_overlap_counts_the_intersection_of_bags(a, b):
    first, second = Bag.of(keys(a)), Bag.of(keys(b))
    assert overlap(first.keys, first.counts, second.keys, second.counts) == (Counter(a) & Counter(b)).total()


@given(a=SMALL, b=SMALL, closeness=st.sampled_from([0.0, 2.1, 2.5, 4.0]))
@compiled
def test_product_is_the_inner_product_of_the_close_weights(a, b, closeness):
    left, right = Counter(a), Counter(b)
    wanted = sum(
        left[key] * right[key]
        for key in left.keys() & right.keys()
        if not closeness or left[key] / right[key] + right[key] / left[key] < closeness
    )
    first, second = Bag.of(keys(a)), Bag.of(keys(b))
    weights = [bag.counts.astype(np.float64) for bag in (first, second)]
    assert product(first.keys, weights[0], second.keys, weights[1], closeness) == wanted


@given(values=SMALL)
@compiled
def test_a_set_and_a_bag_hold_each_feature_once_in_order(values):
    assert tokens.distinct(keys(values)).tolist() == sorted(set(values))
    bag = Bag.of(keys(values))
    assert dict(zip(bag.keys.tolist(), bag.counts.tolist(), strict=True)) == Counter(values)
    assert bag.keys.tolist() == sorted(set(values))
    assert bag.total == len(values)


def test_signatures_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        tokens.distinct(keys([1, 2]))[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        Bag.of(keys([1, 1])).counts[0] = 3


@given(sets=st.lists(SMALL, max_size=12), buffered=st.sampled_from([1, 50, 1 << 22]))
@compiled
def test_frequencies_count_documents(sets, buffered):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collection, "_BUFFERED", buffered)
        frequencies = FeatureFrequencies.of(tokens.distinct(keys(values)) for values in sets)
    wanted = Counter(value for values in sets for value in set(values))
    asked = [*range(42), 2**63, 2**64 - 1]
    assert frequencies.documents == len(sets)
    assert frequencies.look_up(keys(asked)).tolist() == [wanted[value] for value in asked]


@given(size=st.integers(1, 5_000), threshold=st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0]))
@compiled
def test_needed_is_the_least_overlap_that_reaches_the_threshold(size, threshold):
    least = needed(size, threshold)
    assert least / size >= threshold
    assert least == 1 or (least - 1) / size < threshold


@pytest.mark.parametrize(
    ("measure", "score"), [("LARGER", 2 / 5), ("UNION", 2 / 6), ("SMALLER", 2 / 3), ("ANY", 1)]
)
def test_a_measure_divides_the_overlap_by_what_it_says(measure, score):
    assert Measure[measure].of(2, 3, 5) == Measure[measure].of(2, 5, 3) == score
    assert Measure[measure].of(np.array([2, 0]), np.array([3, 1]), 5).tolist() == [score, 0]


def test_an_index_outgrows_its_first_arrays():
    index = OverlapIndex(Measure.UNION, 1.0)
    sets = [keys([number, number + 10**6]) for number in range(3_000)]
    for features in sets:
        index.add(features)
    assert [list(index.matches(sets[number])) for number in (0, 1_500, 2_999)] == [
        [(0, 1.0)],
        [(1_500, 1.0)],
        [(2_999, 1.0)],
    ]
    assert index.compared == 3


def test_sentences_and_shingles_are_sequences_of_words():
    first, second = tokens.sentences("A rose. Is a flower!"), tokens.sentences("is a FLOWER. A rose?")
    assert first.tolist() == second.tolist()[::-1]
    assert len(tokens.shingles("A rose is a flower", 2)) == 4
    assert len(tokens.shingles("a rose is a rose is", 2)) == 5
    assert tokens.shingles("A rose", 3).tolist() == []
