"""One fixture for all kinds of windows: the tests of the contract run on each of them."""

from __future__ import annotations

import pytest
from testing.window.backends import KINDS, Place
from testing.window.cluster_prefixes import Prefixes


@pytest.fixture(scope="session")
def prefixes(elasticsearch_url, credentials):
    prefixes = Prefixes(elasticsearch_url, credentials)
    yield prefixes
    prefixes.close()


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    on_a_node = request.param == "elasticsearch"
    place = Place(request.param, tmp_path, request.getfixturevalue("prefixes") if on_a_node else None)
    yield place
    place.close()


@pytest.fixture
def directory(tmp_path):
    """As `place`, for what only a directory can show."""
    place = Place("directory", tmp_path)
    yield place
    place.close()
