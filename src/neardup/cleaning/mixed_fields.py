"""Finds the field that keeps records out of a table: its values are of different kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final

from neardup.sources.fields import JSON_KINDS

_KINDS: Final = {**JSON_KINDS, int: JSON_KINDS[float], date: "a date", datetime: "a date with a time"}
"""A column of numbers takes integers, too."""


def mixed_field(records: Iterable[tuple[Mapping[str, Any], str]]) -> str | None:
    """Says which field has values of different kinds in `records`, each given with its place; None if no field has.

    >>> mixed_field([({"day": "Monday"}, "a.jsonl:1"), ({"day": 1.5}, "a.jsonl:2")])
    "field 'day' is a string in some records and a number in others, first at a.jsonl:2"
    """
    first: dict[str, str] = {}
    for values, where in records:
        for name, kind in _kinds(values):
            known = first.setdefault(name, kind)
            if known != kind:
                return f"field {name!r} is {known} in some records and {kind} in others, first at {where}"
    return None


def _kinds(values: Mapping[str, Any], outer: str = "") -> Iterator[tuple[str, str]]:
    """The kind of each value, by its dotted name; null is left out, and what JSON has not, except dates."""
    for name, value in values.items():
        if (kind := _KINDS.get(type(value))) is not None:
            yield f"{outer}{name}", kind
        if isinstance(value, dict):
            yield from _kinds(value, f"{outer}{name}.")
