"""The searches for candidates as plain values."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from neardup.elastic.admin.managed_objects import MAX_TERMS
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.window import query_dsl as queries
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.loader import committed
from neardup.elastic.window.state_document import StateDocument
from neardup.stores.base import Commit

NEWS = parse_address("http://localhost:9200/news")


def test_a_minimum_is_asked_for_without_a_script():
    assert queries.at_least("sketch", ["a", "b", "c"], 2) == {
        "bool": {
            "should": [{"term": {"neardup.sketch": term}} for term in "abc"],
            "minimum_should_match": 2,
        }
    }


def test_a_threshold_that_is_no_decimal_is_asked_for_below():
    assert queries.copies_of("a", Fraction(2, 3))["neardup"]["threshold"] == 0.666666
    assert queries.copies_of("a", Fraction(7, 10))["neardup"]["threshold"] == 0.7
    assert queries.copies_of("a", Fraction(1, 10**6))["neardup"]["threshold"] == 1e-06


def test_one_of_many_is_a_plain_terms_query():
    assert queries.at_least("sketch", ["a", "b"], 1) == {"terms": {"neardup.sketch": ["a", "b"]}}


def test_what_cannot_be_reached_matches_nothing():
    assert queries.at_least("sketch", ["a"], 2) == {"match_none": {}}
    assert queries.at_least("sketch", [], 1) == {"match_none": {}}


@pytest.mark.parametrize("number", [513, 1_024, 3_000, MAX_TERMS + 1])
def test_more_terms_than_clauses_share_them_without_loss(number):
    terms = [str(each) for each in range(number)]
    asked = queries.at_least("qgrams", terms, 100)["bool"]
    clauses = [clause["terms"]["neardup.qgrams"] for clause in asked["should"]]
    assert sorted(term for clause in clauses for term in clause) == sorted(terms)
    assert len(clauses) <= queries.MOST_CLAUSES
    # The fewest clauses that 100 of the terms can lie in.
    assert asked["minimum_should_match"] == -(-100 // max(map(len, clauses)))


def test_lengths_are_bounded_in_integers():
    for count in range(1, 200):
        for threshold in (Fraction(7, 10), Fraction(1, 3), Fraction(1)):
            bounds = queries.lengths(count, threshold)["range"]["neardup.qgram_count"]
            allowed = [
                other
                for other in range(1, 700)
                if min(count, other) * threshold.denominator >= threshold.numerator * max(count, other)
            ]
            assert (bounds["gte"], bounds["lte"]) == (allowed[0], allowed[-1])


def test_only_what_is_committed_counts():
    content = StateDocument(
        {},
        {},
        Commit(floor_order=5, next_order=2_000_100),
        aborted=((100, 1_000_100), (1_000_200, 2_000_000)),
    )
    ranges = committed(content, 0)["bool"]
    assert ranges["filter"] == [{"range": {"neardup.order": {"gte": 5, "lt": 2_000_100}}}]
    assert ranges["must_not"] == [
        {"range": {"neardup.order": {"gte": 100, "lt": 1_000_100}}},
        {"range": {"neardup.order": {"gte": 1_000_200, "lt": 2_000_000}}},
    ]
    for order, counts in (
        (4, False),
        (5, True),
        (99, True),
        (100, False),
        (1_000_099, False),
        (1_000_100, True),
    ):
        assert content.counts(order) == counts


def test_a_state_document_comes_back_as_it_was_written():
    content = StateDocument(
        {"recipe": "r"},
        {"threshold": "0.7"},
        Commit(1, 2, 3, 4, 5, 6, 7, 8),
        9,
        ((1, 2),),
        "h:1:x",
        10,
        "old",
    )
    assert StateDocument.read(content.source()) == content


def test_a_document_lies_in_the_hour_of_its_own_time_or_among_the_copies():
    layout = Layout(NEWS)
    assert layout.index_for(498_681, copies=False) == "news-2026.11.21-09"
    assert layout.index_for(498_681, copies=True) == "news-copies-2026.11.21-09"
    elsewhere, aside = DocumentRef("news-2026.11.21-11", "a"), DocumentRef("news-copies-2026.11.21-09", "a")
    assert layout.kept_at(elsewhere, 498_681, copies=False) == elsewhere
    assert layout.kept_at(elsewhere, 498_681, copies=True) == aside
    assert layout.kept_at(aside, 498_681, copies=False) == DocumentRef("news-2026.11.21-09", "a")


def test_a_window_owns_its_hours_and_not_those_of_a_longer_prefix():
    layout = Layout(NEWS)
    assert layout.owns("news-2026.11.21-09")
    assert layout.owns("news-copies-2026.11.21-09")
    assert not layout.owns("news-sport-2026.11.21-09")
    assert not layout.owns("news-archive")


def test_an_archive_is_one_index_for_all_hours():
    layout = Layout(NEWS, archive="old-news")
    assert layout.target == layout.searched == "old-news"
    assert layout.index_for(498_681, copies=True) == "old-news"
    assert layout.owns("old-news")
    assert layout.owns(".ds-old-news-2026.11.21-000002")


def test_whoever_shares_enough_terms_with_one_document_matches_enough_clauses():
    chance = random.Random(1)
    for longest, minimum in ((64, 3), (7, 1), (1_500, 4)):
        documents = [chance.sample(range(5_000), chance.randint(minimum, longest)) for _ in range(20)]
        query = queries.sharing("sketch", [list(map(str, each)) for each in documents], minimum)["bool"]
        clauses = [set(clause["terms"]["neardup.sketch"]) for clause in query["should"]]
        assert len(clauses) <= 512
        for document in documents:
            for _ in range(20):
                shared = set(map(str, chance.sample(document, minimum)))
                assert sum(bool(clause & shared) for clause in clauses) >= query["minimum_should_match"]


def test_documents_without_terms_share_none():
    assert queries.sharing("sketch", [[], []], 3) == {"match_none": {}}


def test_large_sets_pass_for_equally_large():
    bounds = queries.lengths(5, Fraction(7, 10), 700, largest=800)["range"]["neardup.qgram_count"]
    assert bounds == {"gte": 4}
    bounds = queries.lengths(5, Fraction(7, 10), 500, largest=800)["range"]["neardup.qgram_count"]
    assert bounds == {"gte": 4, "lte": 714}
