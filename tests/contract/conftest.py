"""One fixture for all kinds of windows: the tests of the contract run on each of them."""

from __future__ import annotations

import pytest
from tests.contract.places import KINDS, Place


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    place = Place(request.param, tmp_path)
    yield place
    place.close()


@pytest.fixture
def directory(tmp_path):
    """As `place`, for what only a directory can show."""
    place = Place("directory", tmp_path)
    yield place
    place.close()
