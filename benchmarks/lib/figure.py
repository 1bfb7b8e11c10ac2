"""A figure of benchmarks/README.md: the demanded and the measured value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One row, in words: the demand, the aim and the measured value. `is_met`: None if there is no demand."""

    demanded: str
    aim: str
    measured: str
    is_met: bool | None


def at_most(what: str, limit: float, aim: str, value: float, shown: str) -> Figure:
    """A figure that must be `limit` or less."""
    return Figure(what, aim, shown, value <= limit)


def at_least(what: str, limit: float, aim: str, value: float, shown: str) -> Figure:
    """A figure that must be `limit` or more."""
    return Figure(what, aim, shown, value >= limit)


def grouped(rows: Iterable[dict[str, Any]], *names: str) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """`rows` by their values under `names`."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups
