"""MemberLists: the posting lists of the members of a crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.index.posting_lists import PostingLists
from neardup.kernels import member_lists, posting_lists
from neardup.kernels.bit_planes import WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.reused_array import ReusedArray

_MOST_SHORT = (1 << 16) - 1


class MemberLists(PostingLists):
    """Posting lists of the members of a crowd (kernels/member_lists.py), of which at most `most` are bitsets.

    Memory: as `PostingLists`, and for each bitset 1 byte for every 8 members; growth reserves room for a quarter more
    members and twice as many bitsets.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most + 1  # row 0 belongs to no list
        self._bits = np.zeros((1, 1, WORDS), np.uint64)
        self._used = np.ones(1, np.int64)

    @property
    def memory(self) -> int:
        """Bytes of the table, the pool and the bitsets."""
        return super().memory + int(self._bits.nbytes)

    def add_members(
        self, keys: NDArray[np.uint64], offsets: NDArray[np.int64], members: NDArray[np.int64]
    ) -> None:
        """Adds `members[i]` under `keys[offsets[i]:offsets[i + 1]]`; members of -1 are left out."""
        blocks, rows, _ = self._bits.shape
        wanted = int(members.max(initial=0)) // member_lists.BLOCK + 1
        if wanted > blocks:
            self._widen(max(blocks + blocks // 4, wanted), rows)
        progress = np.zeros(2, np.int64)
        while True:
            status = member_lists.add_members(
                self._lists, self._bits, self._used, self._most, keys, offsets, members, progress
            )
            if status == posting_lists.DONE:
                return
            if status == member_lists.ROWS_FULL:
                blocks, rows, _ = self._bits.shape
                self._widen(blocks, min(max(2 * rows, 64), self._most))
            else:
                self._grow(status, int(np.diff(offsets).max()))

    def _widen(self, blocks: int, rows: int) -> None:
        held = self._bits
        if rows == held.shape[1]:
            # In place: the system moves large arrays by their addresses. Nobody has a part of this one.
            held.resize((blocks, rows, WORDS), refcheck=False)
            return
        self._bits = np.zeros((blocks, rows, WORDS), np.uint64)
        self._bits[: held.shape[0], : held.shape[1]] = held

    def tally(
        self, keys: NDArray[np.uint64], offsets: NDArray[np.int64], size: int, reused: ReusedArray
    ) -> NDArray[np.uint16] | NDArray[np.int32]:
        """For each i, how many lists of `keys[offsets[i]:offsets[i + 1]]` each member is in; members are below `size`.

        One row for every i, longer than `size`, in the memory of `reused`; uint16, or int32 if a set has too many keys.
        Costs reading the lists, about 1 ns a posting, and for bitsets a nanosecond or two for every 512 members.
        """
        blocks = -(-size // member_lists.BLOCK)
        shape = len(offsets) - 1, blocks * member_lists.BLOCK
        wanted, is_short = shape[0] * shape[1], int(np.diff(offsets).max(initial=0)) <= _MOST_SHORT
        array = reused.of(wanted // 2 if is_short else wanted)
        counts = (array.view(np.uint16) if is_short else array)[:wanted].reshape(shape)
        member_lists.tally(self._lists, self._bits, keys, offsets, counts)
        return counts
