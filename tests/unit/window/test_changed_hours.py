"""Which documents are not let go unasked when a window is to keep fewer hours."""

from __future__ import annotations

import pytest

from neardup.window.base import Expired
from neardup.window.changed_hours import going_by


def test_one_document_is_told_as_one():
    going = going_by(0, 24, lambda hours: Expired(["2026.11.19-06"], documents=1))
    assert going == (
        "the window keeps 1 document in 1 hour (2026.11.19-06 to 2026.11.19-06) that would be dropped"
    )


def test_hours_that_are_no_fewer_are_not_even_counted():
    def expirable(hours: int) -> Expired:
        pytest.fail(f"{hours} h were counted")

    for left, kept in ((24, 24), (24, 48), (24, 0), (0, 0)):
        assert going_by(left, kept, expirable) is None
