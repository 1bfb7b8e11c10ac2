"""Random streams through every kind of window: all answer as the slow reference does, however they work."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from testing.effort import examples
from testing.window.differential import all_answer_alike


@settings(
    max_examples=examples(400), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_all_windows_answer_as_the_reference(data: st.DataObject) -> None:
    all_answer_alike(data)
