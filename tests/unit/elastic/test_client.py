"""What a client must bear: a cluster that is away, busy, foreign, closed to it, or sure that the request is wrong."""

from __future__ import annotations

import base64
import logging
import random
import re
import socket
import threading
import time

import orjson
import pytest
from testing.cluster_stand_in import LEFT, RESET, Answer, error, standing_in

from neardup.elastic.http import client
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.admin_api import simulate
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.permission_errors import permission_error, role_for
from neardup.elastic.http.scan import PAGE
from neardup.elastic.http.wait_reasons import WaitReasons
from neardup.errors import ClusterConflict, ClusterError, ClusterRefused, ClusterRejected, ClusterUnreachable

GREEN = Answer(200, {"status": "green"})


def cluster_of(server, **options):
    options.setdefault("patience", 5.0)
    return Cluster(Address(server.url, "news"), **options)


def test_a_request_goes_out_as_json_and_comes_back_parsed():
    with standing_in([Answer(200, {"took": 1})]) as server, cluster_of(server) as cluster:
        found = cluster.request(
            "POST", "/news/_search", params={"a": "true", "b": "x,y"}, body={"é": 2**53 + 1}
        )
    assert found == {"took": 1}
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/news/_search?a=true&b=x,y")
    assert orjson.loads(request.body) == {"é": 2**53 + 1}
    assert request.headers["content-type"] == "application/json"


def test_lines_are_dicts_or_bytes_and_end_with_a_newline():
    with standing_in([GREEN]) as server, cluster_of(server) as cluster:
        cluster.request("POST", "/_msearch", body=[{}, b'{"query":{}}'])
        cluster.request("POST", "/_msearch", body=b'{}\n{"query":{}}\n')
        cluster.request("POST", "/_search", body=b'{"query":{}}')
    lines, encoded, one = server.requests
    assert lines.body == encoded.body == b'{}\n{"query":{}}\n'
    assert "x-ndjson" in lines.headers["content-type"]
    assert "x-ndjson" in encoded.headers["content-type"]
    assert "/json" in one.headers["content-type"]


def test_a_request_without_body_says_no_content_type():
    with standing_in([GREEN]) as server, cluster_of(server) as cluster:
        cluster.request("GET", "/_cluster/health")
    assert "content-type" not in server.requests[0].headers


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_cluster_is_asked_again(status, caplog):
    with (
        standing_in([error(status, "es_rejected", "queue full"), Answer(status, b"<html>"), GREEN]) as server,
        cluster_of(server) as cluster,
    ):
        assert cluster.request("GET", "/_cluster/health") == {"status": "green"}
    assert len(server.requests) == 3
    messages = [record.getMessage() for record in caplog.records if record.name == "neardup"]
    assert len(messages) == 2
    assert all(record.levelno == logging.WARNING for record in caplog.records if record.name == "neardup")
    assert f"{status} es_rejected queue full" in messages[0]
    assert server.url in messages[0]


ALL_SHARDS = {"type": "search_phase_execution_exception", "reason": "all shards failed", "phase": "query"}


@pytest.mark.parametrize("why", [LEFT, {**ALL_SHARDS, "root_cause": [LEFT]}])
def test_a_node_that_lost_another_is_asked_again(why):
    """OpenSearch says so with 500, of a search in what its shards failed of; any other 500 is an error."""
    lost = Answer(500, {"error": why, "status": 500})
    with standing_in([lost, GREEN, error(500, "null_pointer", "x")]) as server, cluster_of(server) as cluster:
        assert cluster.request("GET", "/_cluster/health") == {"status": "green"}
        with pytest.raises(ClusterRejected, match="null_pointer"):
            cluster.request("GET", "/_cluster/health")


def test_why_a_busy_node_refuses_is_told_once_whatever_it_has_counted(caplog):
    rejected = "rejected execution of Task$$Lambda/0x{0:08x}@{0:x}, nanos={0}, EWMA = {0}.5ms [pool size = 1]"
    answers = [error(429, "es_rejected", rejected.format(0xABC0 + at * 7_919)) for at in range(4)]
    answers += [error(503, "es_rejected", rejected.format(9)), Answer(200, {})]
    with standing_in(answers) as server, cluster_of(server) as cluster:
        cluster.request("GET", "/_cluster/health")
    told = [record.getMessage().split(": ")[1][:3] for record in caplog.records if record.name == "neardup"]
    assert told == ["429", "503"]


