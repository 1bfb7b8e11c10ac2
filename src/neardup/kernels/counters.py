"""Counters of how many posting lists each doc is in (native/counters.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def bits_for(most: int) -> int:
    """How many bits of a counter count up to `most` (1 to 126) shared keys, and one more.

    The rest of its byte tells whose they are: 31 searches' between two clearings where 3 bits count, one's where 7 do.
    A byte is enough even so: two bytes a doc leave the first cache level sooner, and clearing is nothing beside reading
    the lists of a hundred times as many keys.
    """
    return (most + 1).bit_length()


class Counters(NamedTuple):
    """A counter for every doc that need not be cleared between two searches: it holds the stamp it was last used in.

    hits    one a doc: stamp << bits | count
    bits    how many low bits are the count's (`bits_for`)
    stamp   that of the last search; an array of one

    Memory: a byte a doc.
    """

    hits: NDArray[np.uint8]
    bits: int
    stamp: NDArray[np.int64]

    @classmethod
    def of(cls, size: int, most: int) -> Counters:
        """Fresh ones for so many docs, and for searches that ask for at most `most` shared keys."""
        return cls(np.zeros(size, np.uint8), bits_for(most), np.zeros(1, np.int64))
