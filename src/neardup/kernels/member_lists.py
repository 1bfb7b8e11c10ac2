"""Posting lists of the member numbers of a crowd; long lists are bitsets (native/member_lists.h).

The table and the short lists are those of `kernels/posting_lists.py`. A list with a large share of all members becomes
a row of bits for good: a comparison then costs one look-up a key, and reads 64 members a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.kernels.bit_planes import BITS
from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.posting_lists import Lists

ROWS_FULL: Final = 4
"""A status of `add_members` besides those of `kernels/posting_lists.py`: `bits` needs more rows."""
BLOCK: Final = BITS
"""Members of a block of rows."""

_add_members = Kernel("add_members")
_tally = Kernel("tally")


def add_members(
    lists: Lists, bits: NDArray[np.uint64], used: NDArray[np.int64], most: int, keys: NDArray[np.uint64],
    offsets: NDArray[np.int64], members: NDArray[np.int64], progress: NDArray[np.int64],
) -> int:  # fmt: skip
    """Adds `members[i]` under `keys[offsets[i]:offsets[i + 1]]` for every i, except members of -1. Returns a status.

    bits, used   rows, and how many of them are in use (an array of one; row 0 is always in use); both are changed.
                 `bits[b, row]` are the 8 words of members 512 · b on
    most         the most rows: any other list stays a list, whatever its length
    progress     [i, keys of it already added]: where to resume
    """
    return _add_members(lists, bits, used, most, keys, offsets, members, progress)


def tally(
    lists: Lists,
    bits: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    counts: NDArray[Any],
) -> None:
    """Sets `counts[i, p]` to the number of lists of `keys[offsets[i]:offsets[i + 1]]` that member p is in.

    A row of `counts` has whole blocks, for all members; uint16, or int32 if a set has too many keys for that.
    """
    _tally(lists, bits, keys, offsets, counts)
