"""Positions of numbers against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neardup.index.arrivals import positions_of


@given(
    st.lists(st.integers(0, 1 << 62) | st.integers(0, 40), unique=True),
    st.lists(st.integers(-1, 1 << 62) | st.integers(0, 40)),
)
def test_numbers_are_found_where_they_are(held, numbers):
    held = sorted(held)
    asked = [*numbers, *held[::2]]
    found = positions_of(np.array(asked, np.int64), np.array(held, np.int64))
    place = {number: at for at, number in enumerate(held)}
    assert found.tolist() == [place.get(number, -1) for number in asked]
