"""The bodies of the searches for what may be a copy of some document of a batch: pure functions of values."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.managed_objects import MAX_TERMS
from neardup.elastic.window import query_dsl as queries
from neardup.elastic.window.candidate_query import CandidateQueries, by_rarest
from neardup.elastic.window.parts import in_parts
from neardup.kernels.sketch import UNCOUNTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.document import Prepared
    from neardup.signing.signature import SignedBatch

_BY_SKETCHES: Final = 1_024
"""Documents that one search asks for by their sketches."""
_SCANS: Final = 8
"""Clauses that one for the plugin counts as: each looks at every document."""


class BatchQueries(CandidateQueries):
    """Queries for the candidates of many documents at once."""

    def least_shared(self, signed: SignedBatch) -> list[int]:
        """How many keys a copy of each document shares with it at least; 0 where its sketch does not tell."""
        if self._settings.retrieval == "complete":
            return [0] * len(signed.counts)
        least: list[int] = self._search.min_shared(signed.counts, self._settings.threshold_fraction).tolist()
        return least

    def alike_any(self, documents: Sequence[Prepared], signed: SignedBatch) -> Iterator[dict[str, Any]]:
        """Queries that find all that may be a copy of one of the documents; of an empty one nothing is."""
        # A text too short for a q-gram has no keys to share: only documents of the same text are its copies.
        least = [
            own if count else 0 for own, count in zip(self.least_shared(signed), signed.counts, strict=True)
        ]
        # One scan does for all; clauses of terms count for those of whose keys a copy shares the same number.
        scans = self._layout.is_searched_by_plugin and not self._layout.terms
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for i, own in enumerate(least):
            if signed.text_offsets[i] < signed.text_offsets[i + 1]:
                groups[min(own, 1) if scans else own].append(i)
        for group in groups.values():
            for part in self._parts(documents, group, signed, has_sketches=least[group[0]] > 0):
                yield self._alike_any(documents, signed, part, [least[i] for i in part])

    def _parts(
        self, documents: Sequence[Prepared], group: Sequence[int], signed: SignedBatch, *, has_sketches: bool
    ) -> Iterator[list[int]]:
        """A `group` of documents in parts, each for one query: those that no sketch finds are clauses, one a document
        for the plugin, else one a q-gram.
        """
        if has_sketches:
            return in_parts(group, lambda _: 1, _BY_SKETCHES)

        def clauses(i: int) -> int:
            count = int(signed.counts[i])
            return _SCANS if count and self._is_for_plugin(documents[i], count) else count

        return in_parts(group, clauses, queries.MOST_CLAUSES)

    def _is_for_plugin(self, document: Prepared, count: int) -> bool:
        """Whether the query of the plugin is asked for the copies of a document that has so many q-grams: it is where
        the nodes sign. Where it may search by terms it takes neither longer texts than are signed nor more q-grams
        than an index allows.
        """
        fits = len(document.text) <= self._layout.max_length and count <= MAX_TERMS
        return not self._layout.client_signs and (fits or not self._layout.terms)

    def added_since(self, first: int) -> dict[str, Any]:
        """The search for the documents of the arrival `first` and later ones."""
        return self.body(self.living([], first=first))

    def _alike_any(
        self, documents: Sequence[Prepared], signed: SignedBatch, group: Sequence[int], least: Sequence[int]
    ) -> dict[str, Any]:
        """What may be a copy of one of a `group` of documents, and shares at least `least` keys with it: of all of them
        none, or some, and where terms are searched for the same number.
        """
        threshold = self._settings.threshold_fraction
        ways = [queries.terms("fingerprint", sorted({signed.fingerprint(i) for i in group}))]
        if least[0]:
            sketches = [signed.part(i, i + 1).sketches for i in group]
            if self._layout.is_searched_by_plugin:
                ways.append(queries.sketches_like(sketches, least))
            else:
                terms = [queries.sketch_terms(sketch, self._layout) for sketch in sketches]
                ways.append(queries.sharing("sketch", terms, least[0]))
        else:
            ways += [
                queries.copies_of(documents[i].text.decode(), threshold)
                if self._is_for_plugin(documents[i], int(signed.counts[i]))
                else by_rarest(self._signer, self._search, signed.part(i, i + 1), threshold)
                for i in group
                if signed.counts[i]
            ]
        largest = self._search.largest
        sizes = [self._size(int(signed.counts[i]), largest) for i in group]
        lengths = queries.lengths(min(sizes), threshold, max(sizes), largest=largest)
        wanted = [queries.any_of(ways), lengths]
        return self.living([*wanted, *self.of_hours_around([documents[i].hour for i in group])])

    @staticmethod
    def _size(count: int, largest: int) -> int:
        """How large a set passes for: as in memory, where large ones may not have been counted yet."""
        return largest if largest and (count == UNCOUNTED or count > largest) else count
