"""DSC-SS, super shingles: shingles of shingles; one in common makes two documents copies.

Broder, Glassman, Manasse & Zweig (1997), "Syntactic clustering of the Web", section "Super shingles": a document's
kept shingles are sorted and shingled again; two documents with one super shingle in common share a sequence of
shingles. Chowdhury et al. (2002) call it DSC-SS and vary the length of the sequence.

Departures: xxh64 in place of Rabin fingerprints. As in the paper it "does not work well for short documents": one with
fewer kept shingles than `length` has no super shingle and is nobody's copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import xxhash

from neardup.baselines import tokens
from neardup.baselines.base import YES_NO
from neardup.baselines.sets import Measure, SetMethod
from neardup.baselines.shingling import Shingling

if TYPE_CHECKING:
    from neardup.baselines.tokens import Keys


class SuperShingles(SetMethod):
    """Sequences of `length` among the sorted shingles of `width` words, of which one in `every` is kept."""

    paper: ClassVar[str] = "Broder, Glassman, Manasse & Zweig 1997, super shingles (DSC-SS)"
    thresholds = YES_NO
    measure = Measure.ANY

    def __init__(self, width: int = 10, length: int = 5, *, every: int = 1) -> None:
        if length < 1:
            raise ValueError(f"length = {length}: a super shingle has one shingle or more")
        self._shingling = Shingling(width, every=every)
        self.name = f"DSC-SS(w={width}, length={length}, every={every})"
        self.length = length

    def sign(self, text: str) -> Keys:
        """The super shingles, ascending."""
        kept = self._shingling.sign(text)
        if len(kept) < self.length:
            return tokens.distinct(np.empty(0, np.uint64))
        windows = np.lib.stride_tricks.sliding_window_view(kept, self.length)
        return tokens.distinct(
            np.array([xxhash.xxh64_intdigest(window.tobytes()) for window in windows], np.uint64)
        )
