"""What one request cannot hold, cut into parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


def in_parts(items: Iterable[T], weight: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """`items` in order, in parts of which each weighs at most `most`; what weighs more is a part of its own.

    >>> list(in_parts([2, 2, 9, 1], int, 4))
    [[2, 2], [9], [1]]
    """
    part: list[T] = []
    size = 0
    for item in items:
        own = weight(item)
        if part and size + own > most:
            yield part
            part, size = [], 0
        part.append(item)
        size += own
    if part:
        yield part
