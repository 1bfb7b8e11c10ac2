"""Many searches in one request: pages, shards that fail, searches that are refused."""

from __future__ import annotations

import pytest
from testing.cluster_stand_in import LEFT, PAGE_TOO_LARGE, Answer, standing_in

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.msearch import msearch_pages
from neardup.errors import ClusterRejected, ClusterUnreachable

HITS = [{"_index": "news-1", "_id": str(number), "sort": [number]} for number in range(5)]
BODIES = [{"sort": ["x"], "query": "many"}, {"sort": ["x"], "query": "none"}]


def cluster_of(server):
    return Cluster(Address(server.url, "news"), patience=0)


def found(body):
    after = body.get("search_after", [-1])[0]
    return [hit for hit in HITS if hit["sort"][0] > after][: body["size"]] if body["query"] == "many" else []


def answered(request):
    return Answer(200, {"responses": [{"hits": {"hits": found(body)}} for body in request.lines[1::2]]})


def test_pages_follow_each_other_for_the_searches_that_have_more():
    with standing_in(answered) as server, cluster_of(server) as cluster:
        pages = list(msearch_pages(cluster, "news-*,-news-copies-*", BODIES, size=2))
    assert [[hit.id for hit in page] for page in pages] == [["0", "1"], ["2", "3"], ["4"]]
    assert [len(request.lines) for request in server.requests] == [4, 2, 2]
    head = server.requests[0].lines[0]
    assert head["index"] == ["news-*", "-news-copies-*"]
    assert head["allow_partial_search_results"] == "false"


@pytest.mark.parametrize("most", [1, 3])
def test_searches_that_are_together_too_large_for_a_proxy_go_in_halves(most):
    bodies = [{"sort": ["x"], "query": "many" if number % 2 else "none"} for number in range(7)]
    script = lambda request: PAGE_TOO_LARGE if len(request.lines) > 2 * most else answered(request)  # noqa: E731
    with standing_in(script) as server, cluster_of(server) as cluster:
        pages = list(msearch_pages(cluster, "news-*", bodies, size=5))
    assert [[hit.id for hit in page] for page in pages] == [["0", "1", "2", "3", "4"]] * 3


def test_a_search_that_is_too_large_alone_is_told():
    with (
        standing_in([PAGE_TOO_LARGE]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match="413"),
    ):
        list(msearch_pages(cluster, "news-*", BODIES, size=2))


def one(answer):
    return [Answer(200, {"responses": [{"hits": {"hits": []}}, answer]})]


REFUSED = {"error": {"type": "too_many", "reason": "no"}, "status": 400}


@pytest.mark.parametrize(("answer", "error", "words"), [
    (REFUSED, ClusterRejected, "too_many"),
    ({**REFUSED, "status": 429}, ClusterUnreachable, "too_many"),
    ({"error": LEFT, "status": 500}, ClusterUnreachable, "node-2"),
    ({"error": {"type": "search_phase_execution_exception", "reason": "all shards failed", "phase": "query",
                "root_cause": [LEFT]}, "status": 500}, ClusterUnreachable, "node-2"),
    ({"hits": {"hits": []}, "_shards": {"failed": 1}}, ClusterUnreachable, "1 shards failed"),
    ({"hits": {"hits": []}, "timed_out": True}, ClusterUnreachable, "in time"),
    ({"hits": None}, ClusterRejected, "unexpected form"),
])  # fmt: skip
def test_no_answer_is_taken_for_whole_that_is_not(answer, error, words):
    with standing_in(one(answer)) as server, cluster_of(server) as cluster, pytest.raises(error, match=words):
        list(msearch_pages(cluster, "news-*", BODIES, size=2))


def test_an_index_without_a_shard_to_answer_is_named():
    """It was said how many shards failed, and not of which index."""

    def script(request):
        if "/_cluster/health/" in request.path:
            return Answer(200, {"indices": {"news-1": {"status": "red"}, "news-2": {"status": "green"}}})
        return one({"hits": {"hits": []}, "_shards": {"failed": 1}})[0]

    with (
        standing_in(script) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterUnreachable, match=r"1 shards failed; no shard answers for news-1 \(`GET"),
    ):
        list(msearch_pages(cluster, "news-*", BODIES, size=2))
