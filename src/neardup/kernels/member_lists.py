"""Posting lists of the members of a crowd, by number: the long ones are bitsets (native/member_lists.h).

The table and the short lists are those of `kernels/posting_lists.py`. A list that holds many of all members becomes a
row of bits for good: a comparison then costs a look-up a key, and 64 members a word.
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
"""What `add_members` returns, beside the status of `kernels/posting_lists.py`, where there must be more rows."""
BLOCK: Final = BITS
"""Members of a block of rows."""

_add_members = Kernel("add_members")
_tally = Kernel("tally")


def add_members(
    lists: Lists, bits: NDArray[np.uint64], used: NDArray[np.int64], most: int, keys: NDArray[np.uint64],
    offsets: NDArray[np.int64], members: NDArray[np.int64], progress: NDArray[np.int64],
) -> int:  # fmt: skip
    """Adds `members[i]` under `keys[offsets[i]:offsets[i + 1]]` for every i; returns a status. -1: left out.

    bits, used   rows, and how many of them are in use (one value: row 0 is), changed; `bits[b, row]` are the 8 words of
                 members 512 · b on
    most         rows at most: other lists are read, whatever their length
    progress     [i, keys of it already added], where to resume
    """
    return _add_members(lists, bits, used, most, keys, offsets, members, progress)


def tally(
    lists: Lists,
    bits: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    counts: NDArray[Any],
) -> None:
    """Sets `counts[i, p]` to how many of the lists of `keys[offsets[i]:offsets[i + 1]]` member p is in.

    Rows of `counts` (uint16, or int32 where a set has more keys than that counts) are of whole blocks, for all members.
    """
    _tally(lists, bits, keys, offsets, counts)
