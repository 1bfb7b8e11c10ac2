"""Tests of one group are run by one worker, as those are that share a node: testing/node/fixtures.py."""

from __future__ import annotations

import re
import subprocess
import sys

SUITE = """
import pytest

@pytest.mark.parametrize("i", range(8))
@pytest.mark.xdist_group("one")
def test_of_the_group(i):
    pass

@pytest.mark.parametrize("i", range(8))
def test_alone(i):
    pass
"""


def test_a_group_has_one_worker(tmp_path):
    (tmp_path / "test_suite.py").write_text(SUITE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-n",
        "2",
        "--dist",
        "loadgroup",
        "-p",
        "no:cacheprovider",
        ".",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    ran = re.findall(r"\[(gw\d)\].*test_of_the_group", done.stdout)
    assert len(ran) == 8
    assert len(set(ran)) == 1
