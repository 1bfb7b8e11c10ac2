"""What every test against a stand-in of a cluster has."""

import pytest

from neardup.elastic.http import client


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(client, "LONGEST_WAIT", 0.05)