def test_what_many_requests_are_refused_for_is_told_once_a_minute_with_how_often(monkeypatch, caplog):
    clock, busy = [0.0], error(429, "es_rejected", "queue full")
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with standing_in([busy, Answer(200, {})] * 7) as server, cluster_of(server) as cluster:
        for clock[0] in (0.0, 1.0, 30.0, 59.0, 60.0, 61.0, 125.0):
            cluster.request("GET", "/_cluster/health")
    told = [line.partition("trying again for ")[2].partition(" s")[2] for line in caplog.messages]
    assert told == [
        "", " (3 more times in the 60 s since this was last logged)",
        " (1 more time in the 65 s since this was last logged)",
    ]  # fmt: skip


def test_a_reason_is_told_once_whichever_indices_had_no_room(caplog):
    """A node whose breaker trips refuses another handful of hours each time: each was a reason of its own."""
    reasons, url = WaitReasons(), "http://localhost:9200"
    failed = (
        "all shards failed of news-2026.11.21-08, news-2026.11.21-09",
        "Partial shards failure of news-2026.11.21-09",
        "Partial shards failure of news-2026.11.21-08, news-copies-2026.11.21-07",
    )
    for each in failed:
        reasons.log(
            url, f"429 search_phase_execution_exception {each}: Data too large, [12288/12kb]", 120.0, 1.0
        )
    assert len(caplog.messages) == 1
    reasons.log(url, f"429 search_phase_execution_exception {failed[0]}: queue is full", 120.0, 1.0)
    assert len(caplog.messages) == 2


def test_a_cut_connection_is_tried_again(caplog):
    with standing_in([RESET, RESET, GREEN]) as server, cluster_of(server) as cluster:
        assert cluster.request("PUT", "/news", body={}) == {"status": "green"}
    assert [request.body for request in server.requests] == [b"{}"] * 3
    (record,) = caplog.records  # told once, however often it happens
    assert "reset by peer; trying again for up to" in record.getMessage()


def test_an_answer_that_is_cut_off_is_told_in_plain_words(caplog):
    half = Answer(200, {"a": 1}, {"content-length": "999", "connection": "close"})
    with standing_in([half, Answer(200, {"a": 1})]) as server, cluster_of(server) as cluster:
        assert cluster.request("GET", "/") == {"a": 1}
    assert "an answer that is no JSON, or only the beginning of one; trying again" in caplog.text
    assert "IncompleteRead" not in caplog.text


def test_an_answer_that_comes_too_late_counts_as_lost():
    answered = threading.Event()

    def slow_once(request):
        if len(server.requests) == 1:
            answered.wait(60)
        return GREEN

    with standing_in(slow_once) as server, cluster_of(server, timeout=0.2, patience=60) as cluster:
        assert cluster.request("GET", "/_cluster/health") == {"status": "green"}
        answered.set()
    assert len(server.requests) >= 2


def test_a_cluster_that_comes_back_is_found():
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{port.getsockname()[1]}"
    cluster = Cluster(Address(url, "news"), patience=5.0)
    found = []
    asking = threading.Thread(target=lambda: found.append(cluster.request("GET", "/")))
    asking.start()
    time.sleep(0.1)
    with socket.create_server(("127.0.0.1", int(url.rpartition(":")[2]))) as server:
        connection, _ = server.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nX-Elastic-Product: Elasticsearch\r\ncontent-type: application/json\r\n"
                b"content-length: 2\r\n\r\n{}"
            )
            asking.join(5)
    assert found == [{}]
    cluster.close()


