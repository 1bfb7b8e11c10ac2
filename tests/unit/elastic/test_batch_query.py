"""How the documents of a batch are shared out over searches."""

from __future__ import annotations

from neardup.elastic.window.batch_query import _parts
from neardup.elastic.window.query_dsl import MOST_CLAUSES


def test_no_query_has_more_clauses_than_it_may():
    clauses = [200, 200, 200, 9_000, 1, 511, 1]
    parts = list(_parts(range(7), clauses))
    assert parts == [[0, 1], [2], [3], [4, 5], [6]]
    assert all(sum(clauses[i] for i in part) <= MOST_CLAUSES or len(part) == 1 for part in parts)


def test_sketches_are_asked_for_many_at_once():
    assert list(map(len, _parts(range(2_500), None))) == [1_024, 1_024, 452]
    assert list(_parts((), None)) == []
