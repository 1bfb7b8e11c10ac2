"""What documents count towards a budget of memory, while a batch is decided."""

from __future__ import annotations

import pytest

import neardup
from neardup.index.budget_bytes import budget_bytes_of
from neardup.window import budgets

TEXT = "The ferry ran aground off the western spit at dawn."


@pytest.mark.parametrize("policy", ["mark", "drop", "route"])
def test_the_sizes_of_a_batch_are_computed_once_however_many_runs_it_has(monkeypatch, policy):
    sized = []

    def counting(rows, held_texts):
        sized.append(len(rows))
        return budget_bytes_of(rows, held_texts)

    monkeypatch.setattr(budgets, "budget_bytes_of", counting)
    documents = [{"id": str(n), "time": n, "text": f"{n} {TEXT}"} for n in range(20)]
    window = neardup.open(None, policy=policy, partial=True, max_memory=1_000_000)
    assert len(list(window.ingest(documents))) == 20
    assert sized == [20]
