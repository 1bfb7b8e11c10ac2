"""The backlog: in which indices documents wait, and which are told."""

from __future__ import annotations

from unittest import mock

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import Hit, SearchPage
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.scan import TimeField
from neardup.elastic.watch import backlog
from neardup.elastic.watch.backlog import Backlog, BacklogReader, without_verdict
from neardup.elastic.window.index_layout import Layout


def test_an_hour_that_is_a_data_stream_of_others_is_told_once(monkeypatch, caplog):
    """That no document waits was all that was said."""
    names = (".ds-news-2026.11.21-09-2026.11.21-000001", ".ds-news-other-2026.11.21-000001", "news-backup")
    monkeypatch.setattr(
        backlog, "index_settings", lambda *_, **__: {name: {"settings": {}} for name in names}
    )
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        reader = BacklogReader(cluster, Layout(cluster.address))
        assert [reader.measure(), reader.measure()] == [Backlog(), Backlog()]
    (told,) = caplog.messages
    assert told.startswith(
        "news-2026.11.21-09 is a data stream: its documents are not scored; `neardup doctor`"
    )


def test_an_index_that_was_meant_for_an_hour_is_told_once(monkeypatch, caplog):
    """That no document waits was all that was said."""
    names = (
        "news-2026.11.21",
        "news-2026-11-21-09",
        "news-copies-2026.11.21-09",
        "news-backup",
        "news-sport-1",
    )
    monkeypatch.setattr(
        backlog, "index_settings", lambda *_, **__: {name: {"settings": {}} for name in names}
    )
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        reader = BacklogReader(cluster, Layout(cluster.address))
        assert [reader.measure(), reader.measure()] == [Backlog(), Backlog()]
    assert [message.split()[0] for message in caplog.messages] == ["news-2026-11-21-09", "news-2026.11.21"]
    assert all("is not named like an hour (news-yyyy" in message for message in caplog.messages)
    assert all(f"--from-index {message.split()[0]} " in message for message in caplog.messages)


def test_an_hour_that_is_closed_is_no_index_to_score(monkeypatch):
    """Nothing said of it, and its documents waited in silence."""
    settings = {
        "news-1969.12.31-23": {"verified_before_close": "true", "uuid": "before what is kept"},
        "news-2026.11.21-08": {"verified_before_close": "true", "uuid": "a"},
        "news-2026.11.21-09": {"uuid": "b", "blocks": {"write": "true"}},
        "news-2026.11.21-10": {"uuid": "c"},
    }
    answer = {name: {"settings": {"index": each}} for name, each in settings.items()}
    seen_only_by_all = {name: answer.pop(name) for name in list(answer) if "verified" in str(answer[name])}

    def index_settings(*_, params):
        return answer | (seen_only_by_all if params["expand_wildcards"] == "all" else {})

    monkeypatch.setattr(backlog, "index_settings", index_settings)
    state = mock.Mock(**{"commit.floor_hour": 0}, aborted=())
    monkeypatch.setattr(backlog, "read_state", lambda _: state)
    monkeypatch.setattr(Layout, "refresh", lambda *_: None)
    monkeypatch.setattr(BacklogReader, "_count", lambda _, indices: dict.fromkeys(indices, (1, None)))
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        reader = BacklogReader(cluster, Layout(cluster.address))
        reader.check_open()
        freed = 'PUT news-2026.11.21-09/_settings {"index.blocks.write": null}'
        assert reader.measure() == Backlog(1, None, 1, {"news-2026.11.21-09": freed}, ("news-2026.11.21-08",))
        state.commit.floor_hour = 600_000  # it has left the window meanwhile
        monkeypatch.setattr(backlog, "in_order", lambda *_, **__: iter(()))
        assert list(reader.entries()) == []
        assert reader.measure().closed == ()


def test_an_index_that_is_made_again_gets_its_mapping_again(monkeypatch):
    """Its marks were mapped by guess, and the next watcher could not map them any more."""
    uuids = iter(["one", "one", "other", "other"])
    mapped = []
    monkeypatch.setattr(
        backlog,
        "index_settings",
        lambda *_, **__: {"letters": {"settings": {"index": {"uuid": next(uuids)}}}},
    )
    monkeypatch.setattr(backlog, "time_field", lambda *_: TimeField("published", "date"))
    monkeypatch.setattr(backlog, "check_source", lambda *_: None)
    monkeypatch.setattr(backlog, "map_marks", lambda _, name: mapped.append(name))
    monkeypatch.setattr(backlog, "read_state", lambda _: None)
    monkeypatch.setattr(backlog, "in_order", lambda *_, **__: iter(()))
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        reader = BacklogReader(cluster, Layout(cluster.address, archive="letters"))
        assert [list(reader.entries()) for _ in range(4)] == [[]] * 4
    assert mapped == ["letters"] * 2


def test_of_however_many_ids_each_is_found_that_has_no_verdict(monkeypatch):
    """Of more than a thousand, those behind were said never to have been stored; and of one that came too late, that it
    gets no verdict: None.
    """
    wanted = [f"letter-{number}" for number in range(1_501)]
    reasons = {
        "waits": {},
        "gets no": {"status": "unscored", "unsigned": "no text", "scored_at": "2026"},
        "its verdict, near, does": {"status": "near", "scored_at": "2026", "order": 7},
        "late to be in the window (its verdict: unscored)": {"status": "unscored", "scored_at": "2026"},
    }
    objects = list(reasons.values())

    def search(_cluster, target, body, _params):
        (*_, chosen) = body["query"]["bool"]["filter"]
        hits = [
            Hit(index, id, {"neardup": objects[int(id[7:]) % 4]}, [], None, None)
            for id in chosen["ids"]["values"]
            for index in (target, "letters-of-old")
        ]
        return SearchPage(hits[: body["size"]], {}, None)

    monkeypatch.setattr(backlog, "search", search)
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        words = without_verdict(cluster, Layout(cluster.address, archive="letters"), wanted)
    assert list(words) == wanted
    for number, word in enumerate(reasons):
        assert word in words[f"letter-{number}"]
