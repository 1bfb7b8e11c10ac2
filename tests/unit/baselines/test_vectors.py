"""SCAM and cosine, on the examples of the SCAM paper and against the formulas written down once more."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from testing.baseline_texts import collection

from neardup.baselines.cosine import Cosine
from neardup.baselines.scam import Scam
from neardup.baselines.tokens import STOPWORDS
from neardup.baselines.vectors import ProductIndex
from neardup.baselines.words import words

TEXTS = collection()


def plain_cosine(a, b, texts):
    """tf · idf vectors as dictionaries."""
    frequencies = Counter(word for text in texts for word in set(words(text)))

    def vector(text):
        counts = Counter(words(text))
        return {
            word: count * math.log2((len(texts) + 1) / max(1, frequencies[word]))
            for word, count in counts.items()
        }

    left, right = vector(a), vector(b)
    lengths = [math.sqrt(sum(weight**2 for weight in one.values())) for one in (left, right)]
    if not all(lengths):
        return 0.0
    return sum(left[word] * right[word] for word in left.keys() & right.keys()) / math.prod(lengths)


def plain_scam(a, b, closeness):
    """The paper's sum over the closeness set, in each direction."""
    left, right = (Counter(word for word in words(text) if word not in STOPWORDS) for text in (a, b))
    if not left or not right:
        return 0.0
    close = [
        word
        for word in left.keys() & right.keys()
        if closeness - (left[word] / right[word] + right[word] / left[word]) > 0
    ]
    total = sum(left[word] * right[word] for word in close)
    return min(1.0, max(total / sum(count**2 for count in one.values()) for one in (left, right)))


# -- cosine --


@pytest.mark.parametrize("start", range(3))
def test_cosine_is_the_plain_formula(start):
    method = Cosine()
    method.learn(TEXTS)
    for a in TEXTS[start::3]:
        for b in TEXTS[start::5]:
            assert method.score(method.sign(a), method.sign(b)) == pytest.approx(plain_cosine(a, b, TEXTS))


def test_a_word_that_the_collection_does_not_hold_weighs_as_if_one_document_had_it():
    method = Cosine()
    method.learn(["rose wolf", "rose", "rose fox"])
    a, b = "rose unseen", "rose wolf unseen"
    assert method.score(method.sign(a), method.sign(b)) == pytest.approx(
        plain_cosine(a, b, ["rose wolf", "rose", "rose fox"])
    )
    weights = dict(zip(method.sign(b).keys.tolist(), method.sign(b).weights.tolist(), strict=True))
    assert sorted(weights.values()) == pytest.approx([math.log2(4 / 3), 2, 2])


def test_an_index_finds_what_its_own_order_of_adding_rounds_below_the_threshold():
    """Each score in turn is the threshold: the sum that the index makes of the same products may be a bit lower."""
    method = Cosine()
    method.learn(TEXTS)
    signatures = [method.sign(text) for text in TEXTS]
    checked = 0
    for i, one in enumerate(signatures):
        for other in signatures[:i]:
            score = method.score(one, other)
            if score:
                index = method.index(score)
                index.add(other)
                assert dict(index.matches(one)) == {0: score}
                checked += 1
    assert checked > 500


def test_an_index_compares_only_what_comes_near_the_threshold():
    method = Cosine()
    method.learn(TEXTS)
    signatures = [method.sign(text) for text in TEXTS if not text.startswith("echo")]
    index = method.index(0.9)
    for signature in signatures:
        index.add(signature)
    found = sum(len(list(index.matches(signature))) for signature in signatures)
    assert isinstance(index, ProductIndex)
    assert index.compared == found > 0


def test_a_subset_has_a_low_cosine_where_all_words_weigh_the_same():
    """The SCAM paper's case against the vector model: three words of eight, 0.61."""
    method = Cosine()
    method.learn(["rose violet wolf whale ferry cargo petal thorn"])
    part, whole = (
        method.sign("rose violet wolf"),
        method.sign("rose violet wolf whale ferry cargo petal thorn"),
    )
    assert method.score(part, whole) == pytest.approx(3 / math.sqrt(24))
    assert round(method.score(part, whole), 2) == 0.61


