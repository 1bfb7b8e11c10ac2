"""The node that the other tests stand on: it starts, and leaves nothing behind."""

from __future__ import annotations

import pytest


def test_the_node_answers(cluster):
    assert cluster.request("GET", "/_cluster/health")["status"] in ("green", "yellow")


def test_a_prefix_leaves_nothing_behind(new_cluster, elasticsearch_url):
    from testing.node.prefix import fresh_prefix

    with fresh_prefix(elasticsearch_url) as cluster:
        own = cluster.address
        for name in (own.hourly(498681), own.copies(498681), own.state):
            cluster.request("PUT", f"/{name}", body={"settings": {"index.hidden": True}})
    other = new_cluster()
    assert (
        other.request("GET", f"/{own.pattern},{own.state}?expand_wildcards=all&ignore_unavailable=true") == {}
    )


def test_two_nodes_are_one_cluster(two_nodes):
    for node in two_nodes:
        assert node.get("/_cluster/health")["number_of_nodes"] == 2


@pytest.mark.parametrize("path", ["/_nodes/plugins"])
def test_a_bare_node_has_no_plugin(bare_node, path):
    (node,) = bare_node.get(path)["nodes"].values()
    assert node["plugins"] == []
