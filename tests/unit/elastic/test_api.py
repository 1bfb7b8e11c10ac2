"""The typed calls: what is asked, what comes back, how pages follow each other, and when there are too many shards."""

from __future__ import annotations

import threading
from typing import Any

import orjson
import pytest
from testing.cluster_stand_in import Answer, error, standing_in

from neardup.elastic.admin.checks import examine
from neardup.elastic.http import admin_api, api
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.api import Hit, Version
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterConflict, ClusterRejected, ClusterUnreachable

HITS: list[dict[str, Any]] = [
    {"_index": "news-1", "_id": str(number), "sort": [number]} for number in range(5)
]


def cluster_of(server):
    return Cluster(Address(server.url, "news"), patience=0)


def hits(*found):
    return Answer(200, {"hits": {"hits": list(found)}})


def pages_of_two(request):
    """The answer to a search for two hits behind what it names."""
    body = orjson.loads(request.body)
    after = body.get("search_after", [-1])[0]
    more = body["sort"][1:]
    found = [{**hit, "sort": [*hit["sort"], *[0] * len(more)]} for hit in HITS if hit["sort"][0] > after][:2]
    return Answer(200, {"hits": {"hits": found}, "pit_id": f"{after + 2}"})


def test_a_hit_says_what_was_asked_for():
    found = {**HITS[0], "_source": {"a": 1}, "_seq_no": 3, "_primary_term": 2, "_routing": "r"}
    with standing_in([hits(found, HITS[1])]) as server, cluster_of(server) as cluster:
        page = api.search(cluster, "news-*", {"size": 2}, api.WHOLE)
    assert page.hits == [
        Hit("news-1", "0", {"a": 1}, [0], Version(3, 2), "r"),
        Hit("news-1", "1", {}, [1], None, None),
    ]
    assert server.requests[0].path == "/news-*/_search?allow_partial_search_results=false"


def test_pages_follow_each_other_until_one_is_not_full():
    with standing_in(pages_of_two) as server, cluster_of(server) as cluster:
        pages = list(api.search_pages(cluster, "news-*", {"sort": ["x"]}, size=2))
    assert [[hit.id for hit in page] for page in pages] == [["0", "1"], ["2", "3"], ["4"]]
    assert [orjson.loads(request.body).get("search_after") for request in server.requests] == [None, [1], [3]]


@pytest.mark.parametrize(("after", "read", "first"), [(None, 3, "0"), ([2], 1, "3")])
def test_a_point_in_time_is_read_from_where_it_is_said_and_closed(after, read, first):
    def script(request):
        if request.path.startswith("/news-*/_pit"):
            return Answer(200, {"id": "opened"})
        return Answer(200, {}) if request.method in ("DELETE", "GET") else pages_of_two(request)

    with standing_in(script) as server, cluster_of(server) as cluster:
        pages = list(api.snapshot_pages(cluster, "news-*", {"sort": ["x"]}, size=2, after=after))
    assert (len(pages), pages[0][0].id) == (read, first)
    searches = [orjson.loads(request.body) for request in server.requests if request.path.startswith("/_s")]
    assert searches[0]["pit"] == {"id": "opened", "keep_alive": api.KEEP_ALIVE}
    assert searches[0]["sort"] == ["x", {"_shard_doc": "asc"}]
    assert searches[0].get("search_after") == (None if after is None else [*after, 2**63 - 1])
    last = server.requests[-1]
    assert (last.method, last.path) == ("DELETE", "/_pit")
    assert orjson.loads(last.body)["id"] != "opened"


def test_a_point_in_time_that_is_not_read_to_its_end_is_closed():
    script = [Answer(200, {}), Answer(200, {"id": "opened"}), hits(*HITS[:2]), Answer(200, {})]
    with standing_in(script) as server, cluster_of(server) as cluster:
        assert cluster.product == "elasticsearch"
        pages = api.snapshot_pages(cluster, "news-*", {}, size=2)
        assert len(next(pages)) == 2
        pages.close()
    assert [request.method for request in server.requests] == ["GET", "POST", "POST", "DELETE"]


