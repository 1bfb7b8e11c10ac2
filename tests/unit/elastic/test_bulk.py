"""Bulk writes against a scripted server: what is sent, what is sent again, what is told of every item."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import orjson
import pytest
from testing.cluster_stand_in import LEFT, PAGE_TOO_LARGE, RESET, Answer, error, standing_in

from neardup.elastic.http.address import Address
from neardup.elastic.http.bulk import FOR_ONE_ITEM, Action, Outcome, bulk, bulk_done
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterError, ClusterRefused, ClusterRejected, ClusterUnreachable


class Index:
    """Documents, under the operations of a bulk request; refuses, loses answers and is busy as it is told to."""

    def __init__(self, *, busy=None, lost=()) -> None:
        self.documents: dict[tuple[str, str], dict[str, Any]] = {}
        self.log: list[tuple[str, str, str]] = []
        self.busy: Counter[str] = Counter(busy or {})
        self.lost = set(lost)
        self.calls = 0

    def __call__(self, request) -> Answer | str:
        self.calls += 1
        lines = iter(request.lines)
        items = [self.item(head, lines) for head in lines]
        if self.calls in self.lost:
            return RESET
        return Answer(
            200, {"errors": any("error" in i for item in items for i in item.values()), "items": items}
        )

    def item(self, head: dict[str, Any], lines: Iterator[Any]) -> dict[str, Any]:
        ((op, name),) = head.items()
        key = name["_index"], name["_id"]
        source = {} if op == "delete" else next(lines)
        if self.busy[name["_id"]] > 0:
            self.busy[name["_id"]] -= 1
            return {op: {"status": 429, "error": {"type": "es_rejected", "reason": "queue full"}}}
        self.log.append((op, *key))
        return {op: self.done(op, key, source)}

    def done(self, op: str, key: tuple[str, str], source: dict[str, Any]) -> dict[str, Any]:
        there = key in self.documents
        version = {"_seq_no": len(self.log), "_primary_term": 1}
        if op == "create" and there:
            return {"status": 409, "error": {"type": "version_conflict", "reason": "exists"}}
        if op == "delete":
            found = self.documents.pop(key, None) is not None
            return (
                {"status": 200, "result": "deleted", **version}
                if found
                else {"status": 404, "result": "not_found"}
            )
        if op == "update" and not there:
            return {"status": 404, "error": {"type": "document_missing", "reason": "no"}}
        self.documents[key] = self.documents[key] | source["doc"] if op == "update" else source
        return {"status": 200 if there else 201, "result": "updated" if there else "created", **version}


def cluster_of(server, patience=5.0):
    return Cluster(Address(server.url, "news"), patience=patience)


def creating(n, size=0):
    return [Action("create", "news-1", str(number), {"text": "x" * size, "n": number}) for number in range(n)]


def test_every_operation_and_its_outcome():
    actions = [
        Action("create", "news-1", "a", {"n": 1}),
        Action("index", "news-1", "b", b'{"n":2}'),
        Action("delete", "news-1", "z"),
        Action("update", "news-1", "y", {"n": 3}),
        Action("update", "news-1", "a", {"m": 4}, if_seq_no=7, if_primary_term=2),
        Action("delete", "news-1", "b"),
    ]
    index = Index()
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, actions, refresh="wait_for")
    assert index.documents == {("news-1", "a"): {"n": 1, "m": 4}}
    assert outcomes == [
        Outcome(201, None),
        Outcome(201, None),
        Outcome(404, None),
        Outcome(404, "document_missing: no"),
        Outcome(200, None),
        Outcome(200, None),
    ]
    assert [outcome.ok for outcome in outcomes] == [True, True, False, False, True, True]
    heads = [line for request in server.requests for line in request.lines]
    assert {"update": {"_index": "news-1", "_id": "a", "if_seq_no": 7, "if_primary_term": 2}} in heads
    assert all("refresh=wait_for" in request.path for request in server.requests)


def test_nothing_to_do_asks_nothing():
    with standing_in(Index()) as server, cluster_of(server) as cluster:
        assert bulk(cluster, []) == []
    assert server.requests == []


def test_requests_are_cut_by_bytes():
    index = Index()
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, creating(50, size=400), max_bytes=2_000)
    assert [outcome.status for outcome in outcomes] == [201] * 50
    sizes = [len(request.body) for request in server.requests]
    assert max(sizes) <= 2_000
    assert all(one + other > 2_000 for one, other in pairwise(sizes))


def test_requests_of_many_actions_are_under_way_side_by_side():
    barrier, answering = threading.Barrier(4), threading.Lock()
    index = Index()

    def answer(request):
        barrier.wait(20)  # until four of them are there
        with answering:
            return index(request)

    with standing_in(answer) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, creating(250), at_once=4)
    assert [outcome.status for outcome in outcomes] == [201] * 250
    assert sorted(len(request.lines) // 2 for request in server.requests) == [61, 63, 63, 63]


def test_outcomes_side_by_side_are_in_the_order_of_the_actions():
    index = Index()
    index.documents["news-1", "200"] = {}
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, creating(250), at_once=4)
    assert [at for at, outcome in enumerate(outcomes) if not outcome.ok] == [200]


def test_few_actions_go_in_one_request():
    with standing_in(Index()) as server, cluster_of(server) as cluster:
        bulk(cluster, creating(40), at_once=4)
    assert len(server.requests) == 1


def test_an_action_larger_than_a_request_goes_alone():
    sizes = [10, 5_000, 10, 10]
    actions = [Action("index", "news-1", str(n), {"text": "x" * size}) for n, size in enumerate(sizes)]
    with standing_in(Index()) as server, cluster_of(server) as cluster:
        assert all(outcome.ok for outcome in bulk(cluster, actions, max_bytes=1_000))
    assert [len(request.lines) // 2 for request in server.requests] == [1, 1, 2]


def test_only_what_was_refused_is_sent_again(caplog):
    index = Index(busy={"3": 1, "7": 2})
    index.documents["news-1", "7"] = {}
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, creating(10))
    assert [outcome.status for outcome in outcomes] == [201] * 7 + [409] + [201] * 2
    assert [[head["create"]["_id"] for head in request.lines[::2]] for request in server.requests] == [
        [str(number) for number in range(10)],
        ["3", "7"],
        ["7"],
    ]
    assert "2 of 10 writes put off (es_rejected: queue full)" in caplog.text


def test_items_that_a_node_took_with_it_which_has_just_left_are_sent_again(caplog):
    index = Index()
    answers = iter([Answer(200, {"items": [{"create": {"status": 500, "error": LEFT}}] * 2})])
    with (
        standing_in(lambda request: next(answers, None) or index(request)) as server,
        cluster_of(server) as cluster,
    ):
        assert [outcome.status for outcome in bulk(cluster, creating(2))] == [201] * 2
    assert "2 of 2 writes put off (node_disconnected_exception: [node-2]" in caplog.text


def test_between_two_requests_and_before_a_wait_the_caller_has_his_say_and_can_end_it():
    said = []

    def says():
        said.append(len(server.requests))
        if len(said) == 3:
            raise StopIteration

    with (
        standing_in(Index(busy={"0": 1})) as server,
        cluster_of(server) as cluster,
        pytest.raises(StopIteration),
    ):
        bulk(cluster, creating(4, size=400), max_bytes=500, between=says)
    assert said == [1, 2, 3]
    assert len(server.requests) == 3


def test_items_that_stay_refused_end_with_an_error():
    with (
        standing_in(Index(busy={"1": 10**6})) as server,
        cluster_of(server, patience=0.2) as cluster,
        pytest.raises(ClusterUnreachable, match="1 of 3 writes put off"),
    ):
        bulk(cluster, creating(3))


def test_a_lost_answer_is_asked_for_again_and_what_had_landed_conflicts():
    index = Index(lost={1})
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(
            cluster, [*creating(2), Action("index", "news-1", "b", {}), Action("delete", "news-1", "c")]
        )
    assert [outcome.status for outcome in outcomes] == [409, 409, 200, 404]
    assert len(index.documents) == 3


def test_actions_on_one_document_keep_their_order_whatever_is_refused():
    actions = [Action("index", "news-1", "a", {"n": number}) for number in range(5)]
    actions.insert(2, Action("index", "news-2", "a", {"n": 9}))
    index = Index(busy={"a": 3})
    with standing_in(index) as server, cluster_of(server) as cluster:
        bulk(cluster, actions)
    assert index.documents == {("news-1", "a"): {"n": 4}, ("news-2", "a"): {"n": 9}}
    for request in server.requests:
        keys = [(head["index"]["_index"], head["index"]["_id"]) for head in request.lines[::2]]
        assert len(keys) == len(set(keys))


def test_a_busy_cluster_is_asked_again_as_a_whole():
    index = Index()
    answers = iter([error(429, "es_rejected", "busy"), error(503, "no_master", "away")])
    with (
        standing_in(lambda request: next(answers, None) or index(request)) as server,
        cluster_of(server) as cluster,
    ):
        assert [outcome.status for outcome in bulk(cluster, creating(3))] == [201] * 3


def test_an_answer_that_leaves_items_out_is_not_believed():
    with (
        standing_in([Answer(200, {"errors": False, "items": []})]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match="0 answers to 2 writes"),
    ):
        bulk(cluster, creating(2))


def test_an_encoded_source_is_sent_as_it_is():
    source = orjson.dumps({"text": "Grüße", "n": 2**63 - 1})
    with standing_in(Index()) as server, cluster_of(server) as cluster:
        bulk(cluster, [Action("index", "news-1", "a", source)])
    assert server.requests[0].body.splitlines()[1] == source


class Fussy(Index):
    """Refuses a whole request that has an item with one of these ids in it."""

    def __init__(self, *bad: str) -> None:
        super().__init__()
        self.bad = bad

    def __call__(self, request) -> Answer | str:
        found = [name["_id"] for line in request.lines for name in line.values() if isinstance(name, dict)]
        if set(found) & set(self.bad):
            self.calls += 1
            return error(400, "illegal_argument_exception", "Field [_id] is a metadata field")
        return super().__call__(request)


@pytest.mark.parametrize("bad", [["0"], ["99"], ["41", "42", "73"], [str(number) for number in range(100)]])
def test_one_item_that_a_whole_request_is_refused_for_is_found(bad):
    index = Fussy(*bad)
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, creating(100))
    reason = "illegal_argument_exception: Field [_id] is a metadata field"
    assert [str(n) for n, outcome in enumerate(outcomes) if not outcome.ok] == bad
    assert {outcome for outcome in outcomes if not outcome.ok} == {Outcome(400, reason)}
    assert {id for _, id in index.documents} == {str(n) for n in range(100)} - set(bad)
    assert index.calls <= min(2 * 100, 1 + len(bad) * 2 * 7)


def test_what_is_wrong_with_every_request_is_no_items_fault():
    with (
        standing_in([error(400, "media_type_header_exception", "Invalid media-type value")]) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match="media_type_header_exception"),
    ):
        bulk(cluster, creating(3))
    assert len(server.requests) == 1


def test_a_refusal_of_a_half_for_another_reason_ends_it():
    def script(request):
        if b'"_id":"0"' in request.body and b'"_id":"1"' in request.body:
            return error(400, "illegal_argument_exception", "Field [_id] is a metadata field")
        return error(409, "made_up_exception", "no")

    with (
        standing_in(script) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match="409 made_up_exception"),
    ):
        bulk(cluster, creating(2))


def test_a_request_that_is_too_large_for_a_proxy_goes_in_halves_and_an_item_that_is_comes_back_alone():
    index = Index()

    def script(request):
        return PAGE_TOO_LARGE if len(request.body) > 1_500 else index(request)

    actions = [*creating(8, size=400), *creating(1, size=3_000)]
    actions[8] = actions[8]._replace(id="large")
    with standing_in(script) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, actions)
    assert [outcome.status for outcome in outcomes] == [201] * 8 + [413]
    assert "http.max_content_length" in str(outcomes[8].error)
    assert len(index.documents) == 8


def test_an_item_that_lacks_a_right_is_refused_as_a_request_is_and_one_in_a_blocked_index_is_rejected():
    action = "action [indices:data/write/update] is unauthorized for user [u] with effective roles [r]"
    reasons = {
        "security_exception": f"{action} on indices [news-1], this action is granted by the index privileges",
        "cluster_block_exception": "index [news-1] blocked by: [FORBIDDEN/8/index write (api)];",
    }
    found = []
    for type, reason in reasons.items():
        items = [{"update": {"status": 403, "error": {"type": type, "reason": reason}}}]
        with (
            standing_in([Answer(200, {"errors": True, "items": items})]) as server,
            cluster_of(server) as cluster,
        ):
            with pytest.raises(ClusterError) as caught:
                bulk_done(cluster, [Action("update", "news-1", "a", {})])
            found.append(caught.value)
    refused, blocked = found
    assert isinstance(refused, ClusterRefused)
    assert (refused.action, refused.index, refused.role) == ("indices:data/write/update", "news-1", "scorer")
    assert isinstance(blocked, ClusterRejected)
    assert "update news-1/a" in str(blocked)
    assert "lift the block" in str(blocked.remedy)


def test_a_document_that_a_pipeline_drops_is_not_taken_for_stored():
    items = [
        {"create": {"status": 200, "result": "noop", "_seq_no": -2, "_primary_term": 0}},
        {"update": {"status": 200, "result": "noop", "_seq_no": 3, "_primary_term": 1}},
    ]
    with (
        standing_in([Answer(200, {"errors": False, "items": items})]) as server,
        cluster_of(server) as cluster,
    ):
        dropped, unchanged = bulk(cluster, [*creating(1), Action("update", "news-1", "b", {"n": 1})])
    assert (dropped.ok, dropped.status, unchanged.ok) == (False, 400, True)
    assert dropped.error is not None
    assert "pipeline" in dropped.error


SENT = (
    "an ingest pipeline, or an alias or data stream with the name of the index, sends it elsewhere, to {}; "
    "`neardup doctor` names such an alias or data stream, and says how to remove it"
)


def test_a_document_that_a_pipeline_fails_is_refused_by_itself():
    """The nodes say 500, as of what is wrong with themselves."""
    failed = {"type": "fail_processor_exception", "reason": "no title"}
    items = [{"create": {"status": 500, "error": failed}}, {"create": {"status": 201}}]
    with (
        standing_in([Answer(200, {"errors": True, "items": items})]) as server,
        cluster_of(server) as cluster,
    ):
        outcomes = bulk(cluster, creating(2))
    assert outcomes == [Outcome(400, "fail_processor_exception: no title"), Outcome(201, None)]


def test_a_document_that_a_pipeline_sends_elsewhere_is_not_taken_for_stored():
    created = {"status": 201, "result": "created", "_seq_no": 0, "_primary_term": 1}
    exists = {"status": 409, "error": {"type": "version_conflict", "reason": "exists"}}
    items = [
        {"create": {"_index": "news-1", "_id": "0", **created}},
        {"create": {"_index": "trash", "_id": "1", **created}},
        {"create": {"_index": "news-1", "_id": "22", **created}},
        {"create": {"_index": "trash", "_id": "3", **exists}},
        {"create": {"_index": "news-1", "_id": "4", **exists}},
    ]
    with (
        standing_in([Answer(200, {"errors": True, "items": items})]) as server,
        cluster_of(server) as cluster,
    ):
        outcomes = bulk(cluster, creating(5))
    assert [outcome.status for outcome in outcomes] == [201, 400, 400, 400, 409]
    assert [outcome.error for outcome in outcomes[1:4]] == [
        SENT.format("trash/1"),
        SENT.format("news-1/22"),
        SENT.format("trash/3"),
    ]


class Small(Index):
    """A node that has room for so many bytes at once: in a request, and for the items of a shard."""

    def __init__(self, whole: int, shard: int) -> None:
        super().__init__()
        self.whole, self.shard = whole, shard

    def __call__(self, request) -> Answer | str:
        size = len(request.body)
        if size > self.whole:
            sizes = f"coordinating_operation_bytes={size}, max_coordinating_bytes={self.whole}"
            return error(429, "es_rejected_execution_exception", f"rejected [{sizes}]")
        if size > self.shard:
            sizes = f"primary_operation_bytes={size}, max_primary_bytes={self.shard}"
            refused = {"status": 429, "error": {"type": "es_rejected", "reason": f"rejected [{sizes}]"}}
            return Answer(200, {"items": [{"create": refused} for _ in request.lines[::2]]})
        return super().__call__(request)


@pytest.mark.parametrize(("whole", "shard"), [(1_500, 10_000), (10_000, 1_500), (2_000, 1_000)])
def test_what_never_fits_a_node_goes_in_parts_and_one_that_does_not_fit_alone_is_refused(whole, shard):
    index = Small(whole, shard)
    actions = [*creating(8, size=400), Action("create", "news-1", "large", {"text": "x" * 3_000})]
    with standing_in(index) as server, cluster_of(server) as cluster:
        outcomes = bulk(cluster, actions)
    assert [outcome.status for outcome in outcomes][:8] == [201] * 8
    assert not outcomes[8].ok
    assert outcomes[8].status in FOR_ONE_ITEM
    assert "es_rejected" in (outcomes[8].error or "")
    assert len(index.documents) == 8


def test_a_request_that_is_put_off_is_not_sent_again_once_the_one_beside_it_has_failed():
    put_off = threading.Event()
    asked = 0

    def script(request):
        nonlocal asked
        if request.lines[0]["create"]["_id"] == "0":
            asked += 1
            put_off.set()
            return error(503, "unavailable", "made up")
        put_off.wait(20)
        return error(403, "cluster_block_exception", "made up")

    with standing_in(script) as server, Cluster(Address(server.url, "news"), patience=2) as cluster:
        with pytest.raises(ClusterRejected, match="made up"):
            bulk(cluster, creating(64), at_once=2)
        assert asked < 10
