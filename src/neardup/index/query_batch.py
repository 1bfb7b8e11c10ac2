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
    """A signed batch, and what the settings' retrieval and routes need besides: None where they need none.

    prefixes   the rarest keys of each document, and n + 1 offsets: the complete search posts and looks up these
    words      sentences and simhashes
    shown      what a store keeps of each to be shown; None: not made yet
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
"""How much of a sketch key posting lists and indices know it by. Among 60 million keys, those of a million documents,
one in eighteen meets another: nothing is found by that, for a candidate shares several keys, and is verified. To store
them takes less than half.
"""


def posted(sketches: Keys) -> Keys:
    """The lowest `POSTED_BITS` of sketch keys: what they are posted and looked up by, whole as they may be."""
    return sketches & np.uint64((1 << POSTED_BITS) - 1)


def with_fingerprints(
    keys: Keys, offsets: Offsets, short: NDArray[np.bool_], fingerprints: Keys
) -> tuple[Keys, Offsets]:
    """`keys` with part of `fingerprints[i]` put in for every document i that is `short`: it has no key of its own."""
    if not short.any():
        return keys, offsets
    moved = offsets.copy()
    moved[1:] += np.cumsum(short)
    return np.insert(keys, offsets[:-1][short], posted(fingerprints[short])), moved
