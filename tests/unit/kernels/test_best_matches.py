"""The best of very many matches, against sorting them all."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from neardup.kernels.best_matches import Ranking, best_if_all_match, best_matches
from neardup.kernels.crowd import BELOW, EXACT, NEAR, UNKNOWN, Tallied, compare_texts


@pytest.mark.parametrize("most", [5, 400])
@pytest.mark.parametrize("seed", range(40))
def test_the_best_matches_are_those_of_sorting(seed: int, most: int) -> None:
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
    best, texts = np.empty(most, np.int64), np.empty(most, np.int64)
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
    listed = expected[:most]
    assert (matches, compared) == (len(expected), sum(np.array(lengths)[state != UNKNOWN]))
    assert best.tolist() == [row[3] for row in listed] + [-1] * (most - len(listed))
    assert texts[: len(listed)].tolist() == [row[4] for row in listed]
    heads = [row[3:] for row in expected if stands[docs[row[3]]]]
    assert (head, head_text) == (heads[0] if heads else (-1, head_text))


def test_all_of_a_hundred_thousand_matches_are_listed_best_first() -> None:
    """Each is better than all before it."""
    size = 100_000
    docs, none = np.arange(size, dtype=np.int32), np.zeros(size, np.uint8)
    shared, counts = np.arange(size, 2 * size), np.full(size, 2 * size, np.int32)
    ranking = Ranking(counts, docs, np.zeros(size, np.int64), none, np.arange(size + 1), none)
    best, texts = np.empty(size, np.int64), np.empty(size, np.int64)
    best_matches(docs, np.arange(size + 1), np.full(size, NEAR, np.uint8), shared, ranking, 1, best, texts)
    assert best.tolist() == texts.tolist() == list(range(size))[::-1]


@pytest.mark.parametrize("seed", range(40))
def test_where_all_match_a_look_at_every_doc_finds_the_same(seed: int) -> None:
    """As comparing and ranking do; where one does not match, is of another crowd, newer or the same, it says so."""
    numbers = np.random.default_rng(seed)
    size = int(numbers.integers(1, 300))
    docs = numbers.permutation(2 * size)[:size].astype(np.int32)
    first_of = np.arange(2 * size, dtype=np.int32)
    members = np.full((2 * size, 2), -1, np.int32)
    are_first = seed % 2 == 0  # the docs are the first members, in their order
    members[docs, 0], members[docs, 1] = 5, np.arange(size) if are_first else numbers.permutation(size)
    sizes = numbers.integers(90, 106, size).astype(np.int32)
    counts = np.zeros(2 * size, np.int32)
    counts[docs] = sizes[members[docs, 1]]
    tallied = numbers.integers(0, 12, size).astype(np.uint16)
    lacking = numbers.integers(0, 4, size).astype(np.int32)
    ids = [str(number).encode() for number in numbers.integers(0, 10**6, 2 * size)]
    ranking = Ranking(
        counts, first_of, numbers.integers(0, 4, 2 * size), np.frombuffer(b"".join(ids), np.uint8),
        np.cumsum([0, *map(len, ids)]), (numbers.random(2 * size) < 0.1).astype(np.uint8),
    )  # fmt: skip
    halves, fingerprints = np.arange(2 * size, dtype=np.uint64), np.zeros((2 * size, 2), np.uint64)
    for count in (96, 99, 103, 115):
        for odd in ("none", "crowd", "newer", "same"):
            theirs, own = members.copy(), np.uint64(2 * size)
            if odd == "crowd":
                theirs[docs[size // 2], 0] = 4
            elif odd == "newer":
                theirs[docs[size // 2], 1] = size
            elif odd == "same":
                twin = members[docs[size // 2], 1]  # all of its q-grams, and no other
                own = halves[docs[size // 2]]
                lacking[twin], tallied[twin], sizes[twin] = 0, count - 80, count
                counts[docs[size // 2]] = count
            known = (theirs[docs, 0] == 5) & (theirs[docs, 1] < size)
            docs_of = np.full(size, -1, np.int32)
            docs_of[theirs[docs[known], 1]] = docs[known]
            against = Tallied(5, 80, lacking, sizes, tallied, docs_of)
            starts, shared = np.empty(size + 1, np.int64), np.empty(size, np.int64)
            state, wanted, texts = np.empty(size, np.uint8), np.empty(5, np.int64), np.empty(5, np.int64)
            fingerprint = np.array([own, 0], np.uint64)
            compare_texts(
                docs,
                first_of,
                halves,
                fingerprints,
                fingerprint,
                count,
                theirs,
                against,
                (7, 10),
                starts,
                shared,
                state,
            )
            rows = np.empty((6, 4), np.int64)
            filled = best_if_all_match(docs, halves, own, count, theirs, against, (7, 10), ranking, rows)
            assert (filled >= 0) == (state == NEAR).all()
            if filled >= 0:
                total, _, head, _ = best_matches(docs, starts, state, shared, ranking, count, wanted, texts)
                listed = [*wanted[: min(total, 5)].tolist(), head]
                assert rows[:filled, 0].tolist() == [docs[at] if at >= 0 else -1 for at in listed]
                for row, at in zip(rows[:filled].tolist(), listed, strict=True):
                    larger = max(count, counts[docs[at]])
                    assert at < 0 or row[1:] == [ranking.times[docs[at]], shared[at], larger]
