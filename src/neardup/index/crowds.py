"""Crowds: documents of one template, whose exact overlaps with another document are worked out all at once.

Warnings, alerts, form letters, campaigns: each matches all that came before, and reading all their texts for each of
them takes a time that grows with the square of their number. What makes a crowd and who is in it never changes a
verdict, only how |A ∩ B| is worked out (kernels/crowd.py has the formula). Crowds are made as they are met, are held in
memory alone, and are made anew after an opening or a compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.member_lists import MemberLists
from neardup.index.reused_array import ReusedArray
from neardup.kernels.crowd import (
    Differences,
    Tallied,
    core_table,
    count_crowds,
    differences,
    differences_of_texts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.signing.signature import Keys, Offsets, SignedBatch
    from neardup.signing.signer import Signer

FEWEST: Final = 32
"""So many documents that had to be read for one comparison make a crowd: fewer are read as fast."""
SAMPLE: Final = 9
"""Texts that a core is made of: what more than half of them hold."""
_NONE, _LONER = -1, -2
_NOBODY: Final = np.zeros(0, np.int32)
NO_CROWD: Final = Tallied(-3, 0, _NOBODY, _NOBODY, np.zeros(0, np.uint16), _NOBODY)
"""A set against no crowd."""
_PROBED: Final = 128
"""Candidates whose crowd is looked up before they are compared: of a crowd that matters some are among them."""
_BITSETS: Final = 16_384
"""Keys that are counted by bitset at most, which bounds the memory of bitsets: 2 KB a member. The others are read."""
_FIRST_MEMBERS: Final = 64


class _Crowd:
    """One crowd: its core, and how each member differs from it.

    What is beyond the core and what is lacked of it is posted in one set of lists: no key can be both. Postings are
    numbers of members, not docs: in a window of other documents a list that most members are in is still long.
    """

    def __init__(self, keys: Keys) -> None:
        self._core = core_table(keys)
        self._lists = MemberLists(_BITSETS)
        self._lacking, self._sizes, self._docs = (np.full(_FIRST_MEMBERS, _NONE, np.int32) for _ in range(3))
        self.size = 0

    @property
    def memory(self) -> int:
        """Bytes of core, columns and posting lists."""
        arrays = (*self._core, self._lacking, self._sizes, self._docs)
        return self._lists.memory + sum(array.nbytes for array in arrays)

    def differences(self, keys: Keys, offsets: Offsets) -> Differences:
        """In what the sets `keys[offsets[i]:offsets[i + 1]]` differ from the core."""
        out = self._memory_for(len(offsets) - 1, len(keys))
        differences(keys, offsets, self._core, out)
        return out._replace(keys=out.keys[: out.offsets[-1]])

    def differences_of(self, batch: SignedBatch, which: NDArray[np.int64], signer: Signer) -> Differences:
        """The same of the documents `which` of a signed batch, whose |A| are set in it."""
        sizes = np.diff(batch.text_offsets)[which]
        out = self._memory_for(len(which), int(sizes.sum()) + 1)
        differences_of_texts(
            batch.texts, batch.text_offsets, which, signer.recipe.q, signer.scratch(int(sizes.max())),
            self._core, batch.counts, out,
        )  # fmt: skip
        return out._replace(keys=out.keys[: out.offsets[-1]])

    def _memory_for(self, sets: int, keys: int) -> Differences:
        """Memory for the differences of so many sets, which have so many keys together."""
        return Differences(
            np.empty(keys + sets * len(self._core.slots), np.uint64),
            np.empty(sets + 1, np.int64),
            np.empty(sets, np.int64),
        )

    def tallied(self, crowd: int, difference: Differences, reused: ReusedArray) -> list[Tallied]:
        """What the members, as they are now, have in common with each set that `difference` is of; in `reused`."""
        counts = self._lists.tally(difference.keys, difference.offsets, self.size, reused)
        columns, docs = (self._lacking[: self.size], self._sizes[: self.size]), self._docs[: self.size]
        bases = (len(self._core.slots) - difference.lacking).tolist()
        return [
            Tallied(crowd, base, *columns, row[: self.size], docs)
            for base, row in zip(bases, counts, strict=True)
        ]

    def add(
        self, counts: Offsets, difference: Differences, new: NDArray[np.bool_], docs: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Adds those sets, of `counts` keys, that are `new`, as members for these docs; returns their numbers in it."""
        members = np.where(new, self.size + np.cumsum(new) - 1, -1)
        before, size = self.size, self.size + int(new.sum())
        if size > len(self._sizes):
            more = np.full(max(len(self._sizes), size), _NONE, np.int32)
            held = self._sizes, self._lacking, self._docs
            self._sizes, self._lacking, self._docs = (np.append(each, more) for each in held)
        self._sizes[before:size] = counts[new]
        self._lacking[before:size] = difference.lacking[new]
        self.size = size  # before they are posted, which may end half-way: what is tallied has room for all
        self._lists.add_members(difference.keys, difference.offsets, members)
        self._docs[before:size] = docs[new]  # then: members of whom not all is posted are nobody's
        return members[new]


