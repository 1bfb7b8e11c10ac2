"""The calls for documents and searches that we use, typed: one function a call, which returns a value of its own type.

Only this module (and `admin_api.py`, for indices and the cluster itself) knows the keys in the JSON of answers.
`target` is an index, an alias, a pattern or several of them with commas between. All calls raise what `Cluster.request`
raises.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Timer
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http.admin_api import without_shards
from neardup.elastic.http.unexpected import UNREADABLE, reads_answer
from neardup.elastic.http.whole_answers import whole
from neardup.errors import ClusterError, ClusterUnreachable

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.product import Product

KEEP_ALIVE: Final = "10m"
"""How long a point in time outlives the last page that was asked for: a page is scored in less than a minute."""
WHOLE: Final = {"allow_partial_search_results": "false"}
"""A search fails if a shard does not answer: a partial answer would look like a whole one."""
_HIDDEN_TOO: Final = {"expand_wildcards": "open,hidden"}
"""Patterns match hidden indices too: a user's template may hide hours."""
WHAT_IS_THERE: Final = {"ignore_unavailable": "true", **_HIDDEN_TOO}
"""Only those indices of the target that exist and are open."""
WHOLE_OF_WHAT_IS_THERE: Final = {**WHOLE, **WHAT_IS_THERE}
"""`WHOLE` and `WHAT_IS_THERE` together."""
NO_INDEX_NEEDED: Final = {"allow_no_indices": "true", **_HIDDEN_TOO}
"""A target that stands for no index is no error."""
TOLD_AFTER: Final = 5.0
"""Seconds of waiting after which the log names the indices that have no shard to answer."""

_log: Final = logging.getLogger("neardup")

POINT_IN_TIME: Final[dict[Product, tuple[str, str]]] = {
    "elasticsearch": ("_pit", "id"),
    "opensearch": ("_search/point_in_time", "pit_id"),
}
"""Where a point in time is opened and closed, and what its id is called there."""
BY_INDEX: Final = {"_index": {"order": "asc", "unmapped_type": "keyword"}}
"""Sorts by the name of the index. An index without a mapping (and so without documents) has no `_index`."""
_BY_WRITE: Final = {"_seq_no": {"order": "asc", "unmapped_type": "long"}}
_TELLS_APART: Final[dict[Product, tuple[tuple[dict[str, Any], Any], ...]]] = {
    "elasticsearch": (({"_shard_doc": "asc"}, 2**63 - 1),),
    "opensearch": ((BY_INDEX, "\uffff"), (_BY_WRITE, 2**63 - 1)),
}
"""Sort clauses that break ties between hits, each with a value behind all others. In OpenSearch documents of one index
in several shards may stay tied: its `_shard_doc` does not tell documents of several indices apart, so it is not used.
"""


class Version(NamedTuple):
    """A state of a document; a write that names it applies to no other state."""

    seq_no: int
    primary_term: int


