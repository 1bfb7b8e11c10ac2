"""Answers of all shards, or nodes, that a request concerns: an answer of only some would look like a whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.http.client import Cluster


def whole(
    cluster: Cluster,
    path: str,
    params: Mapping[str, str] | None,
    body: dict[str, Any] | None = None,
    *,
    method: str = "POST",
) -> dict[str, Any]:
    """The answer of every shard, or node, to a request, which is repeated, as with a busy cluster, until all have
    answered.

    Elasticsearch can be told to fail instead, but not in every call, nor in every version, nor through every proxy.
    """
    backoff = cluster.backoff()
    while True:
        answer: dict[str, Any] = cluster.request(method, path, params=dict(params or {}), body=body)
        why = why_partial(answer)
        if why is None:
            return answer
        backoff.wait(cluster.url, f"only a part of the answer to {path}: {why}")


def why_partial(answer: Mapping[str, Any]) -> str | None:
    """Why an answer lacks some shards or nodes; None if it is whole. It may raise one of `UNREADABLE`."""
    failed = int(answer.get("_shards", {}).get("failed", 0))
    if failed:
        return f"{failed} shards failed"
    if silent := int(answer.get("_nodes", {}).get("failed", 0)):
        return f"{silent} of the nodes failed"
    if unknown := int(answer.get("failed_indices", 0)):
        return f"{unknown} indices failed"
    return "not all shards answered in time" if answer.get("timed_out") else None
