"""MinHash LSH: datasketch does what the method says, and estimates what it should."""

from __future__ import annotations

import math

import datasketch
import numpy as np
import pytest
from testing.baseline_texts import collection

from neardup.baselines import tokens
from neardup.baselines.minhash_lsh import LshIndex, MinHashLsh
from neardup.baselines.sets import Measure
from neardup.kernels.counting import shared

TEXTS = [text for text in collection() if len(text) > 60]
PAIRS = [(a, b) for i, a in enumerate(TEXTS) for b in TEXTS[:i]]


def jaccard(a, b):
    left, right = (tokens.qgrams(text, 4) for text in (a, b))
    return float(Measure.UNION.of(shared(left, right), len(left), len(right)))


def test_estimates_lie_around_the_exact_resemblance():
    """The standard error of 128 permutations is at most 0.044: five of them, and no bias."""
    method = MinHashLsh()
    signatures = {text: method.sign(text) for text in TEXTS}
    errors = [method.score(signatures[a], signatures[b]) - jaccard(a, b) for a, b in PAIRS]
    assert max(map(abs, errors)) < 5 * 0.5 / math.sqrt(128)
    assert abs(np.mean(errors)) < 0.01


def test_scores_and_minima_are_datasketchs_own():
    method = MinHashLsh(64, seed=3)
    sketches = []
    for text in TEXTS[:10]:
        sketch = datasketch.MinHash(64, seed=4, hashfunc=int)
        for key in tokens.qgrams(text, 4).tolist():
            sketch.update(key & 0xFFFFFFFF)
        assert method.sign(text).tolist() == sketch.hashvalues.tolist()
        sketches.append(sketch)
    for text, sketch in zip(TEXTS[:10], sketches, strict=True):
        assert method.score(method.sign(text), method.sign(TEXTS[0])) == sketch.jaccard(sketches[0])


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.9])
def test_candidates_are_datasketchs_and_nothing_below_the_threshold_is_reported(threshold):
    method = MinHashLsh()
    lsh = datasketch.MinHashLSH(threshold, 128)
    index = LshIndex(method, threshold)
    looked_at = 0
    for number, text in enumerate(TEXTS):
        signature = method.sign(text)
        candidates = lsh.query(method.sketch(signature))
        looked_at += len(candidates)
        wanted = {
            other for other in candidates if method.same(signature, method.sign(TEXTS[other]), threshold)
        }
        assert {other for other, _ in index.matches(signature)} == wanted
        lsh.insert(number, method.sketch(signature))
        index.add(signature)
    assert index.compared == looked_at > 0


def test_keys_are_the_bands_of_the_index():
    method = MinHashLsh()
    signatures = [method.sign(text) for text in TEXTS]
    index = method.lsh(0.6)
    for number, signature in enumerate(signatures):
        index.insert(number, method.sketch(signature))
    bands = [set(method.keys(signature, 0.6)) for signature in signatures]
    for signature, own in zip(signatures, bands, strict=True):
        sharing = {number for number, other in enumerate(bands) if own & other}
        assert set(index.query(method.sketch(signature))) == sharing


def test_shingles_of_words_may_stand_for_qgrams():
    method = MinHashLsh(width=3)
    assert method.name == "MinHash LSH(w=3, permutations=128)"
    assert method.score(method.sign("One, two. Three four"), method.sign("one two three FOUR")) == 1
    assert method.sign("one two").tolist() == []


@pytest.mark.parametrize("threshold", [0.99, 1.0])
def test_a_threshold_that_datasketch_has_too_few_bands_for_loses_nothing(threshold):
    with pytest.raises(ValueError, match="bands"):
        datasketch.MinHashLSH(threshold, 128)
    method = MinHashLsh()
    index = method.index(threshold)
    signatures = [method.sign(text) for text in (*TEXTS, *TEXTS[:5])]
    for number, signature in enumerate(signatures):
        wanted = {other for other in range(number) if method.same(signature, signatures[other], threshold)}
        assert {doc for doc, _ in index.matches(signature)} == wanted
        assert not wanted or len(list(method.keys(signature, threshold))) == 2
        index.add(signature)
    assert wanted
