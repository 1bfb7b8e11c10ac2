"""Random streams through two scorers at one window in a cluster: they answer as one window in memory, and as the slow
reference does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from testing.effort import examples
from testing.window.backends import Place
from testing.window.cluster_prefixes import Prefixes
from testing.window.operations import SETTINGS, Ask, Operation, Reopen, Run, comparable, operations

from neardup.elastic.admin.setup import Sign, set_up
from neardup.elastic.http.client import Cluster
from neardup.model.settings import Settings

EXAMPLES = examples(25)
WORKING = st.fixed_dictionaries(
    {
        "retrieval": st.sampled_from(("sketch", "complete")),
        "batch_documents": st.integers(2, 12),
        "routes": st.sampled_from(((), (), ("sentences", "simhash"))),
    }
)


@pytest.fixture(scope="module")
def prefixes(elasticsearch_url, credentials):
    prefixes = Prefixes(elasticsearch_url, credentials)
    yield prefixes
    prefixes.close()


def begin(place: Place, chosen: dict[str, Any], sign: Sign) -> None:
    """Sets the window up, so that the plugin signs or the client."""
    assert place.prefixes is not None
    with Cluster(place.address(), place.prefixes.credentials) as cluster:
        set_up(cluster, settings=Settings(**chosen), sign=sign)


def compare(place: Place, chosen: dict[str, Any], turns: list[tuple[Operation, int]]) -> None:
    """Every operation on the scorer whose turn it is; afterwards both know the same."""
    reference, memory = Run(Place("reference", place.path), chosen), Run(Place("memory", place.path), chosen)
    scorers = [Run(place, chosen), Run(place, chosen)]
    for operation, turn in turns:
        expected = comparable(reference.perform(operation))
        in_memory = memory.perform(operation)
        answer = scorers[turn].perform(operation)
        assert comparable(answer) == comparable(in_memory) == expected, operation
        if not isinstance(operation, Ask):
            assert answer == in_memory, operation
        if isinstance(operation, Ask | Reopen):
            # One scorer answers from its memory, the other may have to ask the cluster.
            assert comparable(scorers[1 - turn].perform(operation)) == expected, operation
        state = reference.state()
        assert [scorer.state() for scorer in (memory, *scorers)] == [state] * 3, operation


@pytest.mark.slow
def test_two_scorers_answer_as_one_window_in_memory(prefixes, tmp_path):
    # An example costs seconds: a failing one is told as it is.
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,), database=None, report_multiple_bugs=False,
    )  # fmt: skip
    @given(SETTINGS, WORKING, st.sampled_from(("plugin", "client")), operations(), st.data())
    def over_random_streams(
        chosen: dict[str, Any],
        working: dict[str, Any],
        sign: Sign,
        stream: list[Operation],
        data: st.DataObject,
    ) -> None:
        turns = [(operation, data.draw(st.integers(0, 1))) for operation in stream]
        place = Place("elasticsearch", Path(tmp_path), prefixes)
        try:
            begin(place, chosen, sign)
            compare(place, {**chosen, **working}, turns)
        finally:
            place.close()

    over_random_streams()
