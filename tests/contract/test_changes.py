"""Documents that come again, change or go; scoring again in order of time."""

from __future__ import annotations

from itertools import product

import pytest
from testing.effort import LONG
from testing.window.backends import (
    Place,
    document,
    engines_only,
    grams,
    kinds_in_turn,
    summaries,
    without_candidates,
)

import neardup
from neardup.errors import UnknownDocument

A, B, C = grams(0, 10), grams(2, 12), grams(4, 14)


def test_the_same_text_again_changes_nothing_and_gives_the_stored_verdict(place):
    window = place.open()
    stream = [document("a", A), document("b", B, 1), document("c", "", 1), document("d", "x", 2)]
    verdicts = list(window.ingest(stream))
    before = window.stats()
    window = place.reopened(window)
    # Another time, other white space: still the same document.
    again = [document("b", " " + "\n".join(B) + "!", 5), *stream, document("d", "(x)", 2)]
    assert list(window.ingest(again)) == [verdicts[1], *verdicts, verdicts[3]]
    assert window.stats() == before


@engines_only
def test_a_text_with_other_punctuation_under_its_id_keeps_its_verdict_and_is_shown_as_it_came_last(place):
    window = place.open(keep_text=True, show=("title",))
    first, copy = "The dose of the drug is 12.5 mg a day.", "The dose of the drug is 12.5 mg a day!"
    verdicts = list(
        window.ingest([shown("a", first, "old"), shown("b", copy, "copy", 1), shown("c", first, "other", 1)])
    )
    before = window.stats()
    anew = "The dose of the drug is 125 mg a day \U0001f525"
    again = [shown("a", anew, "new", 9), shown("b", copy, "not read", 9), shown("d", first, "last", 2)]
    assert list(window.ingest(again))[:2] == verdicts[:2]
    assert (window.unchanged, window.replaced) == (2, 0)
    assert [match.id for match in window.query(anew).matches] == ["a", "b", "c", "d"]
    for _ in range(2):
        a, b, c, d = window.read(["a", "b", "c", "d"])
        assert (a.text, a.fields["title"], a.time) == (anew, "new", verdicts[0].time)
        assert (b.text, b.fields["title"]) == (copy, "copy")
        assert (c.text, d.text) == (first, first)
        assert [each.verdict for each in (a, b)] == verdicts[:2]
        assert window.stats().documents == before.documents + 1
        window = place.reopened(window)


def test_an_opening_that_keeps_no_texts_takes_none_away(tmp_path):
    for keep_text, text in ((True, "It costs 12.5."), (False, "It costs 125!")):
        with neardup.open(tmp_path / "window", keep_text=keep_text) as window:
            list(window.ingest([document("a", text)]))
            assert [read and read.text for read in window.read(["a"])] == ["It costs 12.5."]


def shown(id, text, title, hour=0):
    return document(id, text, hour)._replace(fields={"title": title})


def test_another_text_replaces_the_old_one_and_is_scored_anew(place):
    window = place.open()
    stream = [
        document("a", A),
        document("b", A, 1),
        document("a", C, 2),
        document("c", A, 3),
        document("d", C, 3),
    ]
    assert summaries(window.ingest(stream)) == [
        ("a", "unique", None, "a"), ("b", "exact", "a", "a"), ("a", "unique", None, "a"),
        ("c", "exact", "b", "b"), ("d", "exact", "a", "a"),
    ]  # fmt: skip
    window = place.reopened(window)
    assert window.stats().documents == 4
    assert [match.id for match in window.query(A).matches] == ["b", "c"]


def test_a_replaced_document_is_not_its_own_copy(place):
    window = place.open()
    assert (
        summaries(window.ingest([document("a", A), document("a", B, 1), document("a", A, 2)]))
        == [("a", "unique", None, "a")] * 3
    )


def test_a_document_that_comes_again_is_no_copy_of_its_own_copies(place):
    window = place.open()
    first = [document("a", A), document("b", A, 1), document("c", B, 1), document("other", grams(50, 60), 1)]
    assert summaries(window.ingest(first))[1:3] == [("b", "exact", "a", "a"), ("c", "near", "a", "a")]
    for corrected in (B, grams(1, 11), A):
        window = place.reopened(window)
        (verdict,) = window.ingest([document("a", corrected)])
        assert (verdict.status, verdict.duplicate_of, verdict.group) == ("unique", None, "a")
        assert (verdict.matches, verdict.matches_total) == ((), 0)
        assert sorted(match.id for match in window.query(id="a").matches) == ["b", "c"]
    copies = [document("d", A, 3), document("b", B, 3), document("c", grams(0, 12), 3)]
    assert summaries(window.ingest(copies)) == [
        ("d", "exact", "a", "a"), ("b", "exact", "c", "c"), ("c", "near", "a", "a"),
    ]  # fmt: skip
    assert summaries(window.ingest([document("a", grams(50, 60), 4)])) == [("a", "exact", "other", "other")]


