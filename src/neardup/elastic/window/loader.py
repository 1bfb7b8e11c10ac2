"""Loads documents from the cluster into the window in memory: all of them at first, later those that others added.

Documents are read in the order in which they were scored, a page at a time, without their texts: about 0.2 ms each,
most of it Elasticsearch's. Only what is committed counts (state_document.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.elastic.http import api
from neardup.elastic.http.halves import by_halves
from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window.codec import OBJECT, RESTORED, fault_of, own_object, stored_rows
from neardup.errors import WindowDamaged
from neardup.model.settings import HOUR_MS
from neardup.stores.base import Records, Undecided
from neardup.stores.records import arrivals_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from neardup.elastic.http.api import DocumentRef, Hit
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.candidate_query import CandidateQueries
    from neardup.elastic.window.index_layout import ElasticContext, Layout
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.settings import Settings

PAGE: Final = 2_000
_AT_ONCE: Final = 4_096
"""Values of one query."""
_COUNTED_AT_ONCE: Final = 1_000
FIELD_OF_ROUTE: Final = {"sentences": "sentences", "simhash": "simhash_bands"}
"""The field by which each route (setting `routes`) finds documents."""
ARRIVAL: Final = f"{OBJECT}.order"
_RELATING: Final = {"identity": str, "order": int, "group_order": int, "time": int}
"""Fields of a document by which related documents are found, with their types."""
BY_ARRIVAL: Final = ({ARRIVAL: {"order": "asc", "unmapped_type": "long"}}, api.BY_INDEX)
"""Ends with the index, because an index under our prefix that is not of the window may hold copies of its documents."""
BY_TIME: Final = (
    {f"{OBJECT}.time": {"order": "asc", "unmapped_type": "long"}},
    {f"{OBJECT}.identity": {"order": "asc", "unmapped_type": "keyword"}},
    api.BY_INDEX,
)


def committed(state: StateDocument, first: int) -> dict[str, Any]:
    """The query for the documents of a window that count, from the arrival `first` on."""
    arrivals = {"gte": max(first, state.commit.floor_order), "lt": state.commit.next_order}
    query: dict[str, Any] = {"filter": [{"range": {ARRIVAL: arrivals}}]}
    if state.aborted:
        query["must_not"] = [{"range": {ARRIVAL: {"gte": low, "lt": high}}} for low, high in state.aborted]
    return {"bool": query}


def pages(
    cluster: Cluster, layout: Layout, body: dict[str, Any], *, searched_only: bool = False, size: int = PAGE
) -> Iterator[list[Hit]]:
    """The hits of a sorted search in the window, a page at a time; the last field of the sort tells them apart.

    `searched_only` leaves out the copies that are set aside. Raises `ClusterRejected` if a shard did not answer: a
    partial answer would look like a whole one.
    """
    target = layout.searched if searched_only else layout.target
    for hits in api.search_pages(cluster, target, body, size=size):
        own = [hit for hit in hits if layout.owns(hit.index)]
        if own:
            yield own


class StoredPart(NamedTuple):
    """Some stored documents: the records from which the engine restores them, and the ref and blob of each."""

    records: Records
    refs: list[DocumentRef]
    blobs: list[bytes]


def by_arrival(layout: Layout, hits: Iterable[Hit]) -> dict[int, Hit]:
    """`hits` by their arrivals. Raises `WindowDamaged` for one without the fields by which related ones are found."""
    known: dict[int, Hit] = {}
    for hit in hits:
        own = own_object(hit.source)
        if any(not isinstance(own.get(name), kind) for name, kind in _RELATING.items()):
            raise _damaged(layout, [hit], f"not all of {', '.join(_RELATING)}")
        known[own["order"]] = hit
    return known


class DocumentLookup:
    """Looks up documents of the window that `queries` are for."""

    def __init__(self, cluster: Cluster, layout: Layout, queries: CandidateQueries) -> None:
        self._cluster, self._layout, self._queries = cluster, layout, queries

    def hits(self, body: dict[str, Any], *, searched_only: bool = False) -> list[Hit]:
        """All hits of a search; `searched_only`: none of the copies that are set aside."""
        hit_pages = pages(self._cluster, self._layout, body, searched_only=searched_only)
        return [hit for hits in hit_pages for hit in hits]

    def by_values(self, field: str, values: Sequence[Any]) -> dict[int, Hit]:
        """The documents with one of the `values` in `field`, by arrival; asked for in smaller parts if a node, or a
        proxy before it, refuses the request as too large.
        """

        def hits(part: Sequence[Any]) -> list[Hit]:
            return self.hits(self._queries.with_values(field, part))

        parts = (values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE))
        return by_arrival(self._layout, (hit for part in parts for hit in by_halves(hits, part)))

    def count_naming(self, ids: Sequence[str]) -> int:
        """How many documents have one of `ids` as their group or original."""

        def counts(part: Sequence[str]) -> list[int]:
            query = self._layout.without_others(self._cluster, self._queries.naming(part))
            return [api.count(self._cluster, self._layout.target, query, api.NO_INDEX_NEEDED)]

        parts = (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE))
        return sum(sum(by_halves(counts, part)) for part in parts)

    def common(self, words: Mapping[str, dict[str, Any]], among: dict[str, Any], most: int) -> Iterator[str]:
        """Those of `words` (name to query) that more than `most` of the searched documents that match `among` hold."""
        names = list(words)
        own = self._layout.without_others(self._cluster, among) if names else among
        for at in range(0, len(names), _COUNTED_AT_ONCE):
            each = {name: words[name] for name in names[at : at + _COUNTED_AT_ONCE]}
            body = {
                "query": own, "size": 0, "track_total_hits": False,
                "aggs": {"each": {"filters": {"filters": each}}},
            }  # fmt: skip
            page = api.search(self._cluster, self._layout.searched, body, api.WHOLE_OF_WHAT_IS_THERE)
            for name, bucket in dict(page.buckets("each")).items():
                if bucket["doc_count"] > most:
                    yield name

    def heads(
        self, known: Mapping[int, Hit], resolved: Container[int] = ()
    ) -> tuple[dict[int, Hit], dict[int, Hit | None]]:
        """The documents that stand for the groups of the `known` documents, as a pair: those not among `known`, by
        arrival (the head, or if that has gone the earliest member); and for each head that has gone, by its arrival,
        that earliest member, or None if no member is left.

        Heads in `resolved` are not looked up again.
        """
        groups = {hit.source[OBJECT]["group_order"] for hit in known.values()} - known.keys()
        unknown = sorted(head for head in groups if head not in resolved)
        heads = self.by_values("order", unknown)
        successors: dict[int, Hit | None] = {}
        for head in unknown:
            if head not in heads:
                body = self._queries.successor(head)
                earliest = next(pages(self._cluster, self._layout, body, size=1), [])
                successors[head] = earliest[0] if earliest else None
        there = by_arrival(self._layout, (hit for hit in successors.values() if hit is not None))
        others = {arrival: hit for arrival, hit in there.items() if arrival not in known}
        return heads | others, successors


def stored_part(
    layout: Layout,
    hits: Sequence[Hit],
    common_words: frozenset[int] = frozenset(),
    unsearched: Container[int] = (),
) -> StoredPart:
    """The documents of `hits`, which are in order of arrival; those with arrivals in `unsearched`, which only stand for
    groups, count as set aside. Raises `WindowDamaged` if another client has changed what neardup stored in one.
    """
    refs = [hit.ref for hit in hits]
    aside = [
        layout.is_set_aside(hit.index) or own_object(hit.source).get("order") in unsearched for hit in hits
    ]
    try:
        stored = stored_rows([hit.source[OBJECT] for hit in hits], aside)
    except UNREADABLE as error:
        raise _damaged(layout, hits, str(error)) from error
    repeated = np.flatnonzero(np.diff(arrivals_of(stored.rows)) <= 0)
    if len(repeated):
        raise _copied(*hits[int(repeated[0]) :][:2])
    records = Records.of_one_part(stored.rows, stored.ids, stored.keys, common_words)
    return StoredPart(records, refs, stored.blobs)


def _copied(one: Hit, other: Hit) -> WindowDamaged:
    """The error for two documents with the same arrival, one of which another client has copied from the other."""
    return WindowDamaged(
        f"{OBJECT} of {one.index}/{one.id} and {other.index}/{other.id}", "the same arrival in both", "one for each",
        remedy="`_reindex`, `_clone` and bulks of an export copy documents with their verdicts; index such copies "
        f"again without the object {OBJECT}, for `neardup watch`, or delete them",
    )  # fmt: skip


def _damaged(layout: Layout, hits: Sequence[Hit], error: str) -> WindowDamaged:
    """The error for the first of `hits` that cannot be restored."""
    for hit in hits:
        try:
            stored_rows([hit.source[OBJECT]], [False])
        except UNREADABLE as own:
            return _altered(layout, hit, fault_of(own_object(hit.source), own))
    return _altered(layout, hits[0], error)


def _altered(layout: Layout, hit: Hit, actual: str) -> WindowDamaged:
    """The error for a document that another client, or a foreign pipeline, has left without its signature, or with
    other values than neardup wrote.
    """
    name, remedy = f"{OBJECT} of {hit.index}/{hit.id}", "index this document again whole, or delete it"
    own = own_object(hit.source)
    if own.get("order") is None:  # by which it was found: it is indexed
        remedy = f"let no template leave {OBJECT} out of _source; then delete {hit.index} and write it again"
        return WindowDamaged(name, "nothing in _source", "what neardup has written", remedy=remedy)
    instead = f"; but if `neardup doctor` finds that _source lacks {OBJECT}, do what it says"
    if own.get("qgram_count") is not None:
        return WindowDamaged(name, actual, "what neardup has written", remedy=remedy + instead)
    if not layout.client_signs:
        remedy = (
            f"`neardup setup --window {layout.address}`, and then POST /{hit.index}/_update_by_query, sign it"
        )
    return WindowDamaged(name, "no signature", "that of its text", remedy=remedy + instead)


def stored_parts(context: ElasticContext, state: StateDocument, first: int) -> Iterator[StoredPart]:
    """The committed documents from the arrival `first` on, a page at a time."""
    cluster, layout = context.cluster, context.layout
    layout.refresh(cluster, state.commit.floor_hour)
    body = {
        "query": committed(state, first),
        "sort": BY_ARRIVAL,
        "_source": [f"{OBJECT}.{name}" for name in _restored_fields(context.settings)],
    }
    for hits in pages(cluster, layout, body):
        yield stored_part(layout, hits)


def _restored_fields(settings: Settings) -> tuple[str, ...]:
    """The fields to read: sentences and bands only if they are searched for."""
    searched = {*settings.routes, *(["sentences"] if settings.partial else [])}
    unwanted = {field for route, field in FIELD_OF_ROUTE.items() if route not in searched}
    return tuple(name for name in RESTORED if name not in unwanted)


def count_undecided(cluster: Cluster, layout: Layout) -> Undecided:
    """How many documents in the window's indices have no status, and how many the status `unscored`. Two requests."""
    status = f"{OBJECT}.status"
    each = {
        "waiting": {"bool": {"must_not": [{"exists": {"field": status}}]}},
        "unscored": {"term": {status: "unscored"}},
    }
    body = {
        "size": 0, "track_total_hits": False, "query": layout.without_others(cluster, {"match_all": {}}),
        "aggs": {"each": {"filters": {"filters": each}}},
    }  # fmt: skip
    buckets = dict(api.search(cluster, layout.target, body, api.WHOLE_OF_WHAT_IS_THERE).buckets("each"))
    return Undecided(**{name: bucket["doc_count"] for name, bucket in buckets.items()})


