"""Two of six super shingles in common; fingerprints of fifty characters."""

from __future__ import annotations

import random

import numpy as np
import pytest
import xxhash
from testing.baseline_texts import random_text, vocabulary

from neardup.baselines.megashingles import Megashingles
from neardup.baselines.sif import Sif


def test_two_equal_super_shingles_make_a_copy_and_one_does_not(monkeypatch):
    texts = {
        "a": [1, 2, 3, 4, 5, 6],
        "b": [1, 2, 9, 9, 9, 9],
        "c": [1, 8, 8, 8, 8, 8],
        "d": [2, 1, 7, 7, 7, 7],
    }
    method = Megashingles()
    monkeypatch.setattr(method, "super_shingles", texts.__getitem__)
    signed = {name: method.sign(name) for name in texts}
    assert len(signed["a"]) == 15
    assert method.score(signed["a"], signed["b"]) == 1
    assert method.score(signed["a"], signed["c"]) == 0
    assert method.score(signed["a"], signed["d"]) == 0, "super shingles have their places"


def test_a_super_shingle_is_equal_as_often_as_all_its_minima_are():
    numbers = random.Random(5)
    words = vocabulary(numbers)
    method = Megashingles()
    same = 0
    for _ in range(40):
        text = random_text(numbers, words, 400)
        one, other = method.super_shingles(text), method.super_shingles(text + " and so on")
        same += sum(a == b for a, b in zip(one, other, strict=True))
    assert 40 * 6 * 0.75 <= same < 40 * 6  # 396 shingles of 399: 0.9925, to the power of 14 is 0.90


def test_sif_keeps_the_windows_whose_hash_the_modulus_divides():
    text = "Roses are red, violets are blue. " * 3
    data = text.encode()
    wanted = {
        key for at in range(len(data) - 49) if not (key := xxhash.xxh64_intdigest(data[at : at + 50])) % 4
    }
    assert {*Sif(every=4).sign(text).tolist()} == wanted
    assert Sif(every=1).score(Sif(every=1).sign(text), Sif(every=1).sign(text[:70])) == 1
    assert not len(Sif().sign("x" * 49))


@pytest.mark.parametrize(
    "make", [lambda: Megashingles(0), lambda: Megashingles(5, 0), lambda: Sif(0), lambda: Sif(50, 0)]
)
def test_settings_that_cannot_be_are_refused(make):
    with pytest.raises(ValueError, match="both must be 1 or more"):
        make()


def test_another_seed_has_other_super_shingles():
    text = "one two three four five six seven"
    assert Megashingles(seed=1).super_shingles(text) != Megashingles(seed=2).super_shingles(text)
    assert np.array_equal(Megashingles(seed=1).sign(text), Megashingles(seed=1).sign(text))