def test_a_point_in_time_of_opensearch_has_names_of_its_own():
    def script(request):
        if request.path == "/":
            return Answer(200, {"version": {"distribution": "opensearch"}}, product=False)
        if "point_in_time" in request.path:
            return Answer(200, {"pit_id": "opened"}, product=False)
        return Answer(200, {"hits": {"hits": []}}, product=False)

    with standing_in(script) as server, cluster_of(server) as cluster:
        assert list(api.snapshot_pages(cluster, "news-*", {"sort": ["x"]}, size=2)) == []
        assert cluster.product == "opensearch"
    opened, searched, closed = server.requests[-3:]
    assert opened.path.startswith("/news-*/_search/point_in_time?keep_alive=")
    assert orjson.loads(searched.body)["pit"]["id"] == "opened"
    assert (closed.method, closed.path) == ("DELETE", "/_search/point_in_time")
    assert orjson.loads(closed.body) == {"pit_id": "opened"}


def test_a_point_in_time_lacks_no_shard():
    """OpenSearch makes one of what is there, unless it is told not to, and no search in it says that something lacks:
    `ingest --from-index` went on without the shards of a node that had just been started again.
    """

    def script(request):
        if request.path == "/":
            return Answer(200, {"version": {"distribution": "opensearch"}}, product=False)
        if "allow_partial_pit_creation=false" in request.path:
            return Answer(503, {}, product=False)
        return Answer(200, {"pit_id": "opened", "hits": {"hits": []}}, product=False)

    with (
        standing_in(script) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterUnreachable, match="503"),
    ):
        list(api.snapshot_pages(cluster, "news-*", {"sort": ["x"]}, size=2))


def test_hits_of_one_place_are_not_parted_by_the_end_of_a_page():
    """OpenSearch gives documents in two shards of an index the same numbers."""
    places = [["t", "news-1", number] for number in (0, 1, 1, 2, 2, 3)]

    def script(request):
        if request.path.startswith("/_search?"):
            after = orjson.loads(request.body).get("search_after", ["", "", -1])
            behind = [(number, place) for number, place in enumerate(places) if place > after]
            found = [{"_index": "news-1", "_id": str(number), "sort": place} for number, place in behind]
            return Answer(200, {"hits": {"hits": found[:3]}}, product=False)
        body = {"version": {"distribution": "opensearch"}} if request.path == "/" else {"pit_id": "opened"}
        return Answer(200, body, product=False)

    with standing_in(script) as server, cluster_of(server) as cluster:
        pages = list(api.snapshot_pages(cluster, "news-*", {"sort": ["x"]}, size=3))
    assert [hit.id for page in pages for hit in page] == list("012345")


def test_a_document_that_is_not_there_is_none():
    found = {"found": True, "_source": {"a": 1}, "_seq_no": 3, "_primary_term": 2}
    script = [
        Answer(404, {"found": False}),
        error(404, "index_not_found_exception", "none"),
        Answer(200, found),
    ]
    with standing_in(script) as server, cluster_of(server) as cluster:
        first, second, third = (api.get_doc(cluster, "state", "window") for _ in range(3))
    assert (first, second) == (None, None)
    assert third == api.StoredDocument({"a": 1}, Version(3, 2))


def test_a_document_is_written_if_it_is_of_a_version():
    conflict = error(409, "version_conflict_engine_exception", "another one was faster")
    script = [Answer(200, {"_seq_no": 4, "_primary_term": 2}), conflict]
    with standing_in(script) as server, cluster_of(server) as cluster:
        assert api.put_doc(cluster, "state", "window", {}, if_version=Version(3, 2)) == Version(4, 2)
        with pytest.raises(ClusterConflict):
            api.create_doc(cluster, "state", "window", {}, refresh=True)
    assert [request.path for request in server.requests] == [
        "/state/_doc/window?if_seq_no=3&if_primary_term=2",
        "/state/_doc/window?op_type=create&refresh=true",
    ]


@pytest.mark.parametrize(
    ("levels", "data_nodes", "most", "hours"),
    [
        ({"defaults": "1000"}, 1, 1_000, 880),
        ({"defaults": "1000"}, 3, 3_000, 1_440),
        ({"defaults": "1000", "persistent": "200"}, 1, 200, 80),
        ({"transient": "300", "persistent": "200"}, 1, 300, 180),
        ({"transient": "100"}, 1, 100, 0),
        ({}, 1, 1_000, 880),
    ],
)
def test_the_room_for_hours_is_what_is_left_of_the_limit_of_shards(levels, data_nodes, most, hours):
    health = {
        "cluster_name": "c", "status": "green", "number_of_nodes": 3, "number_of_data_nodes": data_nodes,
        "active_shards": 100, "unassigned_shards": 20,
    }  # fmt: skip
    settings = {level: {"cluster.max_shards_per_node": value} for level, value in levels.items()}
    with standing_in([Answer(200, health), Answer(200, settings)]) as server, cluster_of(server) as cluster:
        limit = admin_api.shard_limit(cluster)
    assert (limit.used, limit.most, limit.hours_left) == (120, most, hours)


