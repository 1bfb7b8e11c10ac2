"""From signed documents to what is stored of them: rows and keys (stores/records.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.kernels.ranges import gathered
from neardup.stores.records import (
    KEY_COUNTS,
    KeySizes,
    are_with_words,
    key_counts,
    key_starts,
    new_rows,
    set_key_sizes,
    set_signatures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.signing.signature import Keys
    from neardup.stores.records import Rows

_WORDS: Final = slice(KEY_COUNTS.index("n_sentences"), None)
"""Sentences and bands among `KEY_COUNTS`."""


def rows_of(documents: Sequence[Prepared], batch: SignedQueryBatch, *, partial: bool) -> Rows:
    """Rows of a signed batch, as if every document were unique. `partial`: partial copies are looked for."""
    signed = batch.signed
    times = [document.time for document in documents]
    return new_rows(
        times, signed.fingerprints, signed.counts, np.diff(signed.text_offsets), key_sizes(batch),
        words=batch.words is not None, partial=partial,
    )  # fmt: skip


def key_sizes(batch: SignedQueryBatch) -> KeySizes:
    """How many keys of each kind the documents of a signed batch have."""
    signed, prefixes, words = batch.signed, batch.prefixes, batch.words
    sizes = KeySizes(np.diff(signed.sketch_offsets), signed.bitmaps.shape[2])
    if prefixes is not None:
        sizes = sizes._replace(prefix=np.diff(prefixes[1]))
    if words is not None:
        bands = np.diff(words.band_keys()[1])
        sizes = sizes._replace(sentences=np.diff(words.sentence_offsets), bands=bands)
    return sizes


def keys_of(batch: SignedQueryBatch, chosen: NDArray[np.int64]) -> Keys:
    """The keys of the `chosen` documents as a store keeps them (`KEY_COUNTS`), document by document."""
    kinds = _qgram_kinds(batch)
    if batch.words is not None:
        kinds += [(batch.words.sentences, batch.words.sentence_offsets), batch.words.band_keys()]
    return _laid(kinds, chosen)


def resigned_keys(rows: Rows, batch: SignedQueryBatch, keys: Keys) -> Keys:
    """The keys of documents whose normal forms are signed anew; their `rows` are updated. Sentences and simhashes
    cannot be made from normal forms, and stay as they are in `keys`, the old ones.
    """
    starts, counts = key_starts(rows)[_WORDS], key_counts(rows)[_WORDS]
    words = [gathered(keys, *kind) for kind in zip(starts, counts, strict=True)]
    set_signatures(rows, batch.signed.fingerprints, batch.signed.counts)
    sizes = key_sizes(batch)._replace(sentences=counts[0], bands=counts[1])
    set_key_sizes(rows, sizes, words=are_with_words(rows))
    return _laid([*_qgram_kinds(batch), *words], np.arange(len(rows)))


def _qgram_kinds(batch: SignedQueryBatch) -> list[tuple[Keys, NDArray[np.int64]]]:
    """Sketches, bitmaps and, where there are any, prefixes, each with n + 1 offsets."""
    signed = batch.signed
    bitmaps = (signed.bitmaps[:, 1].ravel(), BITMAP_WORDS * np.arange(len(signed.bitmaps) + 1))
    prefixes = [] if batch.prefixes is None else [batch.prefixes]
    return [(signed.sketches, signed.sketch_offsets), bitmaps, *prefixes]


def _laid(kinds: Sequence[tuple[Keys, NDArray[np.int64]]], chosen: NDArray[np.int64]) -> Keys:
    """The keys of all kinds of the `chosen` documents, document by document."""
    bases = np.cumsum([0, *(len(keys) for keys, _ in kinds)])
    starts = [offsets[:-1][chosen] + base for (_, offsets), base in zip(kinds, bases, strict=False)]
    sizes = [np.diff(offsets)[chosen] for _, offsets in kinds]
    by_document = np.ravel(starts, order="F"), np.ravel(sizes, order="F")
    return gathered(np.concatenate([keys for keys, _ in kinds]), *by_document)[0]