def test_waiting_grows_and_has_an_end(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(client, "FIRST_WAIT", 1.0)
    monkeypatch.setattr(client, "LONGEST_WAIT", 15.0)
    clock = iter(range(0, 1_000, 7))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    backoff = client.Backoff(60.0)
    for _ in range(8):
        backoff.wait("http://h:1", "busy")
    with pytest.raises(ClusterUnreachable, match=r"busy \(waited 60 s\)"):
        backoff.wait("http://h:1", "busy")
    assert len(slept) == 8
    for seconds, upper in zip(slept, [1, 2, 4, 8, 15, 15, 15, 15], strict=True):
        assert upper / 2 <= seconds <= upper or seconds == 60 - 7 * 8


def test_waiting_leaves_the_random_numbers_of_others_alone(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)
    before = random.getstate()
    client.Backoff(60.0).wait("http://h:1", "busy")
    assert random.getstate() == before


def test_whoever_asks_when_the_connection_is_closed_is_told_so_at_once(caplog):
    with standing_in([GREEN]) as server, cluster_of(server, patience=60) as cluster:
        cluster.close()
        with pytest.raises(ClusterUnreachable, match="the connection has been closed"):
            cluster.request("GET", "/_cluster/health")
    assert server.requests == caplog.messages == []


def test_patience_is_over_at_some_time():
    with (
        standing_in([error(429, "es_rejected", "queue full")]) as server,
        cluster_of(server, patience=0.3) as cluster,
        pytest.raises(ClusterUnreachable, match=r"429 es_rejected queue full \(waited 0\.3 s\)") as caught,
    ):
        cluster.request("GET", "/_cluster/health")
    assert caught.value.url == server.url
    assert len(server.requests) > 3


def test_without_patience_nothing_is_asked_twice():
    with (
        standing_in([RESET]) as server,
        cluster_of(server, patience=0) as cluster,
        pytest.raises(ClusterUnreachable),
    ):
        cluster.request("GET", "/_cluster/health")
    assert len(server.requests) == 1


def test_a_server_that_names_a_wait_is_left_alone_so_long():
    busy = error(429, "es_rejected", "queue full", {"retry-after": "1"})
    with standing_in([busy, GREEN]) as server, cluster_of(server) as cluster:
        start = time.monotonic()
        cluster.request("GET", "/_cluster/health")
        assert time.monotonic() - start >= 1.0


def test_a_wait_longer_than_patience_is_not_begun():
    busy = error(503, "unavailable", "maintenance", {"retry-after": "3600"})
    with (
        standing_in([busy]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterUnreachable, match="maintenance; it asks for a retry in 3600 s"),
    ):
        cluster.request("GET", "/_cluster/health")
    assert len(server.requests) == 1


def test_nobody_at_home_says_so():
    with pytest.raises(ClusterUnreachable, match=r"127\.0\.0\.1:9.*refused"):
        Cluster(Address("http://127.0.0.1:9", "news"), patience=0).request("GET", "/")


def test_no_such_host_says_so():
    with pytest.raises(ClusterUnreachable, match=r"cannot be used: .*(resolve|name)"):
        Cluster(Address("http://nowhere.invalid:9200", "news"), patience=0).request("GET", "/")


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("http://127.0.0.1:9", "refused; is the URL right, and does a node run there?"),
        ("http://nowhere.invalid:9200", "); is the URL right, and does a node run there?"),
    ],
)
def test_where_no_node_is_there_is_a_next_step(url, remedy):
    with pytest.raises(ClusterUnreachable) as caught:
        Cluster(Address(url, "news"), patience=0).request("GET", "/")
    assert str(caught.value).endswith(remedy)


@pytest.mark.parametrize("answer", [RESET, Answer(200, b"<html>", {"content-type": "text/html"})])
def test_where_something_else_is_there_is_a_next_step(answer):
    """A port for TLS cuts what is not; a web server answers with a page."""
    with (
        standing_in([answer]) as server,
        cluster_of(server, patience=0) as cluster,
        pytest.raises(ClusterUnreachable) as caught,
    ):
        cluster.request("GET", "/_cluster/health")
    assert str(caught.value).endswith("; is it a cluster that answers there, and does it want https?")


def test_https_to_a_server_without_it_is_not_tried_again():
    with standing_in([GREEN]) as server:
        cluster = Cluster(Address(server.url.replace("http", "https"), "news"), patience=30)
        with pytest.raises(
            ClusterUnreachable, match=r"no TLS connection \([a-z][\w ]+ \(_ssl\.c:\d+\)\): is it https"
        ):
            cluster.request("GET", "/")
        cluster.close()


def test_missing_is_none_where_that_is_expected():
    absent = error(404, "index_not_found_exception", "no such index [news]")
    with standing_in([absent]) as server, cluster_of(server) as cluster:
        assert cluster.request("GET", "/news", missing_ok=True) is None
        with pytest.raises(
            ClusterRejected, match=r"GET /news with 404 index_not_found_exception: no such index"
        ):
            cluster.request("GET", "/news")


