"""Bitsets added up digit by digit, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.kernels.bit_planes import AT_ONCE, BITS, SIZE, WORDS, add_rows, set_counts


def _counted(bits, base, stride, rows, first, last, counts):
    planes = np.empty(SIZE, np.uint64)
    add_rows(bits, base, stride, rows, first, last, planes)
    set_counts(planes, counts)


@pytest.mark.parametrize("size", [0, 1, 16, 17, 255, 257, 1_000])
@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
@pytest.mark.parametrize("kind", [np.uint16, np.int32])
def test_each_bit_is_counted(size, share, kind):
    """Of some rows of a table, which lie side by side or far apart."""
    numbers = np.random.default_rng(size)
    held = numbers.random((40, 3 * BITS)) < share
    held[0] = False
    words = np.packbits(held, axis=1, bitorder="little").view(np.uint64)
    rows = np.zeros(AT_ONCE + -(-size // AT_ONCE) * AT_ONCE, np.int64)
    rows[AT_ONCE : AT_ONCE + size] = numbers.integers(1, 40, size)
    rows[:AT_ONCE] = 1  # before the first
    for block in range(3):
        wanted = held[rows[AT_ONCE:], block * BITS : (block + 1) * BITS].sum(axis=0)
        counts = numbers.integers(0, 1_000, BITS).astype(kind)
        _counted(words.ravel(), WORDS * block, 3 * WORDS, rows, AT_ONCE, len(rows), counts)
        np.testing.assert_array_equal(counts, wanted)
