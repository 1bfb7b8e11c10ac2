"""The hash table of Yoon et al. (2012) strikes out what is too common, and counts what a post has in common with it."""

import pytest
from benchmarks.papers.yoon_sentence_table import SentenceTable
from testing.baseline_texts import learned_from_posts


@pytest.fixture
def method():
    return learned_from_posts()


def table_of(*texts, signer, **most):
    return SentenceTable([signer.sign(text) for text in texts], **most)


def test_sentences_of_several_originals_add_up(method):
    """Figure 1: a post that agglomerates segments of two originals, neither of which it shares much with."""
    first = "The minister opened a new bridge. Traffic starts tomorrow. Trucks pay twice."
    second = "Scientists found water. It lies deep below. Nobody drank any."
    post = "Scientists found water. My bridge opened! Traffic starts tomorrow. Trucks pay twice. It lies deep below."
    table = table_of(first, second, signer=method)
    assert len(table) == 6
    assert table.collisions(method.sign(post)) == 4


def test_sentences_of_more_than_300_occurrences_are_struck_out(method):
    advert = "Read the complete electronic edition."
    once = [f"{advert} Number{at} is news." for at in range(300)]
    table = table_of(*once, signer=method)
    assert table.struck_out == 0
    assert table.collisions(method.sign(advert)) == 1
    table = table_of(*once, advert, signer=method)
    assert table.struck_out == 1
    assert table.collisions(method.sign(advert)) == 0
    assert len(table) == 300


def test_a_sentence_repeated_in_one_document_occurs_as_often(method):
    table = table_of("Rain fell. " * 5, signer=method, most=4)
    assert (len(table), table.struck_out) == (0, 1)


def test_a_repeated_sentence_of_the_target_collides_each_time(method):
    table = table_of("Rain fell.", signer=method)
    assert table.collisions(method.sign("Rain fell. Fell rain! Snow fell.")) == 2
