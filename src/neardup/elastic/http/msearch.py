"""Many searches in one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.api import WHOLE_OF_WHAT_IS_THERE, Hit, hits_of, told_what_is_red
from neardup.elastic.http.client import BUSY, node_left
from neardup.elastic.http.halves import Alone, Item, by_halves
from neardup.elastic.http.unexpected import reads_answer
from neardup.elastic.http.whole_answers import why_partial

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

_PATH: Final = "/_msearch"
_WHAT: Final = f"POST {_PATH}"


def msearch_pages(
    cluster: Cluster, target: str, bodies: Sequence[dict[str, Any]], *, size: int
) -> Iterator[list[Hit]]:
    """All hits of some sorted searches, `size` at a time; the last field of a sort tells its hits apart.

    One request, and one more for the next pages of all searches that have any. No page is empty. Raises what
    `Cluster.request` raises, also for one search of several that is refused. The error names the indices that have no
    shard to answer, as that of `search` does.
    """
    left = [{**body, "size": size, "track_total_hits": False} for body in bodies]
    while left:
        with told_what_is_red(cluster, target):
            answers = by_halves(partial(_answers, cluster, target), left)
        yield from filter(None, answers)
        left = [
            {**body, "search_after": hits[-1].sort}
            for body, hits in zip(left, answers, strict=True)
            if len(hits) == size
        ]


def msearch_hits(
    cluster: Cluster,
    target: str,
    bodies_of: Callable[[Sequence[Item]], list[dict[str, Any]]],
    items: Sequence[Item],
    alone: Alone[Item, Hit] | None = None,
    *,
    size: int,
) -> list[Hit]:
    """All hits of the sorted searches that `bodies_of` makes for `items` (one search may serve many). Searches that are
    too large together are made for halves of the items, and so on. For an item whose search is too large by itself, the
    result is that of `alone`; without `alone` the error is raised.
    """

    def hits(part: Sequence[Item]) -> list[Hit]:
        return list(chain.from_iterable(msearch_pages(cluster, target, bodies_of(part), size=size)))

    return by_halves(hits, items, alone)


@reads_answer
def _answers(cluster: Cluster, target: str, bodies: Sequence[dict[str, Any]]) -> list[list[Hit]]:
    """The hits of each search; all searches are repeated until every shard of the target has answered."""
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
    """Why one search must be repeated; None if its answer is whole. Raises the error of a search that was refused."""
    if "error" in answer:
        status = int(answer["status"])
        error = cluster.error(_WHAT, status, answer)
        if status not in BUSY and not node_left(answer):
            raise error
        return str(error)
    return why_partial(answer)
