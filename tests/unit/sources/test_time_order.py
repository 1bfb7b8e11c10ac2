"""Times for documents that have none."""

from __future__ import annotations

from typing import Any

import pytest

from neardup.model.document import FLUSH, Document
from neardup.sources.time_order import DatedReader


class Records:
    """A reader of a pipe of records."""

    bytes_total = None

    def file_time(self):
        """Records have no file of their own."""
        return


class Pipe(Records):
    """A reader of a pipe that never pauses, and has no time."""

    def __init__(self, text: str) -> None:
        self.read, self._text = 0, text

    def __iter__(self):
        for self.read in range(1, 30_001):
            yield Document(str(self.read), self._text)


class Listed(Records):
    """A reader of a pipe that has given these."""

    def __init__(self, *items: Any) -> None:
        self._items = items

    def __iter__(self):
        return iter(self._items)


@pytest.mark.parametrize(("length", "most"), [(5, 10_000), (1_000_000, 64)], ids=["many", "long"])
def test_the_head_of_a_pipe_that_never_pauses_has_an_end(length, most):
    pipe: Any = Pipe("x" * length)
    items: Any = iter(DatedReader(pipe, ahead_hours=24))
    assert [next(items).id for _ in range(3)] == ["1", "2", "3"]
    assert pipe.read == most
    assert all(next(items).time is None for _ in range(most))
    assert pipe.read == most + 3


@pytest.mark.parametrize("unusable", ["yesterday", "9999-01-01T00:00:00Z"], ids=["unreadable", "ahead"])
def test_a_time_that_cannot_be_used_does_not_end_the_wait_for_the_first(unusable):
    pipe: Any = Listed(
        Document("a", "Rain."), Document("b", "Snow.", unusable), Document("c", "Hail."),
        Document("d", "Fog.", "2020-01-01T00:00:00Z"),
    )  # fmt: skip
    items: Any = DatedReader(pipe, ahead_hours=24)
    times = {item.id: item.time for item in items}
    assert times == {"b": unusable, **dict.fromkeys("acd", "2020-01-01T00:00:00Z")}


def test_a_pause_ends_the_wait_for_the_first_time():
    pipe: Any = Listed(FLUSH, Document("a", "Rain."), FLUSH, Document("b", "Snow.", "2020-01-01T00:00:00Z"))
    items: Any = DatedReader(pipe, ahead_hours=24)
    assert [item if item is FLUSH else item.time for item in items] == [
        FLUSH, None, FLUSH, "2020-01-01T00:00:00Z"
    ]  # fmt: skip
