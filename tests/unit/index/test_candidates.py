"""Why a complete search is complete, and what is left out of a search on purpose."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing.index_parts import line, search_of, signed, table_of

from neardup.index import pair_overlaps
from neardup.index.pair_overlaps import required_overlaps
from neardup.index.posting_lists import Query
from neardup.index.query_batch import SignedQueryBatch, joined_batches, with_fingerprints
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.settings import COMPLETE_SHARED, Recipe
from neardup.model.verdict import required_overlap
from neardup.oracle import definitions as oracle
from neardup.signing.signer import signer_for
from neardup.window.comparison import verifier_of

THRESHOLDS = st.fractions("1/100", 1, max_denominator=100)


def sets(batch, offsets):
    return [set(batch[a:b].tolist()) for a, b in itertools.pairwise(offsets)]


# -- the prefix lemma --


@settings(max_examples=200, deadline=None)
@given(THRESHOLDS, st.integers(1, 2_000), st.data())
def test_two_sets_at_the_threshold_share_enough_of_their_prefixes(threshold, larger, data):
    """|A ∩ B| >= ⌈t · max⌉ implies min(k, ⌈t · |A|⌉) shared keys of the prefixes, and so of any longer ones."""
    needed = required_overlap(threshold, larger)
    smaller = data.draw(st.integers(max(needed, 1), larger))
    texts = [line(0, larger), line(larger - needed, larger - needed + smaller)]
    batch = signed(texts)
    keys = sets(*signer_for(Recipe()).key_sets(batch))
    assert [len(own) for own in keys] == [larger, smaller]
    assert len(keys[0] & keys[1]) == needed
    prefixes = sets(*signer_for(Recipe()).prefixes(batch, threshold))
    for own, prefix in zip(keys, prefixes, strict=True):
        required = required_overlap(threshold, len(own))
        assert prefix <= own
        assert len(prefix) == min(len(own), len(own) - required + COMPLETE_SHARED)
        assert len(prefixes[0] & prefixes[1]) >= min(COMPLETE_SHARED, required)


def test_a_prefix_holds_the_rarest_keys_unknown_ones_first():
    text = oracle.normal_form(
        "the committee of the whole house sat the whole night over the xqzjw question " * 3
    )
    own = signer_for(Recipe())
    batch = signed([text])
    classes = own.lexicon.qgram_classes
    order = sorted(
        own.key_sets(batch)[0].tolist(), key=lambda key: ((int(classes[key >> 42]) + 1) % 256, key)
    )
    for threshold in (Fraction(1), Fraction(1, 2)):
        keys, _ = own.prefixes(batch, threshold)
        assert set(keys.tolist()) == set(order[: len(keys)])


@given(THRESHOLDS, st.lists(st.integers(0, 10**7), max_size=20))
def test_required_overlaps_are_required_overlap_of_each(threshold, sizes):
    found = required_overlaps(threshold, np.array(sizes, np.int64))
    assert found.tolist() == [required_overlap(threshold, size) for size in sizes]


# -- keys of short texts --


@given(st.lists(st.tuples(st.lists(st.integers(1, 9), max_size=4), st.booleans()), max_size=8))
def test_short_texts_are_posted_under_their_fingerprints(documents):
    keys = np.array([key for own, _ in documents for key in own], np.uint64)
    offsets = np.cumsum([0, *(len(own) for own, _ in documents)])
    short = np.array([flag for _, flag in documents], np.bool_)
    fingerprints = np.arange(100, 100 + len(documents), dtype=np.uint64)
    moved, places = with_fingerprints(keys, offsets, short, fingerprints)
    found = [moved[a:b].tolist() for a, b in itertools.pairwise(places)]
    assert [sorted(own) for own in found] == [
        sorted([*own, 100 + i] if flag else own) for i, (own, flag) in enumerate(documents)
    ]


# -- parts of a batch --


@pytest.mark.parametrize("chosen", [
    {}, {"retrieval": "complete"}, {"routes": ("sentences", "simhash")},
])  # fmt: skip
def test_a_batch_is_its_parts_joined(chosen):
    numbers = random.Random(2)
    texts = [
        " ".join(
            numbers.choices(["rose", "tulip.", "violet", "a", "garden", ""], k=numbers.randrange(40))
        ).encode()
        for _ in range(9)
    ]
    search = search_of(**chosen)
    whole = search.query_batch(texts)
    for cuts in ([0, 9], [0, 1, 5, 5, 9], [0, 3, 6, 9]):
        pairs = list(itertools.pairwise(cuts))
        assert_equal(joined_batches([search.query_batch(texts[a:b]) for a, b in pairs if a < b]), whole)
        assert_equal(joined_batches([whole.part(a, b) for a, b in pairs]), whole)


def assert_equal(one: SignedQueryBatch, other: SignedQueryBatch) -> None:
    for a, b in zip(flat(one), flat(other), strict=True):
        np.testing.assert_array_equal(a, b)


def flat(value):
    if value is None or isinstance(value, np.ndarray):
        return [value]
    return [array for part in value for array in flat(part)]


# -- candidates --


def searched(texts, chosen, threshold="0.7"):
    """Candidates of each text among those before it, as sets, and whether something was left out."""
    search = search_of(**chosen, threshold=threshold)
    batch = search.query_batch([text.encode() for text in texts], normal=True)
    table = table_of(batch.signed, search)
    exact = Fraction(threshold)
    ones = np.ones(len(texts), np.int64)
    query = Query(
        np.arange(len(texts)), batch.signed.counts, ones, ones, exact.as_integer_ratio()
    )  # fmt: skip
    found = search.candidates(batch, query, table)

    def texts_of(docs: Sequence[int]) -> list[bytes]:
        return [texts[doc].encode() for doc in docs]

    state: Any = SimpleNamespace(
        table=table, search=search, signer=search._signer, settings=search._settings,
        texts=texts_of, texts_of_any=texts_of,
    )  # fmt: skip
    verifier = verifier_of(state, batch, found, exact, rule=None, listed=None, docs=np.arange(len(texts)))
    candidates = [
        set(found.many[i].docs.tolist() if i in found.many else found.docs[found.queries == i].tolist())
        for i in range(len(texts))
    ]
    compared = [verifier.compared(i, 0) for i in range(len(texts))]
    return (
        candidates,
        found.truncated.tolist(),
        [{int(match.id): match[1:] for match in own.matches.listed} for own in compared],
    )


def assert_finds_all(texts, chosen, threshold):
    """What the search finds are all overlaps at the threshold, as brute force over sets counts them."""
    candidates, truncated, overlaps = searched(texts, chosen, threshold)
    grams = [oracle.qgrams(text) for text in texts]
    exact = Fraction(threshold)
    for i, own in enumerate(grams):
        expected = {}
        for j in range(i):
            shared, larger = len(own & grams[j]), max(len(own), len(grams[j]))
            equal = texts[i] == texts[j] != ""
            if equal or (larger and shared >= required_overlap(exact, larger)):
                expected[j] = (1.0 if equal else shared / larger, shared)
        assert overlaps[i] == expected
        assert candidates[i] >= expected.keys()
        assert not truncated[i]


@pytest.mark.parametrize(
    ("chosen", "threshold"),
    [({}, "0.6"), ({}, "0.7"), ({}, "1"), *(({"retrieval": "complete"}, t) for t in ("0.2", "0.7", "1"))],
)
def test_every_overlap_at_the_threshold_is_found_and_nothing_else(chosen, threshold):
    numbers = random.Random(3)
    texts = []
    for _ in range(120):
        first = numbers.randrange(60)
        texts.append(line(first, first + numbers.randrange(1, 60)))
    texts += ["", "ab", "ab", "", "abc"]
    assert_finds_all(texts, chosen, threshold)


def test_several_threads_count_what_one_does(monkeypatch):
    monkeypatch.setattr(pair_overlaps, "_PART_BYTES", 1 << 8)
    numbers = random.Random(4)
    firsts = [numbers.randrange(60) for _ in range(150)]
    assert_finds_all([line(first, first + 25) for first in firsts], {"threads": 4}, "0.6")


def templates(numbers, count):
    """Texts of two templates with slots for a word of few and one of many, some cut, some of other templates."""
    plans = [[line(1_000 * k + 40 * i, 1_000 * k + 40 * i + 20) for i in range(8)] for k in range(2)]
    for _ in range(count):
        plan = numbers.choice(plans)
        words = [line(9_000 + 20 * numbers.randrange(3), 9_000 + 20 * numbers.randrange(3) + 8) for _ in plan]
        text = "".join(part + word for part, word in zip(plan, words, strict=True))
        yield text[numbers.randrange(20) : len(text) - numbers.randrange(20)] + str(numbers.randrange(40))


@pytest.mark.parametrize("threshold", ["0.5", "0.7"])
@pytest.mark.parametrize("chosen", [{}, {"retrieval": "complete"}])
def test_crowds_of_copies_have_their_exact_overlaps(chosen, threshold):
    """More candidates than are read one by one, most of them many times: crowds are made, and joined."""
    numbers = random.Random(5)
    texts = [*templates(numbers, 260), *[line(0, 30)] * 100, *["ab"] * 100]
    numbers.shuffle(texts)
    assert_finds_all(texts, chosen, threshold)


def test_no_more_candidates_than_the_limit_the_earliest_of_them():
    texts = [line(0, 20)] * 10 + [line(500, 520)] * 2
    candidates, truncated, _ = searched(texts, {"max_candidates": 3})
    assert candidates[:6] == [set(), {0}, {0, 1}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}]
    assert candidates[11] == {10}
    assert truncated == [False] * 4 + [True] * 6 + [False] * 2


@pytest.mark.parametrize("recipe", [Recipe(sketch_size=1), Recipe(sketch_size=3), Recipe(sketch_size=64)])
@pytest.mark.parametrize("chosen", [{}, {"threshold": "0.3"}, {"min_shared": 64}])
def test_an_equal_text_is_found_by_a_sketch_of_any_size(recipe, chosen):
    search = search_of(recipe, **chosen)
    limits = recipe.sketch_limits
    whole = limits.largest_copy_of(limits.whole)
    counts = np.array([0, 3, limits.whole, limits.whole + 1, whole, whole + 1, 5_000, UNCOUNTED])
    min_shared = search.min_shared(counts, search._settings.threshold_fraction)
    posted = np.where((counts <= whole) & (counts != UNCOUNTED), counts, recipe.sketch_size)
    assert (min_shared <= np.maximum(posted, 1)).all()


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_a_search_by_sketch_asks_the_same_of_a_large_set_counted_or_not(retrieval):
    for threshold in ("0.001", "0.05", "0.7"):
        for min_shared in (None, 64):
            search = search_of(min_shared=min_shared, threshold=threshold, retrieval=retrieval)
            exact = search._settings.threshold_fraction
            largest = Recipe().sketch_limits.largest_copy_of(512)
            asked = search.min_shared(np.array([largest, largest + 1, 10**6]), exact).tolist()
            if retrieval == "sketch":
                assert asked[1] == asked[2] == search.min_shared(np.array([UNCOUNTED]), exact)[0]
            else:
                assert asked == [
                    min(COMPLETE_SHARED, required_overlap(exact, n)) for n in (largest, largest + 1, 10**6)
                ]
