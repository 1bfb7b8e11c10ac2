"""Counts by kind, each with its first example, so that one message stands for all records of a kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_KINDS: Final = 1_000
"""How many kinds are counted separately; all others count as one more kind, so that memory has a bound."""
OTHERS: Final = "others"
SHOWN_KINDS: Final = 5
"""How many kinds a message names."""


class KindCount(NamedTuple):
    """A kind: its name, how many there were of it, and the first of them."""

    name: str
    count: int  # type: ignore[assignment]  # nobody asks it for `tuple.count`
    first: str


class KindCounts:
    """How many there were of each kind.

    >>> counts = KindCounts()
    >>> counts.add(".html", "a.html"), counts.add(".html", "b.html")
    (True, False)
    >>> list(counts)
    [KindCount(name='.html', count=2, first='a.html')]
    """

    def __init__(self) -> None:
        self._kinds: dict[str, KindCount] = {}

    def add(self, name: str, example: str) -> bool:
        """Counts one; returns whether it is the first of its kind."""
        if name not in self._kinds and len(self._kinds) >= MOST_KINDS:
            name = OTHERS
        known = self._kinds.get(name)
        self._kinds[name] = known._replace(count=known.count + 1) if known else KindCount(name, 1, example)
        return known is None

    def __iter__(self) -> Iterator[KindCount]:
        """The kinds, the most frequent first."""
        yield from sorted(self._kinds.values(), key=lambda kind: -kind.count)

    def __len__(self) -> int:
        """How many things were counted."""
        return sum(kind.count for kind in self._kinds.values())

    def __str__(self) -> str:
        kinds = [kind for kind in self if kind.name != OTHERS]
        shown = [f"{kind.name} {kind.count:,} (first: {kind.first})" for kind in kinds[:SHOWN_KINDS]]
        rest = len(self) - sum(kind.count for kind in kinds[:SHOWN_KINDS])
        return ", ".join([*shown, f"others {rest:,}"] if rest else shown)
