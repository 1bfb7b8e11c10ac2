"""How long what was found ahead for a batch holds: while others add some batches, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neardup.elastic.window.batch_candidates import Related
from neardup.elastic.window.state_document import StateDocument
from neardup.model.settings import LARGE_BATCH

THEN = StateDocument({}, {})
FOUND = Related(THEN, {})


def added(count: int) -> StateDocument:
    return replace(THEN, commit=THEN.commit._replace(next_order=count))


@pytest.mark.parametrize("others", [0, 1, 7])
def test_it_holds_while_so_many_others_do_a_batch_each(others):
    assert FOUND.holds(added(others * LARGE_BATCH))


@pytest.mark.parametrize(
    "now",
    [
        added(9 * LARGE_BATCH),
        replace(THEN, changes=1),
        replace(THEN, aborted=((5, 9),)),
        replace(THEN, commit=THEN.commit._replace(floor_hour=7)),
        replace(THEN, commit=THEN.commit._replace(floor_order=7)),
    ],
)
def test_it_does_not_after_anything_else(now):
    assert not FOUND.holds(now)
