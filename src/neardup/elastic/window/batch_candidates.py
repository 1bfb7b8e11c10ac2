"""The documents that the verdicts on a batch can depend on, found by search: a scorer without the window in memory
reads them, and many texts at once are compared with them.

They are the documents that may be copies of one in the batch, that have one of its ids, and that decide the groups of
these. This is a superset of the documents that matter, so the same code makes the verdicts as over the whole window. No
hit is left out: pages follow one another to the end, and a shard that does not answer is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http import api
from neardup.elastic.http.msearch import msearch_hits
from neardup.elastic.window.batch_query import BatchQueries
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.likeness import Likeness
from neardup.elastic.window.loader import PAGE, DocumentLookup, by_arrival, stored_part
from neardup.model.document import Prepared
from neardup.model.hours import FIRST_HOUR, first_living_hour
from neardup.model.settings import HOUR_MS, LARGE_BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.loader import StoredPart
    from neardup.elastic.window.state_document import StateDocument
    from neardup.signing.signature import SignedBatch

_MOST_SINCE: Final = 8 * LARGE_BATCH
"""If more documents than this were added since a look ahead, looking again is cheaper."""


class Related(NamedTuple):
    """The documents found for a batch in a window as committed in `state`: `known` ones by arrival, among them those
    that are `alike` and may be copies; and in `standing` the members that stand for groups whose heads have gone, by
    the arrival of the head (None: no member is left). `refused`: why some documents of the batch cannot be searched
    for, by id.
    """

    state: StateDocument
    known: dict[int, Hit]
    alike: Mapping[int, Hit] = MappingProxyType({})
    standing: Mapping[int, Hit | None] = MappingProxyType({})
    refused: Mapping[str, str] = MappingProxyType({})

    def holds(self, now: StateDocument) -> bool:
        """Whether all of this is still valid in the window as committed `now`, and few documents have come since."""
        then, commit = self.state, now.commit
        added = commit.next_order - then.commit.next_order
        return (then.changes, then.aborted, then.commit.floor_hour, then.commit.floor_order) == (
            now.changes, now.aborted, commit.floor_hour, commit.floor_order
        ) and 0 <= added <= _MOST_SINCE  # fmt: skip


class BatchCandidates:
    """The searches for a batch, in a window as it is committed in `state`."""

    def __init__(self, context: ElasticContext, state: StateDocument) -> None:
        self._cluster, self._layout, self._settings = context.cluster, context.layout, context.settings
        self._state, self._signer = state, context.signer
        self._queries = BatchQueries(context, state)
        self._lookup = DocumentLookup(context.cluster, context.layout, self._queries)

    def related(self, documents: Sequence[Prepared], signed: SignedBatch) -> Related:
        """The stored documents that may be copies of `documents` (which are `signed`) or have one of their ids, and
        those that stand for the groups of these.
        """
        refused: dict[str, str] = {}

        def refuse(position: int, error: Exception) -> list[Hit]:
            refused[documents[position].id] = f"its copies cannot be searched for: {error}"
            return []

        related = self._related(documents, signed, sorted(_ids_of(documents)), refuse)
        return related._replace(refused=refused)

    def of_texts(self, texts: Sequence[bytes]) -> StoredPart:
        """All stored documents that the verdicts on `texts` depend on. The texts are not documents: they have no ids,
        and no hours where the settings do not limit hours.
        """
        documents = [Prepared("", text, 0, 0) for text in texts]
        known = self._related(documents, self._signer.sign(texts, counted=True), []).known
        return stored_part(self._layout, [known[arrival] for arrival in sorted(known)])

    def _related(
        self,
        documents: Sequence[Prepared],
        signed: SignedBatch,
        ids: Sequence[str],
        refuse: Callable[[int, Exception], list[Hit]] | None = None,
    ) -> Related:
        if not self._state.commit.next_order or not documents:
            return Related(self._state, {})
        self._layout.refresh(self._cluster, self._state.commit.floor_hour)
        alike = self._alike(documents, signed, refuse)
        own = self._lookup.by_values("identity", ids)
        related = Related(self._state, alike | own, alike)
        return self._with_heads(related, ids)

    def of_batch(
        self, documents: Sequence[Prepared], signed: SignedBatch, ahead: Related | None
    ) -> tuple[StoredPart, dict[int, int] | None, Mapping[str, str]]:
        """All stored documents that the verdicts on `documents`, which are `signed`, depend on; how many documents each
        hour has, None unless the batch moves the window on to a later hour; and why some cannot be searched for, by id.
        `ahead`: the result of an earlier look for the same documents, None without one.
        """
        commit = self._state.commit
        newest = max((document.hour for document in documents), default=FIRST_HOUR)
        floor = max(commit.floor_hour, first_living_hour(newest, self._settings.kept_hours))
        if ahead is not None and ahead.holds(self._state):
            related = self._since(ahead, documents, signed)
        else:
            related = self.related(documents, signed)
        known = related.known | self._members(related.known, documents, floor)
        moves_on = newest > commit.newest and bool(self._settings.kept_hours)
        part = stored_part(self._layout, [known[arrival] for arrival in sorted(known)])
        counts = self._documents_by_hour() if moves_on and commit.next_order else None
        return part, counts, related.refused

    def _since(self, ahead: Related, documents: Sequence[Prepared], signed: SignedBatch) -> Related:
        """The documents found `ahead`, and those added since on which `documents` depend."""
        first = ahead.state.commit.next_order
        if first == self._state.commit.next_order:
            return ahead._replace(state=self._state)
        self._layout.refresh(self._cluster, self._state.commit.floor_hour)
        added = by_arrival(self._layout, self._lookup.hits(self._queries.added_since(first)))
        likeness = Likeness(signed, self._layout, self._queries.least_shared(signed), _ids_of(documents))
        new = {arrival: hit for arrival, hit in added.items() if likeness.concerns(hit)}
        related = ahead._replace(state=self._state, known=ahead.known | new)
        return self._with_heads(related, sorted(_ids_of(documents)))

    def _alike(
        self,
        documents: Sequence[Prepared],
        signed: SignedBatch,
        refuse: Callable[[int, Exception], list[Hit]] | None,
    ) -> dict[int, Hit]:
        """Stored documents that may be copies of one of `documents`. One query may hold the texts of many, and so be
        too large; then it is split. `refuse` is called for a document whose own query is too large; without `refuse`
        the error is raised.
        """

        def bodies(part: Sequence[int]) -> list[dict[str, Any]]:
            first, end = part[0], part[-1] + 1
            queries = self._queries.alike_any(documents[first:end], signed.part(first, end))
            return [self._queries.body(query) for query in queries]

        everyone = range(len(documents))
        alike = msearch_hits(self._cluster, self._layout.searched, bodies, everyone, refuse, size=PAGE)
        return by_arrival(self._layout, (hit for hit in alike if self._layout.owns(hit.index)))

    def _with_heads(self, related: Related, ids: Sequence[str]) -> Related:
        """`related` with the heads of its groups, or the members that stand for heads that have gone; and, if documents
        of these `ids` that come again may have copies, with what says which are their copies.
        """
        heads, successors = self._lookup.heads(related.known, related.standing)
        known, standing = related.known | heads, {**related.standing, **successors}
        if self._have_copies(ids, known):
            known = self._with_named(known, standing)
        return related._replace(known=known, standing=standing)

    def _have_copies(self, ids: Sequence[str], known: Mapping[int, Hit]) -> bool:
        """Whether stored documents name some of `ids` as their group or original; not counted are those `known` that
        head groups of their own, and so name themselves.
        """
        wanted = {*ids}
        objects = (hit.source[OBJECT] for hit in known.values())
        heads = sum(
            each["group"] == each["identity"] in wanted and each.get("duplicate_of") not in wanted
            for each in objects
        )
        return bool(ids) and self._lookup.count_naming(ids) > heads

    def _with_named(self, known: dict[int, Hit], standing: Mapping[int, Hit | None]) -> dict[int, Hit]:
        """The `known` documents with the heads of heads, and with documents that are named by their ids, which say
        whether one of them is a copy of another. A search for each step from copy to original.
        """
        known, new = dict(known), known
        looked_up = {hit.source[OBJECT]["identity"] for hit in known.values()}
        while new:
            objects = [hit.source[OBJECT] for hit in new.values()]
            groups = {each["group_order"] for each in objects} - known.keys() - standing.keys()
            above = self._lookup.by_values("order", sorted(groups))
            known |= above
            ids = {id for each in objects if (id := _named(each, known)) is not None} - looked_up
            looked_up |= ids
            named = self._lookup.by_values("identity", sorted(ids))
            new = above | {arrival: hit for arrival, hit in named.items() if arrival not in known}
            known |= new
        return known

    def _members(self, known: dict[int, Hit], documents: Sequence[Prepared], floor: int) -> dict[int, Hit]:
        """All members of groups that may lose a document with this batch, because it is replaced or of an hour before
        `floor`: one of these members will stand for the group next. A member of one group may head another.
        """
        replaced = _ids_of(documents)
        objects = [hit.source[OBJECT] for hit in known.values()]
        going = {
            order
            for each in objects
            if each["identity"] in replaced or each["time"] < floor * HOUR_MS
            for order in (each["order"], each["group_order"])
        }
        return self._lookup.by_values("group_order", sorted(going))

    def _documents_by_hour(self) -> dict[int, int]:
        """How many documents each hour has."""
        hourly = {"histogram": {"field": f"{OBJECT}.time", "interval": HOUR_MS, "min_doc_count": 1}}
        body = {
            "query": self._layout.without_others(self._cluster, self._queries.living([])),
            "size": 0,
            "track_total_hits": False,
            "aggs": {"hours": hourly},
        }
        page = api.search(self._cluster, self._layout.target, body, api.WHOLE_OF_WHAT_IS_THERE)
        return {int(bucket["key"]) // HOUR_MS: int(bucket["doc_count"]) for bucket in page.buckets("hours")}


def _named(own: Mapping[str, Any], known: Container[int]) -> str | None:
    """The id by which a document, of which this is our object, names another: its best match, if it heads its own
    group, else the head of its group, if that is not among the `known` arrivals.
    """
    if own["group_order"] == own["order"]:
        return own.get("duplicate_of")
    return None if own["group_order"] in known else own["group"]


def _ids_of(documents: Iterable[Prepared]) -> set[str]:
    """The ids that documents have, or may be given (`Store.named`)."""
    origins = [document.origin for document in documents if document.origin is not None]
    return {document.id for document in documents} | {origin.qualified_id for origin in origins}
