"""An ad hoc query without loading the window: a store of candidates, found by search in the cluster.

What may be a copy, and whatever decides whose group it joins, is all that this store holds; over it the engine answers
as over any other (window/query.py). Two to four requests, memory for the candidates.

`complete` retrieval asks by the query of our plugin, which computes doc_q in the shards; where it is not there, or the
text is larger than it takes, by Elasticsearch's own queries, which find the same copies among more candidates.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.window import query_dsl as queries
from neardup.elastic.window.candidate_store import CandidateStore
from neardup.elastic.window.codec import OBJECT, RESTORED
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.loader import committed, counted, pages, refresh, stored_part
from neardup.errors import ClusterRejected, DocumentError, UnknownDocument
from neardup.index.candidates import Search, SignedQueryBatch
from neardup.model.document import encode_text
from neardup.model.field_path import field_of
from neardup.model.hours import FIRST_HOUR, compared_hours, hour_of
from neardup.model.settings import HOUR_MS, MAX_SENTENCE_HOLDERS

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.query_options import QueryOptions
    from neardup.model.settings import Settings
    from neardup.signing.signature import SignedBatch, Signer

log = logging.getLogger("neardup")

_COUNTED_AT_ONCE: Final = 1_000


def by_rarest(signer: Signer, search: Search, signed: SignedBatch, threshold: Fraction) -> dict[str, Any]:
    """Who shares enough of the rarest q-grams of one signed text; loses nothing (the prefix argument)."""
    names = signer.qgrams(signed.text(0))
    keys, _ = search.prefixes(signed, threshold)
    minimum = int(search.min_shared(signed.counts, threshold)[0])
    return queries.at_least("qgrams", [names[key] for key in keys.tolist()], minimum)


class AdHocQuery:
    """The searches for the candidates of a query, in a window as it is committed in `document`."""

    def __init__(self, context: ElasticContext, document: StateDocument, settings: Settings) -> None:
        self._context, self._document, self._settings = context, document, settings
        self._cluster, self._layout, _, self._signer = context
        self._search_for = Search(context.signer, settings)
        self._common: frozenset[int] | None = None
        """Sentences that too many documents hold; None: partial copies are not looked for."""

    def candidates_for(self, options: QueryOptions) -> CandidateStore:
        """All documents that the verdict on a query can name, or depends on."""
        if (options.rule is not None) != self._settings.partial:
            settings = self._settings.with_changes(partial=options.rule is not None)
            return AdHocQuery(self._context, self._document, settings).candidates_for(options)
        refresh(self._cluster, self._layout)
        own = [] if options.id is None else self._own(options.id)
        text = field_of(own[0].source, self._layout.text_field) if own else options.text
        try:
            features = self._features(encode_text(text or ""))
        except ValueError as error:
            raise DocumentError(options.id, str(error)) from None
        if options.rule is not None:
            self._common = self._common_sentences(features, options)
        hits = own + self._candidates(text or "", features, options.threshold, options.time)
        part = stored_part(self._layout, self._with_groups(hits), self._common or frozenset())
        held = HeldDocuments(self._context)
        held.add(part.records.rows, part.refs, part.blobs)
        return CandidateStore(self._document.commit, part.records, held)

    def candidates(self, text: bytes, threshold: Fraction) -> list[Hit]:
        """What may be a copy of `text`: the search alone, for those who measure it."""
        return self._candidates(text.decode(), self._features(text), threshold, None)

    def body(self, text: bytes, threshold: Fraction) -> dict[str, Any]:
        """The search of `candidates`, as it is sent to a cluster without the plugin."""
        features = self._features(text)
        return self._search(self._query(features, threshold, None, self._by_terms(features, threshold)))

    def _features(self, text: bytes) -> SignedQueryBatch:
        signed = self._signer.sign([text])
        words = self._signer.word_features([text]) if self._search_for.reads_words else None
        return SignedQueryBatch(signed, None, words)

    def _common_sentences(self, features: SignedQueryBatch, options: QueryOptions) -> frozenset[int]:
        """Those sentences of the text that too many documents hold: of these, the candidates are only a few."""
        names = self._sentence_names(features)
        others = [] if options.id is None else [queries.term("identity", options.id)]
        living = self._living(self._times(options.time), others)
        common: set[int] = set()
        for at in range(0, len(names), _COUNTED_AT_ONCE):
            part = names[at : at + _COUNTED_AT_ONCE]
            holders = {name: queries.term("sentences", name) for name in part}
            held = counted(self._cluster, self._layout, living, holders)
            common |= {int(name, 16) for name, count in held.items() if count > MAX_SENTENCE_HOLDERS}
        return frozenset(common)

    def _own(self, id: str) -> list[Hit]:
        hits = self._found(self._search(self._living([queries.term("identity", id)]), text=True))
        if not hits:
            raise UnknownDocument(id)
        return hits[-1:]

    def _living(
        self, wanted: Sequence[dict[str, Any]], must_not: Sequence[dict[str, Any]] = ()
    ) -> dict[str, Any]:
        """Documents that are `wanted`, count (lease.py), and are of no hour that has gone."""
        floor = self._document.commit.floor_hour
        alive = [queries.times(floor * HOUR_MS, 2**62)] if floor > FIRST_HOUR else []
        return queries.all_of([*wanted, committed(self._document, 0), *alive], must_not)

    def _times(self, time: int | None) -> list[dict[str, Any]]:
        """Documents of the hours asked about; nothing where all are."""
        window = self._settings.window_hours
        if time is None or not window:
            return []
        first, last = compared_hours(hour_of(time), window)
        return [queries.times(first * HOUR_MS, (last + 1) * HOUR_MS)]

    def _query(
        self, features: SignedQueryBatch, threshold: Fraction, time: int | None, alike: dict[str, Any]
    ) -> dict[str, Any]:
        """What may be a copy, and is of the hours asked about; `alike`: what finds it by its q-grams."""
        signed = features.signed
        count = int(signed.counts[0])
        ways = [queries.term("fingerprint", signed.fingerprint(0))]
        if count:
            ways += [alike, *self._routes(features)]
        wanted = [queries.any_of(ways)]
        if count:
            wanted.append(queries.lengths(count, threshold))
        if self._common is not None:
            names = [name for name in self._sentence_names(features) if int(name, 16) not in self._common]
            wanted = [queries.any_of([queries.all_of(wanted), queries.at_least("sentences", names, 1)])]
        return self._living([*wanted, *self._times(time)])

    def _by_terms(self, features: SignedQueryBatch, threshold: Fraction) -> dict[str, Any]:
        """Who shares enough keys of the sketch, or enough of the rarest q-grams, which are their own characters."""
        signed = features.signed
        if self._settings.retrieval == "complete":
            return by_rarest(self._signer, self._search_for, signed, threshold)
        minimum = int(self._search_for.min_shared(signed.counts, threshold)[0])
        return queries.at_least("sketch", [f"{key:016x}" for key in signed.sketches.tolist()], minimum)

    def _sentence_names(self, features: SignedQueryBatch) -> list[str]:
        words = features.words
        return [] if words is None else [f"{key:016x}" for key in words.sentences.tolist()]

    def _routes(self, features: SignedQueryBatch) -> list[dict[str, Any]]:
        words, routes = features.words, self._settings.routes
        ways = []
        if "sentences" in routes and self._sentence_names(features):
            ways.append(queries.terms("sentences", self._sentence_names(features)))
        if words is not None and "simhash" in routes and len(words.band_keys()[0]):
            bands = words.band_keys()[0].tolist()
            names = (f"{band >> 18}:{band >> 16 & 3}:{band & 0xFFFF:04x}" for band in bands)
            ways.append(queries.terms("simhash_bands", names))
        return ways

    def _candidates(
        self, text: str, features: SignedQueryBatch, threshold: Fraction, time: int | None
    ) -> list[Hit]:
        if not len(features.signed.texts):
            return []  # nothing is a copy of an empty text
        if self._settings.retrieval == "complete":
            try:
                return self._hits(features, threshold, time, queries.copies_of(text, threshold))
            except ClusterRejected as error:
                if error.status != HTTPStatus.BAD_REQUEST:
                    raise
                log.info("the cluster does not take the query neardup, asked by q-grams instead: %s", error)
        return self._hits(features, threshold, time, self._by_terms(features, threshold))

    def _hits(
        self, features: SignedQueryBatch, threshold: Fraction, time: int | None, alike: dict[str, Any]
    ) -> list[Hit]:
        return self._found(self._search(self._query(features, threshold, time, alike)), searched_only=True)

    def _search(self, query: dict[str, Any], *, text: bool = False) -> dict[str, Any]:
        fields = [f"{OBJECT}.{name}" for name in RESTORED]
        if text:
            fields.append(self._layout.text_field)
        order = {f"{OBJECT}.order": {"order": "asc", "unmapped_type": "long"}}
        return {"query": query, "sort": [order], "_source": fields}

    def _found(self, body: dict[str, Any], *, searched_only: bool = False) -> list[Hit]:
        """All hits; `searched_only`: none of the copies that are set aside."""
        found = pages(self._cluster, self._layout, body, searched_only=searched_only)
        return [hit for hits in found for hit in hits]

    def _with_groups(self, hits: Iterable[Hit]) -> list[Hit]:
        """Documents, and whatever decides which groups they stand for, in order of arrival."""
        known = {hit.source[OBJECT]["order"]: hit for hit in hits}
        heads = {hit.source[OBJECT]["group_order"] for hit in known.values()} - known.keys()
        if heads:
            found = self._found(self._search(self._living([queries.terms("order", sorted(heads))])))
            known |= {hit.source[OBJECT]["order"]: hit for hit in found}
            for gone in sorted(heads - known.keys()):
                known |= self._successor(gone)
        return [known[arrival] for arrival in sorted(known)]

    def _successor(self, head: int) -> dict[int, Hit]:
        """The earliest member (time, id) of a group whose head is gone: it stands for the group now."""
        body = self._search(self._living([queries.term("group_order", head)]))
        sort = [
            {f"{OBJECT}.time": {"order": "asc", "unmapped_type": "long"}},
            {f"{OBJECT}.identity": {"order": "asc", "unmapped_type": "keyword"}},
        ]
        found = next(pages(self._cluster, self._layout, {**body, "sort": sort}, size=1), [])
        return {hit.source[OBJECT]["order"]: hit for hit in found}
