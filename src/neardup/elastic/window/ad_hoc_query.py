"""An ad hoc query without loading the window: a store of candidates, which searches in the cluster find.

The store holds only documents that may be copies, and those that decide which group a copy joins; the engine answers
from it as from any other store (window/query.py). Two to four requests, for one text or many, and two more for each
kind of words that is searched for; memory for the candidates.

`complete` retrieval uses the query of our plugin, which computes doc_q in the shards. Where the plugin is missing, or
the text is larger than its query takes, Elasticsearch's own queries find the same copies among more candidates, if
q-grams are terms.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from neardup.elastic.window import query_dsl
from neardup.elastic.window.batch_candidates import BatchCandidates
from neardup.elastic.window.candidate_query import MOST_HOLDERS, CandidateQueries
from neardup.elastic.window.candidate_store import CandidateStore
from neardup.elastic.window.codec import OBJECT, text_of
from neardup.elastic.window.index_layout import LOSSLESS_NEEDED
from neardup.elastic.window.loader import DocumentLookup, by_arrival, stored_part
from neardup.errors import ClusterRejected, DocumentError, SettingsError, UnknownDocument

if TYPE_CHECKING:
    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.query_options import QueryOptions

log = logging.getLogger("neardup")


class AdHocQuery:
    """The searches for the candidates of a query, in a window as it is committed in `state`."""

    def __init__(self, context: ElasticContext, state: StateDocument) -> None:
        self._context, self._state = context, state
        self._cluster, self._layout, self._settings = context.cluster, context.layout, context.settings
        self._queries = CandidateQueries(context, state)
        self._lookup = DocumentLookup(context.cluster, context.layout, self._queries)

    def candidates_for(self, options: QueryOptions) -> CandidateStore:
        """A store with all documents that the verdict on a query can name or depends on."""
        self._layout.check_indexed(self._settings)
        self._layout.refresh(self._cluster, self._state.commit.floor_hour)
        own = [] if options.id is None else self._own(options.id)
        text = (text_of(own[0].source, self._layout.text_field) if own else options.text) or ""
        try:
            batch = self._queries.query_batch(text)
        except ValueError as error:
            raise DocumentError(options.id, str(error)) from None
        common = self._common_words(batch, options)
        hits = own + self._alike(text, batch, options, common)
        known = by_arrival(self._layout, hits)
        # Documents that decide which groups the hits belong to; no search has found them.
        heads, _ = self._lookup.heads(known)
        in_order = [hit for _, hit in sorted((known | heads).items())]
        part = stored_part(self._layout, in_order, common, heads)
        return CandidateStore(self._context, self._state.commit, part)

    def candidates_for_all(self, texts: Sequence[bytes]) -> CandidateStore | None:
        """A store with all documents that the verdicts on `texts`, by the settings, can name or depend on. None if each
        text must be asked about alone: because the settings need more than a search for many texts finds, or because
        the cluster refuses the texts together.
        """
        settings = self._settings
        lacks_qgrams = settings.retrieval == "complete" and not self._layout.lossless
        if settings.routes or settings.partial or lacks_qgrams:
            return None
        try:
            part = BatchCandidates(self._context, self._state).of_texts(texts)
        except ClusterRejected as error:
            log.info(
                "the cluster refuses a query for %d texts at once; asking one by one: %s", len(texts), error
            )
            return None
        return CandidateStore(self._context, self._state.commit, part)

    def holding(self, ids: Sequence[str]) -> CandidateStore:
        """A store with the documents of these ids."""
        self._layout.refresh(self._cluster, self._state.commit.floor_hour)
        hits = self._lookup.by_values("identity", ids).values()
        latest = {hit.source[OBJECT]["identity"]: hit for hit in hits}
        in_order = sorted(latest.values(), key=lambda hit: hit.source[OBJECT]["order"])
        part = stored_part(self._layout, in_order)
        return CandidateStore(self._context, self._state.commit, part)

    def _common_words(self, batch: SignedQueryBatch, options: QueryOptions) -> frozenset[int]:
        """The sentences and bands of the text that too many documents hold; few of those documents are candidates."""
        others = self._queries.others(options.id, options.time)
        common = set[int]()
        for field, names in self._queries.searched_words(batch).items():
            holders = {str(key): query_dsl.term(field, name) for key, name in names.items()}
            common |= set(map(int, self._lookup.common(holders, others, MOST_HOLDERS[field])))
        return frozenset(common)

    def _own(self, id: str) -> list[Hit]:
        hits = self._lookup.hits(self._queries.own(id))
        if not hits:
            raise UnknownDocument(id)
        return hits[-1:]

    def _alike(
        self, text: str, batch: SignedQueryBatch, options: QueryOptions, common: frozenset[int]
    ) -> list[Hit]:
        """Documents that may be copies of a text, or partial ones; `common` as in `CandidateQueries.alike`."""
        if not len(batch.signed.texts):
            return []  # nothing is a copy of an empty text

        def hits(by_qgrams: dict[str, Any]) -> list[Hit]:
            query = self._queries.alike(batch, options.threshold, options.time, by_qgrams, common)
            return self._lookup.hits(self._queries.body(query), searched_only=True)

        if self._settings.retrieval == "complete":
            try:
                return hits(query_dsl.copies_of(text, options.threshold))
            except ClusterRejected as error:
                if error.status != HTTPStatus.BAD_REQUEST:
                    raise
                if not self._layout.lossless:
                    raise SettingsError("retrieval", "complete", LOSSLESS_NEEDED) from None
                if not self._layout.terms:
                    raise
                log.info("the cluster refuses the query neardup; asking by q-grams instead: %s", error)
        return hits(self._queries.by_keys(batch, options.threshold))
