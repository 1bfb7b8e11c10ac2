"""Repeats a request that is refused for many items with halves of them, down to the item at fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TypeVar

from neardup.errors import ClusterRejected

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Alone = Callable[[Item, ClusterRejected], list[Answer]]


def is_too_large(error: ClusterRejected) -> bool:
    """Whether a node, or a proxy before it, refused the request as too large."""
    return error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def by_halves(
    ask: Callable[[Sequence[Item]], list[Answer]],
    items: Sequence[Item],
    alone: Alone[Item, Answer] | None = None,
    *,
    splits: Callable[[ClusterRejected], bool] = is_too_large,
) -> list[Answer]:
    """What `ask` returns for `items`. After an error that `splits` accepts, `ask` is called for their halves, one after
    the other, and so on; for a single item the result is then that of `alone` (item, error), or without `alone` the
    error is raised. Any other error is raised.
    """
    try:
        return ask(items)
    except ClusterRejected as error:
        if not splits(error):
            raise
        if len(items) == 1:
            if alone is None:
                raise
            return alone(items[0], error)
    middle = len(items) // 2
    halves = (items[:middle], items[middle:])
    return [each for half in halves for each in by_halves(ask, half, alone, splits=splits)]
