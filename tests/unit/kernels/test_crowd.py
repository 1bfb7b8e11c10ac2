"""The best of very many matches, against sorting them all."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from neardup.kernels.crowd import BELOW, EXACT, NEAR, UNKNOWN, Ranking, best_matches


@pytest.mark.parametrize("seed", range(40))
def test_the_best_matches_are_those_of_sorting(seed: int) -> None:
    rng = random.Random(seed)
    lengths = [rng.choice((1, 1, 1, 1, 3)) for _ in range(rng.choice((1, 30, 300)))]
    total = sum(lengths)
    docs = np.array(rng.sample(range(2 * total), total), np.int32)
    starts = np.cumsum([0, *lengths])
    # Few values of each, so that scores and times are often equal.
    state = np.array(rng.choices((UNKNOWN, BELOW, NEAR, NEAR, NEAR, EXACT), k=len(lengths)), np.uint8)
    shared = np.array([rng.choice((70, 77, 80, 84)) for _ in lengths], np.int64)
    counts = np.array([rng.choice((90, 99, 100, 105)) for _ in range(2 * total)], np.int32)
    times = np.array([rng.randrange(4) for _ in counts], np.int64)
    first_of = np.arange(2 * total, dtype=np.int32)
    for begin, end in itertools.pairwise(starts):
        first_of[docs[begin:end]] = docs[begin]
    ids = [str(rng.randrange(10**6)).encode() for _ in counts]
    names, name_starts = np.frombuffer(b"".join(ids), np.uint8), np.cumsum([0, *map(len, ids)])
    stands = np.array([rng.random() < 0.1 for _ in counts], np.uint8)
    best, texts = np.empty(5, np.int64), np.empty(5, np.int64)
    count = 95
    ranking = Ranking(counts, first_of, times, names, name_starts, stands)
    matches, compared, head, head_text = best_matches(
        docs, starts, state, shared, ranking, count, best, texts
    )

    expected = []
    for text, length in enumerate(lengths):
        for place in range(starts[text], starts[text] + length):
            larger = max(count, int(counts[docs[starts[text]]]))
            score = Fraction(1) if state[text] == EXACT else Fraction(int(shared[text]), larger)
            if state[text] >= NEAR:
                expected.append((-score, times[docs[place]], ids[docs[place]], place, text))
    expected.sort()
    listed = expected[:5]
    assert (matches, compared) == (len(expected), sum(np.array(lengths)[state != UNKNOWN]))
    assert best.tolist() == [row[3] for row in listed] + [-1] * (5 - len(listed))
    assert texts[: len(listed)].tolist() == [row[4] for row in listed]
    heads = [row[3:] for row in expected if stands[docs[row[3]]]]
    assert (head, head_text) == (heads[0] if heads else (-1, head_text))
