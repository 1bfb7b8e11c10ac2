"""Groups are stars: every member has doc_q >= t with the head itself."""

from __future__ import annotations

import orjson
import pytest
from testing.window.backends import document, grams, summaries

from neardup.model.verdict import Group, Member
from neardup.stores.verdict_payload import VerdictPayload

# Each of these has doc_q 0.8 with its neighbours, 0.6 with the next but one: no duplicate at 0.7.
A, B, C, D = grams(0, 10), grams(2, 12), grams(4, 14), grams(6, 16)


def test_a_copy_of_a_member_heads_a_group_of_its_own(place):
    window = place.open()
    verdicts = list(
        window.ingest([document("a", A), document("b", B, 1), document("c", C, 2), document("d", D, 3)])
    )
    assert summaries(verdicts) == [
        ("a", "unique", None, "a"), ("b", "near", "a", "a"), ("c", "near", "b", "c"), ("d", "near", "c", "c"),
    ]  # fmt: skip
    window = place.reopened(window)
    assert list(window.groups()) == [
        Group("a", "2020-09-13T12:00:00Z", (Member("b", "2020-09-13T13:00:00Z", 0.8, 8, "a", 0.8),)),
        Group("c", "2020-09-13T14:00:00Z", (Member("d", "2020-09-13T15:00:00Z", 0.8, 8, "c", 0.8),)),
    ]


# "best" is the best match of "new", and "head" the head of its group.
HEAD, BEST, NEW = grams(0, 20), grams(3, 23), grams(4, 24)
OF_THE_HEAD = Member("new", "2020-09-13T14:00:00Z", 0.8, 16, "best", 0.95)


def members(window):
    return {group.head: group.members for group in window.groups()}


def headed(place, **settings):
    window = place.open(window_hours=4, **settings)
    list(window.ingest([document("head", HEAD), document("best", BEST, 1), document("new", NEW, 2)]))
    return window


def test_a_members_score_is_with_the_head_it_is_listed_under(place):
    window = place.reopened(headed(place))
    first = Member("best", "2020-09-13T13:00:00Z", 0.85, 17, "head", 0.85)
    assert members(window) == {"head": (first, OF_THE_HEAD)}
    list(window.ingest([document("later", grams(90, 99), 5)]))
    window = place.reopened(window)
    assert members(window) == {"head": (first, OF_THE_HEAD)}  # though the head has expired
    # "best" stands for the group now, and whoever joins by it is listed under it.
    list(window.ingest([document("newest", NEW, 5)]))
    window = place.reopened(window)
    newest = Member("newest", "2020-09-13T17:00:00Z", 0.95, 19, "new", 1.0)
    assert members(window) == {"head": (first, OF_THE_HEAD), "best": (newest,)}


def test_scoring_again_moves_the_score_to_the_new_head(place):
    window = headed(place)
    assert summaries(window.ingest([document("early", grams(5, 25), 0)])) == [
        ("early", "near", "new", "head")
    ]
    list(window.reconcile())
    window = place.reopened(window)
    assert members(window) == {
        "early": (
            Member("head", "2020-09-13T12:00:00Z", 0.75, 15, "early", 0.75),
            Member("best", "2020-09-13T13:00:00Z", 0.9, 18, "early", 0.9),
            Member("new", "2020-09-13T14:00:00Z", 0.95, 19, "early", 0.95),
        )
    }


@pytest.mark.parametrize("place", ["memory", "directory"], indirect=True)
def test_what_was_stored_without_the_score_with_the_head_is_counted_while_the_head_is_there(
    place, monkeypatch
):
    with monkeypatch.context() as earlier:
        earlier.setattr(
            VerdictPayload, "to_bytes", lambda kept: orjson.dumps(list(kept)[:4]) if kept.original else b""
        )
        window = place.reopened(headed(place))
    assert members(window)["head"][1] == OF_THE_HEAD
    window = place.reopened(window, threshold="0.99")
    assert members(window)["head"][1] == OF_THE_HEAD
    window.delete("head")
    window = place.reopened(window)
    assert members(window)["head"][1] == OF_THE_HEAD._replace(score=None, shared=None)
    list(window.ingest([document("head", HEAD, 2)]))
    assert members(window)["head"][1] == OF_THE_HEAD._replace(score=None, shared=None)


def test_it_joins_the_best_match_that_is_a_head(place):
    window = place.open(threshold="0.6")
    list(window.ingest([document("head", A), document("member", C, 1)]))
    one_of_both, one_of_member = window.ingest(
        [document("x", grams(4, 13), 2), document("y", grams(5, 14), 3)]
    )
    assert [match.id for match in one_of_both.matches] == ["member", "head"]
    assert summaries([one_of_both]) == [("x", "near", "member", "head")]
    assert [match.id for match in one_of_member.matches] == ["member", "x"]
    assert summaries([one_of_member]) == [("y", "near", "member", "y")]


