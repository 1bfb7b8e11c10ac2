"""Searches by the query `neardup`: their bodies and their hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

Body = dict[str, Any]
MOST = 10_000
"""Hits that a search can return; a document with more copies would fail the comparison."""


def ask_text(text: str, threshold: str = "0.7") -> Body:
    """Copies of a text."""
    return {"neardup": {"like": {"text": text}, "threshold": float(threshold)}}


def ask_id(index: str, name: str, threshold: str) -> Body:
    """Copies of a stored document."""
    return {"neardup": {"like": {"_index": index, "_id": name}, "threshold": float(threshold)}}


def hits_of(cluster: Cluster, target: str, query: Body) -> list[tuple[str, float]]:
    """Ids and scores of all hits of a query."""
    answer = cluster.request(
        "POST", f"/{target}/_search", body={"query": query, "size": MOST, "_source": False},
        params={"allow_partial_search_results": "false"},
    )  # fmt: skip
    return [(hit["_id"], hit["_score"]) for hit in answer["hits"]["hits"]]
