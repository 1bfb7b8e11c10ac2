"""Documents by name: in order, whole, and never taken for gone because a shard says nothing."""

from __future__ import annotations

import re

import orjson
import pytest
from testing.cluster_stand_in import Answer, error, standing_in
from testing.stored_documents import COMPOSER

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef, StoredDocument, Version
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.mget import check_readable, mget
from neardup.elastic.http.scan import Entry as Scanned
from neardup.elastic.http.scan import read
from neardup.elastic.window.undo_log import UndoEntry, UndoLog
from neardup.errors import ClusterRefused, ClusterRejected, ClusterUnreachable

A = DocumentRef("news-1", "a")


def cluster_of(server, patience=5.0):
    return Cluster(Address(server.url, "news"), patience=patience)


def there(place, source=None):
    version = {"_seq_no": 7, "_primary_term": 1}
    return {"_index": place.index, "_id": place.id, "found": True, "_source": source or {}, **version}


def failed(place, type, reason="made up"):
    return {"_index": place.index, "_id": place.id, "error": {"type": type, "reason": reason}}


def answer(*documents):
    return Answer(200, {"docs": documents})


UNRECOGNIZED = "request [/_mget] contains unrecognized parameter: [_source_exclude_vectors]"
SILENT = answer(failed(A, "no_shard_available_action_exception"))


def test_whole_documents_come_with_vectors_where_a_server_would_leave_them_out():
    with standing_in([answer(there(A))]) as server, cluster_of(server) as cluster:
        mget(cluster, [A])
        mget(cluster, [A], _source_includes="text")
    paths = [each.path for each in server.requests if "_mget" in each.path]
    assert paths == ["/_mget?_source_exclude_vectors=false", "/_mget?_source_includes=text"]


def test_a_server_that_knows_no_vectors_to_leave_out_is_asked_once():
    def older(request):
        if "vectors" in request.path:
            return error(400, "illegal_argument_exception", UNRECOGNIZED)
        return answer(there(A, {"text": "x"}))

    with standing_in(older) as server, cluster_of(server) as cluster:
        assert [each and each.source for each in mget(cluster, [A]) + mget(cluster, [A])] == [
            {"text": "x"},
            {"text": "x"},
        ]
    assert sum("vectors" in each.path for each in server.requests) == 1


def test_whole_documents_come_in_answers_of_a_few_megabytes():
    """Of 256 large ones a node died."""
    answered = []

    def echo(request):
        asked = orjson.loads(request.body)["docs"]
        made = answer(*(there(A._replace(id=each["_id"]), {"text": "x" * 4_000_000}) for each in asked))
        answered.append(len(asked))
        return made

    places = [DocumentRef("news-1", str(number)) for number in range(20)]
    entries = (Scanned(0, place.id, place.index, None) for place in places)
    with standing_in(echo) as server, cluster_of(server) as cluster:
        assert len(mget(cluster, places)) == 20
        parts = [len(part) for part in read(cluster, entries, most=256, _source_excludes="neardup")]
    assert answered == [8, *[2] * 6, *parts]
    assert parts == [8, *[2] * 6]


def test_whole_documents_that_are_small_come_many_at_once():
    asked = []

    def echo(request):
        asked.append(len(orjson.loads(request.body)["docs"]))
        return answer(*(there(A._replace(id=each["_id"])) for each in orjson.loads(request.body)["docs"]))

    places = [DocumentRef("news-1", str(number)) for number in range(800)]
    with standing_in(echo) as server, cluster_of(server) as cluster:
        assert len(mget(cluster, places)) == 800
    assert asked == [8, 32, 128, 256, 256, 120]


def test_many_are_asked_for_in_parts_and_come_in_order():
    def echo(request):
        asked = orjson.loads(request.body)["docs"]
        return answer(
            *(there(DocumentRef(each["_index"], each["_id"]), {"id": each["_id"]}) for each in asked)
        )

    places = [DocumentRef("news-1", str(number)) for number in range(600)]
    with standing_in(echo) as server, cluster_of(server) as cluster:
        found = mget(cluster, places, _source_includes="text")
        assert mget(cluster, []) == []
    assert [each and each.source["id"] for each in found] == [place.id for place in places]
    assert [request.path for request in server.requests] == 3 * ["/_mget?_source_includes=text"]


