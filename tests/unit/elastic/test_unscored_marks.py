"""Marks of documents that get no verdict: written once, wherever their documents lie."""

from __future__ import annotations

from dataclasses import replace

import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch.unscored_marks import UnscoredMarks
from neardup.elastic.window.index_layout import Layout
from neardup.errors import ClusterUnreachable
from neardup.model.document import Origin

HOUR = "news-2026.11.21-09"
PLAIN = Origin(HOUR, "a", 3, 1, None)
ROUTED = Origin(HOUR, "b/ä", 4, 1, None, "left")


def marked(documents, status):
    """The marks that were written to documents, how many took theirs, and which have refused it for good."""

    def script(request):
        if request.method == "GET":
            return Answer(200, {HOUR: {"settings": {"index.uuid": "u"}}})
        error = {} if status == 200 else {"error": {"type": "odd", "reason": "why"}}
        return Answer(200, {"items": [{"update": {"status": status, **error}} for _ in request.lines[::2]]})

    with standing_in(script) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        marks = UnscoredMarks(cluster, Layout(cluster.address))
        for document in documents:
            marks.add(document, "no text")
        count = marks.write()
        lines = [line for request in server.requests if request.method == "POST" for line in request.lines]
    return lines, count, [document for document in documents if marks.is_unmarkable(document)]


def test_marks_that_were_sent_are_not_sent_again():
    def script(request):
        if request.method == "GET":
            return Answer(200, {HOUR: {"settings": {"index.uuid": "u"}}})
        return Answer(200, {"items": [{"update": {"status": 200}} for _ in request.lines[::2]]})

    with standing_in(script) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        marks = UnscoredMarks(cluster, Layout(cluster.address))
        for document in (PLAIN, ROUTED):
            marks.add(document, "no text")
            assert marks.write() == 1
        assert marks.write() == 0
        sent = [request.lines[0]["update"]["_id"] for request in server.requests if request.method == "POST"]
    assert sent == ["a", "b/ä"]


def test_what_nodes_say_of_a_document_that_they_left_unsigned_stays():
    lines, _, _ = marked([PLAIN, replace(PLAIN, unsigned="too_long")], 200)
    assert [line["doc"]["neardup"]["unsigned"] for line in lines[1::2]] == ["no text", "too_long"]


def test_a_document_that_has_a_routing_is_reached_by_it():
    lines, count, unmarkable = marked([PLAIN, ROUTED], 200)
    assert (count, unmarkable) == (2, [])
    plain, routed = lines[::2]
    version = {"if_seq_no": 3, "if_primary_term": 1}
    assert plain == {"update": {"_index": HOUR, "_id": "a", **version}}
    version = {"if_seq_no": 4, "if_primary_term": 1}
    assert routed == {"update": {"_index": HOUR, "_id": "b/ä", "routing": "left", **version}}
    for line in lines[1::2]:
        assert line["doc"]["neardup"]["status"] == "unscored"
        assert line["doc"]["neardup"]["unsigned"] == "no text"


@pytest.mark.parametrize(("status", "for_good"), [(400, True), (403, False), (404, False), (409, False)])
def test_a_mark_that_is_refused_is_not_counted(status, for_good):
    for document in (PLAIN, ROUTED):
        _, count, unmarkable = marked([document], status)
        assert (count, unmarkable) == (0, [document] if for_good else [])


def test_a_document_of_an_hour_that_is_gone_gets_no_mark():
    """The hour was there again, empty: an update makes the index that it names."""
    lines, count, unmarkable = marked([replace(PLAIN, index="news-2026.11.21-08"), PLAIN], 200)
    assert [line["update"]["_index"] for line in lines[::2]] == [HOUR]
    assert (count, unmarkable) == (1, [])


def test_a_cluster_that_stays_busy_is_told():
    with pytest.raises(ClusterUnreachable):
        marked([ROUTED], 429)
