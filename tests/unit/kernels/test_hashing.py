"""The kernels' hashes against the xxhash package and plain integers."""

from __future__ import annotations

import random

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from neardup.kernels.hashing import splitmix64, xxh64
from neardup.oracle import definitions as oracle

NOISE = np.frombuffer(random.Random(1).randbytes(400), np.uint8)
SEEDS = (0, 1, 10, 2**63, 2**64 - 1)


@pytest.mark.parametrize("start", [0, 1, 3, 8])
def test_xxh64_of_every_length_is_that_of_the_package(start):
    for end in range(start, 300):
        data = NOISE[start:end].tobytes()
        for seed in SEEDS:
            expected = xxhash.xxh64_intdigest(data, seed=seed)
            assert xxh64(NOISE, start, end, seed) == expected, (end, seed)


@given(st.binary(max_size=1_000), st.integers(0, 2**64 - 1))
def test_xxh64_of_any_bytes_is_that_of_the_package(data, seed):
    array = np.frombuffer(data, np.uint8)
    assert int(xxh64(array, 0, len(array), seed)) == xxhash.xxh64_intdigest(data, seed=seed)


@given(st.integers(0, 2**64 - 1))
def test_splitmix64_is_its_finaliser_in_plain_integers(value):
    assert splitmix64(value) == oracle._splitmix64_finaliser(value)


def test_splitmix64_takes_nothing_twice():
    values = {splitmix64(value) for value in range(5_000)}
    assert len(values) == 5_000
    assert int(splitmix64(0)) == 0