@pytest.mark.parametrize("ask", [
    lambda cluster: api.refresh(cluster, "news-*"),
    lambda cluster: api.count(cluster, "news-*"),
    lambda cluster: api.search(cluster, "news-*", {}),
    lambda cluster: next(api.snapshot_pages(cluster, "news-*", {}, size=1)),
    lambda cluster: api.field_types(cluster, "news-*", "time"),
], ids=["refresh", "count", "search", "snapshot", "field_types"])  # fmt: skip
def test_an_hour_that_no_shard_answers_for_is_named(ask):
    health = {"indices": {"news-1": {"status": "green"}, "news-2": {"status": "red"}}}

    def script(request):
        return Answer(200, health) if request.path.startswith("/_cluster/health") else Answer(503, {})

    with (
        standing_in(script) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
        pytest.raises(ClusterUnreachable, match=r"no shard answers for news-2 \("),
    ):
        ask(cluster)


@pytest.mark.parametrize("health", [Answer(503, {}), Answer(200, ["no"]), Answer(200, {"indices": ["no"]})])
def test_what_is_red_is_asked_once_and_of_use_only_if_it_is_answered(health, caplog):
    """Of a cluster that is away it was asked as long as what waited had been, and each line of the log came again."""

    def script(request):
        return health if request.path.startswith("/_cluster/health") else Answer(503, {})

    with (
        standing_in(script) as server,
        Cluster(Address(server.url, "news"), patience=0.3) as cluster,
        pytest.raises(ClusterUnreachable, match=r"503 error Service Unavailable \(waited 0.3 s\)$"),
    ):
        api.refresh(cluster, "news-*")
    assert sum(request.path.startswith("/_cluster/health") for request in server.requests) == 1
    assert sum("trying again" in message for message in caplog.messages) == 1


@pytest.mark.parametrize("status", ["red", "green"])
def test_who_waits_is_soon_told_which_hours_no_shard_answers_for(status, monkeypatch, caplog):
    """Elasticsearch holds a refresh back for a minute before it says so."""
    monkeypatch.setattr(api, "TOLD_AFTER", 0.0)
    looked = threading.Event()

    def script(request):
        if request.path.startswith("/_cluster/health"):
            return Answer(200, {"indices": {"news-2": {"status": status}}})
        assert looked.wait(60)
        return Answer(200, {"_shards": {"failed": 0}})

    def look(cluster, target, look=api._log_what_is_red):
        look(cluster, target)
        looked.set()

    monkeypatch.setattr(api, "_log_what_is_red", look)
    with standing_in(script) as server, cluster_of(server) as cluster:
        api.refresh(cluster, "news-*")
    told = "waiting: no shard answers for news-2 (`GET _cluster/allocation/explain` says why)" in caplog.text
    assert told == (status == "red")


@pytest.mark.parametrize(
    ("lost", "words"),
    [("red", "no shard answers for news-1, so the window cannot be used"), ("green", "not this window")],
)
def test_a_doctor_says_which_hours_make_a_cluster_red(lost, words):
    health = {
        "cluster_name": "c", "status": "red", "number_of_nodes": 1, "number_of_data_nodes": 1,
        "active_shards": 1, "unassigned_shards": 1, "indices": {"news-1": {"status": lost}},
    }  # fmt: skip
    with standing_in(lambda _: Answer(200, health)) as server:
        finding = next(examine(Address(server.url, "news"), Credentials()))
    assert finding.state == "bad"
    assert f": {words}; GET _cluster/allocation/explain" in finding.found


def test_a_doctor_does_not_take_one_502_of_a_proxy_for_an_illness():
    health = {
        "cluster_name": "c", "status": "green", "number_of_nodes": 1, "number_of_data_nodes": 1,
        "active_shards": 1, "unassigned_shards": 0,
    }  # fmt: skip
    with standing_in([Answer(502, "<html>Bad Gateway</html>", product=False), Answer(200, health)]) as server:
        finding = next(examine(Address(server.url, "news"), Credentials()))
    assert (finding.state, len(server.requests)) == ("ok", 2)


