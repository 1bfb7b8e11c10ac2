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
"""Reads the normal forms of some docs, in UTF-8; b"", which shares nothing, if one cannot be read any more."""


class PairComparison:
    """Compares pairs of a document of a batch (`queries[i]`, its position in the batch) and a doc of a table
    (`docs[i]`).

    `sentences`: how many sentences each pair has in common, if partial copies are looked for. `rule`: when documents
    below `threshold` are partial copies. `passing`: which pairs are worth comparing, by their bitmaps.
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
        """(|A ∩ B| of every pair, or a smaller number if it is too small to matter; EXACT, NEAR or BELOW).

        Afterwards |A| is counted for all documents, and |B| for every pair that may match. Equal fingerprints mean
        equal normal forms: these are not read.
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
        """The partial copies among the pairs that have not `reached` the threshold, by the number of the pair: by the
        rule, with at least one sentence and one q-gram in common.
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
        """|A ∩ B| of pairs of different texts, from the stored texts; a smaller number if it is too small to matter."""
        signed, table, signer = self._signed, self._table, self._signer
        unique, at = np.unique(docs, return_inverse=True)
        data, offsets = concatenated(self._read_texts(unique.tolist()))
        needed = np.full(len(docs), -1)
        if self._rule is not None:  # which overlaps matter depends on both sizes
            signer.count(signed, np.unique(queries).tolist())
            sizes = table.qgram_counts(unique)
            # A text that cannot be read is not counted: other documents of this text share its count.
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
        # A text that cannot be read any more may have been counted before: its overlap is set to 0 here.
        return np.where(np.diff(offsets)[at] > 0, shared, 0)

    def _enough(
        self, counts: NDArray[np.int64], others: NDArray[np.int64], sentences: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """How many q-grams a pair must share to be a match or a partial copy."""
        needed = required_overlaps(self._threshold, np.maximum(counts, others))
        if self._rule is None or sentences is None:
            return needed
        smaller = np.minimum(counts, others)
        contained = np.where(sentences > 0, required_overlaps(self._rule.containment, smaller), needed)
        parts = np.maximum(np.where(sentences > self._rule.delta, 1, contained), 1)
        return np.minimum(needed, parts)
