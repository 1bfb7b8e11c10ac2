"""From signed documents to what is stored of them: rows and keys (stores/records.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.stores.records import KeySizes, new_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.signing.signature import Keys
    from neardup.stores.records import Rows


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
    signed, prefixes, words = batch
    sizes = KeySizes(np.diff(signed.sketch_offsets), signed.bitmaps.shape[2])
    if prefixes is not None:
        sizes = sizes._replace(prefix=np.diff(prefixes[1]))
    if words is not None:
        bands = np.diff(words.band_keys()[1])
        sizes = sizes._replace(sentences=np.diff(words.sentence_offsets), bands=bands)
    return sizes


def keys_of(batch: SignedQueryBatch, chosen: NDArray[np.int64]) -> Keys:
    """The keys of the `chosen` documents as a store keeps them (`KEY_COUNTS`), document by document."""
    signed = batch.signed
    kinds = [(signed.sketches, signed.sketch_offsets)]
    kinds.append((signed.bitmaps[:, 1].ravel(), BITMAP_WORDS * np.arange(len(signed.bitmaps) + 1)))
    if batch.prefixes is not None:
        kinds.append(batch.prefixes)
    if batch.words is not None:
        kinds += [(batch.words.sentences, batch.words.sentence_offsets), batch.words.band_keys()]
    sizes = np.array([np.diff(offsets)[chosen] for _, offsets in kinds])
    ends = np.cumsum(sizes.T.ravel()).reshape(len(chosen), len(kinds)).T
    laid = np.empty(int(sizes.sum()), np.uint64)
    for (keys, offsets), size, end in zip(kinds, sizes, ends, strict=True):
        steps = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        laid[np.repeat(end - size, size) + steps] = keys[np.repeat(offsets[:-1][chosen], size) + steps]
    return laid
