"""From overlaps to a verdict."""

from __future__ import annotations

import pytest

from neardup.model.decision import NO_MATCHES, Compared, decide, ranked
from neardup.model.verdict import Match, Overlap, Part

NEAR = Overlap(1, "near", 50, 8, 10, False)
BETTER = Overlap(2, "better", 60, 9, 10, False)
EXACT = Overlap(3, "exact", 70, 10, 10, True)


def verdict(*overlaps, heads=(), listed=None, parts=None, **known):
    """The verdict on a document; `parts`: None: they were not looked for."""
    matches = ranked(overlaps, lambda match: match.id in heads, listed)
    compared = Compared(7, matches, parts or [], truncated=True)
    return decide("new", 1_000, compared, **{"empty": False, **known}, parts=parts is not None, listed=listed)


@pytest.mark.parametrize(("overlaps", "status", "best"), [
    ((NEAR,), "near", NEAR), ((NEAR, BETTER), "near", BETTER), ((NEAR, EXACT, BETTER), "exact", EXACT),
])  # fmt: skip
def test_the_best_match_is_what_it_is_a_duplicate_of(overlaps, status, best):
    found = verdict(*overlaps)
    assert (found.status, found.duplicate_of, found.score, found.shared) == (
        status,
        best.id,
        best.score,
        best.shared,
    )
    assert (found.id, found.time, found.candidates, found.truncated) == (
        "new",
        "1970-01-01T00:00:01Z",
        7,
        True,
    )


def test_matches_are_listed_best_first():
    assert [match.id for match in verdict(NEAR, EXACT, BETTER).matches] == ["exact", "better", "near"]
    assert verdict(NEAR, EXACT, listed=1).matches == (Match("exact", 1.0, 10),)
    assert verdict(NEAR, EXACT, listed=0).matches == ()
    assert [verdict(NEAR, EXACT, listed=listed).matches_total for listed in (None, 1, 0)] == [2, 2, 2]


@pytest.mark.parametrize(("heads", "group"), [
    ((), "new"), (("near",), "near"), (("near", "better"), "better"), (("exact", "near"), "exact"),
])  # fmt: skip
def test_it_joins_the_best_match_that_heads_a_group_or_heads_its_own(heads, group):
    assert verdict(NEAR, EXACT, BETTER, heads=heads).group == group


def test_heads_are_asked_for_no_longer_than_needed():
    asked: list[str] = []

    def stands(match):
        asked.append(match.id)
        return match is BETTER

    assert ranked([NEAR, EXACT, BETTER], stands, 1) == (EXACT, BETTER, 3, (("exact", 1.0, 10),))
    assert asked == ["exact", "better"]


@pytest.mark.parametrize(("listed", "named"), [(None, 3), (0, 0), (1, 1), (2, 2), (9, 3)])
def test_the_best_match_is_kept_however_few_are_listed(listed, named):
    matches = ranked([NEAR, EXACT, BETTER], lambda _: False, listed)
    assert matches[:3] == (EXACT, None, 3)
    assert [match.id for match in matches.listed] == ["exact", "better", "near"][:named]
    assert ranked([], lambda _: True, listed) == NO_MATCHES


@pytest.mark.parametrize(("empty", "comparable", "status"), [
    (False, True, "unique"), (True, True, "empty"), (True, False, "empty"), (False, False, "unscored"),
])  # fmt: skip
def test_alone_it_heads_a_group_of_its_own(empty, comparable, status):
    compared = Compared(3, NO_MATCHES, [])
    found = decide("a", 0, compared, empty=empty, comparable=comparable, parts=False, listed=None)
    assert found.to_dict() == {
        "id": "a", "time": "1970-01-01T00:00:00Z", "status": status, "duplicate_of": None, "score": None,
        "shared": None, "group": "a", "candidates": 3, "truncated": False, "matches": [],
        "matches_total": 0,
    }  # fmt: skip
    assert not found.is_copy


PARTS = [Part(1, "less", 50, 3, 10, 5, 1), Part(2, "more", 60, 4, 10, 8, 2)]


def test_parts_make_a_partial_copy_of_what_is_no_copy_as_a_whole():
    found = verdict(parts=PARTS)
    assert (found.status, found.duplicate_of, found.group, found.is_copy) == ("partial", None, "new", False)
    assert [part.id for part in found.partial or ()] == ["more", "less"]
    one = verdict(parts=PARTS, listed=1)
    assert [part.id for part in one.partial or ()] == ["more"]
    totals = [verdict(parts=PARTS, listed=listed).partial_total for listed in (None, 1, 0)]
    assert totals == [2, 2, 2]
    assert verdict(parts=[]) == verdict()._replace(partial=(), partial_total=0)
    near = verdict(NEAR, parts=PARTS)
    assert (near.status, near.duplicate_of, len(near.partial or ())) == ("near", "near", 2)


@pytest.mark.parametrize(
    ("changes", "status"), [({"empty": True}, "empty"), ({"comparable": False}, "unscored")]
)
def test_what_could_not_be_compared_is_no_partial_copy(changes, status):
    assert verdict(parts=PARTS, **changes).status == status
