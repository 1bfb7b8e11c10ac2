"""Cuts into parts what is too much for one request or its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from neardup.stores.records import text_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from neardup.stores.records import Rows

T = TypeVar("T")

_TEXTS: Final = 256
_TEXT_BYTES: Final = 32_000_000
"""Texts in one answer, and the bytes of their normal forms: a node holds the whole answer in memory."""


def in_parts(items: Iterable[T], weight: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """`items` in order, in parts that weigh at most `most` each; an item that weighs more is a part of its own.

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


def in_parts_of_texts(rows: Rows) -> Iterator[list[int]]:
    """The positions of documents in `rows`, in order, in parts whose texts fit into one answer."""
    weights = np.maximum(text_sizes(rows), _TEXT_BYTES // _TEXTS).tolist()
    return in_parts(range(len(weights)), weights.__getitem__, _TEXT_BYTES)
