"""Counters of the posting lists that each doc is in (native/counters.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def bits_for(most: int) -> int:
    """How many bits of a counter are needed to count up to `most` (1 to 126) shared keys, and one more.

    The other bits of its byte are the stamp of the search: counters are cleared after 31 searches if 3 bits count,
    after every one if 7 do. A byte is enough even then: two bytes a doc would leave the first cache level sooner, and
    clearing costs nothing beside reading the lists of a hundred times as many keys.
    """
    return (most + 1).bit_length()


class Counters(NamedTuple):
    """A counter for every doc, not cleared between searches: it holds the stamp of the search that used it last.

    hits    one for each doc: stamp << bits | count
    bits    how many low bits hold the count (`bits_for`)
    stamp   the stamp of the last search; an array of one

    Memory: a byte a doc.
    """

    hits: NDArray[np.uint8]
    bits: int
    stamp: NDArray[np.int64]

    @classmethod
    def of(cls, size: int, most: int) -> Counters:
        """Cleared counters for `size` docs, and for searches that require at most `most` shared keys."""
        return cls(np.zeros(size, np.uint8), bits_for(most), np.zeros(1, np.int64))
