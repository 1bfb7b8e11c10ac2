"""Pairs compared one by one: a document of a batch with a stored one, by their bitmaps, then by their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.pair_overlaps import required_overlaps, shared_of_pairs
from neardup.index.template_filter import passing_of
from neardup.kernels.crowd import BELOW, EXACT, NEAR
from neardup.model.verdict import Part
from neardup.signing.signature import concatenated

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable
    from neardup.model.settings import PartialRule, Settings
    from neardup.signing.signature import Keys, Offsets, SignedBatch
    from neardup.signing.signer import Signer

ReadTexts = Callable[[Sequence[int]], list[bytes]]
"""The normal forms of some docs, in UTF-8; b"" for one that cannot be read any more, which shares nothing."""


class PairComparison:
    """Compares documents of a batch (`queries`, by their places in it) with `docs` of a table, of both one a pair.

    `sentences`, where they are looked for: how many a pair has in common. `rule`: when documents below `threshold`
    share a part. `passing`: which pairs are worth that, by their bitmaps.
    """

    def __init__(
        self,
        signed: SignedBatch,
        *,
        table: DocumentTable,
        signer: Signer,
        settings: Settings,
        threshold: Fraction,
        read_texts: ReadTexts,
        rule: PartialRule | None,
    ) -> None:
        self._signed, self._table, self._signer, self._threads = signed, table, signer, settings.threads
        self._threshold, self._read_texts, self._rule = threshold, read_texts, rule
        self.passing = passing_of(settings, signed, table, threshold)

    def compared(
        self, queries: NDArray[np.int64], docs: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """(|A ∩ B| of every pair, or a smaller number where that is of no use; EXACT, NEAR or BELOW).

        Afterwards |A| is known of all of them, and |B| of every pair that may match. Equal fingerprints are equal
        normal forms: not read again.
        """
        signed, table = self._signed, self._table
        equal = (table.fingerprints[docs] == signed.fingerprints[queries]).all(axis=1)
        equal &= (np.diff(signed.text_offsets) > 0)[queries]  # nothing is a copy of an empty text
        self._signer.count(signed, np.unique(queries[equal]).tolist())
        counts = signed.counts[queries]
        shared = np.where(equal, counts, 0)
        table.count(docs[equal], counts[equal])
        open_pairs = np.flatnonzero(~equal & (counts != 0))
        if len(open_pairs):
            chosen = None if sentences is None else sentences[open_pairs]
            shared[open_pairs] = self._read(queries[open_pairs], docs[open_pairs], chosen)
        counts = signed.counts[queries]
        required = required_overlaps(self._threshold, np.maximum(counts, table.qgram_counts(docs)))
        near = (shared >= required) & (counts > 0)
        return shared, np.where(equal, EXACT, np.where(near, NEAR, BELOW)).astype(np.uint8)

    def parts(
        self,
        queries: NDArray[np.int64],
        docs: NDArray[np.int64],
        sentences: NDArray[np.int64] | None,
        shared: NDArray[np.int64],
        reached: NDArray[np.bool_],
    ) -> dict[int, Part]:
        """The parts of those pairs that are not `reached` and share one by the rule: a sentence and a q-gram at least;
        by the number of the pair.
        """
        if self._rule is None or sentences is None:
            return {}
        table, counts, others = self._table, self._signed.counts[queries], self._table.qgram_counts(docs)
        enough = self._enough(counts, others, sentences)
        pairs = np.flatnonzero(~reached & (shared >= enough) & (counts > 0))
        columns = table.times[docs], shared, counts, np.minimum(counts, others), sentences
        values = zip(docs[pairs].tolist(), *(column[pairs].tolist() for column in columns), strict=True)
        parts = (Part(doc, table.ids[doc], *rest) for doc, *rest in values)
        return dict(zip(pairs.tolist(), parts, strict=True))

    def key_sets(self, docs: NDArray[np.int64]) -> tuple[Keys, Offsets]:
        """The key sets of `docs`, one after another, and n + 1 offsets."""
        return self._signer.key_sets(self._signer.sign(self._read_texts(docs.tolist()), normal=True))

    def _read(
        self, queries: NDArray[np.int64], docs: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """|A ∩ B| of pairs whose texts differ, or a smaller number where that is of no use: by their texts."""
        signed, table, signer = self._signed, self._table, self._signer
        unique, at = np.unique(docs, return_inverse=True)
        data, offsets = concatenated(self._read_texts(unique.tolist()))
        needed = np.full(len(docs), -1)
        if self._rule is not None:  # which numbers are of use depends on both sizes
            signer.count(signed, np.unique(queries).tolist())
            sizes = table.qgram_counts(unique)
            # Of a text that cannot be read no size is known, and others that have it go by the same number.
            new = np.flatnonzero((sizes < 0) & (np.diff(offsets) > 0))
            signer.count_texts(data, offsets, new, sizes)
            table.count(unique[new], sizes[new])
            needed = self._enough(signed.counts[queries], sizes[at], sentences)
        others = table.qgram_counts(docs)
        before = others < 0
        shared = shared_of_pairs(
            signed, queries, data, offsets[:-1][at], offsets[1:][at], others, needed,
            threshold=self._threshold, signer=signer, threads=self._threads,
        )  # fmt: skip
        counted = np.flatnonzero(before & (others >= 0))
        table.count(docs[counted], others[counted])
        # The size of a text that cannot be read any more is known, and all of it would pass for shared.
        return np.where(np.diff(offsets)[at] > 0, shared, 0)

    def _enough(
        self, counts: NDArray[np.int64], others: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """How many q-grams a pair must share to be worth anything."""
        needed = required_overlaps(self._threshold, np.maximum(counts, others))
        if self._rule is None or sentences is None:
            return needed
        smaller = np.minimum(counts, others)
        contained = np.where(sentences > 0, required_overlaps(self._rule.containment, smaller), needed)
        parts = np.maximum(np.where(sentences > self._rule.delta, 1, contained), 1)
        return np.minimum(needed, parts)
