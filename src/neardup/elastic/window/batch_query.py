"""The bodies of the searches for possible copies of the documents of a batch: pure functions of values."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.elastic.admin.managed_objects import MAX_TERMS
from neardup.elastic.window import query_dsl
from neardup.elastic.window.candidate_query import CandidateQueries, by_rarest
from neardup.elastic.window.parts import in_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.document import Prepared
    from neardup.signing.signature import SignedBatch

_BY_SKETCHES: Final = 1_024
"""The most documents whose sketches one search asks for."""
_SCANS: Final = 8
"""How many clauses a query of the plugin counts as: each looks at every document."""


class BatchQueries(CandidateQueries):
    """Queries for the candidates of many documents at once."""

    def least_shared(self, signed: SignedBatch) -> list[int]:
        """The fewest sketch keys that a copy of each document shares with it; 0 where the sketch does not decide."""
        if self._settings.retrieval == "complete":
            return [0] * len(signed.counts)
        least: list[int] = self._search.min_shared(signed.counts, self._settings.threshold_fraction).tolist()
        return least

    def alike_any(self, documents: Sequence[Prepared], signed: SignedBatch) -> Iterator[dict[str, Any]]:
        """Queries that find all possible copies of the documents; an empty document has none."""
        least, counts = self.least_shared(signed), signed.counts.tolist()
        # One scan serves all documents; clauses of terms serve those that share the same least number of keys.
        scans = self._layout.is_searched_by_plugin and not self._layout.terms
        by_sketch: defaultdict[int, list[int]] = defaultdict(list)
        by_qgrams: list[int] = []
        for i in np.flatnonzero(np.diff(signed.text_offsets)).tolist():
            # A text too short for a q-gram has no keys to share: only documents of the same text are its copies.
            if least[i] and counts[i]:
                by_sketch[0 if scans else least[i]].append(i)
            else:
                by_qgrams.append(i)
        for group in by_sketch.values():
            for part in in_parts(group, lambda _: 1, _BY_SKETCHES):
                yield self._alike(documents, signed, part, [self._by_sketches(signed, part, least)])
        for part in in_parts(
            by_qgrams, lambda i: self._clauses(documents[i], counts[i]), query_dsl.MOST_CLAUSES
        ):
            ways = [self._by_qgrams(documents[i], signed.part(i, i + 1)) for i in part if counts[i]]
            yield self._alike(documents, signed, part, ways)

    def _alike(
        self,
        documents: Sequence[Prepared],
        signed: SignedBatch,
        part: Sequence[int],
        ways: Sequence[dict[str, Any]],
    ) -> dict[str, Any]:
        """The query for documents that have the same text as one document of `part`, or match one of the queries
        `ways`, and whose size and hour a copy of one of them can have.
        """
        same = query_dsl.terms("fingerprint", sorted({signed.fingerprint(i) for i in part}))
        sizes, largest = self._search.sizes(signed.counts[part]), self._search.largest
        lengths = query_dsl.lengths(
            int(sizes.min()), self._settings.threshold_fraction, int(sizes.max()), largest=largest
        )
        hours = self.of_hours_around([documents[i].hour for i in part])
        return self.living([query_dsl.any_of([same, *ways]), lengths, *hours])

    def _by_sketches(self, signed: SignedBatch, part: Sequence[int], least: Sequence[int]) -> dict[str, Any]:
        """The query for documents that share at least `least[i]` keys with the sketch of a document i of `part`. Where
        terms are searched for, this number must be the same for all of `part`.
        """
        sketches = [signed.part(i, i + 1).sketches for i in part]
        if self._layout.is_searched_by_plugin:
            return query_dsl.sketches_like(sketches, [least[i] for i in part])
        terms = [query_dsl.sketch_terms(sketch, self._layout) for sketch in sketches]
        return query_dsl.sharing("sketch", terms, least[part[0]])

    def _by_qgrams(self, document: Prepared, signed: SignedBatch) -> dict[str, Any]:
        """The query for possible copies of one document for which sketches cannot be used."""
        threshold = self._settings.threshold_fraction
        if self._is_for_plugin(document, int(signed.counts[0])):
            return query_dsl.copies_of(document.text.decode(), threshold)
        return by_rarest(self._signer, self._search, signed, threshold)

    def _clauses(self, document: Prepared, count: int) -> int:
        """How many clauses the query of `_by_qgrams` counts as: one for each q-gram, or `_SCANS` for the plugin."""
        return _SCANS if count and self._is_for_plugin(document, count) else count

    def _is_for_plugin(self, document: Prepared, count: int) -> bool:
        """Whether the plugin's query is used for the copies of a document with `count` q-grams: yes where the nodes
        sign. But where it may search by terms, it takes neither longer texts than are signed nor more q-grams than an
        index allows.
        """
        fits = len(document.text) <= self._layout.max_length and count <= MAX_TERMS
        return not self._layout.client_signs and (fits or not self._layout.terms)

    def added_since(self, first: int) -> dict[str, Any]:
        """The search for the documents of the arrival `first` and later ones."""
        return self.body(self.living([], first=first))
