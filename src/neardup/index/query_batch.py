"""SignedQueryBatch: a batch of documents signed for a search, whole or in parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.packed_lists import KEY_BITS
from neardup.signing.signature import Keys, Offsets, SignedBatch, WordFeatures, joined, part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SignedQueryBatch(NamedTuple):
    """A signed batch, and what retrieval and routes of the settings need besides; None for what they do not need.

    prefixes   the rarest keys of each document, and n + 1 offsets: the complete search posts and looks up these
    words      sentences and simhashes
    shown      what a store keeps of each document to be shown; None: not made yet
    """

    signed: SignedBatch
    prefixes: tuple[Keys, Offsets] | None
    words: WordFeatures | None
    shown: Sequence[bytes] | None = None

    def part(self, first: int, last: int) -> SignedQueryBatch:
        """Documents `first` to `last` (excluded); shares memory."""
        prefixes = None if self.prefixes is None else part_of(*self.prefixes, first, last)
        words = None if self.words is None else self.words.part(first, last)
        shown = None if self.shown is None else self.shown[first:last]
        return SignedQueryBatch(self.signed.part(first, last), prefixes, words, shown)


def joined_batches(parts: Sequence[SignedQueryBatch]) -> SignedQueryBatch:
    """One batch from its parts, in their order; the arrays are copied."""
    signed = [part.signed for part in parts]
    whole = SignedBatch(
        *joined([(part.texts, part.text_offsets) for part in signed]),
        np.concatenate([part.counts for part in signed]),
        *joined([(part.sketches, part.sketch_offsets) for part in signed]),
        np.concatenate([part.levels for part in signed]),
        np.concatenate([part.bitmaps for part in signed]),
        np.concatenate([part.fingerprints for part in signed]),
    )
    prefixes = [part.prefixes for part in parts if part.prefixes is not None]
    words = [part.words for part in parts if part.words is not None]
    all_words = None
    if words:
        all_words = WordFeatures(
            *joined([(part.sentences, part.sentence_offsets) for part in words]),
            np.concatenate([part.simhashes for part in words]),
            np.concatenate([part.features for part in words]),
        )
    shown = [part.shown for part in parts if part.shown is not None]
    all_shown = list(chain.from_iterable(shown)) if len(shown) == len(parts) else None
    return SignedQueryBatch(whole, joined(prefixes) if prefixes else None, all_words, all_shown)


POSTED_BITS: Final = KEY_BITS
"""How many bits of a sketch key are used in posting lists and indices. Among 60 million keys, those of a million
documents, one in eighteen collides with another. That leads to no wrong result, because a candidate shares several keys
and is verified. Keys take less than half the memory.
"""


def posted(sketches: Keys) -> Keys:
    """The lowest `POSTED_BITS` of sketch keys, under which they are posted and looked up."""
    return sketches & np.uint64((1 << POSTED_BITS) - 1)


def with_fingerprints(
    keys: Keys, offsets: Offsets, short: NDArray[np.bool_], fingerprints: Keys
) -> tuple[Keys, Offsets]:
    """`keys` with part of `fingerprints[i]` inserted for every document i that is `short`, and so has no key; and the
    new offsets.
    """
    if not short.any():
        return keys, offsets
    moved = offsets.copy()
    moved[1:] += np.cumsum(short)
    return np.insert(keys, offsets[:-1][short], posted(fingerprints[short])), moved
