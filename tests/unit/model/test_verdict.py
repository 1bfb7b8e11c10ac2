"""The rule that makes a verdict, in whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neardup.model.settings import exact_threshold
from neardup.model.verdict import (
    Group,
    Match,
    Member,
    Overlap,
    Part,
    PartialMatch,
    Verdict,
    best_first,
    largest_first,
    required_overlap,
)

THRESHOLDS = st.decimals("0.000001", "1", places=6)


@given(THRESHOLDS, st.integers(0, 10_000_000))
def test_required_overlap_is_the_smallest_that_reaches_the_threshold(threshold, larger):
    exact = exact_threshold(threshold)
    needed = required_overlap(exact, larger)
    assert needed == math.ceil(exact * larger)
    if larger:
        assert Fraction(needed, larger) >= exact
        assert needed == 0 or Fraction(needed - 1, larger) < exact


@pytest.mark.parametrize(("threshold", "larger", "needed"), [
    (0.7, 10, 7), (0.7, 100, 70), ("0.7", 30, 21), (0.1, 30, 3), (0.3, 10, 3), (0.6, 5, 3), (1, 9, 9), (1.0, 0, 0),
])  # fmt: skip
def test_no_rounding_of_floats_gets_in(threshold, larger, needed):
    # 0.7 * 10 and 0.1 * 30 are above the whole number in floats, 0.6 * 5 is not.
    assert required_overlap(exact_threshold(threshold), larger) == needed


LARGEST = 10_000_000
PAIRS = st.tuples(st.integers(0, LARGEST), st.integers(1, LARGEST)).filter(lambda pair: pair[0] <= pair[1])


@given(PAIRS, PAIRS)
@example((LARGEST - 2, LARGEST - 1), (LARGEST - 1, LARGEST))
def test_scores_order_as_fractions_do(one, other):
    overlaps = [
        Overlap(number, "a", 5 - number, shared, larger, False)
        for number, (shared, larger) in enumerate((one, other))
    ]
    exact = sorted(overlaps, key=lambda o: (-Fraction(o.shared, o.larger), o.time))
    assert best_first(overlaps) == exact


def test_best_is_score_then_time_then_id():
    exact = Overlap(9, "x", 9, 0, 0, True)
    overlaps = [
        Overlap(0, "b", 1, 8, 10, False), Overlap(1, "a", 1, 4, 5, False), Overlap(2, "c", 0, 8, 10, False),
        Overlap(3, "d", 0, 9, 10, False), exact,
    ]  # fmt: skip
    assert [overlap.id for overlap in best_first(overlaps)] == ["x", "d", "c", "a", "b"]
    assert exact.score == 1.0


def test_parts_are_ordered_by_what_is_shared_then_time_then_id():
    parts = [
        Part(0, "b", 1, 8, 20, 10, 1), Part(1, "a", 1, 8, 20, 9, 5), Part(2, "c", 0, 8, 20, 20, 1),
        Part(3, "d", 9, 9, 20, 20, 1),
    ]  # fmt: skip
    assert [part.id for part in largest_first(parts)] == ["d", "c", "a", "b"]
    assert parts[0].match == PartialMatch("b", 0.4, 0.8, 8, 1)


def test_json_of_a_verdict_and_a_group():
    verdict = Verdict("ä", "t", "near", "b", 2 / 3, 2, "b", 5, True, (Match("b", 2 / 3, 2),), 1)
    assert verdict.is_copy
    assert orjson.loads(verdict.to_json()) == verdict.to_dict() | {"score": 0.6666666666666666}
    assert list(verdict.to_dict()) == list(Verdict._fields)[:-4]
    part = PartialMatch("c", 0.25, 0.5, 7, 2)
    asked = verdict._replace(
        partial=(part,), partial_total=1, kind="copy", differing=("12.5", "125")
    ).to_dict()
    assert list(asked) == list(Verdict._fields)
    assert asked["partial"] == [{"id": "c", "share": 0.25, "containment": 0.5, "shared": 7, "sentences": 2}]
    assert verdict._replace(partial=()).to_dict()["partial"] == []
    assert verdict._replace(id='"\n\x00').to_json().count(b"\n") == 0
    group = Group("h", "t", (Member("m", "t", None, None, "n", 0.75),))
    assert group.to_dict() == {
        "head": "h", "time": "t", "members": [
            {"id": "m", "time": "t", "score": None, "shared": None, "duplicate_of": "n", "duplicate_score": 0.75},
        ], "head_is_there": True,
    }  # fmt: skip
    assert (group.size, group._replace(head_is_there=False).size) == (2, 1)