class Sizes(NamedTuple):
    """About how many of some docs are of each crowd (`by_crowd`), 0 for some of the smallest; the one that most are of,
    None if they are of none, and how many are.
    """

    by_crowd: NDArray[np.int64]
    main: int | None
    largest: int


class Crowds:
    """The crowds of a window, over the docs that are posted (`Documents.first_of`).

    Memory: 8 bytes a document of the window, about 6 bytes for every q-gram in which a member differs from its core,
    and as much again for bitsets; a document that differs in more than half of its q-grams is in no crowd.
    """

    def __init__(self) -> None:
        self._crowds: list[_Crowd] = []
        self._reused = ReusedArray()
        self.members = np.full((0, 2), _NONE, np.int32)

    @property
    def memory(self) -> int:
        """Bytes of crowds and columns."""
        return int(self.members.nbytes) + sum(crowd.memory for crowd in self._crowds)

    def sizes(self, docs: NDArray[np.int32], first_of: NDArray[np.int32]) -> Sizes:
        """Of which crowds `docs` are."""
        more = len(first_of) - len(self.members)
        if more > 0:
            self.members = np.concatenate([self.members, np.full((more, 2), _NONE, np.int32)])
        sizes = np.zeros(len(self._crowds), np.int64)
        main = count_crowds(docs, first_of, self.members, max(len(docs) // _PROBED, 1), sizes)
        return Sizes(sizes, None if main < 0 else main, int(sizes[main]) if main >= 0 else 0)

    def size(self, crowd: int) -> int:
        """How many members a crowd has."""
        return self._crowds[crowd].size

    def tallied(
        self,
        crowd: int,
        batch: SignedBatch,
        which: NDArray[np.int64],
        docs: NDArray[np.int64],
        signer: Signer,
    ) -> list[Tallied]:
        """The documents `which` of a signed batch against the crowd, of which they become members as `docs`, as by
        `add_members`.

        Afterwards their |A| are known. Costs reading the posting lists of what they differ in (`MemberLists`).
        """
        difference = self._crowds[crowd].differences_of(batch, which, signer)
        self._add(crowd, batch.counts[which], difference, docs)
        return self._crowds[crowd].tallied(crowd, difference, self._reused)

    def add_crowd(self, keys: Keys, offsets: Offsets) -> int:
        """Makes a crowd of what more than half of some of these key sets hold; returns it. It has no member yet."""
        chosen = range(0, len(offsets) - 1, max((len(offsets) - 1) // SAMPLE, 1))
        sets = [keys[offsets[i] : offsets[i + 1]] for i in chosen]
        core, counts = np.unique(np.concatenate(sets), return_counts=True)
        self._crowds.append(_Crowd(core[(2 * counts > len(sets)) & (core != 0)]))
        return len(self._crowds) - 1

    def add_members(
        self, crowd: int, keys: Keys, offsets: Offsets, docs: NDArray[np.int64], *, last: bool = False
    ) -> NDArray[np.bool_]:
        """Makes members of a crowd of those of the posted `docs`, each once, whose key sets are near its core.

        Which these are is returned. A doc of -1 becomes none. Where this is their `last` chance, the others stay in no
        crowd for good.
        """
        difference = self._crowds[crowd].differences(keys, offsets)
        near = self._add(crowd, np.diff(offsets), difference, docs)
        if last:
            self.members[docs[~near], 0] = _LONER
        return near

    def _add(
        self, crowd: int, counts: Offsets, difference: Differences, docs: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Adds what is near the core. What is a member already stays one: posted twice, it would be counted twice."""
        near: NDArray[np.bool_] = 2 * np.diff(difference.offsets) <= counts
        new = near & (docs >= 0) & (self.members[docs, 0] < 0)
        if new.any():
            added = docs[new]
            self.members[added, 1] = self._crowds[crowd].add(counts, difference, new, docs)
            self.members[added, 0] = crowd
        return near

    def is_free(self, docs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these posted docs are in no crowd and may become members of one."""
        free: NDArray[np.bool_] = self.members[docs, 0] == _NONE
        return free