def test_members_are_told_by_time_then_id_and_groups_by_their_heads(place):
    window = place.open()
    stream = [
        document("z", grams(100, 110), 2), document("m", A, 2), document("b", A, 4), document("a", A, 4),
        document("c", A, 3), document("y", grams(100, 110), 5), document("x", grams(200, 210), 1),
        document("w", grams(200, 210), 6),
    ]  # fmt: skip
    list(window.ingest(stream))
    window = place.reopened(window)
    found = [(group.head, [member.id for member in group.members]) for group in window.groups()]
    assert found == [("x", ["w"]), ("m", ["c", "a", "b"]), ("z", ["y"])]


def test_the_earliest_living_member_takes_over_from_a_head_that_expired(place):
    window = place.open(window_hours=4)
    list(
        window.ingest([document("head", A, 0), document("n", A, 3), document("m", A, 2), document("o", A, 4)])
    )
    list(window.ingest([document("other", grams(90, 99), 5)]))
    window = place.reopened(window)
    assert [(g.head, g.time[11:13], [m.id for m in g.members]) for g in window.groups()] == [
        ("head", "12", ["m", "n", "o"])
    ]
    assert summaries(window.ingest([document("p", A, 5)])) == [("p", "exact", "m", "m")]
    window = place.reopened(window)
    assert summaries(window.ingest([document("q", A, 5)])) == [("q", "exact", "m", "m")]
    assert [(g.head, [m.id for m in g.members]) for g in window.groups()] == [
        ("head", ["m", "n", "o"]), ("m", ["p", "q"]),
    ]  # fmt: skip
    # m goes as well: n is now the earliest of the first group, p of the second.
    list(window.ingest([document("last", grams(80, 89), 7)]))
    window = place.reopened(window)
    assert summaries(window.ingest([document("r", A, 7)])) == [("r", "exact", "n", "n")]


def test_a_member_that_is_not_the_earliest_does_not_take_over(place):
    window = place.open(window_hours=4)
    # "far" and "near" are members of "head"; "new" matches "far" only.
    list(
        window.ingest(
            [document("head", B, 0), document("near", A, 1), document("far", C, 2), document("x", "", 5)]
        )
    )
    assert summaries(window.ingest([document("new", D, 5)])) == [("new", "near", "far", "new")]


def test_another_text_under_the_heads_id_is_not_the_head(place):
    window = place.open()
    list(
        window.ingest([document("head", A, 0), document("member", A, 1), document("head", grams(90, 99), 2)])
    )
    window = place.reopened(window)
    assert summaries(window.ingest([document("new", A, 3)])) == [("new", "exact", "member", "member")]
    assert summaries(window.ingest([document("newer", grams(90, 99), 3)])) == [
        ("newer", "exact", "head", "head")
    ]
    assert [(g.head, g.time[11:13], [m.id for m in g.members], g.size) for g in window.groups()] == [
        ("head", "12", ["member"], 1), ("member", "13", ["new"], 2), ("head", "14", ["newer"], 2),
    ]  # fmt: skip


def test_a_deleted_head_leaves_its_name(place):
    window = place.open()
    list(window.ingest([document("head", A, 0), document("m", A, 1), document("n", A, 2)]))
    assert window.delete("head")
    window = place.reopened(window)
    (group,) = window.groups()
    assert (group.head, [m.id for m in group.members], group.size) == ("head", ["m", "n"], 2)
    assert summaries(window.ingest([document("o", A, 2)])) == [("o", "exact", "m", "m")]


def test_no_group_without_a_member(place):
    window = place.open()
    list(window.ingest([document("a", A), document("b", A), document("e", ""), document("f", "")]))
    window.delete("b")
    assert list(window.groups()) == []
    assert window.stats().groups == 0


def test_groups_and_documents_are_read_many_at_once(directory, monkeypatch):
    window = directory.open(window_hours=0)
    texts = [grams(100 * group + at, 100 * group + at + 40) for group in range(5) for at in range(3)]
    list(window.ingest(document(str(at), text, at) for at, text in enumerate(texts)))
    window = directory.reopened(window)
    store, calls = window._session.store, []
    blobs = store.blobs

    def counted(rows):
        calls.append(len(rows))
        return blobs(rows)

    monkeypatch.setattr(store, "blobs", counted)
    groups = list(window.groups())
    assert [(group.head, len(group.members)) for group in groups] == [(str(3 * at), 2) for at in range(5)]
    assert calls == [10]
    read = window.read(list(window))
    assert [each.verdict for each in read] == [window.get(id) for id in window]
    assert calls[1:3] == [15, 15]  # with their texts, and for their verdicts
    assert calls[3:] == [1] * 15
