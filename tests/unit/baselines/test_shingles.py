"""Shingling, super shingles and COPS, on Broder's roses and on counts made by hand."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import xxhash
from testing.baseline_texts import collection, random_text, vocabulary

from neardup.baselines import tokens
from neardup.baselines.cops import Cops
from neardup.baselines.sets import Measure
from neardup.baselines.shingling import Shingling
from neardup.baselines.super_shingles import SuperShingles

ROSE = "a rose is a rose is a rose"
FLOWER = "a rose is a flower which is a rose"
TEXTS = collection()


# -- Broder 1997 --


def test_the_4_shingling_of_a_rose_is_a_rose_is_a_rose_has_three_members():
    method = Shingling(4)
    wanted = ["a rose is a", "rose is a rose", "is a rose is"]
    assert method.sign(ROSE).tolist() == sorted(tokens.keys_of(wanted).tolist())


@pytest.mark.parametrize(("width", "shared", "union"), [(1, 3, 5), (2, 3, 6), (3, 3, 7), (4, 1, 8)])
def test_a_rose_resembles_a_flower_less_the_longer_the_shingles(width, shared, union):
    """Broder's own figures for the set of shingles: 60 %, 50 % and 42.85 % for sizes 1, 2 and 3."""
    method = Shingling(width)
    assert method.score(method.sign(ROSE), method.sign(FLOWER)) == shared / union


def test_containment_goes_one_way_and_its_score_is_the_larger():
    method = Shingling(2, Measure.SMALLER)
    part, whole = method.sign("a rose is a rose"), method.sign(FLOWER)
    shared = len(set(part.tolist()) & set(whole.tolist()))
    assert (shared / len(part), shared / len(whole)) == (1, 0.5)
    assert method.score(part, whole) == method.score(whole, part) == 1
    assert method.score(method.sign(""), whole) == 0


def test_a_document_with_fewer_words_than_a_shingle_is_nobodys_copy():
    method = Shingling(10)
    assert method.score(method.sign(ROSE), method.sign(ROSE)) == 0


def test_every_25th_shingle_is_kept_by_its_fingerprint():
    method, full = Shingling(3, every=25), Shingling(3)
    kept = sum(len(method.sign(text)) for text in TEXTS)
    everything = sum(len(full.sign(text)) for text in TEXTS)
    assert everything / 35 < kept < everything / 15
    for text in TEXTS:
        assert method.sign(text).tolist() == [key for key in full.sign(text).tolist() if key % 25 == 0]


def test_shingles_in_too_many_documents_are_dropped():
    held = Counter(key for text in TEXTS for key in set(tokens.shingles(text, 2).tolist()))
    assert max(held.values()) > 3
    method = Shingling(2, most_documents=3)
    method.learn(TEXTS)
    for text in TEXTS:
        wanted = sorted(key for key in set(tokens.shingles(text, 2).tolist()) if held[key] <= 3)
        assert method.sign(text).tolist() == wanted


def test_a_phrase_of_more_than_1000_documents_makes_no_copies():
    method, full = Shingling(4, most_documents=1_000), Shingling(4)
    boilerplate = "all rights reserved by the publisher"
    method.learn(f"{boilerplate} document number {number}" for number in range(1_001))
    a, b = f"{boilerplate} one two", f"{boilerplate} three four"
    assert full.score(full.sign(a), full.sign(b)) > 0
    assert method.score(method.sign(a), method.sign(b)) == 0


def test_a_method_that_drops_nothing_reads_no_collection():
    texts = iter(TEXTS)
    Shingling(4).learn(texts)
    assert len(list(texts)) == len(TEXTS)


# -- super shingles --


def test_super_shingles_are_runs_of_the_sorted_shingles():
    ordered = Shingling(3).sign(FLOWER)
    assert len(ordered) == 7
    runs = [ordered[start : start + 5] for start in range(3)]
    wanted = sorted(xxhash.xxh64_intdigest(run.astype("<u8").tobytes()) for run in runs)
    assert SuperShingles(3, 5).sign(FLOWER).tolist() == wanted


def test_one_super_shingle_in_common_makes_copies():
    numbers = random.Random(5)
    words = vocabulary(numbers)
    one = random_text(numbers, words, 400)
    other = one.replace(one.split()[200], "other", 1)
    method = SuperShingles()
    assert 0 < len(np.intersect1d(method.sign(one), method.sign(other))) < len(method.sign(one))
    assert method.score(method.sign(one), method.sign(other)) == 1
    assert method.score(method.sign(one), method.sign(random_text(numbers, words, 400))) == 0


def test_super_shingles_do_not_work_for_short_documents():
    """Broder et al. say so; by every 25th shingle, a document of 100 words has about four."""
    method = SuperShingles(10, 5, every=25)
    short = random_text(random.Random(6), vocabulary(random.Random(6)), 40)
    assert method.score(method.sign(short), method.sign(short)) == 0


# -- COPS --


def test_cops_counts_shared_sentences_of_the_shorter_document():
    method = Cops()
    a = method.sign("A rose is a flower. So is a violet. A wolf is not! Why?")
    b = method.sign("So is a violet? A wolf is not. It has no petals.")
    assert method.score(a, b) == 2 / 3
    assert method.score(method.sign("Why? Why? Why?"), a) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shingling(0), "width = 0"),
        (lambda: Shingling(every=0), "every = 0"),
        (lambda: SuperShingles(length=0), "length = 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
