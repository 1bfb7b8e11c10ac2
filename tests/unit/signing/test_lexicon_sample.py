"""A lexicon's sample: repeatable, of the size asked for, from the whole stream."""

from __future__ import annotations

import pickle

import pytest

from neardup.signing.lexicon_sample import EmptySample, lexicon_of, sampled


def test_all_of_a_small_stream_is_taken():
    assert sampled(["a", "b"], 5) == (["a", "b"], 2)


def test_a_sample_is_repeatable_and_comes_from_the_whole_stream():
    texts = [str(i) for i in range(10_000)]
    drawn, seen = sampled(texts, 200)
    assert (drawn, seen) == sampled(texts, 200)
    assert seen == 10_000
    assert len(set(drawn)) == 200
    thirds = [sum(low <= int(text) < low + 3_334 for text in drawn) for low in (0, 3_334, 6_668)]
    assert min(thirds) > 40


def test_of_no_text_no_lexicon_is_made():
    with pytest.raises(
        EmptySample, match="lexicon own: there is no document to build it from: give files"
    ) as caught:
        lexicon_of([], name="own")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
