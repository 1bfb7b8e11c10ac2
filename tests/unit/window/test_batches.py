"""Where a stream is cut into batches."""

from __future__ import annotations

from itertools import count

import pytest

from neardup.model.document import Document, prepare
from neardup.model.settings import HOUR_MS
from neardup.window.batches import batches
from neardup.window.newest_hour import Leaps


def lengths(hours, limit=1_024):
    arrival = count().__next__
    documents = [
        prepare(Document(f"{at}", "a rose", hour * HOUR_MS), arrival, 100) for at, hour in enumerate(hours)
    ]
    return [len(batch) for batch in batches(iter(documents), limit, Leaps())]


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (range(600), [256, 256, 88]),
        ([at % 256 for at in range(1_100)], [1_024, 76]),
        ([*range(256), 0, 256], [257, 1]),
    ],
    ids=["each its own", "few", "known ones go on"],
)
def test_a_batch_has_documents_of_so_many_hours(hours, expected):
    """Each may become an index until the batch is done: of letters over years one made more than a node takes."""
    assert lengths(hours) == expected
