"""One method over one corpus: every decision counted once, whatever way the method finds its candidates."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import Any

import pytest

import neardup
from neardup.baselines.base import YES_NO, Method
from neardup.evaluation import memory, methods
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.measure import Progress, measure, thresholds_of
from neardup.evaluation.results import Point
from neardup.evaluation.truth import Truth
from neardup.evaluation.worker import Job, measure_in_process
from neardup.oracle import definitions as oracle


class Letters(Method[frozenset[str]]):
    """Jaccard over letters."""

    name, paper, thresholds = "letters", "none", (0.5, 1.0)
    learned: list[str] | None = None

    def learn(self, texts: Iterable[str]) -> None:
        self.learned = list(texts)

    def sign(self, text: str) -> frozenset[str]:
        return frozenset(text)

    def score(self, a: frozenset[str], b: frozenset[str]) -> float:
        return len(a & b) / len(a | b) if a and b else 0.0

    def size(self, signature: frozenset[str]) -> int:
        return len(signature)


class KeyedLetters(Letters):
    """The same with candidates from an index."""

    def keys(self, signature: frozenset[str], threshold: float) -> Iterable[Hashable]:
        return signature


class GenerousLetters(Letters):
    """The same, but says yes to whatever shares a letter, whatever the score."""

    def same(self, a: frozenset[str], b: frozenset[str], threshold: float) -> bool:
        return bool(a & b) or super().same(a, b, threshold)


class StubbornLetters(Letters):
    """The same, but says no to whatever has a z."""

    def same(self, a: frozenset[str], b: frozenset[str], threshold: float) -> bool:
        return "z" not in a | b and super().same(a, b, threshold)


TEXTS = ("abcd", "abce", "abcdz", "xyz", "abcd", "")
CORPUS = Corpus(tuple(map(str, range(len(TEXTS)))), TEXTS)
TRUTH = Truth(frozenset({(0, 1), (0, 4)}))


def points(method: Method[Any], truth: Truth = TRUTH, asked=None) -> list[Point]:
    return list(measure(method, "label", CORPUS, truth, asked, lambda _: None).points)


def test_pairs_are_counted_at_every_threshold():
    # at 0.5: 01 02 04 12 14 24, of which 01 and 04 are copies; at 1: 04
    assert points(Letters()) == [Point(0.5, 6, 2, 2, 15), Point(1.0, 1, 1, 2, 15)]


def test_an_index_finds_the_same_with_fewer_comparisons():
    keyed = points(KeyedLetters())
    assert [point.reported for point in keyed] == [6, 1]
    assert [point.compared for point in keyed] == [7, 7]


def test_a_method_that_decides_in_its_own_way_is_asked_at_each_threshold():
    assert [point.reported for point in points(StubbornLetters())] == [3, 1]
    assert [point.reported for point in points(GenerousLetters())] == [7, 7]


@pytest.mark.parametrize(
    "name", ["doc_q(q=2)", "shingling(w=4, resemblance)", "simhash(k=1, lexicons=1, bits=64, idf)"]
)
def test_scores_that_are_computed_once_give_what_each_threshold_gives(edited, name):
    method = methods.make(name)
    thresholds = (0.5, 0.75, 0.9)
    once = measure(method, name, edited, TRUTH, thresholds, lambda _: None).points
    for point in once:
        (alone,) = measure(method, name, edited, TRUTH, (point.threshold,), lambda _: None).points
        assert point == alone
    assert once[0].reported > once[2].reported
    assert measure(method, name, edited, TRUTH, thresholds[::-1], lambda _: None).points == once[::-1]


def test_only_judged_pairs_are_looked_at_where_only_they_count():
    truth = Truth(frozenset({(0, 1)}), frozenset({(1, 3)}), judged_only=True)
    assert points(Letters(), truth) == [Point(0.5, 1, 1, 1, 3), Point(1.0, 0, 0, 1, 3)]


def test_thresholds_are_the_methods_own_unless_others_are_asked_for():
    assert thresholds_of((0.1, 0.2), None) == (0.1, 0.2)
    assert thresholds_of((0.1, 0.2), (0.7,)) == (0.7,)
    assert thresholds_of(YES_NO, (0.7,)) == YES_NO
    assert [point.threshold for point in points(Letters(), asked=(0.6, 0.9))] == [0.6, 0.9]


def test_it_learns_from_all_texts_and_tells_sizes_and_times():
    method = Letters()
    said: list[Progress] = []
    result = measure(method, "label", CORPUS, TRUTH, None, said.append)
    assert method.learned == list(TEXTS)
    assert result.index_bytes == sum(len(set(text)) for text in TEXTS)
    assert (result.method, result.name, result.cost.signed) == ("label", "letters", 6)
    assert result.cost.learn_seconds >= 0
    assert result.cost.sign_seconds > 0
    assert all(seconds > 0 for seconds in result.cost.compare_seconds)
    assert [one.stage for one in said if one.done == one.total] == ["learn", "sign", "compare at 0.5"]
    assert all(one.done <= one.total == 6 for one in said)


def test_rates_of_a_point():
    point = Point(0.5, reported=133, correct=110, copies=111, compared=None)
    assert (round(point.recall, 3), round(point.precision or 0, 3), round(point.f1, 3)) == (
        0.991,
        0.827,
        0.902,
    )
    nothing = Point(0.5, 0, 0, 111, None)
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, 0.0, 0.0)


@pytest.fixture(scope="module")
def edited() -> Corpus:
    """Sixty texts of random words, half of them edited from an earlier one."""
    rng = random.Random(11)
    words = ["".join(rng.choices("abcdefghiklmnoprstu", k=rng.randint(2, 9))) for _ in range(400)]
    texts: list[str] = []
    for place in range(60):
        chosen = rng.choices(words, k=90) if place % 2 == 0 else texts[rng.randrange(place)].split()
        for at in rng.sample(range(len(chosen)), rng.randint(0, 25) if place % 2 else 0):
            chosen[at] = rng.choice(words)
        texts.append(" ".join(chosen))
    return Corpus(tuple(map(str, range(len(texts)))), tuple(texts))


@pytest.fixture(scope="module")
def exact(edited: Corpus) -> dict[tuple[int, int], tuple[int, int]]:
    """What the oracle counts of every pair of them."""
    return {
        (i, j): oracle.doc_q_counts(edited.texts[i], edited.texts[j])
        for i, j in combinations(range(len(edited)), 2)
    }


@pytest.mark.parametrize("method", ["neardup sketch", "neardup complete", "doc_q(q=4)"])
def test_the_product_and_doc_q_find_what_the_oracle_finds(edited, exact, method):
    for threshold in (0.5, 0.7, 0.9):
        copies = frozenset(pair for pair, (shared, larger) in exact.items() if shared >= threshold * larger)
        result = measure_in_process(Job(method, edited, Truth(copies), (threshold,)), lambda _: None)
        (point,) = result.points
        assert len(copies) >= 5
        assert (point.precision, point.recall) == (1.0, 1.0)
        assert point.compared is not None
        assert result.index_bytes > 0


@pytest.mark.parametrize("method", ["neardup sketch", "neardup complete"])
def test_the_product_tells_every_candidate_and_the_size_of_its_largest_index(edited, method):
    compared, sizes = [], []
    for threshold in (0.5, 0.9):
        with neardup.open(None, threshold=threshold, retrieval=method.split()[1], window_hours=0) as window:
            documents = [
                neardup.Document(id, text, 0) for id, text in zip(edited.ids, edited.texts, strict=True)
            ]
            compared.append(sum(verdict.candidates for verdict in window.ingest(documents)))
            sizes.append(window.stats().memory_bytes)
    assert min(compared) > 0
    for asked in ((0.5, 0.9), (0.9, 0.5)):
        result = measure_in_process(Job(method, edited, TRUTH, asked), lambda _: None)
        assert {point.threshold: point.compared for point in result.points} == dict(
            zip((0.5, 0.9), compared, strict=True)
        )
        assert result.index_bytes == max(sizes)


def test_memory_is_told_and_its_peak_can_begin_anew():
    if memory.resident_bytes() is None:
        pytest.skip("this system does not tell resident memory")
    block = bytearray(b"x") * 150_000_000
    assert (memory.peak_bytes() or 0) > 150_000_000
    del block
    memory.forget_peak()
    assert (memory.peak_bytes() or 0) - (memory.resident_bytes() or 0) < 20_000_000
