"""What every method of the papers must keep, whatever it computes (the contract in `baselines/base.py`)."""

from __future__ import annotations

import functools
import pickle

import pytest
from testing.baseline_texts import collection

from neardup.baselines.base import KeyIndex
from neardup.baselines.registry import METHODS as REGISTERED
from neardup.baselines.registry import make
from neardup.evaluation.methods import usable

TEXTS = collection()
USABLE = frozenset(usable(["all"])[0])
METHODS = [name for name in REGISTERED if name in USABLE]
"""Those whose library is installed."""
LOSSY = {name for name in METHODS if name.startswith(("MinHash LSH", "LSH"))}
# What holds for one random lexicon and for ten holds for those between.
KINDS = [name for name in METHODS if not any(f"(k=2, lexicons={n}," in name for n in range(2, 10))]
# What is signed for one test is there for the others of that method.
GROUPS = {name: pytest.mark.xdist_group(name) for name in METHODS}
every_method = pytest.mark.parametrize("name", METHODS)
every_kind = pytest.mark.parametrize("name", [pytest.param(name, marks=GROUPS[name]) for name in KINDS])


@functools.cache
def signed(name):
    """The method, which has learned from the texts, their signatures, and the score of each with each."""
    method = make(name)
    method.learn(TEXTS)
    signatures = [method.sign(text) for text in TEXTS]
    return method, signatures, [[method.score(a, b) for b in signatures] for a in signatures]


@every_method
def test_a_method_is_registered_under_its_own_name(name):
    method = make(name)
    assert method.name == name
    assert method.paper


@every_method
def test_thresholds_ascend_within_the_range_of_scores(name):
    thresholds = make(name).thresholds
    assert thresholds
    assert list(thresholds) == sorted(set(thresholds))
    assert all(0 < threshold <= 1 for threshold in thresholds)


@every_kind
def test_scores_are_symmetric_and_between_0_and_1(name):
    _, _, scores = signed(name)
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            assert 0 <= score <= 1
            assert score == scores[j][i]


@every_kind
def test_some_pair_is_a_copy_and_some_is_none(name):
    method, _, scores = signed(name)
    pairs = [scores[i][j] for i in range(len(TEXTS)) for j in range(i)]
    assert max(pairs) >= method.thresholds[-1] > min(pairs)


@every_kind
def test_a_text_is_its_own_copy_unless_it_has_no_feature(name):
    method, signatures, scores = signed(name)
    for i in range(len(TEXTS)):
        assert scores[i][i] in (0, 1)
        if scores[i][i] == 0:
            assert not any(scores[i])
    again = [method.sign(text) for text in TEXTS]
    assert [method.score(a, b) for a, b in zip(signatures, again, strict=True)] == [
        scores[i][i] for i in range(len(TEXTS))
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(name, text, marks=GROUPS[name])
        for name in KINDS
        for text in ("", " \t\n", "?!...")
        if not text or name != "checksum(text)"  # to which they are letters like any other
    ],
)
def test_a_text_without_a_word_is_nobodys_copy(name, text):
    method, signatures, _ = signed(name)
    empty = method.sign(text)
    assert [method.score(empty, other) for other in [*signatures, empty]] == [0] * (len(TEXTS) + 1)


@every_kind
def test_same_is_a_score_at_the_threshold(name):
    method, signatures, scores = signed(name)
    for threshold in method.thresholds:
        for i in range(0, len(TEXTS), 5):
            for j in range(0, len(TEXTS), 3):
                assert method.same(signatures[i], signatures[j], threshold) == (scores[i][j] >= threshold)


@every_kind
def test_copies_share_a_key(name):
    method, signatures, scores = signed(name)
    for threshold in method.thresholds:
        keys = [method.keys(signature, threshold) for signature in signatures]
        if name in LOSSY or any(found is None for found in keys):
            continue
        keys = [set(found) for found in keys]
        for i, row in enumerate(scores):
            for j, score in enumerate(row):
                assert score < threshold or keys[i] & keys[j]


@every_kind
def test_an_index_finds_what_comparing_all_finds(name):
    """Its own, and the one by keys where that is another."""
    method, signatures, scores = signed(name)
    for threshold in {
        method.thresholds[0],
        method.thresholds[len(method.thresholds) // 2],
        method.thresholds[-1],
    }:
        own = method.index(threshold)
        for index in [own] if isinstance(own, KeyIndex) else [own, KeyIndex(method, threshold)]:
            for i, signature in enumerate(signatures):
                found = list(index.matches(signature))
                wanted = {j: score for j, score in enumerate(scores[i][:i]) if score >= threshold}
                assert len(dict(found)) == len(found)
                if name in LOSSY:
                    assert dict(found).items() <= wanted.items()
                else:
                    assert dict(found) == pytest.approx(wanted)
                index.add(signature)


@every_kind
def test_signatures_survive_pickling_and_have_a_size(name):
    method, signatures, scores = signed(name)
    copies = pickle.loads(pickle.dumps(signatures))
    assert [method.score(a, b) for a, b in zip(signatures, copies, strict=True)] == [
        scores[i][i] for i in range(len(TEXTS))
    ]
    assert all(isinstance(method.size(signature), int) for signature in signatures)
    assert max(map(method.size, signatures)) > 0 <= min(map(method.size, signatures))


@every_kind
def test_a_surrogate_is_refused(name):
    method, _, _ = signed(name)
    with pytest.raises(ValueError, match=r"unpaired surrogate U\+D800 at position 1"):
        method.sign("a\ud800")