@pytest.mark.parametrize("part", [{"_shards": {"failed": 1}}, {"timed_out": True, "_shards": {"failed": 0}}])
def test_a_part_of_an_answer_is_never_taken_for_all_of_it(part):
    whole = {"hits": {"hits": HITS}, "count": 5, "_shards": {"failed": 0}, "timed_out": False}
    answers = [Answer(200, {"hits": {"hits": []}, "count": 0, **part}), Answer(200, whole)]
    for ask, expected in (
        (lambda cluster: len(api.search(cluster, "news-*", {}).hits), 5),
        (lambda cluster: api.count(cluster, "news-*"), 5),
        (lambda cluster: api.refresh(cluster, "news-*"), None),
    ):
        with standing_in(answers) as server, Cluster(Address(server.url, "news"), patience=5) as cluster:
            assert ask(cluster) == expected
        assert len(server.requests) == 2
        with (
            standing_in(answers[:1]) as server,
            cluster_of(server) as cluster,
            pytest.raises(ClusterUnreachable, match="only a part of the answer to /news-"),
        ):
            ask(cluster)


def test_a_field_is_not_called_unknown_while_an_index_cannot_say():
    """Of a part that had no such field a scan concluded that nothing has a time, and read documents in no order."""
    part = {"fields": {}, "failed_indices": 1, "failures": [{"indices": ["news-2"]}]}
    whole: dict[str, Any] = {"fields": {"time": {"date": {}, "unmapped": {}}}}
    with (
        standing_in([Answer(200, part), Answer(200, whole)]) as server,
        Cluster(Address(server.url, "news"), patience=5) as cluster,
    ):
        assert api.field_types(cluster, "news-*", "time") == ["date"]
    with (
        standing_in([Answer(200, part)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterUnreachable, match=r"only a part of the answer to /news-.*: 1 indices failed"),
    ):
        api.field_types(cluster, "news-*", "time")


def test_nodes_that_do_not_answer_are_not_left_out():
    """The one without the plugin was: `setup` had documents signed by nodes of which one refused them."""
    node = {"name": "one", "version": "9.2.0"}
    part, whole = ({"_nodes": {"failed": failed}, "nodes": {"a": node}} for failed in (1, 0))
    with (
        standing_in([Answer(200, part), Answer(200, whole)]) as server,
        Cluster(Address(server.url, "news"), patience=5) as cluster,
    ):
        assert admin_api.nodes(cluster, "plugins", fields=("name", "version")) == [node]
    with (
        standing_in([Answer(200, part)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(
            ClusterUnreachable, match="only a part of the answer to /_nodes/plugins: 1 of the nodes"
        ),
    ):
        admin_api.nodes(cluster, "plugins", fields=("name", "version"))


@pytest.mark.parametrize("ask", [api.get_doc, api.doc_version])
def test_an_answer_that_does_not_say_whether_a_document_is_there_is_none(ask):
    """A proxy's `{}` was taken for a state that is not there, and the window for damaged."""
    with (
        standing_in([Answer(200, {})]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match="an answer of an unexpected form"),
    ):
        ask(cluster, "state", "window")


def test_the_doctor_of_somebody_who_may_nothing_names_every_check_that_it_could_not_make():
    """It ended with the first."""
    refused = error(403, "security_exception", "action [cluster:monitor/health] is unauthorized for user")
    with standing_in([refused]) as server:
        findings = list(examine(Address(server.url, "news"), Credentials()))
    not_checked, last = findings[:-1], findings[-1]
    assert [each.what for each in not_checked] == [f"cluster {server.url}", "window news", "shards"]
    assert all(each.state == "warning" and each.found.startswith("not checked: ") for each in not_checked)
    assert all("the role setup of neardup allows it" in each.found for each in not_checked)
    assert (last.state, last.what) == ("bad", f"cluster {server.url}")


def test_a_check_that_somebody_may_not_make_is_a_warning_where_another_could_be_made():
    """It was unusable in some checks, and a warning in others."""
    counts = "number_of_nodes", "number_of_data_nodes", "active_shards", "unassigned_shards"
    health = {"cluster_name": "c", "status": "green", **dict.fromkeys(counts, 1)}
    refused = error(403, "security_exception", "action [cluster:monitor/nodes/info] is unauthorized for user")

    def script(request):
        if "/_cluster/health" in request.path:
            return Answer(200, health)
        return Answer(200, {}) if "/_cluster/settings" in request.path else refused

    with standing_in(script) as server:
        findings = list(examine(Address(server.url, "news"), Credentials()))
    assert [(each.state, each.found.startswith("not checked: ")) for each in findings] == [
        ("ok", False),
        ("warning", True),
        ("ok", False),
    ]
