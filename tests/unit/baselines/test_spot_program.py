"""The SpotSigs authors' program: the next content word after an antecedent, middling ones, four or more."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.baselines.spot_program import ProgramSpotSigs, SpotIMatch, SpotLsh, spots
from neardup.baselines.tokens import Bag


def test_a_spot_is_the_next_content_word_after_an_antecedent_without_it():
    assert spots("At a rally the South has said: will the Muslims, or Le Monde, do") == [
        "south", "muslims", "muslims", "muslims", "monde"
    ]  # fmt: skip


def test_an_antecedent_that_no_content_word_follows_has_no_spot():
    assert spots("Obama was the") == []


# Eight documents: log(9 / n) / log 9 is 1 for n = 1, 0.68 for 2, 0.37 for 4, 0.05 for 8.
COLLECTION = [
    "the rose the half the oak the pair the alone",
    "the rose the half the oak the pair the another1",
    "the rose the half the oak the elm the ash",
    "the rose the half the oak the elm the ash the fir",
    *["the rose the beech the lime the yew"] * 4,
]


@pytest.mark.parametrize("kind", [ProgramSpotSigs, SpotLsh])
def test_bags_keep_what_is_of_middling_idf_and_four_at_least(kind):
    method = kind()
    method.learn(COLLECTION)
    # half, oak, pair: three; half, oak, elm, ash (fir is of one document): four; beech, lime, yew: three
    assert [method.sign(text).total for text in COLLECTION] == [0, 0, 4, 4, 0, 0, 0, 0]


def test_equal_digests_are_copies_whatever_else_the_texts_say():
    method = SpotIMatch()
    method.learn(COLLECTION)
    third, fourth = (method.sign(text) for text in COLLECTION[2:4])
    assert len(third) == 20
    assert method.score(third, fourth) == 1
    assert method.score(third, method.sign(COLLECTION[0])) == 0


@pytest.mark.parametrize("kind", [ProgramSpotSigs, SpotLsh, SpotIMatch])
def test_texts_of_a_language_without_antecedents_are_nobody_s_copy(kind):
    method = kind()
    method.learn(["Паром сел на мель перед рассветом.", "渡轮黎明前搁浅。"])
    for text in ("Паром сел на мель перед рассветом.", COLLECTION[0]):
        assert not method.size(method.sign(text))
        assert list(method.keys(method.sign(text), 0.5)) == []


def test_minima_are_equal_as_often_as_the_resemblance_says():
    numbers = np.random.default_rng(3)
    method = SpotLsh(seed=1)
    found = 0
    for _ in range(60):
        keys = numbers.integers(0, 1 << 63, 130, dtype=np.uint64)
        one, other = (
            Bag.of(keys[:100]),
            Bag.of(keys[30:]),
        )  # 70 of 130: 0.538, a table in 41, 0.55 of all pairs
        found += bool({*method.keys(one, 0.5)} & {*method.keys(other, 0.5)})
    assert 18 <= found <= 48
