"""Tests that share a node are run by one worker: testing/node/fixtures.py puts those of a directory into a group."""

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
    for directory in ("one", "two"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / f"test_{directory}.py").write_text(SUITE)
    command = [
        sys.executable,
        *["-m", "pytest", "-v", "--numprocesses", "2", "--dist", "loadgroup", "-p", "no:cacheprovider"],
    ]
    environment = {
        **os.environ,
        "NEARDUP_TEST_URL": "",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
    }
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    for directory in ("one", "two"):
        ran = re.findall(rf"\[(gw\d)\].*{directory}/.*test_of_a_node.*@node/{directory}\b", done.stdout)
        assert len(ran) == 8
        assert len(set(ran)) == 1
    assert "test_of_other_nodes@others" in done.stdout