def test_between_two_requests_and_before_a_wait_the_caller_has_his_say():
    places = [DocumentRef("news-1", str(number)) for number in range(257)]
    said = []
    answers = [SILENT, answer(*map(there, places[:256])), answer(there(places[256]))]
    with standing_in(answers) as server, cluster_of(server) as cluster:
        mget(cluster, places, lambda: said.append(len(server.requests)), _source="false")
    assert said == [1, 2, 3]


def test_a_routing_goes_with_the_name():
    with standing_in([answer(there(A))]) as server, cluster_of(server) as cluster:
        mget(cluster, [Scanned(0, "a", "news-1", "r")])
    assert server.requests[0].lines == [{"docs": [{"_index": "news-1", "_id": "a", "routing": "r"}]}]


def test_a_shard_that_does_not_answer_is_waited_for():
    with standing_in([SILENT, SILENT, answer(there(A))]) as server, cluster_of(server) as cluster:
        assert mget(cluster, [A]) == [StoredDocument({}, Version(7, 1))]
    assert len(server.requests) == 3


def test_patience_with_it_has_an_end():
    with (
        standing_in([SILENT]) as server,
        cluster_of(server, patience=0.1) as cluster,
        pytest.raises(ClusterUnreachable, match="1 documents of news-1 cannot be read"),
    ):
        mget(cluster, [A])


def test_an_index_that_is_closed_is_told_at_once():
    closed = failed(A, "index_closed_exception", "closed")
    with (
        standing_in([answer(closed)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(
            ClusterRejected, match="news-1 with 400 index_closed_exception: closed; open that index"
        ),
    ):
        mget(cluster, [A])
    assert len(server.requests) == 1


def test_an_index_that_is_gone_holds_nothing():
    gone = failed(A, "index_not_found_exception")
    with standing_in([answer(gone)]) as server, cluster_of(server) as cluster:
        assert mget(cluster, [A]) == [None]
    assert len(server.requests) == 1


def test_a_document_that_may_not_be_read_is_told_at_once():
    reason = "action [indices:data/read/mget[shard]] is unauthorized for user [x] on indices [news-1]"
    with (
        standing_in([answer(failed(A, "security_exception", reason))]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRefused, match=re.escape("news-1")) as caught,
    ):
        mget(cluster, [A])
    assert caught.value.role == "reader (or scorer)"
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", ["index_not_found_exception", "illegal_argument_exception"])
def test_a_name_that_stands_for_no_index_or_for_several_may_not_be_read_either(first):
    reason = "action [indices:data/read/search] is unauthorized for user [x] on indices [news-1]"
    refused = Answer(403, {"error": {"type": "security_exception", "reason": reason}, "status": 403})
    with (
        standing_in([answer(failed(A, first)), refused]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRefused, match=re.escape("news-1")),
    ):
        check_readable(cluster, [A.index])
    with standing_in([answer(there(A, {}))]) as server, cluster_of(server) as cluster:
        check_readable(cluster, [A.index])
    assert len(server.requests) == 1


def test_the_undo_log_does_not_take_a_silent_shard_for_a_deleted_document():
    before = {"status": "unique", "order": 3}
    written = UndoEntry(*A, fields=before)
    journal = [Answer(200, there(A, {"entries": [written._asdict()]}))]
    documents = [SILENT, answer(there(A, {"text": "x", "neardup": {"status": "near", "order": 3}}))]
    sent = []

    def script(request):
        if request.path.startswith("/_mget"):
            return documents.pop(0)
        if request.path.startswith("/_bulk"):
            sent.append(request.lines)
            return Answer(200, {"items": [{"update": {"status": 200}}]})
        if "/_settings/" in request.path:
            return Answer(200, {"news-1": {"settings": {}}})
        return journal.pop() if journal else Answer(404, {"found": False})

    with standing_in(script) as server, cluster_of(server) as cluster:
        assert UndoLog(cluster, lambda: None, COMPOSER).undo([5]) == 1
    (head, source), _ = sent
    assert head["update"] == {"_index": "news-1", "_id": "a", "if_seq_no": 7, "if_primary_term": 1}
    assert source == {"detect_noop": False, "doc": {"neardup": before}}