def others_before(cluster: Cluster, layout: Layout, floor: int, hour: int) -> int:
    """How many documents in the indices of hours before `hour` are not living documents of the hours from `floor` to
    before `hour`: they have another time, or no verdict.
    """
    named = [name for name, own in layout.existing_hours(cluster).items() if own < hour]
    known = {"range": {f"{OBJECT}.time": {"gte": floor * HOUR_MS, "lt": hour * HOUR_MS}}}
    query = {"bool": {"filter": [{"terms": {"_index": named}}], "must_not": [known]}}
    return api.count(cluster, layout.target, query, api.NO_INDEX_NEEDED) if named else 0


def given_up(cluster: Cluster, state: StateDocument, archive: str) -> int:
    """How many documents of an `archive` were given up for a budget, and are still stored."""
    if not state.has_given_up:
        return 0
    before = [
        {"range": {f"{OBJECT}.time": {"lt": state.commit.floor_hour * HOUR_MS}}},
        {"range": {ARRIVAL: {"lt": state.commit.floor_order}}},
    ]
    scored = {"range": {ARRIVAL: {"lt": state.commit.next_order}}}
    query = {"bool": {"filter": [scored], "should": before, "minimum_should_match": 1}}
    return api.count(cluster, archive, query, api.WHAT_IS_THERE)


def has_aborted(cluster: Cluster, layout: Layout, state: StateDocument) -> bool:
    """Whether there are documents in aborted ranges: late writes of a scorer that had lost the lease."""
    if not state.aborted:
        return False
    layout.refresh(cluster, state.commit.floor_hour)
    query = layout.without_others(cluster, in_aborted_range(state))
    return api.count(cluster, layout.target, query, api.WHAT_IS_THERE) > 0


def in_aborted_range(state: StateDocument) -> dict[str, Any]:
    """The query for documents in the aborted ranges of `state`, which must have some."""
    ranges = [{"range": {ARRIVAL: {"gte": first, "lt": last}}} for first, last in state.aborted]
    return {"bool": {"should": ranges, "minimum_should_match": 1}}