def test_an_error_carries_status_type_and_every_reason():
    body = {
        "error": {
            "type": "illegal_argument_exception",
            "reason": "failed to parse",
            "caused_by": {"type": "x", "reason": "unknown field [treshold]"},
        },
        "status": 400,
    }
    with standing_in([Answer(400, body)]) as server, cluster_of(server) as cluster:
        with pytest.raises(ClusterRejected) as caught:
            cluster.request("PUT", "/news", body={})
        assert (caught.value.status, caught.value.type) == (400, "illegal_argument_exception")
        assert caught.value.reason == "failed to parse: unknown field [treshold]"
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("field", "remedy"),
    [("sketch", "only the plugin"), ("qgrams", "only the plugin"), ("fingerprint", "_reindex it")],
)
def test_what_is_not_searched_in_an_index_is_told_with_the_way_out(field, remedy):
    """Of a fingerprint that a template of a user's own does not index it advised to wait for other hours."""
    fault = {"type": "x", "reason": f"Cannot search on field [neardup.{field}] since it is not indexed"}
    with (
        standing_in([Answer(400, {"error": fault})]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match=remedy),
    ):
        cluster.request("POST", "/_search", body={})


def test_every_cause_of_an_error_is_told_and_once():
    """What makes a template of a user's own unfit stands two causes below the error; others repeat what is above."""
    limit = {"type": "x", "reason": "Limit of total fields [20] has been exceeded"}
    composed = {"type": "x", "reason": "invalid composite mappings for [news]", "caused_by": limit}
    fault = {"type": "bad", "reason": "the template is invalid", "caused_by": composed}
    expected = f"the template is invalid: {composed['reason']}: {limit['reason']}"
    with standing_in([Answer(400, {"error": fault})]) as server, cluster_of(server) as cluster:
        with pytest.raises(ClusterRejected) as caught:
            cluster.request("PUT", "/_index_template/neardup-news", body={})
        assert caught.value.reason == expected
        assert "raise index.mapping.total_fields.limit in your component template" in str(caught.value)
    parsing = {"type": "bad", "reason": f"failed to parse: {limit['reason']}", "caused_by": limit}
    items = [{"create": {"status": 400, "error": each}} for each in (fault, parsing)]
    with standing_in([Answer(200, {"items": items})]) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, [Action("create", "news-1", id, {}) for id in "ab"])
    assert [outcome.error for outcome in outcomes] == [f"bad: {expected}", f"bad: {parsing['reason']}"]


def test_an_error_repeats_no_document_of_its_request():
    """That of a write for which too few copies of a shard are there, or none: the node has waited with it."""
    why = "[news-1][0] Not enough active copies to meet shard count of [2] (have 1, needed 2). Timeout: [30s]"
    repeated = (
        f"{why}, request: [BulkShardRequest [[news-1][0]] containing [index {{[a], source[\n{{secret}}]}}]]"
    )
    fault = {"type": "unavailable_shards_exception", "reason": repeated}
    script = [
        Answer(200, {"items": [{"create": {"status": 503, "error": fault}}]}),
        Answer(503, {"error": fault}),
    ]
    for ask in (
        lambda cluster: bulk(cluster, [Action("create", "news-1", "a", {})]),
        lambda cluster: cluster.request("PUT", "/news-1/_doc/a", body={}),
    ):
        with standing_in(script) as server, cluster_of(server, patience=0.0) as cluster:
            with pytest.raises(ClusterUnreachable, match=re.escape(why)) as caught:
                ask(cluster)
            assert "secret" not in str(caught.value)
            assert "or lower index.write.wait_for_active_shards" in str(caught.value)
        script = script[1:]


