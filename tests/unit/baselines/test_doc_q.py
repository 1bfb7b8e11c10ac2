"""Checksums, doc_q, DDEBIT and clipping, on the examples of Montanari & Puglisi 2012 and against `neardup.doc_q`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing.baseline_texts import collection

import neardup
from neardup.baselines import tokens
from neardup.baselines.checksum import Checksum
from neardup.baselines.clipping import Clipping
from neardup.baselines.ddebit import Ddebit
from neardup.baselines.doc_q import DocQ
from neardup.oracle import definitions as oracle

TEXTS = collection()
PAIRS = [(a, b) for i, a in enumerate(TEXTS) for b in TEXTS[: i + 1]]


def names(qgrams):
    return sorted(map(oracle.key, qgrams))


# -- the paper's examples --


def test_tom_smith_has_eight_bigrams():
    """Section 3.2: |tom.smith| - 2 + 1 = 8."""
    bigrams = tokens.qgrams("tom.smith", 2, as_it_stands=True)
    assert bigrams.tolist() == names(["to", "om", "m.", ".s", "sm", "mi", "it", "th"])
    assert len(bigrams) == len("tom.smith") - 2 + 1 == 8


def test_a_rose_is_a_flower_has_twelve_trigrams():
    """Section 3.3: the normal form Aroseisaflower and its signature."""
    assert tokens.normal_form("A rose is a flower") == b"Aroseisaflower"
    wanted = ["Aro", "ros", "ose", "sei", "eis", "isa", "saf", "afl", "flo", "low", "owe", "wer"]
    assert DocQ(3).sign("A rose is a flower").tolist() == names(wanted)


def test_the_president_binds_its_two_words():
    """Section 3.3: 'hep' and 'epr' show that the words are close to each other."""
    assert set(names(["hep", "epr"])) <= set(DocQ(3).sign("the president").tolist())


def test_the_denominator_turns_away_documents_of_other_sizes():
    short, long = DocQ(4).sign("A rose is a flower"), DocQ(4).sign("A rose is a flower, and so is a violet.")
    assert DocQ(4).score(short, long) == len(short) / len(long) < 0.5


# -- doc_q --


@pytest.mark.parametrize("q", range(1, 9))
def test_doc_q_is_the_products_own(q):
    method = DocQ(q)
    signatures = {text: method.sign(text) for text in TEXTS}
    for a, b in PAIRS[:: 7 if q == 4 else 31]:
        assert method.score(signatures[a], signatures[b]) == neardup.doc_q(a, b, q=q)


@given(a=st.text(st.characters(exclude_categories=["Cs"])), b=st.text(alphabet="abc d", max_size=30))
@settings(deadline=None)
def test_doc_q_is_the_oracles(a, b):
    for x, y in ((a, b), (a, a), (b, a + b)):
        assert DocQ(4).score(DocQ(4).sign(x), DocQ(4).sign(y)) == float(oracle.doc_q(x, y))


def test_equal_normal_forms_shorter_than_q_are_copies():
    method = DocQ(8)
    assert method.score(method.sign("a rose"), method.sign("A. Rose")) == 0
    assert method.score(method.sign("a rose"), method.sign("a, rose!")) == 1


# -- checksum --


@pytest.mark.parametrize(
    ("normal", "a", "b", "score"),
    [
        (False, "A rose", "A rose", 1),
        (False, "A rose", "A rose ", 0),
        (True, "A rose", "A, rose ", 1),
        (True, "A rose", "a rose", 0),
        (True, "A rose", "A rise", 0),
        (True, "?", "!", 0),
    ],
)
def test_a_checksum_finds_exact_copies_only(normal, a, b, score):
    method = Checksum(normal=normal)
    assert method.score(method.sign(a), method.sign(b)) == score


def test_the_checksum_is_sha_1():
    assert Checksum().sign("abc").hex() == "a9993e364706816aba3e25717850c26c9cd0d89d"  # RFC 3174's first test
    assert Checksum(normal=True).sign("a b, c!") == Checksum().sign("abc")


# -- DDEBIT --


def test_ddebit_gives_the_accurate_score_where_the_light_one_suffices():
    method, light, accurate = Ddebit(light=0.6), DocQ(2), DocQ(4)
    passed = 0
    for a, b in PAIRS[::11]:
        score = method.score(method.sign(a), method.sign(b))
        if light.score(light.sign(a), light.sign(b)) >= 0.6:
            passed += 1
            assert score == accurate.score(accurate.sign(a), accurate.sign(b))
        else:
            assert score == 0
    assert 0 < passed < len(PAIRS[::11])


def test_a_light_threshold_can_turn_away_what_the_accurate_one_would_keep():
    a, b = "abcdefgh" * 40, "abcdefgh" * 40 + "ihgfedcba" + "klmnopq"
    strict, lenient = Ddebit(light=0.9, q=1), Ddebit(light=0.1, q=1)
    assert lenient.score(lenient.sign(a), lenient.sign(b)) >= 0.5
    assert strict.score(strict.sign(a), strict.sign(b)) == 0


def test_a_light_score_of_exactly_the_light_threshold_suffices():
    """Three bigrams of four are shared: 0.75 is no rounded number."""
    method = Ddebit(light=0.75, q=1)
    a, b = method.sign("abcde"), method.sign("abcdx")
    assert DocQ(2).score(a.bigrams, b.bigrams) == 0.75
    assert method.score(a, b) == DocQ(1).score(a.qgrams, b.qgrams) > 0


def test_records_are_compared_as_they_stand():
    records, documents = Ddebit(records=True), Ddebit()
    assert (
        records.sign("tom.smith").bigrams.tolist()
        == tokens.qgrams("tom.smith", 2, as_it_stands=True).tolist()
    )
    assert documents.score(documents.sign("tom.smith"), documents.sign("tomsmith")) == 1
    assert records.score(records.sign("tom.smith"), records.sign("tomsmith")) < 1
    assert records.name == "DDEBIT(light=0.5, q=4, records)"


# -- clipping --


@pytest.mark.parametrize(("least", "most"), [(1, 1.0), (2, 1.0), (1, 0.2), (3, 0.2)])
def test_clipping_keeps_qgrams_of_the_frequencies_asked_for(least, most):
    frequencies = Counter(gram for text in TEXTS for gram in oracle.qgrams(oracle.normal_form(text)))
    method = Clipping(least=least, most=most)
    method.learn(TEXTS)
    for text in TEXTS:
        grams = oracle.qgrams(oracle.normal_form(text))
        wanted = names(gram for gram in grams if least <= frequencies[gram] <= most * len(TEXTS))
        if len(oracle.normal_form(text)) >= 4:
            assert method.sign(text).tolist() == wanted


def test_clipping_of_nothing_is_doc_q():
    method, plain = Clipping(), DocQ()
    method.learn(["nothing that the others hold"])
    for text in TEXTS:
        assert np.array_equal(method.sign(text), plain.sign(text))


def test_clipping_below_drops_what_the_collection_never_saw():
    method = Clipping(least=2)
    method.learn(["A rose is a flower"] * 2)
    assert method.sign("A violet").tolist() == []
    assert len(method.sign("A rose is a violet")) == 5  # Aros rose osei seis eisa


@pytest.mark.parametrize(("least", "most"), [(0, 1.0), (1, 0.0), (1, 1.5)])
def test_limits_that_cannot_be_are_refused(least, most):
    with pytest.raises(ValueError, match=f"least = {least} and most = {most}"):
        Clipping(least=least, most=most)
