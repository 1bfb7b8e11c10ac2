"""JSON of documents that are read from a cluster and written back: with every integer as it stood.

orjson reads an integer beyond 64 bits as floating point, and writes none. Elasticsearch takes such a number for a field
of type `keyword` or `double`, or for one that is not indexed.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, Final

import orjson

_MASK: Final = bytes(ord("0") if byte in b"0123456789" else ord(" ") for byte in range(256))
_LONG_NUMBER: Final = b"0" * 20
"""What every integer beyond 64 bits contains once `_MASK` is applied."""


def loads(data: bytes) -> Any:
    """The value in `data`; raises `ValueError` for what is no JSON. Costs 2 ms a megabyte more than orjson.

    >>> loads(b'{"n": 123456789012345678901234}')
    {'n': 123456789012345678901234}
    """
    value = orjson.loads(data)
    return json.loads(data) if _LONG_NUMBER in data.translate(_MASK) else value


def dumps(value: Any) -> bytes:
    """`value` as JSON; raises `TypeError` for what JSON cannot say.

    >>> dumps({"n": 123456789012345678901234})
    b'{"n":123456789012345678901234}'
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        with suppress(RecursionError):  # of what is nested too deeply for both
            if _has_long_number(value):
                return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        raise


def check_finite(value: Any) -> None:
    """Raises `TypeError` for an infinite number in `value`, of which `dumps` makes null, as of a missing one (NaN).

    >>> check_finite({"a": [1e300, float("nan")]})
    """
    if isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            check_finite(each)
    elif isinstance(value, float) and math.isinf(value):
        raise TypeError(f"JSON has no number {value}")


def _has_long_number(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(map(_has_long_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -(2**63) <= value < 2**64
