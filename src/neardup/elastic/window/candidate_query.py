"""The bodies of the searches for an ad hoc query's candidates: pure functions of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.window import query_dsl
from neardup.elastic.window.codec import OBJECT, RESTORED
from neardup.elastic.window.loader import BY_ARRIVAL, BY_TIME, FIELD_OF_ROUTE, committed
from neardup.index.query_batch import SignedQueryBatch
from neardup.index.search import Search
from neardup.model.document import encode_text
from neardup.model.hours import FIRST_HOUR, compared_hours, hour_of
from neardup.model.settings import HOUR_MS, MAX_BAND_DOCUMENTS, MAX_SENTENCE_DOCUMENTS

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.signing.signature import SignedBatch
    from neardup.signing.signer import Signer

MOST_HOLDERS: Final = {"sentences": MAX_SENTENCE_DOCUMENTS, "simhash_bands": MAX_BAND_DOCUMENTS}
"""By field: how many documents may at most hold a word that is searched for."""


def by_rarest(signer: Signer, search: Search, signed: SignedBatch, threshold: Fraction) -> dict[str, Any]:
    """The query for documents that share enough of the rarest q-grams of one signed text, whose |A| is known; loses no
    copy (the prefix argument).
    """
    minimum = int(search.min_shared(signed.counts, threshold)[0])
    names = signer.qgrams(signed.text(0))
    keys, _ = signer.prefixes(signed, threshold)
    return query_dsl.at_least("qgrams", [names[key] for key in keys.tolist()], minimum)


class CandidateQueries:
    """Queries for documents of a window as it is committed in `state`."""

    def __init__(self, context: ElasticContext, state: StateDocument) -> None:
        self._state, self._settings = state, context.settings
        self._signer, self._layout = context.signer, context.layout
        self._search = Search(context.signer, context.settings)

    def query_batch(self, text: str) -> SignedQueryBatch:
        """A signed text, with its words if they are searched for; raises `ValueError` for an unpaired surrogate."""
        encoded = [encode_text(text)]
        signed = self._signer.sign(encoded, counted=True)
        words = self._signer.word_features(encoded) if self._search.reads_words else None
        return SignedQueryBatch(signed, None, words)

    def living(
        self, wanted: Sequence[dict[str, Any]], must_not: Sequence[dict[str, Any]] = (), *, first: int = 0
    ) -> dict[str, Any]:
        """The query for documents from the arrival `first` on that match all of `wanted` and none of `must_not`, count
        (state_document.py), and lie in no expired hour.
        """
        floor = self._state.commit.floor_hour
        alive = [query_dsl.times(floor * HOUR_MS, 2**62)] if floor > FIRST_HOUR else []
        return query_dsl.all_of([*wanted, committed(self._state, first), *alive], must_not)

    def of_hours(self, time: int | None) -> list[dict[str, Any]]:
        """Clauses for documents of the hours that a query at `time` is compared with; none if those are all hours."""
        return [] if time is None else self.of_hours_around([hour_of(time)])

    def of_hours_around(self, hours: Sequence[int]) -> list[dict[str, Any]]:
        """Clauses for documents of the hours with which `hours` are compared; none if those are all hours."""
        window = self._settings.window_hours
        if not window:
            return []
        first, _ = compared_hours(min(hours), window)
        _, last = compared_hours(max(hours), window)
        return [query_dsl.times(first * HOUR_MS, (last + 1) * HOUR_MS)]

    def alike(
        self,
        batch: SignedQueryBatch,
        threshold: Fraction,
        time: int | None,
        by_qgrams: dict[str, Any],
        common: frozenset[int],
    ) -> dict[str, Any]:
        """The query for possible copies, and for partial copies if the settings ask for them, in the hours that a query
        at `time` is compared with. `by_qgrams`: the query by q-grams or sketches; `common`: the sentences and bands
        that too many documents hold.
        """
        signed = batch.signed
        count = int(signed.counts[0])
        ways = [query_dsl.term("fingerprint", signed.fingerprint(0))]
        if count:
            ways += [by_qgrams, *self._routes(batch, common)]
        wanted = [query_dsl.any_of(ways)]
        if count:
            wanted.append(query_dsl.lengths(count, threshold))
        if self._settings.partial:
            names = _others_than(common, sentence_names(batch))
            wanted = [query_dsl.any_of([query_dsl.all_of(wanted), query_dsl.at_least("sentences", names, 1)])]
        return self.living([*wanted, *self.of_hours(time)])

    def by_keys(self, batch: SignedQueryBatch, threshold: Fraction) -> dict[str, Any]:
        """The query for documents that share enough keys of the sketch, or with complete retrieval enough of the rarest
        q-grams, whose terms are their characters.
        """
        signed = batch.signed
        if self._settings.retrieval == "complete":
            return by_rarest(self._signer, self._search, signed, threshold)
        minimum = int(self._search.min_shared(signed.counts, threshold)[0])
        if self._layout.is_searched_by_plugin:
            return query_dsl.sketches_like([signed.sketches], [minimum])
        return query_dsl.at_least("sketch", query_dsl.sketch_terms(signed.sketches, self._layout), minimum)

    def searched_words(self, batch: SignedQueryBatch) -> dict[str, dict[int, str]]:
        """The sentences and bands of one text by which documents are searched for: by field, their terms by key."""
        routes, words = self._settings.routes, dict[str, dict[int, str]]()
        if "sentences" in routes or self._settings.partial:
            words["sentences"] = sentence_names(batch)
        if "simhash" in routes:
            words["simhash_bands"] = band_names(batch)
        return words

    def _routes(self, batch: SignedQueryBatch, common: frozenset[int]) -> list[dict[str, Any]]:
        words = self.searched_words(batch)
        kept = {
            field: _others_than(common, words[field])
            for field in (FIELD_OF_ROUTE[route] for route in self._settings.routes)
        }
        return [query_dsl.terms(field, names) for field, names in kept.items() if names]

    def body(self, query: dict[str, Any], *, text: bool = False) -> dict[str, Any]:
        """The search for documents that match `query`, in order of arrival, with the fields that a document is restored
        from, and with `text` also its text.
        """
        fields = [f"{OBJECT}.{name}" for name in RESTORED]
        if text:
            fields.append(self._layout.text_field)
        return {"query": query, "sort": BY_ARRIVAL, "_source": fields}

    def own(self, id: str) -> dict[str, Any]:
        """The search for the document of this id, with its text."""
        return self.body(self.living([query_dsl.term("identity", id)]), text=True)

    def with_values(self, field: str, values: Sequence[str | int]) -> dict[str, Any]:
        """The search for the documents that have one of `values` in one of our fields."""
        return self.body(self.living([query_dsl.terms(field, values)]))

    def naming(self, ids: Sequence[str]) -> dict[str, Any]:
        """The query for the documents that have one of `ids` as their group or original."""
        return self.living(
            [{"bool": {"should": [query_dsl.terms(name, ids) for name in ("group", "duplicate_of")]}}]
        )

    def others(self, id: str | None, time: int | None) -> dict[str, Any]:
        """The query for the documents with which that of this id, or a text (`id` None), is compared at `time`."""
        itself = [] if id is None else [query_dsl.term("identity", id)]
        return self.living(self.of_hours(time), itself)

    def successor(self, head: int) -> dict[str, Any]:
        """The search for the earliest members (time, id) of the group whose head has the arrival `head`."""
        return {**self.body(self.living([query_dsl.term("group_order", head)])), "sort": BY_TIME}


def sentence_names(batch: SignedQueryBatch) -> dict[int, str]:
    """The sentence fingerprints of one text, as they are indexed, by key."""
    words = batch.words
    return {} if words is None else {key: f"{key:016x}" for key in words.sentences.tolist()}


def band_names(batch: SignedQueryBatch) -> dict[int, str]:
    """The bands of the simhashes of one text, as they are indexed, by key."""
    keys = [] if batch.words is None else batch.words.band_keys()[0].tolist()
    return {key: f"{key >> 18}:{key >> 16 & 3}:{key & 0xFFFF:04x}" for key in keys}


def _others_than(common: frozenset[int], names: Mapping[int, str]) -> list[str]:
    return [name for key, name in names.items() if key not in common]