class DocumentRef(NamedTuple):
    """Where a document lies in the cluster."""

    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks a reference for `tuple.index`
    id: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it stands now, refreshed or not."""

    source: dict[str, Any]
    version: Version


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that a search found.

    `source` has the fields that were asked for; `sort` the values that it was sorted by; `version` None unless the
    search has `seq_no_primary_term`.
    """

    index: str
    id: str
    source: dict[str, Any]
    sort: list[Any]
    version: Version | None
    routing: str | None

    @property
    def ref(self) -> DocumentRef:
        """Where the document lies."""
        return DocumentRef(self.index, self.id)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The answer to a search: its hits, in order; its aggregations, by name; the point in time of the next page."""

    hits: list[Hit]
    aggregations: dict[str, Any] = field(default_factory=dict)
    pit: str | None = None

    def buckets(self, name: str) -> Any:
        """The buckets of an aggregation; none if there was no index to search."""
        return self.aggregations.get(name, {}).get("buckets", ())


# ---- one document ----


@reads_answer
def get_doc(cluster: Cluster, index: str, id: str, *, routing: str | None = None) -> StoredDocument | None:
    """The document, which was written with this `routing`; None if it, or its index, is not there."""
    params = None if routing is None else {"routing": routing}
    answer = cluster.request("GET", f"/{index}/_doc/{id}", params=params, missing_ok=True)
    return stored_document(answer) if answer is not None and answer["found"] else None


def stored_document(answer: Mapping[str, Any] | None) -> StoredDocument | None:
    """The document in an answer to a GET of it; None if there is none. It may raise one of `UNREADABLE`."""
    if answer is None or not answer.get("found"):
        return None
    source = answer.get("_source", {})
    if not isinstance(source, dict):
        raise TypeError("a document that is no object")
    return StoredDocument(source, _version(answer))


@reads_answer
def doc_version(cluster: Cluster, index: str, id: str) -> Version | None:
    """The version of a document, without what is in it; None if it, or its index, is not there."""
    answer = cluster.request("GET", f"/{index}/_doc/{id}", params={"_source": "false"}, missing_ok=True)
    return None if answer is None or not answer["found"] else _version(answer)


def put_doc(
    cluster: Cluster, index: str, id: str, source: dict[str, Any], *, if_version: Version | None = None
) -> Version:
    """Writes a whole document; returns its new version.

    With `if_version`, only if the stored document still has that version; raises `ClusterConflict` otherwise.
    """
    version = {} if if_version is None else if_version._asdict()
    return _put(cluster, index, id, {f"if_{name}": value for name, value in version.items()}, source)


def create_doc(
    cluster: Cluster, index: str, id: str, source: dict[str, Any], *, refresh: bool = False
) -> Version:
    """Writes a new document; returns its version. Raises `ClusterConflict` if the document exists."""
    params = {"op_type": "create"} | ({"refresh": "true"} if refresh else {})
    return _put(cluster, index, id, params, source)


def delete_doc(cluster: Cluster, index: str, id: str) -> None:
    """Deletes a document, if it is there."""
    cluster.request("DELETE", f"/{index}/_doc/{id}", missing_ok=True)


@reads_answer
def _put(cluster: Cluster, index: str, id: str, params: dict[str, Any], source: dict[str, Any]) -> Version:
    return _version(cluster.request("PUT", f"/{index}/_doc/{id}", params=params, body=source))


def _version(answer: Mapping[str, Any]) -> Version:
    return Version(int(answer["_seq_no"]), int(answer["_primary_term"]))


# ---- searches ----


@reads_answer
def search(
    cluster: Cluster, target: str | None, body: dict[str, Any], params: Mapping[str, str] | None = None
) -> SearchPage:
    """The answer of all shards to one search; `target` None where the body names a point in time.

    Like `count`, `refresh` and the beginning of `snapshot_pages`, raises `ClusterUnreachable` with the names of indices
    that have no shard to answer.
    """
    path = "/_search" if target is None else f"/{target}/_search"
    with told_what_is_red(cluster, target):
        answer = whole(cluster, path, params, body)
    return SearchPage(hits_of(answer, body), answer.get("aggregations", {}), answer.get("pit_id"))


def hits_of(answer: Mapping[str, Any], body: Mapping[str, Any]) -> list[Hit]:
    """The hits in the answer to the search `body`; it may raise one of `UNREADABLE`."""
    sorted_by = len(body.get("sort", ()))
    return [_hit(hit, sorted_by) for hit in answer["hits"]["hits"]]


def _hit(hit: Mapping[str, Any], sorted_by: int) -> Hit:
    """One hit of a search with `sorted_by` sort values; raises `TypeError` if it is malformed."""
    index, id, source, sort = hit["_index"], hit["_id"], hit.get("_source", {}), hit.get("sort", [])
    whole = isinstance(index, str) and isinstance(id, str) and isinstance(source, dict)
    if not whole or not isinstance(sort, list) or len(sort) < sorted_by:
        raise TypeError(f"a hit in {index} that lacks what was asked for")
    return Hit(index, id, source, sort, _version(hit) if "_seq_no" in hit else None, hit.get("_routing"))


def search_pages(cluster: Cluster, target: str, body: dict[str, Any], *, size: int) -> Iterator[list[Hit]]:
    """All hits of a sorted search, `size` at a time; the last field of the sort tells them apart.

    Every page shows the indices as they are when it is read. No page is empty.
    """
    body = {**body, "size": size, "track_total_hits": False}
    return _pages(
        lambda after: search(cluster, target, {**body, **after}, WHOLE_OF_WHAT_IS_THERE).hits, size, None
    )


def snapshot_pages(
    cluster: Cluster,
    target: str,
    body: dict[str, Any],
    *,
    size: int,
    after: Sequence[Any] | None = None,
    hidden: bool = False,
) -> Generator[list[Hit]]:
    """All hits of a sorted search behind `after`, at most `size` at a time, from the indices as they are now (a point
    in time). `after` has as many values as the sort; hits with exactly these sort values are left out. `hidden`:
    patterns match hidden indices too.

    The search stays open until the iterator is at its end or closed. An index of OpenSearch must have fewer shards than
    a page has hits.
    """
    params = {"keep_alive": KEEP_ALIVE, "ignore_unavailable": "true", **(_HIDDEN_TOO if hidden else {})}
    is_opensearch = cluster.product == "opensearch"
    if is_opensearch:  # else it makes one of the shards that are there, and no search in it says so
        params["allow_partial_pit_creation"] = "false"
    path, named = POINT_IN_TIME[cluster.product]
    with told_what_is_red(cluster, target):
        pit = _point_in_time(cluster, f"/{target}/{path}", named, params)
    last = _TELLS_APART[cluster.product]
    sort = [*body.get("sort", ()), *(clause for clause, _ in last)]
    body = {**body, "sort": sort, "size": size, "track_total_hits": False}

    def page(behind: dict[str, Any]) -> list[Hit]:
        nonlocal pit
        there = {"pit": {"id": pit, "keep_alive": KEEP_ALIVE}}
        answer = search(cluster, None, {**body, **behind, **there}, WHOLE)
        pit = answer.pit or pit
        return answer.hits

    try:
        behind = None if after is None else [*after, *(value for _, value in last)]
        yield from _pages(page, size, behind, is_split=is_opensearch)
    finally:
        with suppress(ClusterError):
            cluster.request("DELETE", f"/{path}", body={named: pit}, missing_ok=True)


@reads_answer
def _point_in_time(cluster: Cluster, path: str, named: str, params: dict[str, str]) -> str:
    return str(cluster.request("POST", path, params=params)[named])


def _pages(
    page: Callable[[dict[str, Any]], list[Hit]],
    size: int,
    after: Sequence[Any] | None,
    *,
    is_split: bool = False,
) -> Iterator[list[Hit]]:
    """Page after page, each behind the last hit of the one before; `is_split`: the end of a page may separate hits with
    the same sort values, so those at its end are left to the next page.
    """
    while True:
        hits = page({"search_after": after} if after else {})
        is_last = len(hits) < size
        if is_split and not is_last:
            hits = [hit for hit in hits if hit.sort != hits[-1].sort]
            assert hits, "a page of hits of one place"
        if hits:
            yield hits
        if is_last:
            return
        after = hits[-1].sort


@reads_answer
def count(
    cluster: Cluster,
    target: str,
    query: dict[str, Any] | None = None,
    params: Mapping[str, str] | None = None,
) -> int:
    """How many refreshed documents of `target` match `query`."""
    body = None if query is None else {"query": query}
    with told_what_is_red(cluster, target):
        return int(whole(cluster, f"/{target}/_count", params, body)["count"])


def count_once(
    cluster: Cluster, target: str, query: dict[str, Any], *, refreshing: bool = False
) -> int | None:
    """The number of refreshed documents of `target` that match `query`, asked once; None without an answer.
    `refreshing`: those that were just written are refreshed first.
    """
    with suppress(ClusterError, *UNREADABLE):
        if refreshing:
            cluster.request("POST", f"/{target}/_refresh", once=True)
        return int(cluster.request("POST", f"/{target}/_count", body={"query": query}, once=True)["count"])
    return None


def refresh(cluster: Cluster, target: str, params: Mapping[str, str] | None = None) -> None:
    """Makes everything written so far visible to searches."""
    with told_what_is_red(cluster, target):
        whole(cluster, f"/{target}/_refresh", params)


@contextmanager
def told_what_is_red(cluster: Cluster, target: str | None) -> Iterator[None]:
    """Names the indices that have no shard to answer, in the log after `TOLD_AFTER` seconds, and in the error of a
    request without an answer: Elasticsearch itself waits longer for such shards than a client does, or only says how to
    search without them.
    """
    if target is None:
        yield
        return
    slow = Timer(TOLD_AFTER, _log_what_is_red, (cluster, target))
    slow.daemon = True
    slow.start()
    try:
        yield
    except ClusterUnreachable as error:
        if why := _what_is_red(cluster, target):
            raise ClusterUnreachable(cluster.url, f"{error.reason}; {why}") from None
        raise
    finally:
        slow.cancel()


def _log_what_is_red(cluster: Cluster, target: str) -> None:
    if why := _what_is_red(cluster, target):
        _log.warning("Elasticsearch at %s: waiting: %s", cluster.url, why)


def _what_is_red(cluster: Cluster, target: str) -> str | None:
    """Which indices of `target` have no shard to answer for them, and how to see why; None if all have."""
    red = without_shards(cluster, target)
    if not red:
        return None
    return f"no shard answers for {', '.join(red)} (`GET _cluster/allocation/explain` says why)"


@reads_answer
def field_types(cluster: Cluster, target: str, name: str) -> list[str]:
    """The types that a field has in the indices of `target`, by name; none where nothing has it."""
    params = {"fields": name, **NO_INDEX_NEEDED}
    with told_what_is_red(cluster, target):
        answer = whole(cluster, f"/{target}/_field_caps", params, method="GET")
    return sorted(answer["fields"].get(name, {}).keys() - {"unmapped"})


@reads_answer
def fields_of_types(cluster: Cluster, target: str, *types: str) -> list[str]:
    """The fields that have one of `types` in an index of `target`, by name; none where there is no index."""
    params = {"fields": "*", **NO_INDEX_NEEDED}
    with told_what_is_red(cluster, target):
        answer = whole(cluster, f"/{target}/_field_caps", params, method="GET")
    return sorted(name for name, by_type in answer["fields"].items() if not by_type.keys().isdisjoint(types))
