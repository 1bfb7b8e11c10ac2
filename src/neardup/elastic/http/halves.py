"""What is refused for many is asked for the halves of them, and so for the one at fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TypeVar

from neardup.errors import ClusterRejected

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Alone = Callable[[Item, ClusterRejected], list[Answer]]


def is_too_large(error: ClusterRejected) -> bool:
    """Whether a node, or a proxy before it, takes no request as large as that."""
    return error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def by_halves(
    ask: Callable[[Sequence[Item]], list[Answer]],
    items: Sequence[Item],
    alone: Alone[Item, Answer] | None = None,
    *,
    splits: Callable[[ClusterRejected], bool] = is_too_large,
) -> list[Answer]:
    """What `ask` returns for `items`; for their halves, one after the other, after an error that `splits` them. Of one
    item it is what `alone` makes of it and the error; without that the error is raised, as any other is.
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
