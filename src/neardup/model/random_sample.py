"""A random sample of very many items, drawn in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from random import Random

Item = TypeVar("Item")


class RandomSample(Generic[Item]):
    """A uniform sample of `size` of the items added, or all if there are fewer: `drawn`, of `seen` items.

    Vitter 1985, algorithm R; memory for the items drawn. Equal items and an equal `chance` give an equal sample.
    """

    def __init__(self, size: int, chance: Random) -> None:
        self._size, self._chance = size, chance
        self.drawn: list[Item] = []
        self.seen = 0

    def add(self, item: Item) -> None:
        """Add one item."""
        self.seen += 1
        if len(self.drawn) < self._size:
            self.drawn.append(item)
        elif (replaced := self._chance.randrange(self.seen)) < self._size:
            self.drawn[replaced] = item
