"""Random streams through several windows and the slow reference: all windows must answer as the reference does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import strategies as st
from testing.window.backends import Place
from testing.window.operations import SETTINGS, Operation, Run, comparable, operations

WORKING = st.fixed_dictionaries(
    {
        "retrieval": st.sampled_from(("sketch", "complete")),
        "batch_documents": st.integers(1, 12),
        "threads": st.sampled_from((1, 1, 3)),
        "routes": st.sampled_from(((), (), ("sentences", "simhash"))),
    }
)


def compare(chosen: dict[str, Any], working: dict[str, Any], stream: list[Operation], where: Path) -> None:
    other = {"sketch": "complete", "complete": "sketch"}[working["retrieval"]]
    reference = Run(Place("reference", where), chosen)
    one_by_one = Run(Place("memory", where), {**chosen, **working, "batch_documents": 1, "threads": 1})
    in_batches = Run(Place("directory", where), {**chosen, **working})
    otherwise = Run(Place("memory", where), {**chosen, "retrieval": other})
    runs = {"one by one": one_by_one, "in batches": in_batches, other: otherwise}
    try:
        for operation in stream:
            expected = comparable(reference.perform(operation))
            answers = {name: run.perform(operation) for name, run in runs.items()}
            for name, answer in answers.items():
                assert comparable(answer) == expected, (name, operation)
            assert answers["one by one"] == answers["in batches"], operation
            expected = reference.state()
            for name, run in runs.items():
                assert run.state() == expected, (name, operation)
        assert (one_by_one.left, otherwise.left) == (reference.left, reference.left)
    finally:
        for run in runs.values():
            run.window.close()


def all_answer_alike(data: st.DataObject) -> None:
    """Draws settings and a stream, and compares the answers of the windows."""
    chosen, stream, working = data.draw(SETTINGS), data.draw(operations()), data.draw(WORKING)
    compact_from = data.draw(st.sampled_from((10_000, 0, 5)))
    # With low limits, streams of a few dozen documents make crowds.
    many_from, fewest = data.draw(st.sampled_from(((64, 32), (1, 1), (3, 2))))
    with (
        tempfile.TemporaryDirectory() as directory,
        mock.patch("neardup.window.state._COMPACT_FROM", compact_from),
        mock.patch("neardup.index.candidates.MANY_FROM", many_from),
        mock.patch("neardup.index.crowd_comparison.FEWEST", fewest),
    ):
        compare(chosen, working, stream, Path(directory))