def test_what_shards_refused_a_search_for_is_told():
    root = {"type": "query_shard_exception", "reason": "[neardup] needs the field [neardup.qgrams]"}
    body = {
        "error": {
            "type": "search_phase_execution_exception",
            "reason": "all shards failed",
            "phase": "query",
            "root_cause": [root],
        },
        "status": 400,
    }
    with (
        standing_in([Answer(400, body)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected) as caught,
    ):
        cluster.request("POST", "/news/_search", body={})
    assert caught.value.reason == f"all shards failed: {root['reason']}"


def test_a_conflict_is_an_error_of_its_own():
    with (
        standing_in([error(409, "version_conflict_engine_exception", "[a]: exists")]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterConflict) as caught,
    ):
        cluster.request("PUT", "/news/_create/a", body={})
    assert isinstance(caught.value, ClusterError)
    assert caught.value.status == 409


FORBIDDEN = (
    "action [indices:admin/auto_create] is unauthorized for user [writer] with effective roles [neardup_writer] "
    "on indices [news-2026.11.21-09], this action is granted by the index privileges [auto_configure]"
)


def test_what_is_forbidden_names_action_index_and_role():
    with (
        standing_in([error(403, "security_exception", FORBIDDEN)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRefused, match=r"auto_create on news-2026.11.21-09 .* role scorer") as caught,
    ):
        cluster.request("PUT", "/news-2026.11.21-09")
    assert (caught.value.action, caught.value.role) == ("indices:admin/auto_create", "scorer")
    assert caught.value.index == "news-2026.11.21-09"
    assert len(server.requests) == 1


def test_an_action_with_brackets_in_its_name_is_read_whole():
    reason = (
        "action [indices:data/write/bulk[s]] is unauthorized for user [u] on indices [news-1,news-2], this"
    )
    found = permission_error(Address("http://h:1", "news"), "POST /_bulk", 403, "security_exception", reason)
    assert isinstance(found, ClusterRefused)
    assert (found.action, found.index, found.role) == (
        "indices:data/write/bulk[s]",
        "news-1,news-2",
        "writer",
    )


@pytest.mark.parametrize(
    ("indices", "role"),
    [
        ("news,news-*,neardup-state-news", "reader (or scorer)"),
        ("letters", None),
        ("news-1,newsletters", None),
    ],
)
def test_an_index_of_others_is_reached_by_no_role_of_ours(indices, role):
    """As one that is read by `ingest --from-index`: the role that was named had been given already."""
    reason = f"action [indices:data/read/search] is unauthorized for user [u] on indices [{indices}], this"
    own = Address("http://h:1", "news")
    found = permission_error(own, "POST /_search", 403, "security_exception", reason)
    assert isinstance(found, ClusterRefused)
    assert found.role == role
    assert ("grant it there" in str(found)) == (role is None)


def test_a_blocked_index_is_no_matter_of_rights():
    blocked = error(
        403, "cluster_block_exception", "index [news] blocked by: [FORBIDDEN/8/index write (api)]"
    )
    with (
        standing_in([blocked]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match=r"cluster_block_exception.*index write"),
    ):
        cluster.request("PUT", "/news")


@pytest.mark.parametrize(
    ("action", "role"),
    [
        ("indices:data/write/bulk[s]", "writer"),
        ("indices:data/read/msearch", "reader (or scorer)"),
        ("indices:admin/auto_create", "scorer"),
        ("indices:admin/refresh", "reader (or scorer)"),
        ("indices:data/write/index", "scorer"),
        ("indices:admin/delete", "scorer"),
        ("indices:admin/index_template/put", "setup"),
        ("cluster:monitor/nodes/info", "setup"),
        ("indices:monitor/settings/get", "reader (or scorer, setup)"),
        ("indices:admin/get", "reader (or scorer, setup)"),
        ("indices:admin/aliases", "scorer (or setup)"),
        ("indices:admin/create", "scorer (or setup)"),
    ],
)
def test_every_action_has_a_role(action, role):
    assert role_for(action) == role


def test_a_full_disk_that_stays_full_comes_with_what_to_do():
    block = "index [news-1] blocked by: [TOO_MANY_REQUESTS/12/index has read-only-allow-delete block];"
    with (
        standing_in([error(429, "cluster_block_exception", block)]) as server,
        cluster_of(server, patience=0) as cluster,
        pytest.raises(ClusterUnreachable, match="make room on the nodes' disks"),
    ):
        cluster.request("PUT", "/news-1/_doc/a", body={})


def test_a_cluster_without_a_master_is_no_blocked_index():
    block = error(503, "cluster_block_exception", "blocked by: [SERVICE_UNAVAILABLE/2/no master];")
    with (
        standing_in([block]) as server,
        cluster_of(server, patience=0) as cluster,
        pytest.raises(ClusterUnreachable, match=r"no master\]$"),
    ):
        cluster.request("GET", "/news")


def test_an_unknown_user_is_told_where_credentials_are_taken_from():
    with (
        standing_in([error(401, "security_exception", "missing authentication credentials")]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRefused, match=r"NEARDUP_API_KEY.*NEARDUP_USERNAME") as caught,
    ):
        cluster.request("GET", "/_cluster/health")
    assert caught.value.action is None


@pytest.mark.parametrize("status", [403, 405])
def test_a_page_of_a_proxy_is_told_to_be_one(status):
    """The error was the page alone, on several lines."""
    page = Answer(
        status, b"<html>\r\n<h1>not here</h1>\r\n</html>", {"content-type": "text/html"}, product=False
    )
    with standing_in([page]) as server, cluster_of(server) as cluster:
        with pytest.raises(ClusterRejected) as caught:
            cluster.request("GET", "/_cluster/health")
        assert len(server.requests) == 1
    told = f"with {status} error: <html> <h1>not here</h1> </html>; that is no JSON, so it is most likely from a proxy"
    assert told in str(caught.value)


@pytest.mark.parametrize("body", ["", "<html>too large</html>"])
def test_a_request_that_is_too_large_is_told_with_what_to_raise(body):
    """Elasticsearch answers without a word: nothing said whose limit it was."""
    with standing_in([Answer(413, body)]) as server, cluster_of(server) as cluster:
        with pytest.raises(
            ClusterRejected,
            match=r"; raise the size of a request that the nodes .http.max_content_length.*proxy",
        ):
            cluster.request("POST", "/news/_search", body={})
        assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["application/xml", "application/octet-stream", "text/html"])
def test_a_page_of_a_proxy_counts_by_its_status_whatever_it_is_called(kind):
    """It was asked for until patience was over, and the error was the name of its type, or bytes of the page."""
    page = Answer(413, b"<p>zu gro\xdf</p>", {"content-type": kind}, product=False)
    with standing_in([page]) as server, cluster_of(server) as cluster:
        with pytest.raises(ClusterRejected, match="with 413 error: <p>zu gro"):
            cluster.request("POST", "/news/_search", body={})
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 403, 503])
def test_an_error_in_json_of_a_proxys_own_is_told(status):
    """Of what a gateway of a managed cluster says nothing was told but "None"."""
    own = Answer(status, {"Message": "User: anonymous is not authorized"}, product=False)
    with (
        standing_in([own]) as server,
        cluster_of(server, patience=0) as cluster,
        pytest.raises(ClusterError, match=f"{status} error:? .*User: anonymous is not authorized"),
    ):
        cluster.request("POST", "/news/_search", body={})


