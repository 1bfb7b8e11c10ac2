"""Documents that are added without being compared are found as those that were ingested."""

from __future__ import annotations

import random
from typing import Any

import pytest
from testing.cli.samples import FERRY, MILL

import neardup

SHORT = ("ab", "a b!", "xyz", "...", " ")
SENTENCES = [f"Sentence number {at} says that the harbour wall is closed." for at in range(40)]


def documents(count, seed):
    """Copies, equal texts in many batches, short and empty texts, common sentences, and ids that come again."""
    dice = random.Random(seed)
    made = {
        "same": lambda: FERRY,
        "near": lambda: f"{FERRY} {dice.random()}",
        "parts": lambda: " ".join(dice.sample(SENTENCES, dice.randint(1, 5))),
        "short": lambda: dice.choice(SHORT),
        "other": lambda: f"{MILL} {dice.random()}",
    }
    for _ in range(count):
        yield {"id": str(dice.randrange(count)), "text": made[dice.choice([*made])](), "time": 0}


OPENINGS: dict[str, dict[str, Any]] = {
    "sketch": {},
    "complete": {"retrieval": "complete", "matches": None},
    "routes": {"routes": ("sentences", "simhash"), "threshold": 0.5},
    "partial": {"partial": True, "max_candidates": 50},
    "threads": {"partial": True, "threads": 2, "batch_documents": 16},
}


@pytest.mark.parametrize("name", OPENINGS)
def test_added_documents_are_found_as_ingested_ones(name):
    opening: dict[str, Any] = {"window_hours": 0, **OPENINGS[name]}
    texts = [each["text"] for each in documents(60, 2)]
    with neardup.open(None, **opening) as ingested, neardup.open(None, **opening) as added:
        for _ in range(2):  # the second time they come before all others
            for _ in ingested.ingest(documents(500, 1)):
                pass
            assert {verdict.duplicate_of for verdict in added.add(documents(500, 1))} == {None}
        assert sorted(added) == sorted(ingested)
        assert added.replaced == ingested.replaced > 0
        expected = [verdict._replace(group="") for verdict in ingested.check(texts)]
        verdicts = added.check(texts)
        assert [verdict._replace(group="") for verdict in verdicts] == expected
        assert all(verdict.group == (verdict.duplicate_of or "") for verdict in verdicts)
        assert {verdict.status for verdict in verdicts} >= {"near", "exact", "empty"}
        # What is ingested later is compared with them.
        (later,) = added.ingest([{"id": "later", "text": f"{FERRY} Later.", "time": 0}])
        assert (later.status, later.group) == ("near", later.duplicate_of)


def test_added_documents_head_groups_of_their_own():
    with neardup.open(None) as window:
        assert [verdict.status for verdict in window.add([("a", FERRY), ("b", FERRY), ("c", "!")])] == [
            "unique",
            "unique",
            "empty",
        ]
        assert [(group.head, len(group.members)) for group in window.groups()] == []
        assert window.delete("a")
        assert window.query(FERRY).duplicate_of == "b"


def test_a_stored_window_reads_added_documents_again(tmp_path):
    with neardup.open(tmp_path / "w", partial=True) as window:
        assert sum(1 for _ in window.add([("a", FERRY), ("b", FERRY), ("c", MILL)])) == 3
    with neardup.open(tmp_path / "w", readonly=True) as window:
        assert [match.id for match in window.query(FERRY).matches] == ["a", "b"]
