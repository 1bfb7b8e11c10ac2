"""Sixty-four candidates looked at together, against one at a time in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.kernels.batch_search import Documents
from neardup.kernels.candidate_filter import Filter, are_certain

HALF = 7


@pytest.mark.parametrize("is_chained", [False, True])
@pytest.mark.parametrize("fits_uncounted", [False, True])
def test_a_bit_says_whether_a_doc_is_wanted_and_alone(is_chained: bool, fits_uncounted: bool) -> None:
    numbers = np.random.default_rng(3)
    size = 20 * 64
    documents = Documents(
        numbers.integers(100, 110, size).astype(np.int32),
        numbers.choice([-1, 80, 90, 100, 120], size).astype(np.int32),
        (numbers.random(size) < 0.8).astype(np.uint8),
        numbers.choice([7, 8, 2**63], size).astype(np.uint64),
        np.zeros((size, 2), np.uint64),
        np.arange(size, dtype=np.int32),
        np.where(numbers.random(size) < 0.2, 5, -1).astype(np.int32),
    )
    words = np.empty(size // 64, np.uint64)
    are_certain(Filter(102, 107, 90, 100, fits_uncounted, is_chained, HALF), documents, words)
    told = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool).tolist()
    columns = zip(
        documents.hours, documents.counts, documents.alive, documents.halves, documents.next_of, strict=True
    )
    for is_certain, (hour, count, alive, half, following) in zip(told, columns, strict=True):
        fits = 90 <= count <= 100 or (count < 0 and fits_uncounted)
        is_alone = not is_chained or (following < 0 and half != HALF)
        assert is_certain == (fits and is_alone and alive == 1 and 102 <= hour <= 107)
