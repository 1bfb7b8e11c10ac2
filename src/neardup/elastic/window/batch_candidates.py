"""The documents that a batch can depend on, found by search: what a scorer that holds no window reads for it.

What may be a copy of a document of the batch, what bears one of its ids, and whatever decides the groups of these. That
is a superset of what the verdicts are made of, so the same code decides them as over the whole window. No hit is left
out: pages follow one another to the end, and a shard that does not answer is an error.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http import api
from neardup.elastic.window import query_dsl as queries
from neardup.elastic.window.candidate_query import CandidateQueries
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.loader import pages, stored_part
from neardup.index.query_batch import SignedQueryBatch
from neardup.model.hours import FIRST_HOUR, first_living_hour
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.loader import StoredPart
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.signing.signature import SignedBatch

_AT_ONCE: Final = 1_000
"""Values of one query."""
_DOCUMENTS_AT_ONCE: Final = 16
"""Documents of a batch that one search asks for: more terms would be more clauses than Lucene takes (1,024)."""


class BatchCandidates:
    """The searches for a batch, in a window as it is committed in `document`."""

    def __init__(self, context: ElasticContext, document: StateDocument) -> None:
        self._cluster, self._layout, self._settings = context.cluster, context.layout, context.settings
        self._document = document
        self._queries = CandidateQueries(context, document)

    def of_batch(
        self, documents: Sequence[Prepared], signed: SignedBatch
    ) -> tuple[StoredPart, dict[int, int] | None]:
        """All stored documents that the verdicts on `documents`, which are `signed`, depend on; and how many documents
        each hour has, None for a batch that moves no hour on.
        """
        commit = self._document.commit
        newest = max((document.hour for document in documents), default=FIRST_HOUR)
        floor = max(commit.floor_hour, first_living_hour(newest, self._settings.kept_hours))
        known: dict[int, Hit] = {}
        if commit.next_order and documents:
            self._layout.refresh(self._cluster, commit.floor_hour)
            known = self._of_arrivals(self._alike(documents, signed))
            replaced = self._of_ids(documents)
            known |= replaced
            known |= self._heads(known)
            known |= self._members(known, replaced, floor)
        moves_on = newest > commit.newest and bool(self._settings.kept_hours)
        part = stored_part(self._layout, [known[arrival] for arrival in sorted(known)])
        counts = self._documents_by_hour() if moves_on and commit.next_order else None
        return part, counts

    def _alike(self, documents: Sequence[Prepared], signed: SignedBatch) -> set[int]:
        """The arrivals of what may be a copy of one of the documents."""
        ways = [query for query in self._each(documents, signed) if query is not None]
        arrivals = set[int]()
        for at in range(0, len(ways), _DOCUMENTS_AT_ONCE):
            body = self._queries.body(queries.any_of(ways[at : at + _DOCUMENTS_AT_ONCE]))
            body = {**body, "_source": False}
            for hits in pages(self._cluster, self._layout, body, searched_only=True):
                arrivals.update(int(hit.sort[0]) for hit in hits)
        return arrivals

    def _each(self, documents: Sequence[Prepared], signed: SignedBatch) -> Iterator[dict[str, Any] | None]:
        """The query for what may be a copy of each document; None for an empty one."""
        threshold = self._settings.threshold_fraction
        for i, document in enumerate(documents):
            own = SignedQueryBatch(signed.part(i, i + 1), None, None)
            if len(own.signed.texts):
                by_terms = self._queries.by_terms(own, threshold)
                yield self._queries.alike(own, threshold, document.time, by_terms)
            else:
                yield None

    def _of_ids(self, documents: Sequence[Prepared]) -> dict[int, Hit]:
        """What bears an id that a document of the batch has, or may be given (`Store.named`)."""
        ids = {document.id for document in documents}
        origins = (document.origin for document in documents if document.origin is not None)
        ids |= {f"{origin.index}/{origin.id}" for origin in origins}
        return self._by_values("identity", sorted(ids))

    def _of_arrivals(self, arrivals: Iterable[int]) -> dict[int, Hit]:
        return self._by_values("order", sorted(arrivals))

    def _by_values(self, field: str, values: Sequence[Any]) -> dict[int, Hit]:
        """The documents that have one of the `values`, by arrival."""
        parts = (values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE))
        bodies = (self._queries.body(self._queries.living([queries.terms(field, part)])) for part in parts)
        hits = chain.from_iterable(self._hits(body) for body in bodies)
        return {hit.source[OBJECT]["order"]: hit for hit in hits}

    def _hits(self, body: dict[str, Any]) -> Iterator[Hit]:
        return chain.from_iterable(pages(self._cluster, self._layout, body))

    def _heads(self, known: dict[int, Hit]) -> dict[int, Hit]:
        """The heads of the groups of `known`, or where one has gone the member that stands for it."""
        heads = {hit.source[OBJECT]["group_order"] for hit in known.values()} - known.keys()
        standing = self._of_arrivals(heads)
        for missing in sorted(heads - standing.keys()):
            body = self._queries.successor(missing)
            hits = next(pages(self._cluster, self._layout, body, size=1), [])
            standing |= {hit.source[OBJECT]["order"]: hit for hit in hits}
        return standing

    def _members(self, known: dict[int, Hit], replaced: dict[int, Hit], floor: int) -> dict[int, Hit]:
        """All members of groups of which one may go with this batch, replaced or of an hour before `floor`: whoever
        stands for such a group next is one of them.
        """
        going = {
            hit.source[OBJECT]["group_order"]
            for arrival, hit in known.items()
            if arrival in replaced or hit.source[OBJECT]["time"] < floor * HOUR_MS
        }
        return self._by_values("group_order", sorted(going))

    def _documents_by_hour(self) -> dict[int, int]:
        """How many documents each hour has."""
        hourly = {"histogram": {"field": f"{OBJECT}.time", "interval": HOUR_MS, "min_doc_count": 1}}
        body = {
            "query": self._queries.living([]),
            "size": 0,
            "track_total_hits": False,
            "aggs": {"hours": hourly},
        }
        page = api.search(self._cluster, self._layout.target, body, api.WHOLE_OF_WHAT_IS_THERE)
        buckets = page.aggregations["hours"]["buckets"] if page.aggregations else []
        return {int(bucket["key"]) // HOUR_MS: int(bucket["doc_count"]) for bucket in buckets}
