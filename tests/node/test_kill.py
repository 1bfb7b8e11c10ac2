"""Documents are ingested while the writer or the node is killed: each is there once, with the verdict it would have
had anyway, and nothing is lost that was told.

A few random moments each; `python -m benchmarks.elastic.kill` does 20 and 20.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from unittest import mock

import pytest
from benchmarks.elastic import kill
from testing.effort import LONG
from testing.node.killing import kill_writer, stream

KILLS = 2 if LONG else 1


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["mark", "route"])
def test_a_killed_writer_loses_nothing_and_writes_nothing_twice(cluster, tmp_path, policy):
    outcome = kill_writer(cluster, tmp_path, 3, stream(960), policy=policy)
    assert min(outcome.told) > 0


@pytest.mark.slow
def test_the_experiment_kills_writers_and_a_node_and_finds_nothing_amiss(own_node, tmp_path, capsys):
    with mock.patch("benchmarks.elastic.kill.own_node", return_value=nullcontext(own_node)):
        kill.main(["--tiny", "--kills", str(KILLS), "--results", str(tmp_path)])
    figures = json.loads((tmp_path / "kill.json").read_text())["figures"]
    assert [found["kills"] for found in figures.values()] == [KILLS] * 3
    assert max(figures["node, mark"]["told"]) < figures["node, mark"]["documents"]
    assert f"| node, mark | {KILLS} |" in capsys.readouterr().out
