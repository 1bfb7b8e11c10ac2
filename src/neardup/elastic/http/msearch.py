"""Many searches in one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeVar

from neardup.elastic.http.api import WHOLE_OF_WHAT_IS_THERE, Hit, hits_of, why_partial
from neardup.elastic.http.client import BUSY, node_left
from neardup.elastic.http.unexpected import reads_answer
from neardup.errors import ClusterRejected

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

R = TypeVar("R")
T = TypeVar("T")

_PATH: Final = "/_msearch"
_WHAT: Final = f"POST {_PATH}"


def msearch_pages(
    cluster: Cluster, target: str, bodies: Sequence[dict[str, Any]], *, size: int
) -> Iterator[list[Hit]]:
    """All hits of some sorted searches, `size` at a time; the last field of a sort tells its hits apart.

    One request, and one more for the next pages of all searches that have any. No page is empty. Raises what
    `Cluster.request` raises, also for one search of several that is refused.
    """
    left = [{**body, "size": size, "track_total_hits": False} for body in bodies]
    while left:
        answers = by_halves(partial(_answers, cluster, target), left)
        yield from filter(None, answers)
        left = [
            {**body, "search_after": hits[-1].sort}
            for body, hits in zip(left, answers, strict=True)
            if len(hits) == size
        ]


def by_halves(
    ask: Callable[[Sequence[T]], list[R]],
    items: Sequence[T],
    alone: Callable[[T, ClusterRejected], object] | None = None,
) -> list[R]:
    """What `ask` returns for `items`; for their halves, one after the other, where a node or a proxy takes no request
    as large as that for all of them. `alone` is told of one that is too large alone; without it that is raised.
    """
    try:
        return ask(items)
    except ClusterRejected as error:
        if error.status != HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            raise
        if len(items) == 1:
            if alone is None:
                raise
            alone(items[0], error)
            return []
    middle = len(items) // 2
    return by_halves(ask, items[:middle], alone) + by_halves(ask, items[middle:], alone)


@reads_answer
def _answers(cluster: Cluster, target: str, bodies: Sequence[dict[str, Any]]) -> list[list[Hit]]:
    """The hits of each search, every shard of the target having answered; asked again, all of them, until it is so."""
    head = {"index": target.split(","), "request_cache": False, **WHOLE_OF_WHAT_IS_THERE}
    lines = [line for body in bodies for line in (head, body)]
    backoff = cluster.backoff()
    while True:
        answers = cluster.request("POST", _PATH, body=lines)["responses"]
        if len(answers) != len(bodies):
            raise ValueError(f"{len(answers)} answers to {len(bodies)} searches")
        waits = [why for answer in answers if (why := _why_to_wait(cluster, answer))]
        if not waits:
            return [hits_of(answer, body) for answer, body in zip(answers, bodies, strict=True)]
        backoff.wait(cluster.url, f"only a part of the answer to {_PATH}: {waits[0]}")


def _why_to_wait(cluster: Cluster, answer: dict[str, Any]) -> str | None:
    """Why one search is to be asked again; None if its answer is whole. Raises what it was refused for."""
    if "error" in answer:
        status = int(answer["status"])
        error = cluster.error(_WHAT, status, answer)
        if status not in BUSY and not node_left(answer):
            raise error
        return str(error)
    return why_partial(answer)
