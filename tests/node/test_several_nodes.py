"""Three nodes of one cluster on this machine: killed, upgraded one by one, restored from a snapshot. Verdicts are those
of one node that nobody disturbed.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from testing.effort import LONG
from testing.node.clients import check_marked, expected, in_order, made, put, stream, watched
from testing.node.killing import BATCH, Writer, check, check_verdicts, stored, undisturbed
from testing.node.killing import stream as disordered
from testing.node.node import Workshop
from testing.node.prefix import fresh_prefix
from testing.node.servers import SERVERS

from neardup.elastic.admin.cluster_snapshot import nodes as nodes_of
from neardup.elastic.window.opening import open_elastic_window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from testing.node.node import Node

    from neardup.elastic.http.client import Cluster

PATIENCE = 180
"""Seconds a request is tried again: a node of three starts again meanwhile."""
pytestmark = [pytest.mark.slow, pytest.mark.node, pytest.mark.xdist_group("three nodes")]


def started(nodes):
    for node in nodes:
        node.start(wait=False)
    for node in nodes:
        node.wait()
    return nodes


def wait_until_whole(node: Node) -> None:
    """Every shard of every index has its copy again: only then may another node be killed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = node.get("/_cluster/health?wait_for_status=green&wait_for_nodes=3&timeout=5s")
        except OSError:
            continue
        if not found["timed_out"]:
            return
    raise AssertionError(f"still not whole: {node.get('/_cluster/health')}")


@pytest.fixture(scope="module")
def three(workshop):
    return started(workshop.joined("three", 3, **{"path.repo": str(workshop.place / "snapshots")}))


@pytest.fixture
def whole(three):
    wait_until_whole(three[0])
    return three


@contextmanager
def killing(nodes: Sequence[Node]) -> Iterator[None]:
    """Kills one node after the other, each when all have come together again, while the body does its work."""
    ended = threading.Event()

    def kill() -> None:
        for node in nodes:
            node.kill()
            time.sleep(1)
            node.start(wait=False)
            wait_until_whole(node)
            if ended.wait(1):
                return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def replicas(cluster: Cluster) -> set[str]:
    found = cluster.request("GET", f"/{cluster.address.pattern}/_settings/index.number_of_replicas")
    return {index["settings"]["index"]["number_of_replicas"] for index in found.values()}


def test_nodes_are_killed_while_documents_are_ingested(whole, tmp_path):
    documents, settings = disordered(400 if LONG else 200), {"batch_documents": BATCH}
    with fresh_prefix(whole[0].url, patience=PATIENCE) as cluster:
        wanted = undisturbed(documents, settings)
        writer = Writer(tmp_path, documents, str(cluster.address), settings)
        writer.read(40)
        with killing([whole[2], whole[0]] if LONG else [whole[2]]):
            writer.read(len(documents))
            assert writer.wait() == 0
        check_verdicts(writer.verdicts, wanted)
        assert len(writer.verdicts) == len(wanted)
        check(cluster, documents, wanted, settings)
        assert replicas(cluster) == {"1"}


def test_nodes_are_killed_while_documents_of_others_are_scored_and_asked_about(whole):
    documents = stream(200)
    with fresh_prefix(whole[0].url, patience=PATIENCE) as cluster:
        put(made(cluster), documents)
        with killing([whole[1], whole[0]] if LONG else [whole[1]]):
            verdicts = watched(cluster, batch=BATCH)
            with open_elastic_window(str(cluster.address), readonly=True) as window:
                for verdict in verdicts[-40:]:
                    again = window.query(id=verdict.id)
                    assert {match.id for match in verdict.matches} <= {match.id for match in again.matches}
        assert verdicts == expected(documents)
        check_marked(cluster, documents, verdicts)


def test_a_window_is_restored_from_a_snapshot_and_goes_on(whole):
    documents = in_order(stream(160))
    with fresh_prefix(whole[0].url, patience=PATIENCE) as cluster:
        own, wanted = cluster.address, expected(documents)
        with open_elastic_window(str(made(cluster).address)) as window:
            assert list(window.ingest(documents[:80])) == wanted[:80]
        cluster.request("PUT", "/_snapshot/kept", body={"type": "fs", "settings": {"location": own.prefix}})
        parts = {
            "indices": f"{own.pattern},{own.state}",
            "include_global_state": False,
            "expand_wildcards": "all",
        }
        path = f"/_snapshot/kept/{own.prefix}"
        cluster.request("PUT", path, params={"wait_for_completion": "true"}, body=parts)
        with open_elastic_window(str(own)) as window:
            list(window.ingest(documents[80:120]))
        there = cluster.request("GET", f"/{own.pattern},{own.state}", params={"expand_wildcards": "all"})
        for index in there:
            cluster.request("DELETE", f"/{index}")
        parts = {"include_global_state": False}
        cluster.request("POST", f"{path}/_restore", params={"wait_for_completion": "true"}, body=parts)
        with open_elastic_window(str(own)) as window:
            assert window.stats().documents == 80
            assert list(window.ingest(documents[80:])) == wanted[80:]
        cluster.request("DELETE", path)
        cluster.request("DELETE", "/_snapshot/kept")


@pytest.mark.skipif(not LONG, reason="takes two minutes: NEARDUP_TEST_LONG=1, as `make versions` sets it")
def test_a_rolling_upgrade_changes_no_verdict():
    """From the oldest Elasticsearch to the newest, a node at a time, at work after each.

    A version that came out before the oldest's last patch cannot follow it: it does not know the form of its state.
    """
    oldest, newest = (
        next(server for server in SERVERS if server.note == note and server.product == "elasticsearch")
        for note in ("oldest", "newest")
    )
    documents = in_order(stream(200))
    wanted, verdicts = expected(documents), []
    before, after = (Workshop(server, in_memory=True, tested=False) for server in (oldest, newest))
    try:
        nodes = started(before.joined("upgraded", 3))
        with fresh_prefix(nodes[0].url, patience=PATIENCE) as cluster:
            made(cluster, sign="plugin")
            for step, upgraded in enumerate([None, *nodes]):
                if upgraded is not None:
                    upgraded.stop()
                    upgraded.become(after.distribution())
                    upgraded.start()
                part = documents[50 * step : 50 * step + 50]
                if step % 2:
                    put(cluster, part)
                    verdicts += watched(cluster)
                else:
                    with open_elastic_window(str(cluster.address)) as window:
                        verdicts += window.ingest(part)
                versions = Counter(node.version for node in nodes_of(cluster))
                assert (versions[oldest.version], versions[newest.version]) == (3 - step, step)
            assert verdicts == wanted
            statuses = {id: source["neardup"]["status"] for _, id, source in stored(cluster)}
            assert statuses == {verdict.id: verdict.status for verdict in wanted}
    finally:
        before.close()
        after.close()
