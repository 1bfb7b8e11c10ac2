"""Fields that are shown are plain JSON, whatever they were."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

from neardup.model.shown_fields import shown_fields


class _Mute:
    def __str__(self) -> str:
        raise ValueError("no text")


def _nested(levels: int) -> list[object]:
    value: list[object] = ["core"]
    for _ in range(levels):
        value = [value]
    return value


def _in_itself(times: int) -> list[object]:
    value: list[object] = []
    value += [value] * times
    return value


@pytest.mark.parametrize(
    "value",
    [
        _nested(300), _nested(100_000), _in_itself(1), _in_itself(2), {"\ud800": 1}, {"a": {"\ud800": "\ud800"}},
        10**5_000, _Mute(),
        [_Mute()], np.float64(0.5), float("nan"), {1: {2: 3}}, np.arange(3),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_whatever_a_field_holds_is_json(value):
    assert (
        orjson.loads(orjson.dumps(shown_fields({"source": value, "title": "Rain"}, ("source", "title"))))[
            "title"
        ]
        == "Rain"
    )


def test_what_is_not_deep_stays_as_it_is():
    assert shown_fields({"url": _nested(50)}, ("url",)) == {"url": _nested(50)}


@pytest.mark.parametrize("value", [float("inf"), np.float64("inf"), np.float32("inf")])
def test_an_infinite_number_is_kept_as_text(value):
    """It was null, as what is missing."""
    assert shown_fields({"title": value, "url": [-value]}, ("title", "url")) == {
        "title": "inf",
        "url": ["-inf"],
    }
