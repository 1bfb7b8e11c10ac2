"""From documents in the cluster to the window in memory: all of it when it is opened, later what others added.

Documents are read in the order in which they were scored, a page at a time, without their texts: about 0.2 ms each,
most of it Elasticsearch's. Only what is committed counts (lease.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.window.codec import LOADED, OBJECT, UNSCORED, loaded
from neardup.elastic.window.pending_writes import DocumentRef
from neardup.window.restore import add_stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.elastic.window.lease import StateDocument
    from neardup.elastic.window.store import ClusterStore
    from neardup.window.state import State

_PAGE: Final = 2_000
_ORDER: Final = f"{OBJECT}.order"


def refresh(cluster: Cluster, layout: Layout) -> None:
    """Makes everything written so far visible to searches."""
    cluster.request("POST", f"/{layout.target}/_refresh", params={"allow_no_indices": "true"})


def committed(content: StateDocument, first: int) -> dict[str, Any]:
    """The query for what counts of a window, from the order `first` on."""
    orders = {"gte": max(first, content.commit.floor_order), "lt": content.commit.next_order}
    query: dict[str, Any] = {"filter": [{"range": {_ORDER: orders}}]}
    if content.gaps:
        query["must_not"] = [{"range": {_ORDER: {"gte": low, "lt": high}}} for low, high in content.gaps]
    return {"bool": query}


def pages(
    cluster: Cluster, layout: Layout, body: dict[str, Any], *, searched_only: bool = False, size: int = _PAGE
) -> Iterator[list[dict[str, Any]]]:
    """The hits of a sorted search in the window, a page at a time; the last field of the sort tells them apart.

    `searched_only` leaves out the copies that are kept apart. Raises `ClusterRejected` where a shard did not answer:
    a partial answer would pass for all there is.
    """
    target = layout.searched if searched_only else layout.target
    after: dict[str, Any] = {}
    while True:
        answer = cluster.request(
            "POST", f"/{target}/_search",
            params={"allow_partial_search_results": "false", "ignore_unavailable": "true"},
            body={**body, **after, "size": size, "track_total_hits": False},
        )  # fmt: skip
        hits = answer["hits"]["hits"]
        own = [hit for hit in hits if layout.owns(hit["_index"])]
        if own:
            yield own
        if len(hits) < size:
            return
        after = {"search_after": hits[-1]["sort"]}


def counted(
    cluster: Cluster, layout: Layout, query: dict[str, Any], each: dict[str, dict[str, Any]]
) -> dict[str, int]:
    """How many of the documents that are searched and match `query` match `each` of some other queries, by name."""
    body = {
        "query": query, "size": 0, "track_total_hits": False,
        "aggs": {"each": {"filters": {"filters": each}}},
    }  # fmt: skip
    answer = cluster.request(
        "POST", f"/{layout.searched}/_search",
        params={"allow_partial_search_results": "false", "ignore_unavailable": "true"}, body=body,
    )  # fmt: skip
    buckets = answer["aggregations"]["each"]["buckets"] if "aggregations" in answer else {}
    return {name: bucket["doc_count"] for name, bucket in buckets.items()}


def load(
    state: State, store: ClusterStore, cluster: Cluster, layout: Layout, content: StateDocument, first: int
) -> None:
    """Takes the committed documents from the order `first` on into `state`, whose others all come before."""
    refresh(cluster, layout)
    body = {
        "query": committed(content, first),
        "sort": [{_ORDER: {"order": "asc", "unmapped_type": "long"}}],
        "_source": [f"{OBJECT}.{name}" for name in _wanted(state)],
    }
    for hits in pages(cluster, layout, body):
        store.keep_turn()
        objects = [hit["_source"][OBJECT] for hit in hits]
        places = [DocumentRef(hit["_index"], hit["_id"]) for hit in hits]
        found = loaded(objects, [layout.is_apart(place.index) for place in places])
        store.adopt(found.rows, found.blobs, places)
        add_stored(state, found.rows, found.ids, np.zeros(len(objects), np.int64), [found.keys])


def _wanted(state: State) -> tuple[str, ...]:
    """The fields to read: sentences and bands only where they are searched by."""
    routes = {"sentences": "sentences", "simhash": "simhash_bands"}
    searched = {*state.settings.routes, *(["sentences"] if state.settings.partial else [])}
    unwanted = {field for route, field in routes.items() if route not in searched}
    return tuple(name for name in LOADED if name not in unwanted)


def roll_back(cluster: Cluster, layout: Layout, content: StateDocument) -> int:
    """Undoes what scorers that died in their turns wrote: all documents whose orders lie in gaps.

    What they ingested is deleted (whoever sent it never got a verdict, and sends it again), the marks they left on
    other clients' documents are taken off. A document that has changed meanwhile stays. Returns how many there were.
    """
    refresh(cluster, layout)
    ranges = [{"range": {_ORDER: {"gte": first, "lt": last}}} for first, last in content.gaps]
    body = {
        "query": {"bool": {"should": ranges, "minimum_should_match": 1}},
        "sort": [{_ORDER: {"order": "asc", "unmapped_type": "long"}}],
        "_source": [f"{OBJECT}.written_by"],
        "seq_no_primary_term": True,
    }
    undo = [_undoing(hit) for hits in pages(cluster, layout, body) for hit in hits]
    return sum(outcome.ok for outcome in bulk(cluster, undo))


def _undoing(hit: dict[str, Any]) -> Action:
    place, version = (hit["_index"], hit["_id"]), (hit["_seq_no"], hit["_primary_term"])
    if hit["_source"][OBJECT].get("written_by") == "ingest":
        return Action("delete", *place, None, *version)
    return Action("update", *place, {OBJECT: UNSCORED}, *version)
