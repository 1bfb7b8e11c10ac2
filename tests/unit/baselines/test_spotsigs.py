"""SpotSigs: the paper's sentence, the bags' Jaccard coefficient, and what its pruning may leave out."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.baselines.spotsigs import ANTECEDENTS, SpotIndex, SpotSigs
from neardup.baselines.tokens import STOPWORDS, Bag
from neardup.baselines.words import words

SENTENCE = (
    "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to set the record "
    "straight from an attack circulating widely on the Internet that is designed to play into prejudices against "
    "Muslims and fears of terrorism."
)


def plain_chains(text, antecedents, distance, chain):
    """Each antecedent looks ahead by itself."""
    found = words(text)
    spots = []
    for at, word in enumerate(found):
        if word in antecedents:
            content = [later for later in found[at + 1 :] if later not in STOPWORDS | antecedents]
            chosen = content[distance - 1 :: distance][:chain]
            if len(chosen) == chain:
                spots.append(":".join([word, *chosen]))
    return spots


def bag(counts):
    """A bag of features by their counts."""
    return Bag.of(np.repeat(np.arange(len(counts), dtype=np.uint64), counts))


# -- the paper's example --


def test_the_sentence_of_the_paper_has_its_seven_spot_signatures():
    method = SpotSigs(1, 2, antecedents=frozenset({"a", "an", "the", "is"}), name="as in the paper")
    assert method.chains(SENTENCE) == [
        "a:rally:kick",
        "a:weeklong:campaign",
        "the:south:carolina",
        "the:record:straight",
        "an:attack:circulating",
        "the:internet:designed",
        "is:designed:play",
    ]


def test_a_distance_takes_every_so_manieth_content_word():
    method = SpotSigs(2, 3, antecedents=frozenset({"that"}), name="that(2,3)")
    assert method.chains("that one petal thorn is wolf whale the ferry cargo end") == [
        "that:thorn:whale:cargo"
    ]


def test_a_chain_that_the_text_ends_within_is_left_out():
    assert SpotSigs(1, 2).chains("the rose the violet") == ["the:rose:violet"]
    assert SpotSigs(1, 3).chains("the rose the violet") == []


@pytest.mark.parametrize(("distance", "chain"), [(1, 1), (1, 2), (2, 3), (3, 2)])
def test_chains_are_those_that_each_antecedent_would_find_by_itself(distance, chain):
    numbers = random.Random(distance)
    choices = [*sorted(ANTECEDENTS)[:6], "of", "to", "rose", "violet", "wolf", "whale"]
    for length in range(0, 60, 3):
        text = " ".join(numbers.choices(choices, k=length))
        assert SpotSigs(distance, chain).chains(text) == plain_chains(text, ANTECEDENTS, distance, chain)


# -- similarity --


def test_similarity_is_the_jaccard_coefficient_of_bags():
    method = SpotSigs()
    assert method.score(bag([2, 1, 0, 3]), bag([1, 1, 2, 0])) == 2 / (2 + 1 + 2 + 3)
    assert method.score(bag([]), bag([])) == 0


# -- matching --


@given(
    threshold=st.sampled_from([0.05, 0.3, 0.44, 0.5, 0.6, 2 / 3, 0.7, 0.9, 1.0]), size=st.integers(1, 4_000)
)
@settings(deadline=None)
def test_sizes_two_partitions_apart_never_belong_to_copies(threshold, size):
    index = SpotIndex(SpotSigs(), threshold)
    own = index.partition(size)
    assert index.partition(max(1, size - 1)) in (own, own - 1)
    beyond = size + 1
    while index.partition(beyond) < own + 2:
        beyond = max(beyond + 1, int(beyond * 1.01))
    first = next(other for other in range(size, beyond + 1) if index.partition(other) == own + 2)
    assert size / first < threshold


def test_partitions_are_as_fine_as_the_threshold_allows():
    index = SpotIndex(SpotSigs(), 1.0)
    assert [index.partition(size) for size in (1, 2, 3, 50)] == [0, 1, 2, 49]
    index = SpotIndex(SpotSigs(), 0.5)
    assert [index.partition(size) for size in (1, 2, 3, 6, 7, 14, 15)] == [0, 0, 1, 1, 2, 2, 3]


BAGS = st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6).map(bag), min_size=1, max_size=25)


@given(bags=BAGS, threshold=st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0]))
@settings(deadline=None)
def test_pruning_loses_nothing(bags, threshold):
    method = SpotSigs()
    index = SpotIndex(method, threshold)
    for i, query in enumerate(bags):
        found = list(index.matches(query))
        assert Counter(found) == Counter(
            (j, method.score(query, other))
            for j, other in enumerate(bags[:i])
            if method.score(query, other) >= threshold
        )
        index.add(query)


def test_pruning_leaves_most_documents_unseen():
    numbers = np.random.default_rng(8)
    method = SpotSigs()
    index = SpotIndex(method, 0.7)
    bags = [Bag.of(numbers.integers(0, 500, numbers.integers(20, 200)).astype(np.uint64)) for _ in range(300)]
    for one in bags:
        list(index.matches(one))
        index.add(one)
    sharing = sum(method.score(one, other) > 0 for i, one in enumerate(bags) for other in bags[:i])
    assert index.compared < sharing / 3


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.5])
def test_a_threshold_without_partitions_is_refused(threshold):
    with pytest.raises(ValueError, match=f"threshold is {threshold}"):
        SpotSigs().index(threshold)


@pytest.mark.parametrize("settings_", [{"distance": 0}, {"chain": 0}, {"antecedents": frozenset()}])
def test_settings_that_cannot_be_are_refused(settings_):
    with pytest.raises(ValueError, match="each must be 1 or more"):
        SpotSigs(**settings_)
