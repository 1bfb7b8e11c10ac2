"""How many lists of some keys each member is in, against counting by a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.index.member_lists import MemberLists
from neardup.index.reused_array import ReusedArray


@pytest.mark.parametrize("most", [0, 7, 70])
def test_what_documents_have_in_common_with_some_keys_is_counted(most):
    """By bitsets, as many as are allowed, and by reading."""
    numbers = np.random.default_rng(8)
    held = numbers.random((2_000, 60)) < numbers.choice([0.02, 0.3, 0.6], 60)
    lists, reused = MemberLists(most), ReusedArray()
    for first, last in ((0, 1), (1, 900), (900, 2_000)):
        keys, offsets = sets_of(held[first:last])
        lists.add_members(keys, offsets, np.arange(first, last))
        asked = numbers.random((5, 60)) < 0.7
        keys, offsets = sets_of(asked)
        counts = lists.tally(keys, offsets, last, reused)
        np.testing.assert_array_equal(counts[:, :last], asked.astype(int) @ held[:last].T)


def test_more_lists_in_common_than_16_bits_count_are_counted():
    lists, keys = MemberLists(100), np.arange(70_000, dtype=np.uint64)
    lists.add_members(np.concatenate([keys, keys[::2]]), np.array([0, 70_000, 105_000]), np.arange(2))
    counts = lists.tally(np.concatenate([keys, keys[:9]]), np.array([0, 70_000, 70_009]), 2, ReusedArray())
    assert counts[:, :2].tolist() == [[70_000, 35_000], [9, 5]]


def sets_of(rows):
    """The columns that are true in each row, one after another, and offsets."""
    return np.nonzero(rows)[1].astype(np.uint64), np.append(0, np.cumsum(rows.sum(axis=1)))