def test_a_document_that_comes_again_is_no_copy_of_the_copies_of_its_copies(place):
    """They joined a copy that stood for it while it was gone; each named another, in a circle."""
    window = place.open(window_hours=48)
    stream = [document("x", A), document("y", A, 25), document("z", A, 51), document("w", A, 52)]
    assert summaries(window.ingest(stream)) == [
        ("x", "unique", None, "x"), ("y", "exact", "x", "x"), ("z", "exact", "y", "y"), ("w", "exact", "y", "y"),
    ]  # fmt: skip
    for text in (A, B, A):
        window = place.reopened(window)
        assert summaries(window.ingest([document("x", text, 53)])) == [("x", "unique", None, "x")]
    window.delete("y")  # the chain from z to x ends there
    assert summaries(window.ingest([document("x", B, 53)])) == [("x", "near", "z", "z")]


@pytest.mark.parametrize("policy", ["mark", "route"])
def test_a_document_that_comes_again_is_no_copy_of_a_copy_that_heads_a_group_of_its_own(place, policy):
    """Each named another, in a circle: whoever drops copies had none of them."""
    window = place.open(policy=policy)
    chain = [document("x", A), document("y", B, 1), document("z", C, 2)]
    if policy == "route":  # copies that are set aside are copies for nobody
        assert summaries(window.ingest(chain))[2] == ("z", "unique", None, "z")
        return
    assert summaries(window.ingest(chain))[1:] == [("y", "near", "x", "x"), ("z", "near", "y", "z")]
    for text in (grams(5, 15), A, C):
        window = place.reopened(window)
        assert summaries(window.ingest([document("x", text)])) == [("x", "unique", None, "x")]
    assert summaries(window.ingest([document("w", grams(6, 16), 3)])) == [("w", "near", "x", "x")]


def test_a_document_that_comes_again_is_no_copy_of_what_names_it_by_way_of_other_new_versions(place):
    window = place.open()
    pairs = [
        document("a", A),
        document("b", A, 1),
        document("c", grams(50, 60), 1),
        document("d", grams(51, 61), 2),
    ]
    assert summaries(window.ingest(pairs))[1::2] == [("b", "exact", "a", "a"), ("d", "near", "c", "c")]
    window = place.reopened(window)
    # b names a, which is a copy of a copy of c now. So c, as a copy of b, would close a circle.
    anew = [document("a", grams(52, 62), 3), document("c", A, 3)]
    assert summaries(window.ingest(anew)) == [("a", "near", "d", "c"), ("c", "unique", None, "c")]


def test_a_document_that_comes_too_late_leaves_the_stored_one_of_its_id(place):
    window = place.open(window_hours=2)
    list(window.ingest([document("a", B, 4), document("b", A, 5), document("far", "x", 6)]))
    before = window.get("b")
    late = [document("new", grams(50, 60), 3), document("b", C, 3), document("a", A, 3), document("c", A, 3)]
    verdicts = list(window.ingest(late))
    assert summaries(verdicts) == [
        ("new", "unique", None, "new"), ("b", "near", "a", "a"), ("a", "unique", None, "a"), ("c", "exact", "b", "a"),
    ]  # fmt: skip
    assert (window.too_late, window.replaced) == (4, 0)
    window = place.reopened(window)
    assert window.get("b") == before
    assert sorted(window) == ["a", "b", "far"]
    assert [match.id for match in window.query(B).matches] == ["a", "b"]


def test_a_document_whose_copies_outlived_it_is_none_of_them(place):
    window = place.open(window_hours=2)
    list(window.ingest([document("a", A), document("b", A, 2), document("far", "x", 3)]))
    assert window.get("a") is None
    for _ in range(2):
        window = place.reopened(window)
        assert summaries(window.ingest([document("a", B, 3), document("c", A, 3)])) == [
            ("a", "unique", None, "a"), ("c", "exact", "b", "b"),
        ]  # fmt: skip
    # In order of time the copy came first, and its original is gone.
    assert summaries(window.reconcile()) == [("b", "unique", None, "b"), ("a", "near", "b", "b")]
    assert list(window.reconcile()) == []