def test_where_a_proxy_sends_elsewhere_is_told():
    """The error was the page that goes with it, without the address."""
    moved = Answer(
        301, "<html>Moved Permanently</html>", {"location": "https://search.example/_cluster/health"}
    )
    with standing_in([moved]) as server, cluster_of(server) as cluster:
        with pytest.raises(ClusterUnreachable) as caught:
            cluster.request("GET", "/_cluster/health")
        assert len(server.requests) == 1
    assert (
        "the server redirects (301, to https://search.example/_cluster/health); if the cluster is there, "
        "give that address"
    ) in str(caught.value)


def test_something_else_at_the_address_is_told():
    with (
        standing_in([Answer(200, {}, product=False)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterUnreachable, match="does not say that it is Elasticsearch"),
    ):
        cluster.request("GET", "/")


def test_what_knows_no_path_of_a_cluster_is_none_and_not_an_empty_one():
    unknown = Answer(404, {"detail": "Not Found"}, product=False)
    for options in ({"missing_ok": True}, {}):
        with (
            standing_in([unknown]) as server,
            cluster_of(server) as cluster,
            pytest.raises(ClusterUnreachable, match="does not say that it is Elasticsearch or OpenSearch"),
        ):
            cluster.request("GET", "/neardup-state-news/_doc/window", **options)


def test_who_may_not_ask_what_it_is_is_told_so():
    refused = error(403, "security_exception", "action [cluster:monitor/main] is unauthorized for user [u]")
    with (
        standing_in([Answer(200, {}, product=False), refused]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRefused, match="cluster:monitor/main"),
    ):
        cluster.request("GET", "/_cluster/health")


def test_an_api_key_is_sent_as_one():
    credentials = Credentials(api_key="a2V5OmtleQ==")
    with standing_in([GREEN]) as server, cluster_of(server, credentials=credentials) as cluster:
        cluster.request("GET", "/")
    assert server.requests[0].headers["authorization"] == "ApiKey a2V5OmtleQ=="


def test_a_user_is_sent_with_the_password():
    credentials = Credentials(username="elastic", password="hush")
    with standing_in([GREEN]) as server, cluster_of(server, credentials=credentials) as cluster:
        cluster.request("GET", "/")
    sent = server.requests[0].headers["authorization"]
    assert sent == "Basic " + base64.b64encode(b"elastic:hush").decode()


@pytest.mark.parametrize(
    "credentials", [Credentials(api_key="hush-hush"), Credentials(username="u", password="hush-hush")]
)
@pytest.mark.parametrize(
    "answer",
    [
        RESET,
        error(401, "security_exception", "unable to authenticate"),
        error(403, "security_exception", FORBIDDEN),
        error(500, "exception", "broken"),
        error(429, "es_rejected", "busy"),
        Answer(200, {}, product=False),
    ],
)
def test_secrets_are_in_no_message(credentials, answer, caplog):
    caplog.set_level(logging.DEBUG)
    sent = base64.b64encode(b"u:hush-hush").decode()
    with (
        standing_in([answer]) as server,
        cluster_of(server, credentials=credentials, patience=0.05) as cluster,
    ):
        with pytest.raises(ClusterError) as caught:
            cluster.request("GET", "/_cluster/health")
        shown = [repr(cluster), str(cluster), str(caught.value), repr(caught.value), caplog.text]
        shown += [repr(caught.value.__context__), repr(caught.value.__cause__)]
    assert not any(secret in text for secret in ("hush", sent) for text in shown)


@pytest.mark.parametrize(
    "credentials", [Credentials(api_key="hush-hush"), Credentials(username="u", password="hush-hush")]
)
def test_secrets_are_in_no_error_of_an_item(credentials):
    """A good answer may hold errors, which go on into rejects, and into marks in documents."""

    def repeated(request):
        if request.path.startswith("/_bulk"):
            return Answer(200, {"items": [{"create": {"status": 400, "error": fault(request)}}]})
        return Answer(200, {"docs": [{"_index": "news-1", "error": fault(request)}]})

    def fault(request):
        said = f"hush-hush, {request.headers['authorization']}"
        return {"type": "odd", "reason": said, "caused_by": {"reason": f"as it {said}"}}

    with (
        standing_in(repeated) as server,
        cluster_of(server, credentials=credentials, patience=0) as cluster,
    ):
        (outcome,) = bulk(cluster, [Action("create", "news-1", "a", {})])
        simulated = simulate(cluster, {"text": "Rain."})
    hidden = "ApiKey ***" if credentials.api_key else "Basic ***"
    assert outcome.error == f"odd: ***, {hidden}: as it ***, {hidden}"
    assert simulated["error"]["caused_by"] == {"reason": f"as it ***, {hidden}"}


def test_a_password_that_is_a_word_is_hidden_in_errors_only():
    source = {"text": "all the news", "error": "news", "news": ["news"]}
    document = {"_index": "news", "_source": source}
    answer = {"docs": [document, {"_index": "news", "error": {"type": "odd", "reason": "no news"}}]}
    credentials = Credentials(username="u", password="news")
    with (
        standing_in([Answer(200, answer)]) as server,
        cluster_of(server, credentials=credentials) as cluster,
    ):
        found, refused = cluster.request("POST", "/_mget", body={})["docs"]
    assert found == document
    assert refused == {"_index": "news", "error": {"type": "odd", "reason": "no ***"}}


def test_secrets_over_http_to_another_machine_are_warned_of(caplog):
    Cluster(Address("http://192.0.2.1:9200", "news"), Credentials(api_key="hush")).close()
    assert "unencrypted" in caplog.text
    caplog.clear()
    Cluster(Address("http://192.0.2.1:9200", "news")).close()
    Cluster(Address("http://localhost:9200", "news"), Credentials(api_key="hush")).close()
    assert caplog.text == ""


def test_certificates_that_are_not_checked_are_warned_of(caplog):
    Cluster(Address("https://192.0.2.1:9200", "news"), Credentials(verify_certs=False)).close()
    assert "verify_certs" in caplog.text


def test_several_threads_may_ask_at_once():
    with (
        standing_in(lambda request: Answer(200, {"path": request.path})) as server,
        cluster_of(server) as cluster,
    ):
        found: dict[int, set[str]] = {}

        def ask(number):
            for _ in range(10):
                found.setdefault(number, set()).add(cluster.request("GET", f"/{number}")["path"])

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: {f"/{number}"} for number in range(8)}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, b""),
        Answer(200, b'{"took": 1, "hits": {"hi'),
        Answer(404, b"default backend - 404", {"content-type": "text/plain"}, product=False),
        *(
            Answer(status, b"<h1>for a moment</h1>", {"content-type": "text/html"}, product=False)
            for status in (408, 500, 502, 520)
        ),
    ],
    ids=["empty", "cut", "a proxy without a way", "408", "500", "502", "520"],
)
@pytest.mark.parametrize("missing_ok", [False, True])
def test_what_is_no_answer_of_a_node_is_asked_for_again(answer, missing_ok):
    with standing_in([answer, answer, GREEN]) as server, cluster_of(server) as cluster:
        assert cluster.request("GET", "/news", missing_ok=missing_ok) == {"status": "green"}
    assert len(server.requests) == 3


