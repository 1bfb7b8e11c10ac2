"""What is found in texts longer than a sketch holds, against brute force; settings that never change a verdict."""

from __future__ import annotations

import functools
import random
from fractions import Fraction
from typing import Any

import pytest
from testing.window.backends import (
    START,
    Place,
    document,
    engines_in_turn,
    engines_only,
    without_candidates,
)
from testing.window.reference_window import ReferenceWindow

from neardup.model.document import Document
from neardup.model.settings import Recipe

LETTERS = "etaoinshrdlu"


@functools.cache
def vocabulary() -> list[str]:
    numbers = random.Random(5)
    return ["".join(numbers.choices(LETTERS, k=numbers.randint(2, 9))) for _ in range(3_000)]


def edited(words: list[str], numbers: random.Random) -> list[str]:
    """The words with another beginning, middle or end, some replaced, or none."""
    words = list(words)
    kind = numbers.randrange(5)
    if kind == 1:
        words = words[numbers.randrange(len(words) // 3) :]
    elif kind == 2:
        words += numbers.choices(vocabulary(), k=numbers.randrange(1, len(words) // 2))
    elif kind == 3:
        for _ in range(numbers.randrange(1, 1 + len(words) // 6)):
            words[numbers.randrange(len(words))] = numbers.choice(vocabulary())
    elif kind == 4:
        place = numbers.randrange(len(words))
        words[place : place + 5] = numbers.choices(vocabulary(), k=numbers.randrange(12))
    return words


@functools.cache
def stream(seed: int, count: int = 90, least: int = 12, most: int = 500) -> tuple[Document, ...]:
    """Texts of `least` to `most` words, half of them edited copies of earlier ones, over two days; some come late."""
    numbers = random.Random(seed)
    texts: list[list[str]] = []
    found = []
    for i in range(count):
        if texts and numbers.random() < 0.6:
            words = edited(numbers.choice(texts), numbers)
        else:
            words = numbers.choices(vocabulary(), k=round(least * (most / least) ** numbers.random()))
        texts.append(words)
        sentences = " ".join(word + "." * (numbers.random() < 0.1) for word in words)
        hour = i // 2 - numbers.choice((0, 0, 0, 0, 0, 3, 30))
        found.append(document(f"{i:03}", sentences, hour))
    return tuple(found)


@functools.cache
def truth(seed: int, threshold: str, policy: str = "mark") -> list[Any]:
    return without_candidates(ReferenceWindow(threshold=threshold, policy=policy).ingest(stream(seed)))


def in_parts(place: Place, name: str, documents, **settings: Any) -> list[Any]:
    """Verdicts on the documents, with the window opened again twice on the way."""
    window = place.open(name, **settings)
    verdicts: list[Any] = []
    third = len(documents) // 3
    for part in (documents[:third], documents[third : 2 * third], documents[2 * third :]):
        verdicts += window.ingest(part)
        window = place.reopened(window, name, **settings)
    return verdicts


# -- what is found --


@pytest.mark.parametrize("threshold", ["0.3", "0.5", "0.7", "0.9", "1"])
def test_complete_finds_everything(directory, threshold):
    for seed in range(2):
        verdicts = in_parts(directory, f"{seed}", stream(seed), threshold=threshold, retrieval="complete")
        assert without_candidates(verdicts) == truth(seed, threshold)


@pytest.mark.parametrize("threshold", ["0.5", "0.7", "0.9"])
def test_sketch_finds_nothing_that_is_not_there_and_nearly_all_that_is(directory, threshold):
    found = missed = 0
    for seed in range(2):
        verdicts = in_parts(directory, f"{seed}", stream(seed), threshold=threshold)
        for verdict, true in zip(verdicts, truth(seed, threshold), strict=True):
            assert set(verdict.matches) <= set(true.matches)
            found += len(verdict.matches)
            missed += len(true.matches) - len(verdict.matches)
    assert found > 50
    assert missed <= found / 200


@pytest.mark.parametrize("policy", ["drop", "route"])
def test_complete_finds_everything_under_every_policy(directory, policy):
    verdicts = in_parts(directory, "w", stream(0), policy=policy, retrieval="complete")
    assert without_candidates(verdicts) == truth(0, "0.7", policy)


@pytest.mark.parametrize(
    "recipe", [Recipe(q=1), Recipe(q=3, fold_case=True), Recipe(q=9), Recipe(sketch_size=64, reach=0.5)]
)
def test_complete_finds_everything_by_every_recipe(directory, recipe):
    verdicts = in_parts(directory, "w", stream(1), recipe=recipe, retrieval="complete")
    reference = ReferenceWindow(recipe=recipe)
    assert without_candidates(verdicts) == without_candidates(reference.ingest(stream(1)))


def test_a_query_at_a_lower_threshold_finds_everything_too(directory):
    window = directory.open(retrieval="complete", threshold="0.9", window_hours=0)
    reference = ReferenceWindow(threshold="0.9", window_hours=0)
    for opened in (window, reference):
        list(opened.ingest(stream(0)))
    for threshold in ("0.95", "0.9", "0.4", "0.1"):
        for item in stream(0)[::9]:
            asked = [opened.query(item.text, threshold=threshold) for opened in (window, reference)]
            assert without_candidates(asked[:1]) == without_candidates(asked[1:])


def test_retrieval_and_threshold_may_change_between_openings(directory):
    """Documents stored for another search are found as well: what it lacks is made from their texts."""
    reference = ReferenceWindow(window_hours=0)
    openings = [
        ("complete", "0.9"), ("complete", "0.5"), ("sketch", "0.5"), ("complete", "0.7"), ("complete", "0.8"),
        ("sketch", "0.9"), ("complete", "0.4"),
    ]  # fmt: skip
    size = len(stream(1)) // len(openings)
    for i, (retrieval, threshold) in enumerate(openings):
        part = stream(1)[i * size : (i + 1) * size]
        reference.threshold = Fraction(threshold)
        expected = without_candidates(reference.ingest(part))
        window = directory.open(retrieval=retrieval, threshold=threshold, window_hours=0)
        verdicts = without_candidates(window.ingest(part))
        assert sum(a != b for a, b in zip(verdicts, expected, strict=True)) <= (retrieval == "sketch")
        directory.close()


# -- what never changes a verdict --


WORKING = [
    {"batch_documents": 1},
    {"batch_documents": 7, "threads": 3},
    {"batch_documents": 1_000},
    {"threads": 2},
]


@pytest.mark.parametrize("settings", [
    {}, {"retrieval": "complete"}, {"policy": "drop"}, {"policy": "route", "threshold": "0.5"},
    {"routes": ("sentences", "simhash"), "threshold": "0.4", "recipe": Recipe(simhash_variants=3)},
    {"routes": ("sentences",), "policy": "drop"}, {"max_candidates": 2}, {"max_documents": 20, "window_hours": 0},
    {"min_shared": 1, "policy": "route", "max_candidates": 2}, {"partial": True, "delta": 0, "max_candidates": 2},
    {"partial": True, "policy": "drop", "containment": "0.3", "max_candidates": 2},
], ids=str)  # fmt: skip
def test_batches_threads_and_openings_change_nothing(directory, settings):
    expected = list(Place("memory", directory.path).open(**settings).ingest(stream(2)))
    assert any(verdict.is_copy for verdict in expected)
    for i, working in enumerate(WORKING):
        assert in_parts(directory, f"{i}", stream(2), **settings, **working) == expected, working


def test_routes_take_nothing_away_and_are_verified(directory):
    plain = in_parts(directory, "plain", stream(0), threshold="0.5")
    routed = in_parts(directory, "routed", stream(0), threshold="0.5", routes=("sentences", "simhash"))
    for one, other, true in zip(plain, routed, truth(0, "0.5"), strict=True):
        assert set(one.matches) <= set(other.matches) <= set(true.matches)
    assert sum(verdict.candidates for verdict in routed) >= sum(verdict.candidates for verdict in plain)


SENTENCE = "Seven grey harbour seals watched twelve fishermen mending nets yesterday"


def partly_alike(count, start=0):
    """Texts with one sentence in common and nothing else."""
    numbers = random.Random(start)
    return [
        Document(f"{start + i}", f"{SENTENCE}. {' '.join(numbers.choices(vocabulary(), k=40))}", START)
        for i in range(count)
    ]


@engines_only
def test_a_sentence_route_finds_what_shares_a_sentence(place):
    window = place.open(routes=("sentences",), threshold="0.1", min_shared=64)
    list(window.ingest(partly_alike(1)))
    window = place.reopened(window)
    [verdict] = window.ingest(partly_alike(1, 100))
    assert (verdict.duplicate_of, verdict.candidates) == ("0", 1)
    window = place.open("without", threshold="0.1", min_shared=64)
    assert [v.duplicate_of for v in window.ingest([*partly_alike(1), *partly_alike(1, 100)])] == [None, None]


@engines_in_turn("settings", [
    {"routes": ("sentences",)}, {"routes": ("simhash",)},
    {"routes": ("sentences", "simhash"), "partial": True},
])  # fmt: skip
def test_stored_documents_are_compared_by_routes_too(place, settings):
    """Their words cannot be made from their normal forms."""
    words = random.Random(0).choices(vocabulary(), k=600)
    texts = (" ".join([f"{SENTENCE}.", *words[:250], *words[250 + i : 280 + i]]) for i in range(310))
    stream = [Document(f"{i:03}", text, START) for i, text in enumerate(texts)]
    # By their sketches none is found.
    settings |= {"threshold": 0.6, "min_shared": 64, "recipe": Recipe(sketch_size=64, simhash_variants=3)}
    window = place.open(**settings)
    verdicts = list(window.ingest(stream))
    assert sum(verdict.is_copy for verdict in verdicts) > 100
    for opened in (False, True):
        window = place.reopened(window, **settings) if opened else window
        for stored in stream[:300:50]:
            by_text = window.query(stored.text, matches=None).matches
            others = [match for match in by_text if match.id != stored.id]
            assert list(window.query(id=stored.id, matches=None).matches) == others
        assert list(window.reconcile()) == []


@engines_in_turn("batch", [1, 8, 64])
def test_a_sentence_of_too_many_documents_finds_none_and_the_dead_do_not_count(place, batch):
    settings = {"routes": ("sentences",), "batch_documents": batch}
    window = place.open(**settings)
    verdicts = list(window.ingest(partly_alike(310)))
    assert [i for i, verdict in enumerate(verdicts) if verdict.truncated] == list(range(301, 310))
    for opened in (False, True):
        for i in range(10):
            assert window.query(f"{SENTENCE}. {SENTENCE.lower()}").truncated is (310 - i - 10 * opened > 300)
            window.delete(f"{i + 10 * opened}")
        window = place.reopened(window, **settings)