@pytest.mark.parametrize("copies", [70, 1_100])
def test_a_document_that_very_many_have_copied_is_no_copy_of_them(place, copies):
    if copies > 100 and place.kind == "elasticsearch":
        pytest.skip("the other windows show it sooner")
    window = place.open()
    list(window.ingest([document("a", A), *(document(f"b{i}", A, 1) for i in range(copies))]))
    for corrected in (B, A):
        verdict, new = window.ingest([document("a", corrected), document("c", A, 2)])
        assert (verdict.status, verdict.matches_total) == ("unique", 0)
        assert (new.status, new.matches_total >= copies) == ("exact", True)
        window.delete("c")
        window = place.reopened(window)


def test_the_verdict_on_a_copy_does_not_change_with_its_original(place):
    window = place.open()
    verdicts = list(window.ingest([document("a", A), document("b", A, 1)]))
    list(window.ingest([document("a", C, 2)]))
    window.delete("a")
    window = place.reopened(window)
    assert list(window.ingest([document("b", A, 1)])) == verdicts[1:]


def test_a_deleted_document_is_found_no_more(place):
    window = place.open()
    list(window.ingest([document("a", A), document("b", B, 1)]))
    assert window.delete("a") is True
    assert window.delete("a") is False
    assert window.delete("never") is False
    window = place.reopened(window)
    assert window.delete("a") is False
    assert summaries(window.ingest([document("a", A, 2)])) == [("a", "unique", None, "a")]
    window.delete("a")
    with pytest.raises(UnknownDocument, match="no document 'a'"):
        window.query(id="a")


def test_after_everything_is_deleted_the_window_is_as_new(place):
    window = place.open()
    for _ in range(3):
        verdicts = list(window.ingest([document("a", A), document("b", A)]))
        assert summaries(verdicts) == [("a", "unique", None, "a"), ("b", "exact", "a", "a")]
        assert window.delete("a")
        assert window.delete("b")
        window = place.reopened(window)
        assert (window.stats().documents, window.stats().hours) == (0, {})


@pytest.mark.parametrize("bytes_at_once", [1, 30, 16_000_000])
def test_many_are_deleted_whatever_goes_at_once(place, bytes_at_once, monkeypatch):
    monkeypatch.setattr("neardup.window.leaving._BYTES_AT_ONCE", bytes_at_once)
    window = place.open(batch_documents=3)
    ids = [str(number) for number in range(8)]
    list(window.ingest(document(id, B if id == "7" else A) for id in ids))
    assert window.delete_many(["nobody", *ids[6::-1], "3", "no", "nobody"]) == ["nobody", "no"]
    window = place.reopened(window)
    assert list(window) == ["7"]
    assert window.delete_many([]) == []
    assert window.delete_many(iter(ids)) == ids[:7]
    assert list(window) == []


@engines_only
def test_one_id_is_no_list_of_ids(place):
    window = place.open()
    list(window.ingest([document("a", A), document("b", B)]))
    with pytest.raises(TypeError, match="delete_many takes ids, not one"):
        window.delete_many("ab")
    with pytest.raises(TypeError, match="pass one id at a time"):
        window.delete_many(["a", ["b"]])
    assert list(window) == ["a", "b"]


# -- reconcile --