def test_the_shortcut_is_an_upper_bound_of_the_cosine_and_keeps_no_frequent_word():
    full, shortcut = Cosine(), Cosine(frequent=0.05)
    for method in (full, shortcut):
        method.learn(TEXTS)
    frequencies = Counter(word for text in TEXTS for word in set(words(text)))
    larger = 0
    for a in TEXTS[::2]:
        rare = {word for word in words(a) if frequencies[word] <= 0.05 * len(TEXTS)}
        assert len(shortcut.sign(a).keys) == len(rare)
        for b in TEXTS[::3]:
            bound, score = (method.score(method.sign(a), method.sign(b)) for method in (shortcut, full))
            assert bound >= score - 1e-12
            larger += bound > score + 1e-12
    assert larger


def test_frequent_words_are_taken_to_be_everywhere():
    method = Cosine(frequent=0.5)
    method.learn(["the rose", "the violet", "the wolf"])
    assert method.score(method.sign("the the rose"), method.sign("rose")) < 1
    only = method.sign("the")
    assert only.keys.tolist() == []
    assert method.score(only, method.sign("the the the")) == 1
    assert method.keys(only, 0.5) is None
    method.learn(["the rose", "the violet", "a rose", "a wolf"])
    assert len(method.sign("the rose").keys) == 2  # each in half of the texts: not in more
    assert method.keys(method.sign("rose"), 0.5) is not None


# -- SCAM --


@pytest.mark.parametrize(
    ("other", "score"),
    [
        ("rose violet", 1),  # <a, b>: a subset of <a, b, c>
        ("rose violet wolf", 1),
        ("rose rose rose", 0),  # <a^k>: one word of three, far too often
        ("rose violet wolf whale ferry cargo petal thorn", 1),  # contains it
        ("rose ferry cargo", 1 / 3),
        ("whale ferry cargo", 0),
    ],
)
def test_scam_finds_partial_overlap_and_not_repetition(other, score):
    """R = <a, b, c> against the documents of the paper's section on measures."""
    method = Scam()
    assert method.score(method.sign("rose violet wolf"), method.sign(other)) == pytest.approx(score)


def test_the_closeness_of_words_decides_whether_they_count():
    """Twice and four times are 2.5 apart, once and once 2."""
    lenient, strict = Scam(4.0), Scam(2.1)
    a, b = "rose rose wolf", "rose rose rose rose wolf"
    assert lenient.score(lenient.sign(a), lenient.sign(b)) == 1  # (8 + 1) / (4 + 1), capped
    assert strict.score(strict.sign(a), strict.sign(b)) == pytest.approx(1 / 5)
    assert Scam(2.5).score(strict.sign(a), strict.sign(b)) == pytest.approx(1 / 5)  # 2.5 - 2.5 is not above 0


@pytest.mark.parametrize("closeness", [2.1, 2.5, 4.0])
def test_scam_is_the_plain_formula(closeness):
    method = Scam(closeness)
    for a in TEXTS[::3]:
        for b in TEXTS[::4]:
            assert method.score(method.sign(a), method.sign(b)) == pytest.approx(plain_scam(a, b, closeness))


def test_function_words_weigh_nothing():
    method = Scam()
    assert method.sign("the of and is").square == 0
    assert method.score(method.sign("the rose"), method.sign("of the rose and")) == 1


def test_a_closeness_that_no_word_can_reach_is_refused():
    with pytest.raises(ValueError, match=r"closeness = 2\.0: equal frequencies give 2"):
        Scam(2.0)


def test_an_index_finds_documents_that_repeat_a_word_more_often_than_a_posting_can_tell():
    method = Scam()
    often = [method.sign("echo " * count + "rose") for count in (255, 256, 400, 100_000)]
    index = method.index(0.9)
    for signature in often:
        index.add(signature)
    for query in often:
        wanted = {
            i: method.score(query, other) for i, other in enumerate(often) if method.same(query, other, 0.9)
        }
        assert dict(index.matches(query)) == wanted
        assert wanted
