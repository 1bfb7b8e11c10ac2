"""What is kept of a copy: mark, drop, route."""

from __future__ import annotations

import pytest
from testing.window.backends import document, grams, summaries

TEXT = grams(0, 10)
STREAM = [
    document("a", TEXT, 0), document("b", TEXT, 1), document("c", grams(2, 12), 2), document("d", grams(4, 14), 3),
    document("e", "", 4), document("f", "...", 4),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "status", "kept", "copies"), [
    ("mark", "near", "abcdef", 3),
    ("drop", "unique", "adef", 0),
    ("route", "unique", "abcdef", 2),
])  # fmt: skip
def test_what_is_kept_and_found(place, policy, status, kept, copies):
    window = place.open(policy=policy)
    verdicts = list(window.ingest(STREAM))
    assert summaries(verdicts)[:3] == [
        ("a", "unique", None, "a"),
        ("b", "exact", "a", "a"),
        ("c", "near", "a", "a"),
    ]
    assert verdicts[3].status == status  # of c, which is searched only if copies are marked
    window = place.reopened(window)
    stats = window.stats()
    assert (stats.documents, stats.copies, stats.policy) == (len(kept), copies, policy)
    assert [id for id in "abcdef" if window.delete(id)] == list(kept)


def test_a_dropped_copy_is_scored_again_and_dropped_again(place):
    window = place.open(policy="drop")
    first = summaries(window.ingest(STREAM[:3]))
    window = place.reopened(window)
    assert summaries(window.ingest(STREAM[:3])) == first
    assert window.stats().documents == 1


def test_a_copy_of_a_dropped_text_is_new_once_the_original_has_gone(place):
    window = place.open(policy="drop")
    list(window.ingest(STREAM[:2]))
    window.delete("a")
    assert summaries(window.ingest([document("x", TEXT, 3)])) == [("x", "unique", None, "x")]


def test_a_routed_copy_keeps_its_verdict_and_its_group_but_is_not_searched(place):
    window = place.open(policy="route")
    verdicts = list(window.ingest(STREAM[:3]))
    window = place.reopened(window)
    assert list(window.ingest(STREAM[:3])) == verdicts
    assert [(g.head, [m.id for m in g.members]) for g in window.groups()] == [("a", ["b", "c"])]
    assert [match.id for match in window.query(TEXT).matches] == ["a"]
    assert window.query(id="c").duplicate_of == "a"


@pytest.mark.parametrize("policy", ["drop", "route"])
def test_copies_of_copies_in_one_batch(place, policy):
    # Every second matches the one before it; the first is kept, the second is not, so that the third is new again.
    window = place.open(policy=policy)
    verdicts = list(window.ingest(document(f"{i}", grams(2 * i, 2 * i + 10), i) for i in range(8)))
    assert [verdict.status for verdict in verdicts] == ["unique", "near"] * 4


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
@pytest.mark.parametrize(("before", "after"), [("mark", "route"), ("route", "mark"), ("mark", "drop")])
def test_the_policy_may_change_between_openings(directory, retrieval, before, after):
    window = directory.open(policy=before, retrieval=retrieval)
    verdicts = list(window.ingest(STREAM))
    window = directory.reopened(window, policy=after)
    assert list(window.ingest(STREAM)) == verdicts
    assert window.stats().policy == after
    [verdict] = window.ingest([document("new", TEXT, 5)])
    found = {"mark": ["a", "b", "c"], "route": ["a"]}[before]
    assert [match.id for match in verdict.matches] == found
    assert (window.query(id="new").id if after != "drop" else "new") == "new"
