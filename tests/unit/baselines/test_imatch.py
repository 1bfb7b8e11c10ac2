"""I-Match by its pseudo-code, and with random lexicons."""

from __future__ import annotations

import hashlib
import math
import random

import pytest
from testing.baseline_texts import collection, random_text, vocabulary

from neardup.baselines.imatch import IMatch, normalised_idf

COLLECTION = [
    "the rose is a flower",
    "the violet is a flower",
    "the wolf is a beast",
    "the whale is a beast of the sea",
]


def sha1(*tokens):
    return hashlib.sha1("\0".join(tokens).encode()).digest()


def test_idf_is_the_logarithm_of_the_share_of_documents():
    """tx = log(N/n), divided by log N."""
    assert normalised_idf(4, 4) == 0
    assert normalised_idf(1, 4) == 1
    assert normalised_idf(2, 4) == pytest.approx(math.log(2) / math.log(4))
    assert normalised_idf(1, 1) == 0


def test_the_digest_is_of_the_significant_words_in_unicode_order_each_once():
    method = IMatch(0.4, 1.0)
    method.learn(COLLECTION)
    # the, is, a: in every document. flower, beast: in two of four, 0.5. The rest: in one, 1.0.
    assert method.sign("The rose is a flower; a flower is a ROSE") == (sha1("flower", "rose"),)
    assert IMatch(0.4, 0.6).lexicons == 0


def test_very_rare_and_unknown_words_do_not_count():
    method = IMatch(0.4, 0.6)
    method.learn(COLLECTION)
    assert method.sign("the rose, a flower") == method.sign("no such flower at all") == (sha1("flower"),)


def test_the_order_is_that_of_code_points():
    words = ["zebra", "éclair", "ab", "b", "日", "𝒳"]
    method = IMatch(0.0, 1.0)
    method.learn([" ".join(words)])
    assert method.sign(" ".join(reversed(words))) == (sha1("ab", "b", "zebra", "éclair", "日", "𝒳"),)


def test_tokens_do_not_run_into_each_other():
    method = IMatch(0.0, 1.0)
    method.learn(["ab c", "a bc"])
    assert method.score(method.sign("ab c"), method.sign("a bc")) == 0


def test_documents_without_a_significant_word_are_nobodys_copies():
    method = IMatch(0.4, 1.0)
    method.learn(COLLECTION)
    assert method.sign("the is a") == (None,)
    assert method.score(method.sign("the is a"), method.sign("is the a")) == 0
    assert list(method.keys(method.sign("the is a"), 1.0)) == []
    assert method.size(method.sign("the is a")) == 0


def test_one_significant_word_more_breaks_the_only_digest():
    """It suffers from the same brittleness as the hashing of whole documents."""
    method = IMatch(0.4, 1.0)
    method.learn(COLLECTION)
    assert method.score(method.sign(COLLECTION[0]), method.sign(COLLECTION[0] + " of the sea")) == 0


def test_random_lexicons_are_the_whole_one_without_about_a_third():
    texts = collection()
    method = IMatch(lexicons=10)
    method.learn(texts)
    whole = len(method._lexicon)
    for lexicon in range(1, 11):
        held = sum(bits >> lexicon & 1 for bits in method._lexicon.values())
        assert 0.58 < held / whole < 0.75
    assert all(bits & 1 for bits in method._lexicon.values())


def test_random_lexicons_raise_recall_and_lose_nothing():
    """Kołcz et al. 2004: recall rises by 40 to 60 % with ten random lexicons."""
    numbers = random.Random(3)
    words = vocabulary(numbers, 2_000)
    originals = [random_text(numbers, words, 150) for _ in range(200)]
    changed = [original + f" {numbers.choice(words)}" for original in originals]
    found = []
    for lexicons in (0, 1, 10):
        method = IMatch(0.1, 1.0, lexicons=lexicons)
        method.learn(originals)
        pairs = [
            method.score(method.sign(a), method.sign(b)) for a, b in zip(originals, changed, strict=True)
        ]
        found.append({i for i, score in enumerate(pairs) if score})
        assert not any(
            method.score(method.sign(a), method.sign(b)) for a, b in zip(originals, changed[1:], strict=False)
        )
    assert found[0] <= found[1] <= found[2]
    assert len(found[0]) < 100 < len(found[2])


@pytest.mark.parametrize(
    ("low", "high", "lexicons"), [(0.5, 0.5, 0), (-0.1, 1, 0), (0, 1.1, 0), (0, 1, -1), (0, 1, 1_000)]
)
def test_settings_that_cannot_be_are_refused(low, high, lexicons):
    with pytest.raises(ValueError, match=f"low = {low}, high = {high}, lexicons = {lexicons}"):
        IMatch(low, high, lexicons=lexicons)
