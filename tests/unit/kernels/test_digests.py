"""SHA-256 of many texts at once: hashlib is the oracle."""

from __future__ import annotations

import hashlib
import random
from unittest import mock

import numpy as np

from neardup.kernels.digests import halves_by, sha256_halves


def test_halves_are_those_of_hashlib():
    numbers = random.Random(1)
    texts = [numbers.randbytes(size) for size in (0, 1, 55, 56, 63, 64, 65, 2_047, 2_048, 10_000)]
    data, offsets = np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)])
    halves = sha256_halves(data, offsets)
    assert halves.dtype == np.uint64
    assert (halves == halves_by(lambda text: hashlib.sha256(text).digest(), data, offsets)).all()
    assert f"{halves[0, 0]:016x}{halves[0, 1]:016x}" == "e3b0c44298fc1c149afbf4c8996fb924"
    assert sha256_halves(data, offsets[:1]).shape == (0, 2)
    with mock.patch("neardup.kernels.digests._OPENSSL", None):  # where Python keeps its OpenSSL to itself
        assert (sha256_halves(data, offsets) == halves).all()
