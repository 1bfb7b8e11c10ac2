"""Checksums of many items: the package, an item a call, is the oracle."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from neardup.kernels import checksums

SEEDS = st.integers(0, 2**64 - 1)


@pytest.fixture(params=["kernel", "one by one"], autouse=True, scope="module")
def way(request):
    if request.param == "kernel":
        assert checksums._XXH3 is not None, "this build of the package keeps its function to itself"
        yield
    else:
        with mock.patch.object(checksums, "_XXH3", None):
            yield


def offsets_of(items):
    return np.cumsum([0, *map(len, items)])


@given(st.lists(st.tuples(st.binary(max_size=300), SEEDS)))
def test_checksums_are_those_of_the_package(pairs):
    items = [item for item, _ in pairs]
    offsets, seeds = offsets_of(items), np.array([seed for _, seed in pairs], np.uint64)
    data = np.frombuffer(b"".join(items), np.uint8)
    found = checksums.checksums(data, offsets[:-1], np.diff(offsets), seeds)
    assert found.tolist() == [xxhash.xxh3_64_intdigest(item, seed) for item, seed in pairs]


@given(st.lists(st.tuples(st.binary(max_size=300), SEEDS)))
def test_what_is_sealed_has_its_checksum_behind_it(pairs):
    items = [item for item, _ in pairs]
    data, seeds = np.frombuffer(b"".join(items), np.uint8), np.array([seed for _, seed in pairs], np.uint64)
    found = checksums.sealed(data, offsets_of(items), seeds)
    assert bytes(found) == b"".join(item + xxhash.xxh3_64_digest(item, seed) for item, seed in pairs)


@given(
    st.lists(st.tuples(st.binary(min_size=5, max_size=5), st.binary(max_size=300), SEEDS)), st.integers(0, 3)
)
def test_rows_may_lie_apart_and_have_tails_of_any_length(items, apart):
    rows = np.frombuffer(b"".join(row + bytes(apart) for row, _, _ in items), np.uint8)
    tails = [tail for _, tail, _ in items]
    found = checksums.checksums_of_both(
        rows.reshape(len(items), 5 + apart)[:, :5],
        np.frombuffer(b"".join(tails), np.uint8),
        offsets_of(tails),
        np.array([seed for _, _, seed in items], np.uint64),
    )
    assert found.tolist() == [xxhash.xxh3_64_intdigest(row + tail, seed) for row, tail, seed in items]
