"""Sentence fingerprints: the paper's own titles, its cut of 300, and the product's sentence fingerprints."""

import hashlib

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from testing.baseline_texts import BLOG, learned_from_posts

from neardup.baselines.sentence_fingerprints import SentenceFingerprints
from neardup.baselines.words import Frequencies, sentences, words
from neardup.oracle import definitions as oracle
from neardup.tables.lexicon import Lexicon

TITLES = (
    "U.S. to Reveal Some Rules on Security for Internet",
    "U.S. to Reveal Security Rules for Internet",
    "U.S. to Reveal Rules on Internet Security",
)


@pytest.fixture
def method():
    return learned_from_posts()


def md5(*found):
    return hashlib.md5(" ".join(found).encode(), usedforsecurity=False).digest()


# -- the paper's example --


@pytest.mark.parametrize(("title", "left"), [
    (TITLES[0], "U.S. Reveal Rules Security Internet"),
    (TITLES[1], "U.S. Reveal Security Rules Internet"),
    (TITLES[2], "U.S. Reveal Rules Internet Security"),
])  # fmt: skip
def test_the_papers_titles_step_by_step(title, left):
    """Figure 4, with the paper's words: cut at spaces, case and the full stops of "U.S." kept."""
    method = SentenceFingerprints()
    method.use(Frequencies(str.split, [f"{post} Some" for post in BLOG]))
    assert [word for word in title.split() if not method.is_common(word)] == left.split()
    assert " ".join(method.sequence(title.split())) == "Internet Reveal Rules Security U.S."


def test_the_papers_titles_have_the_same_fingerprints(method):
    """With this project's words and sentences, "U.S." is a sentence of its own."""
    expected = (md5("s", "u"), md5("internet", "reveal", "rules", "security"))
    assert [method.sign(title) for title in TITLES] == [expected] * 3


def test_the_papers_titles_differ_if_some_is_not_filtered():
    """Section 3.1: with too high a cut-off "Some" stays, and (d) is no longer found by (e)."""
    method = SentenceFingerprints(cutoff=0.99, delta=0)
    method.learn([*BLOG, "to be on or for it"])  # "some" is in four of five now, the others in all
    assert method.is_common("to")
    assert not method.is_common("some")
    d, e, f = (method.sign(title)[-1] for title in TITLES)
    assert d == md5("internet", "reveal", "rules", "security", "some")
    assert d != e == f


# -- cut-off --


def test_a_word_is_common_above_the_cut_off_not_at_it():
    method = SentenceFingerprints(cutoff=0.5)
    method.learn(["a b c", "a b", "a d", "e"])
    assert [word for word in "abcde" if method.is_common(word)] == ["a"]


def test_a_sentence_of_common_words_has_no_fingerprint(method):
    assert method.sign("To some on for. Some!") == ()
    assert method.sign("") == ()


def test_a_sentence_may_need_more_words():
    method = SentenceFingerprints(least_words=3)
    method.learn(BLOG)
    assert len(method.sign("Reveal rules. Reveal security rules.")) == 1


# -- pairs --


def test_a_pair_shares_more_than_delta_or_all_of_the_smaller():
    method = SentenceFingerprints(delta=2)
    a, b, c, d, e = (bytes([at]) * 16 for at in range(5))
    assert method.score((a, b, c, d), (a, b, c, e)) == 1
    assert method.score((a, b, c, d), (a, b, e)) == 0
    assert method.score((a, b), (a, b, c, d, e)) == 1
    assert method.score((a, b), (a, c, d, e)) == 0
    assert method.score((a, a, a), (a, b, c)) == 1
    assert method.score((), ()) == method.score((), (a,)) == 0


@given(st.lists(st.lists(st.integers(0, 6), max_size=6), max_size=12), st.integers(0, 3))
def test_the_index_finds_what_comparing_all_finds(lists, delta):
    method = SentenceFingerprints(delta=delta)
    signatures = [tuple(bytes([at]) * 16 for at in some) for some in lists]
    index = method.index(1.0)
    for signature in signatures:
        index.add(signature)
    for asked in signatures:
        expected = {number for number, other in enumerate(signatures) if method.same(asked, other, 1.0)}
        assert dict(index.matches(asked)) == dict.fromkeys(expected, 1.0)
        assert all(set(method.keys(asked, 1.0)) & set(method.keys(signatures[at], 1.0)) for at in expected)


def test_the_index_does_not_look_at_sentences_of_more_than_300_occurrences(method):
    index = method.index(1.0)
    for _ in range(300):
        index.add(method.sign("Rain fell."))
    assert len(list(index.matches(method.sign("Fell rain.")))) == 300
    index.add(method.sign("Rain fell."))
    assert list(index.matches(method.sign("Fell rain."))) == []


# -- the product's own --


class ByTheProductsLexicon(SentenceFingerprints):
    def is_common(self, word):
        return oracle.is_common(word, Lexicon.default())


@given(st.lists(st.sampled_from(
    ["rose", "Wolf", "the", "of", "and", "violet", "in", "to", "a", "is", "fox", "Über", ".", "!", "\n\n"]
), max_size=40))  # fmt: skip
def test_words_and_order_are_those_of_the_products_fingerprints(pieces):
    text = " ".join(pieces)
    method = ByTheProductsLexicon(least_words=3)
    sequences = [method.sequence(sentence) for sentence in sentences(text)]
    hashes = [f"{xxhash.xxh64_intdigest(' '.join(one).encode()):016x}" for one in sequences if len(one) >= 3]
    assert list(dict.fromkeys(hashes)) == oracle.sentence_fingerprints(text, Lexicon.default())


# -- errors --


def test_frequencies_must_be_learned_first():
    with pytest.raises(ValueError, match="call learn"):
        SentenceFingerprints().sign("")


@pytest.mark.parametrize("wrong", [{"cutoff": 0}, {"cutoff": 1.5}, {"delta": -1}, {"least_words": 0}])
def test_wrong_parameters_are_named(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name} = {value}"):
        SentenceFingerprints(**wrong)


def test_learning_again_forgets(method):
    method.learn(["rose", "rose wolf"])
    assert method.is_common("rose")
    assert not method.is_common("to")


def test_sizes_are_bytes(method):
    assert method.size(method.sign("Rain fell. Snow fell.")) == 32


def test_frequencies_can_be_shared():
    counted = Frequencies(words, ["rose", "rose wolf", "a rose", "wolf"])
    one, other = SentenceFingerprints(0.6), SentenceFingerprints(0.9)
    one.use(counted)
    other.use(counted)
    assert (one.is_common("rose"), other.is_common("rose")) == (True, False)
