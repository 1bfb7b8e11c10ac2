from __future__ import annotations

import numpy as np
import pytest

from neardup.index import pair_overlaps


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(pair_overlaps, "_PART_BYTES", 1 << 8)


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_parts_are_of_about_as_many_bytes_and_begin_with_a_query(most):
    numbers = np.random.default_rng(5)
    queries = np.sort(numbers.integers(0, 300, 3_000))
    sizes = numbers.integers(0, 60, 3_000)
    bounds = pair_overlaps.part_bounds(queries, sizes, most)
    assert (bounds[0], bounds[-1], len(bounds)) == (0, 3_000, most + 1)
    assert all(queries[at - 1] != queries[at] for at in bounds[1:-1])
    assert np.add.reduceat(sizes, bounds[:-1]).max() < 1.5 * sizes.sum() / most


def test_a_query_that_is_larger_than_a_part_is_cut():
    queries, sizes = np.array([1] + [2] * 98 + [3]), np.full(100, 100)
    assert pair_overlaps.part_bounds(queries, sizes, 4) == [0, 1, 49, 74, 100]


@pytest.mark.parametrize("sizes", [[5], [0, 0], [100, 100], [4_000, 1]])
def test_what_is_small_or_one_text_is_one_part(sizes):
    assert pair_overlaps.part_bounds(np.arange(len(sizes)), np.array(sizes), 8) == [0, len(sizes)]
