"""Candidates of one search: few of each document, or very many; a flood is not looked at, common phrases are."""

from __future__ import annotations

import numpy as np

from neardup.index.candidates import MANY_FROM, candidates_of_one_route, merged
from neardup.index.posting_lists import Query, SharedCounts

NONE = np.empty(0, np.int32)
FOUR = np.arange(4)
QUERY = Query(FOUR + 200, FOUR, FOUR + 10, FOUR + 20, (7, 10))


def counts_of(*docs: np.ndarray, stand_ins: tuple[int, ...] = ()) -> SharedCounts:
    """The candidates of some documents, in no order; and `stand_ins` of the last two of four documents."""
    offsets = np.cumsum([0, *map(len, docs)])
    shuffled = [np.random.default_rng(1).permutation(each) for each in docs]
    half = len(stand_ins) // 2
    return SharedCounts(
        np.concatenate(shuffled).astype(np.int32), offsets, np.array([0, 1, 0, 0])[: len(docs)],
        np.array([*stand_ins, -1], np.int32), np.array([0, 0, 0, half, len(stand_ins)]), NONE,
    )  # fmt: skip


def test_where_all_pass_very_many_are_not_sorted():
    counts = counts_of(np.arange(200), np.arange(3), np.arange(MANY_FROM - 1), np.arange(MANY_FROM))
    candidates = candidates_of_one_route(counts, lambda _, docs: docs >= 0, QUERY, 204)
    sorted_ones = merged(counts, []).with_many()
    for mine, other in zip(candidates[:3], sorted_ones[:3], strict=True):
        np.testing.assert_array_equal(mine, other)
    assert sorted(candidates.many) == sorted(sorted_ones.many) == [0, 3]
    for query, own in candidates.many.items():
        np.testing.assert_array_equal(np.sort(own.docs), sorted_ones.many[query].docs)


def test_many_of_which_few_pass_are_few():
    counts = counts_of(np.arange(10_000), np.arange(10_000), np.arange(10_000), np.arange(9))
    keep = (np.arange(10_000) < 9_000, np.arange(10_000) < 40, np.arange(10_000) < 1_000, np.arange(9) < 2)
    asked = 0

    def passing(queries, docs):
        nonlocal asked
        asked += len(docs)
        return np.array([keep[query][doc] for query, doc in zip(queries, docs, strict=True)])

    candidates = candidates_of_one_route(counts, passing, QUERY, 204)
    assert list(candidates.many) == [0, 2]
    assert len(candidates.many[0].docs) == 10_000  # a flood: most pass, and are not looked at
    assert sorted(candidates.many[2].docs) == list(range(1_000))
    pairs = list(zip(candidates.queries.tolist(), candidates.docs.tolist(), strict=True))
    assert pairs == [(1, doc) for doc in range(40)] + [(3, 0), (3, 1)]
    assert candidates.truncated.tolist() == [False, True, False, False]
    assert asked < 20_009 + 200


def test_a_repeated_text_counts_as_many_however_few_other_candidates_there_are():
    counts = counts_of(*(np.arange(n) for n in (3, 200, 200, 3)), stand_ins=(5, 7, 6, 8))
    found = candidates_of_one_route(counts, lambda _, docs: docs != 7, QUERY, 204)
    assert found.queries.tolist() == [0, 0, 0]
    assert {i: len(own.docs) for i, own in found.many.items()} == {1: 200, 2: 200, 3: 3}
    assert found.many[1].stand_ins is None
    few, many = found.many[3].stand_ins, found.many[2].stand_ins
    assert few is not None
    assert many is not None
    assert (few.docs.tolist(), few.before, few.hours) == ([6, 8], 203, (13, 23))
    assert (many.docs.tolist(), many.before, many.hours) == ([5], 202, (12, 22))
