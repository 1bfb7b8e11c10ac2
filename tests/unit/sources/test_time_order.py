"""Times for documents that have none."""

from __future__ import annotations

from typing import Any

import pytest

from neardup.model.document import Document
from neardup.sources.time_order import DatedReader


class Pipe:
    """A reader of a pipe that never pauses, and has no time."""

    bytes_total = None

    def __init__(self, text: str) -> None:
        self.read, self._text = 0, text

    def __iter__(self):
        for self.read in range(1, 30_001):
            yield Document(str(self.read), self._text)


@pytest.mark.parametrize(("length", "most"), [(5, 10_000), (1_000_000, 64)], ids=["many", "long"])
def test_the_head_of_a_pipe_that_never_pauses_has_an_end(length, most):
    pipe: Any = Pipe("x" * length)
    items: Any = iter(DatedReader(pipe, ahead_hours=24))
    assert [next(items).id for _ in range(3)] == ["1", "2", "3"]
    assert pipe.read == most
    assert all(next(items).time is None for _ in range(most))
    assert pipe.read == most + 3
