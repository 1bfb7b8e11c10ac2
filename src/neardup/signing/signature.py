"""Signature: all signed fields of one document, and the arrays of a signed batch (docs/definitions.md, Signature).

This module only defines the values; `neardup.signing.signer` computes them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint64]
Offsets = NDArray[np.int64]
Values = TypeVar("Values", Bytes, Keys)


@dataclass(frozen=True)
class Signature:
    """Everything neardup computes from one text; 64-bit values as 16 hex digits, most significant first.

    qgrams          the distinct q-grams as their own characters, sorted by code point
    sketch          keys of the sampled q-grams and wider grams, part by part
    sentences       sentence fingerprints in text order, each once
    simhash         one per variant; `simhash_bands`: `variant:block:hhhh`, four a variant that has features
    """

    recipe: str
    fingerprint: str
    qgrams: tuple[str, ...]
    qgram_count: int
    sketch: tuple[str, ...]
    sentences: tuple[str, ...]
    simhash: tuple[str, ...]
    simhash_bands: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with lists for tuples, as a cluster indexes them."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }


def part_of(values: Values, offsets: Offsets, first: int, last: int) -> tuple[Values, Offsets]:
    """Documents `first` to `last` (excluded) of concatenated `values` and their n + 1 `offsets`; shares memory."""
    return values[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first]


def joined(parts: Sequence[tuple[Values, Offsets]]) -> tuple[Values, Offsets]:
    """Several pairs (concatenated values, n + 1 offsets) as one; the values are copied."""
    bases = np.cumsum([0, *(int(offsets[-1]) for _, offsets in parts)])
    moved: list[Offsets] = [offsets[1:] + base for (_, offsets), base in zip(parts, bases, strict=False)]
    return np.concatenate([values for values, _ in parts]), np.concatenate([np.zeros(1, np.int64), *moved])


class SignedBatch(NamedTuple):
    """The signatures of some documents, as far as a decision needs them; concatenated arrays come with n + 1 offsets.

    texts             normal forms in UTF-8, one after another
    counts            |A| of every document; `kernels.sketch.UNCOUNTED` for those whose set was not built yet: whoever
                      builds it, the signer or a comparison, sets |A| here, and says for which documents it does
    sketches          keys of every sketch, one after another
    levels, bitmaps   levels (uint8), and bitmaps at and beside them (n × 3 × 16); see kernels/bitmap_filter.py
    fingerprints      n × 2: the first 128 bits of the SHA-256 of the normal form
    """

    texts: Bytes
    text_offsets: Offsets
    counts: Offsets
    sketches: Keys
    sketch_offsets: Offsets
    levels: Bytes
    bitmaps: Keys
    fingerprints: Keys

    def part(self, first: int, last: int) -> SignedBatch:
        """Documents `first` to `last` (excluded); shares memory."""
        if first == 0 and last == len(self.fingerprints):
            return self
        return SignedBatch(
            *part_of(self.texts, self.text_offsets, first, last),
            self.counts[first:last],
            *part_of(self.sketches, self.sketch_offsets, first, last),
            self.levels[first:last],
            self.bitmaps[first:last],
            self.fingerprints[first:last],
        )

    def text(self, index: int) -> bytes:
        """The normal form of document `index`."""
        return self.texts[self.text_offsets[index] : self.text_offsets[index + 1]].tobytes()

    def views(self, indices: Iterable[int]) -> list[memoryview]:
        """The normal forms of these documents; shares memory."""
        data, offsets = self.texts.data, self.text_offsets.tolist()
        return [data[offsets[i] : offsets[i + 1]] for i in indices]

    def fingerprint(self, index: int) -> str:
        """Fingerprint of document `index`, 32 hex digits."""
        return "".join(f"{int(half):016x}" for half in self.fingerprints[index])


class WordFeatures(NamedTuple):
    """Sentence fingerprints and simhashes of some documents.

    sentences   one after another, with n + 1 offsets
    simhashes   n × variants; `features`: the number of features of each
    """

    sentences: Keys
    sentence_offsets: Offsets
    simhashes: Keys
    features: Offsets

    @classmethod
    def of_keys(
        cls, sentences: Keys, sentence_offsets: Offsets, bands: Keys, band_offsets: Offsets, *, variants: int
    ) -> WordFeatures:
        """The word features of documents with these `sentences` and `bands` (as from `band_keys`). The number of
        features is not known: it is 1 for each simhash that has any.
        """
        simhashes = np.zeros((len(band_offsets) - 1, variants), np.uint64)
        positions = (
            np.repeat(np.arange(len(simhashes)), np.diff(band_offsets)),
            (bands >> np.uint64(18)).astype(np.int64),
        )
        shifts = np.uint64(48) - np.uint64(16) * (bands >> np.uint64(16) & np.uint64(3))
        np.bitwise_or.at(simhashes, positions, (bands & np.uint64(0xFFFF)) << shifts)
        features = np.zeros(simhashes.shape, np.int64)
        features[positions] = 1
        return cls(sentences, sentence_offsets, simhashes, features)

    def part(self, first: int, last: int) -> WordFeatures:
        """Documents `first` to `last` (excluded); shares memory."""
        return WordFeatures(
            *part_of(self.sentences, self.sentence_offsets, first, last),
            self.simhashes[first:last],
            self.features[first:last],
        )

    def band_keys(self) -> tuple[Keys, Offsets]:
        """`variant << 18 | block << 16 | value` of every simhash band, document by document, and n + 1 offsets."""
        n, variants = self.simhashes.shape
        blocks = np.arange(4, dtype=np.uint64)
        values = self.simhashes[:, :, None] >> (np.uint64(48) - np.uint64(16) * blocks) & np.uint64(0xFFFF)
        positions = np.arange(variants, dtype=np.uint64)[:, None] << np.uint64(18) | blocks << np.uint64(16)
        present = np.repeat((self.features > 0)[:, :, None], 4, axis=2)
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(present.sum(axis=(1, 2)), out=offsets[1:])
        return (positions | values)[present], offsets


def concatenated(texts: Sequence[bytes | memoryview]) -> tuple[Bytes, Offsets]:
    """`texts` one after another as one array of bytes, and n + 1 offsets."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    return np.frombuffer(b"".join(texts), np.uint8), offsets
