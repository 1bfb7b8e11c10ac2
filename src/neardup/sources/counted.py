"""Things of a kind, counted, with the first of each kind as its example: what is told once, and not once a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_KINDS: Final = 1_000
"""Kinds that are kept apart; whatever comes after them counts as one more kind, so that memory has a bound."""
OTHERS: Final = "others"


class Kind(NamedTuple):
    """A kind with the number of its things, and the first of them."""

    name: str
    number: int
    first: str


class Counted:
    """A count of things by kind.

    >>> counted = Counted()
    >>> counted.add(".html", "a.html"), counted.add(".html", "b.html")
    (True, False)
    >>> list(counted)
    [Kind(name='.html', number=2, first='a.html')]
    """

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}

    def add(self, name: str, example: str) -> bool:
        """Count one; whether it is the first of its kind."""
        if name not in self._kinds and len(self._kinds) >= MOST_KINDS:
            name = OTHERS
        known = self._kinds.get(name)
        self._kinds[name] = known._replace(number=known.number + 1) if known else Kind(name, 1, example)
        return known is None

    def __iter__(self) -> Iterator[Kind]:
        """The kinds, the most frequent first."""
        yield from sorted(self._kinds.values(), key=lambda kind: -kind.number)

    def __len__(self) -> int:
        """How many things were counted."""
        return sum(kind.number for kind in self._kinds.values())

    def __str__(self) -> str:
        return ", ".join(f"{kind.name} {kind.number:,} (first: {kind.first})" for kind in self)