def test_an_answer_that_stays_no_json_is_told():
    with (
        standing_in([Answer(200, b"[1, 2")]) as server,
        cluster_of(server, patience=0.1) as cluster,
        pytest.raises(ClusterUnreachable, match="no JSON"),
    ):
        cluster.request("GET", "/news")


@pytest.mark.parametrize(
    ("status", "type", "reason", "remedy"),
    [
        (400, "index_closed_exception", "closed", "by a POST to its /_open"),
        (
            403,
            "cluster_block_exception",
            "index [news-1] blocked by: [FORBIDDEN/8/index write (api)];",
            "lift the block of that index",
        ),
        (
            403,
            "cluster_block_exception",
            "blocked by: [FORBIDDEN/6/cluster read-only (api)];",
            "lift the block of the whole cluster",
        ),
        (
            400,
            "illegal_argument_exception",
            "pipeline with id [neardup-news] does not exist",
            "neardup setup",
        ),
        (
            400,
            "illegal_argument_exception",
            "pipeline with id [cleaning] does not exist",
            "make that pipeline again, or remove it from index and template",
        ),
        (
            400,
            "validation_exception",
            "cluster currently has [1000]/[1000] maximum normal shards open",
            "raise cluster.max_shards_per_node, or choose a smaller .*--batch-documents",
        ),
        (
            400,
            "illegal_argument_exception",
            "Result window is too large, from + size must be less than or equal to: [500] but was [2000].",
            f"raise index.max_result_window of these indices to {PAGE} or more",
        ),
        (
            400,
            "search_phase_execution_exception",
            "Cannot search on field [neardup.sketch] since it is not indexed nor has doc values.",
            "only the plugin can search them .`neardup setup --sign plugin`",
        ),
        (
            400,
            "search_phase_execution_exception",
            'field="neardup.qgram_count" was indexed with bytesPerDim=8 but this query has bytesPerDim=4',
            "made without the templates of the window: `neardup doctor` says what to do with it",
        ),
        (
            400,
            "search_phase_execution_exception",
            "Field [@timestamp] of type [keyword] is not supported for aggregation [min]",
            "maps it differently from a window's hours: _reindex it under another prefix, and delete it",
        ),
        (
            400,
            "search_phase_execution_exception",
            "_source is disabled in the mappings for index [news-1]",
            "remove mappings._source from your template",
        ),
        (
            400,
            "illegal_argument_exception",
            "mapper [neardup.shared] cannot be changed from type [long] to [integer]",
            "_reindex it without that object",
        ),
        (
            404,
            "index_not_found_exception",
            "no such index [news-1] and [action.auto_create_index] is [false]",
            "let writes make indices in the cluster",
        ),
        (
            404,
            "index_not_found_exception",
            "no such index [letters]",
            "restore that index under its name",
        ),
    ],
)
def test_what_is_wrong_with_an_index_comes_with_what_to_do(status, type, reason, remedy):
    with (
        standing_in([error(status, type, reason)]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match=remedy) as caught,
    ):
        cluster.request("PUT", "/news-1/_doc/a", body={})
    assert f"{reason.removesuffix(';')}; " in str(caught.value)