def test_reconcile_changes_nothing_of_a_stream_in_order(place):
    window = place.open()
    stream = [document(f"{i:02}", grams(i * 7 % 20, i * 7 % 20 + 10), i // 3) for i in range(40)]
    verdicts = list(window.ingest(stream))
    assert list(window.reconcile()) == []
    window = place.reopened(window)
    assert list(window.ingest(stream)) == verdicts


@pytest.mark.parametrize("policy", ["mark", "route"])
def test_reconcile_turns_a_late_original_round(place, policy):
    window = place.open(policy=policy)
    assert summaries(window.ingest([document("b", A, 5), document("a", A, 3)]))[1] == ("a", "exact", "b", "b")
    changed = list(window.reconcile())
    assert summaries(changed) == [("a", "unique", None, "a"), ("b", "exact", "a", "a")]
    window = place.reopened(window)
    assert list(window.reconcile()) == []
    assert [(g.head, [m.id for m in g.members]) for g in window.groups()] == [("a", ["b"])]
    assert without_candidates(window.ingest([document("b", A, 5)])) == without_candidates(changed[1:])
    [verdict] = window.ingest([document("new", A, 6)])
    assert [match.id for match in verdict.matches] == (["a", "b"] if policy == "mark" else ["a"])


@kinds_in_turn("seed, policy", product(range(5 if LONG else 3), ["mark", "route"]))
def test_reconcile_makes_any_order_the_order_of_time(place, policy, seed):
    import random

    stream = [document(f"{i:02}", grams(i * 7 % 23, i * 7 % 23 + 10), i // 2) for i in range(30)]
    expected = Place("reference", place.path).open(policy=policy)
    in_order = without_candidates(expected.ingest(stream))
    window = place.open(policy=policy)
    mixed = random.Random(seed).sample(stream, len(stream))
    list(window.ingest(mixed))
    list(window.reconcile())
    window = place.reopened(window)
    assert without_candidates(window.ingest(stream)) == in_order
    assert list(window.groups()) == list(expected.groups())


def test_reconcile_keeps_what_was_known_of_an_original_that_expired(place):
    window = place.open()
    verdicts = list(window.ingest([document("a", A, 0), document("b", A, 20), document("c", "", 30)]))
    assert list(window.reconcile()) == []
    window = place.reopened(window)
    assert list(window.ingest([document("b", A, 20)])) == [verdicts[1]]


def test_reconcile_scores_a_copy_anew_if_its_original_was_deleted(place):
    window = place.open()
    list(window.ingest([document("a", A, 0), document("b", A, 1), document("c", A, 2)]))
    window.delete("a")
    assert summaries(window.reconcile()) == [("b", "unique", None, "b"), ("c", "exact", "b", "b")]


def test_reconcile_scores_a_copy_anew_whose_original_was_deleted_from_the_oldest_hour(place):
    """An hour of which it might have gone had it been dropped, but that is the one before."""
    window = place.open(window_hours=2)
    list(window.ingest([document("a", A, 0), document("b", A, 1), document("c", C, 2)]))
    window.delete("a")
    assert summaries(window.reconcile()) == [("b", "unique", None, "b")]


def test_reconcile_moves_a_member_to_the_document_that_now_bears_its_heads_id(place):
    # The verdict reads the same before and after; the group behind the name does not.
    window = place.open()
    list(window.ingest([document("h", A, 0), document("d", B, 2), document("h", "\u4e02" + A[1:], 1)]))
    assert list(window.reconcile()) == []
    window = place.reopened(window)
    assert [(g.head, g.time[11:13], [m.id for m in g.members]) for g in window.groups()] == [
        ("h", "13", ["d"])
    ]
    assert summaries(window.ingest([document("e", C, 3)])) == [("e", "near", "d", "e")]


def test_reconcile_after_the_policy_was_changed(directory):
    window = directory.open()
    verdicts = list(window.ingest([document("a", A, 0), document("b", A, 20), document("c", "", 30)]))
    window = directory.reopened(window, policy="route")
    assert list(window.reconcile()) == []
    assert window.query(A).status == "unique"
    groups = list(window.groups())
    assert [(group.head, group.members[0].id) for group in groups] == [("a", "b")]
    window = directory.reopened(window, policy="mark")
    assert list(window.ingest([document("b", A, 20)])) == [verdicts[1]]
    assert list(window.groups()) == groups
    assert list(window.reconcile()) == []
    assert window.query(A).duplicate_of == "b"
    window = directory.reopened(window)
    assert list(window.groups()) == groups


@engines_only
@pytest.mark.parametrize("chosen", [{}, {"partial": True}, {"retrieval": "complete"}], ids=str)
def test_what_is_not_compared_takes_no_place_among_the_candidates(place, chosen):
    """A document itself, and to reconcile those that come after it."""
    window = place.open(max_candidates=1, **chosen)
    list(window.ingest([document("b", A, 2), document("a", A, 1)]))
    assert window.query(id="b").duplicate_of == "a"
    assert [(verdict.id, verdict.duplicate_of) for verdict in window.reconcile()] == [
        ("a", None),
        ("b", "a"),
    ]
    assert list(window.reconcile()) == []


def test_reconcile_compares_with_what_it_puts_back_on_the_way(directory):
    window = directory.open(policy="route")
    list(window.ingest([document("a", A, 0), document("b", A, 20), document("c", "", 30)]))
    assert [verdict.status for verdict in window.ingest([document("d", A, 31)])] == ["unique"]
    window = directory.reopened(window, policy="mark")  # "b" outlived its original, and was set aside
    assert [(verdict.id, verdict.duplicate_of) for verdict in window.reconcile()] == [("d", "b")]
    assert list(window.reconcile()) == []


def test_what_reconcile_does_not_tell_stays_as_it_was_told(place):
    """A copy that another policy sets aside is written again; what was given up since is no part of its verdict."""
    window = place.open(max_documents=3)
    stream = [
        document("x", grams(0, 30)),
        document("a", grams(100, 130), 1),
        document("b", grams(100, 130), 1),
    ]
    list(window.ingest([*stream, document("c", grams(200, 230), 2)]))
    told = window.get("b")
    window = place.reopened(window, max_documents=3, policy="route")
    assert (told.duplicate_of, told.truncated, list(window)) == ("a", False, ["a", "b", "c"])
    assert list(window.reconcile()) == []
    assert window.get("b") == told


def test_reconcile_after_the_threshold_was_changed(directory):
    window = directory.open(threshold="0.9", retrieval="complete")
    list(window.ingest([document("a", A, 0), document("b", B, 1)]))
    window = directory.reopened(window, threshold="0.7")
    assert summaries(window.reconcile()) == [("b", "near", "a", "a")]
    window = directory.reopened(window, threshold="0.9")
    assert summaries(window.reconcile()) == [("b", "unique", None, "b")]


@pytest.mark.parametrize(
    "place", ["directory", pytest.param("elasticsearch", marks=pytest.mark.node)], indirect=True
)
class TestAnotherThreshold:
    """Of a window that lasts: what its verdicts were made by is remembered, until all are by one threshold again."""

    def test_it_is_told_and_reconcile_brings_all_to_it(self, place, caplog):
        window = place.open(threshold="0.7", retrieval="complete")
        assert summaries(window.ingest([document("a", A), document("b", B, 1)]))[1] == ("b", "near", "a", "a")
        assert (window.stats().threshold, window.stats().mixed) == ("0.7", {})
        window = place.reopened(window, threshold="0.9")
        assert "written with" not in caplog.text
        assert summaries(window.ingest([document("c", C, 2)])) == [("c", "unique", None, "c")]
        assert "this window was written with threshold 0.7, and now is with threshold 0.9" in caplog.text
        assert "`neardup reconcile --threshold 0.9` applies the new settings to them" in caplog.text
        caplog.clear()
        list(window.ingest([document("d", C, 2)]))
        assert "written with" not in caplog.text
        window = place.reopened(window)
        assert (window.stats().threshold, window.stats().mixed) == ("0.9", {"threshold": ["0.7"]})
        assert summaries(window.reconcile()) == [("b", "unique", None, "b")]
        assert (window.stats().threshold, window.stats().mixed) == ("0.9", {})
        window = place.reopened(window)
        assert (window.stats().threshold, window.stats().mixed) == ("0.9", {})
        assert window.stats().copies == 1

    def test_and_back_again(self, place):
        window = place.open(threshold="0.7")
        list(window.ingest([document("a", A)]))
        window = place.reopened(window, threshold="0.9")
        list(window.ingest([document("b", B, 1)]))
        window = place.reopened(window, threshold="0.70")
        list(window.ingest([document("c", C, 2)]))
        assert (window.stats().threshold, window.stats().mixed) == ("0.70", {"threshold": ["0.9"]})

    def test_so_is_from_where_on_a_copy_is_partial(self, place, caplog):
        window = place.open(partial=True)
        list(window.ingest([document("a", A)]))
        window = place.reopened(window, containment="0.80", delta=1)
        assert window.stats().mixed == {}
        window = place.reopened(window, containment="0.9")
        list(window.ingest([document("b", B, 1)]))
        now = (
            "this window was written with partial yes, and now is with partial yes (containment 0.9, delta 1)"
        )
        assert now in caplog.text
        assert window.stats().mixed == {"partial": ["yes"]}
        window = place.reopened(window, partial=False)
        list(window.ingest([document("c", C, 2)]))
        assert window.stats().mixed == {"partial": ["yes", "yes (containment 0.9, delta 1)"]}
        window = place.reopened(window, partial=True, containment="0.80")
        list(window.reconcile())
        assert window.stats().mixed == {}

    def test_reconcile_forgets_a_copy_below_it_whose_original_has_expired(self, place):
        window = place.open(threshold="0.7")
        list(
            window.ingest(
                [document("a", A), document("b", B, 20), document("c", A, 20), document("d", "", 30)]
            )
        )
        window = place.reopened(window, threshold="0.9")
        assert summaries(window.reconcile()) == [("b", "unique", None, "b")]

    def test_a_window_without_documents_has_nothing_to_bring(self, place, caplog):
        window = place.open(threshold="0.7")
        window = place.reopened(window, threshold="0.9")
        list(window.ingest([document("a", A)]))
        assert "written with" not in caplog.text
        assert (window.stats().threshold, window.stats().mixed) == ("0.9", {})
