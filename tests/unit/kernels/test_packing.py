"""Sorting postings by key: numpy's stable sort is the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.kernels.packed_lists import KEY_BITS
from neardup.kernels.packing import sort_by_key

KEY_SHIFT = 33


@pytest.mark.parametrize("size", [0, 1, 1_000, 300_000])
@pytest.mark.parametrize("key_bits", [0, 4, KEY_BITS], ids=["one key", "few keys", "any key"])
def test_postings_are_sorted_by_key_alone_and_else_stay_in_their_order(size, key_bits):
    numbers = np.random.default_rng(size + key_bits)
    keys = numbers.integers(0, 1 << key_bits, size, dtype=np.uint64) << np.uint64(KEY_BITS - key_bits)
    postings = keys << np.uint64(KEY_SHIFT) | numbers.integers(0, 1 << KEY_SHIFT, size, dtype=np.uint64)
    wanted = postings[np.argsort(keys, kind="stable")]
    sort_by_key(postings, np.empty_like(postings))
    assert (postings == wanted).all()
