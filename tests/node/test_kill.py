"""Documents are ingested while the writer or the node is killed: each is there once, with the verdict it would have
had anyway, and nothing is lost that was told.

A few random moments each; benchmarks/kill.py does 20 and 20.
"""

from __future__ import annotations

import pytest
from tests.node.killing import kill_node, kill_writer, prefix_on, stream


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["mark", "route"])
def test_a_killed_writer_loses_nothing_and_writes_nothing_twice(cluster, tmp_path, policy):
    outcome = kill_writer(cluster, tmp_path, 3, stream(240), policy=policy)
    assert min(outcome.told) > 0


@pytest.mark.slow
def test_a_killed_node_loses_nothing_and_nothing_is_written_twice(own_node, tmp_path):
    with prefix_on(own_node) as cluster:
        outcome = kill_node(own_node, cluster, tmp_path, 2, stream(320))
    assert max(outcome.told) < outcome.documents
