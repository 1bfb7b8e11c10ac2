"""Tests that share a node are run by one worker: testing/node/fixtures.py puts them into a group."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
import pytest
pytest_plugins = ["testing.node.fixtures"]

@pytest.fixture
def workshop():
    return None
"""
SUITE = """
import pytest

@pytest.mark.parametrize("i", range(8))
def test_of_a_node(i, workshop):
    pass

@pytest.mark.xdist_group("others")
def test_of_other_nodes(workshop):
    pass

@pytest.mark.parametrize("i", range(8))
def test_alone(i):
    pass
"""


def test_what_shares_a_node_has_one_worker(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_suite.py").write_text(SUITE)
    command = [
        sys.executable,
        *["-m", "pytest", "-v", "--numprocesses", "2", "--dist", "loadgroup", "-p", "no:cacheprovider"],
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    ran = re.findall(r"\[(gw\d)\].*test_of_a_node", done.stdout)
    assert len(ran) == 8
    assert len(set(ran)) == 1
    assert "test_of_other_nodes@others" in done.stdout
