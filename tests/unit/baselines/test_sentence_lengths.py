"""Sentence lengths: the paper's own feature strings, its equations, and a matcher that looks at every place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.baselines.sentence_lengths import (
    LengthIndex,
    LengthMatch,
    SentenceLengths,
    feature_string,
    least_matching_length,
    positions,
    vectors,
)

STRING = st.lists(st.integers(1, 3), max_size=24).map(tuple)
COUNTING = tuple(range(10))


def text_of(string):
    return " ".join(" ".join(["word"] * length) + "." for length in string)


def longest_match(a, b):
    """The most sentences in a row that two feature strings share, by trying every pair of places."""
    return max(
        (
            length
            for i in range(len(a))
            for j in range(len(b))
            for length in range(1, min(len(a) - i, len(b) - j) + 1)
            if a[i : i + length] == b[j : j + length]
        ),
        default=0,
    )


# -- feature strings --


@pytest.mark.parametrize(("text", "expected"), [
    ("", ()),
    ("...!", ()),
    ("One two three", (3,)),
    ("It is so. Is it? Yes!", (3, 2, 1)),
    ("Pi is 3.14 or so. ", (3, 3)),
    ("One, two; three: four.", (4,)),
    ("你好。再见！", (2, 2)),
    ("A line\nbreak ends  nothing.\n\nNor this one.", (5, 3)),
])  # fmt: skip
def test_a_sentence_is_what_lies_between_delimiters(text, expected):
    assert feature_string(text) == expected


def test_delimiters_can_be_chosen():
    assert feature_string("One, two; three: four. Five", ".,;:") == (1, 1, 1, 1, 1)
    assert feature_string("a-b]c^d\\e", "-]^\\") == (1, 1, 1, 1, 1)


def test_the_layout_changes_nothing():
    assert feature_string("It is so.\n   Is\tit?") == feature_string("It is so. Is it?")


def test_an_endless_sentence_counts_as_65535_words():
    assert feature_string("word " * 70_000) == (65_535,)


# -- vectors --


def test_the_papers_first_two_vectors():
    """Section 3.2: [0123456789...] with WS = 4 and SW = 2 gives [0123] and [2345]."""
    assert vectors(COUNTING, 4, 2)[:2] == [(0, 1, 2, 3), (2, 3, 4, 5)]
    assert vectors(COUNTING, 4, 2) == [(0, 1, 2, 3), (2, 3, 4, 5), (4, 5, 6, 7), (6, 7, 8, 9)]


def test_static_jumping_on_both_sides_would_miss_the_papers_pair():
    """Section 3.2: none of [0123], [2345], … matches [1234], [3456], …; so only the indexed text is jumped over."""
    shifted = (*COUNTING[1:], 0)
    assert not set(vectors(COUNTING, 4, 2)) & set(vectors(shifted, 4, 2))
    index = LengthIndex(4, 2)
    index.add(COUNTING)
    assert index.search(shifted) == [LengthMatch(0, 3)]  # [2345], [4567] and [6789]


@pytest.mark.parametrize(("string", "ws", "sw", "expected"), [
    ((1, 2, 3, 4, 5, 6), 3, 1, [0, 1, 2, 3]),
    ((7, 7, 7, 7, 7, 7), 3, 1, [0]),
    ((1, 7, 7, 7, 7, 2), 2, 1, [0, 1, 4]),
    ((1, 7, 7, 2, 2, 3), 2, 1, [0, 1, 2, 3, 4]),
    ((1, 2, 1, 2, 1, 2, 1, 2), 2, 2, [0, 6]),
    ((1, 2, 1, 2, 1, 2, 3, 2), 2, 2, [0, 4, 6]),
    ((1, 2), 3, 1, []),
])  # fmt: skip
def test_dynamic_jumping_leaves_out_what_repeats_on_both_sides(string, ws, sw, expected):
    assert positions(string, ws, sw, dynamic=True) == expected


def test_dynamic_jumping_keeps_an_unrepetitive_text_whole():
    assert positions(COUNTING, 4, 1, dynamic=True) == positions(COUNTING, 4, 1) == list(range(7))


# -- equations --


def test_the_minimum_matching_length():
    """Equation (1), and equation (2) for the two configurations that Table 7 compares."""
    assert least_matching_length(8, 1, 1) == 8
    assert least_matching_length(8, 1, 9) == least_matching_length(16, 2, 1) == 16


@given(a=STRING, b=STRING, ws=st.integers(1, 4), t=st.integers(1, 4))
def test_t_vectors_in_a_row_are_so_many_sentences_in_a_row(a, b, ws, t):
    index = LengthIndex(ws)
    index.add(a)
    assert bool(index.search(b, t)) == (longest_match(a, b) >= least_matching_length(ws, 1, t))


@given(a=STRING, b=STRING, ws=st.integers(1, 4), sw=st.integers(2, 3), t=st.integers(1, 3))
def test_static_jumping_needs_that_length_and_never_more_than_a_step_more(a, b, ws, sw, t):
    ws = max(ws, sw)  # a step wider than the window leaves sentences out
    index = LengthIndex(ws, sw)
    index.add(a)
    longest, least = longest_match(a, b), least_matching_length(ws, sw, t)
    if index.search(b, t):
        assert longest >= least
    if longest >= least + sw - 1:
        assert index.search(b, t)


# -- searching and ranking --


def test_answers_are_ranked_by_the_vectors_they_match():
    query = (5, 3, 9, 2, 7, 4, 6)
    index = LengthIndex(3)
    for string in ((5, 3, 9, 1, 1), (1, 3, 9, 2, 7, 4, 1), (8, 8, 8), (5, 3, 9, 2, 7, 4, 6), (1, 1, 9, 2, 7)):
        index.add(string)
    assert index.search(query) == [LengthMatch(3, 5), LengthMatch(1, 3), LengthMatch(0, 1), LengthMatch(4, 1)]
    assert index.search(query, t=2) == [LengthMatch(3, 5), LengthMatch(1, 3)]
    assert index.search(query, t=4) == [LengthMatch(3, 5)]


def test_matches_that_do_not_lie_in_a_row_do_not_add_up_to_t():
    index = LengthIndex(2)
    index.add((1, 2, 9, 3, 4))
    assert index.search((1, 2, 8, 3, 4), t=1) == [LengthMatch(0, 2)]
    assert index.search((1, 2, 8, 3, 4), t=2) == []
    assert index.search((3, 4, 1, 2), t=2) == []


def test_a_poem_matches_every_poem():
    """Section 5: where every line has seven words, lengths say nothing."""
    index = LengthIndex(8)
    index.add((7,) * 20)
    assert index.search((7,) * 10) == [LengthMatch(0, 13 * 3)]
    jumping = LengthIndex(8, dynamic=True)
    jumping.add((7,) * 20)
    # the first place, and the last one that a next sentence does not lie behind, are all that is left
    assert jumping.records == 1
    assert jumping.search((7,) * 10) == [LengthMatch(0, 3)]


def test_records_are_the_index_number():
    index = LengthIndex(8, 2)
    index.add(tuple(range(20)))
    index.add(tuple(range(7)))
    assert (index.documents, index.records, index.size()) == (2, 7, 7 * 20)


# -- as a method --


def test_a_quoted_passage_is_found_whatever_its_words_are():
    body = (11, 4, 25, 8, 17, 3, 9, 30, 12, 6)
    method = SentenceLengths(ws=8)
    whole = method.sign(text_of((5, 5, *body, 40, 2)))
    quoted = method.sign(text_of((1, *body)).replace("word", "mot"))
    assert method.score(whole, quoted) == method.score(quoted, whole) == 1
    assert method.same(whole, quoted, 1.0)
    other = method.sign(text_of((5, 5, *reversed(body))))
    assert method.score(whole, other) == 0


def test_a_text_too_short_for_t_vectors_has_no_feature():
    method = SentenceLengths(ws=8, sw=2, t=3)
    assert method.sign(text_of(range(1, 12))) == ()
    assert method.score((), ()) == 0
    enough = method.sign(text_of(range(1, 13)))
    assert method.score(enough, enough) == 1


@given(a=STRING, b=STRING, ws=st.integers(1, 3), sw=st.integers(1, 3), dynamic=st.booleans())
def test_matching_texts_share_a_key_and_the_score_is_symmetric(a, b, ws, sw, dynamic):
    method = SentenceLengths(ws, sw, dynamic=dynamic)
    one, other = method.sign(text_of(a)), method.sign(text_of(b))
    assert method.score(one, other) == method.score(other, one)
    if method.score(one, other):
        assert set(method.keys(one, 1.0)) & set(method.keys(other, 1.0))


def test_the_index_of_the_method_finds_the_copy():
    method = SentenceLengths(ws=4, sw=2)
    index = method.index(1.0)
    index.add(method.sign(text_of((1, 2, 3, 4, 5, 6))))
    index.add(method.sign(text_of((6, 5, 4, 3, 2, 1))))
    assert list(index.matches(method.sign(text_of((9, 3, 4, 5, 6, 9))))) == [(0, 1.0)]


def test_size_counts_the_vectors_that_are_indexed():
    assert SentenceLengths(ws=4, sw=2).size(COUNTING) == 4 * (8 + 4)
    assert SentenceLengths(ws=4, dynamic=True).size((7,) * 10) == 1 * (8 + 4)


@pytest.mark.parametrize("wrong", [{"ws": 0}, {"sw": 0}, {"t": 0}])
def test_wrong_parameters_are_named(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name} = {value}"):
        SentenceLengths(**wrong)
