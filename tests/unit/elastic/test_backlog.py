"""The backlog: in which indices documents wait, and which are told."""

from __future__ import annotations

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.scan import TimeField
from neardup.elastic.watch import backlog
from neardup.elastic.watch.backlog import Backlog, BacklogReader
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


def test_an_index_that_is_made_again_gets_its_mapping_again(monkeypatch):
    """Its marks were mapped by guess, and the next watcher could not map them any more."""
    uuids = iter(["one", "one", "other", "other"])
    mapped = []
    monkeypatch.setattr(
        backlog, "index_settings", lambda *_, **__: {"letters": {"settings": {"index.uuid": next(uuids)}}}
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
