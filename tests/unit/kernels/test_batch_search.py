"""A search in long posting lists, which looks at 64 docs together, against one doc at a time in plain Python."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from neardup.index.posting_lists import PostingLists, Query
from neardup.kernels import batch_search, native
from neardup.kernels.batch_search import Documents
from neardup.kernels.counters import Counters
from neardup.model.verdict import required_overlap

STORED, SEARCHED, KEYS, COUNT, LOW, HIGH, THRESHOLD = 4_000, 40, 8, 100, 102, 107, Fraction(9, 10)
SIZE = STORED + SEARCHED
LEVELS = range(1, native._loaded(native.LIBRARIES / "kernels-1.so").neardup_level() + 1)


@pytest.fixture(params=native.LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches by the kernel of a level of the processor: with AVX-512 it looks at docs in another way."""
    if int(request.param) not in LEVELS:
        pytest.skip("this processor has no such level")
    with monkeypatch.context() as patch:
        patch.setattr(native, "_LIBRARY", native._loaded(native.LIBRARIES / f"kernels-{request.param}.so"))
        kernel = native.Kernel("search_and_add")
    monkeypatch.setattr(batch_search, "_search_and_add", kernel)


def may_fit(count: int, largest: int) -> bool:
    if largest and (count < 0 or count > largest):
        count = largest
    smaller, larger = sorted((count, min(COUNT, largest or COUNT)))
    return count < 0 or smaller >= required_overlap(THRESHOLD, larger)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("is_chained", [False, True])
@pytest.mark.parametrize("largest", [0, 95, 200])
def test_candidates_are_alive_and_of_the_hours_and_sizes_searched(is_chained: bool, largest: int) -> None:
    """Texts of several documents, with equal first halves of their fingerprints, or not counted yet. Documents that are
    searched for are added to the chains of their texts.
    """
    numbers = np.random.default_rng(3)
    texts = np.where(numbers.random(SIZE) < 0.2, numbers.integers(0, SIZE, SIZE), np.arange(SIZE))
    texts[STORED:] = texts[:SEARCHED]
    fingerprints = np.stack([texts % 50, texts], axis=1).astype(np.uint64)
    has_key = numbers.random((SIZE, KEYS)) < 0.85
    has_key[:, 0] |= ~has_key.any(axis=1)
    has_key = has_key[texts]
    documents = Documents(
        numbers.integers(100, 110, SIZE).astype(np.int32),
        numbers.choice([-1, 80, 90, 100, 120], SIZE)[texts].astype(np.int32),
        ((numbers.random(SIZE) < 0.8) & (np.arange(SIZE) < STORED)).astype(np.uint8),
        fingerprints[:, 0].copy(),
        fingerprints,
        np.arange(SIZE, dtype=np.int32),
        np.full(SIZE, -1, np.int32),
    )
    lists, counters = PostingLists(), Counters.of(SIZE, KEYS)

    def candidates(docs: slice, high: int) -> list[int]:
        keys, sizes = np.nonzero(has_key[docs])[1].astype(np.uint64), has_key[docs].sum(axis=1)
        each = np.ones_like(sizes)
        query = Query(
            np.arange(SIZE)[docs], COUNT * each, LOW * each, high * each, THRESHOLD.as_integer_ratio(),
            fingerprints[docs] if is_chained else fingerprints[:0], largest,
        )  # fmt: skip
        offsets, minimum = np.append(0, np.cumsum(sizes)), np.minimum(sizes, 5)
        shared = lists.search_and_add(keys, offsets, minimum, query, documents, counters)
        return list(map(int, shared.docs))

    assert candidates(slice(STORED), high=LOW - 1) == []
    for new in range(STORED, SIZE):
        shared, own = (has_key & has_key[new]).sum(axis=1), has_key[new].sum()
        columns = zip(documents.hours, documents.counts, documents.alive, shared, strict=True)
        assert sorted(candidates(slice(new, new + 1), HIGH)) == [
            doc
            for doc, (hour, count, alive, both) in enumerate(columns)
            if both >= min(own, 5) and alive == 1 and LOW <= hour <= HIGH and may_fit(count, largest)
        ]
        assert documents.first_of[new] == (np.flatnonzero(texts == texts[new])[0] if is_chained else new)
    assert lists._bitsets.used[0] == KEYS
