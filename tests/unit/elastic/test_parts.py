"""What one request cannot hold is cut into parts."""

from __future__ import annotations

from neardup.elastic.window.parts import in_parts
from neardup.elastic.window.query_dsl import MOST_CLAUSES


def test_no_part_weighs_more_than_it_may_unless_it_is_one_thing():
    clauses = [200, 200, 200, 9_000, 1, 511, 1]
    parts = list(in_parts(range(7), clauses.__getitem__, MOST_CLAUSES))
    assert parts == [[0, 1], [2], [3], [4, 5], [6]]


def test_what_weighs_the_same_is_counted():
    assert list(map(len, in_parts(range(2_500), lambda _: 1, 1_024))) == [1_024, 1_024, 452]
    assert list(in_parts((), int, 1)) == []
